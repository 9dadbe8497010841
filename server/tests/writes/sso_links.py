"""Writes of SSO links: one is made, and one signs its user in."""

from urllib.parse import parse_qsl, urlsplit

from rest_framework.test import APIClient

from postern.apps.preferences.models import PreferenceValue
from postern.apps.users.models import Membership
from postern.kernel import clock
from writes.case import ROOT, Again, Told, Values, Write
from writes.signing_in import API, COUNTED, SESSION
from writes.world import World

_MAKE = f"{API}sso/login-url/"
PERSON = "One-Person(one-person)"


def _switched_on(world: World) -> Values:
    Membership.objects.filter(user=world.person).exclude(role="User").delete()  # no links for auditors
    PreferenceValue.objects.create(name="AUTH_SSO", value=True, date_updated=clock.now())
    return {}


def _with_link(world: World) -> Values:
    _switched_on(world)
    maker = APIClient()
    maker.force_authenticate(world.admin)
    answer = maker.post(_MAKE, {"username": "one-person"})
    assert answer.status_code == 200, answer.content
    link = answer.json()["login_url"]
    return {"key": dict(parse_qsl(urlsplit(link).query))["authkey"]}


WRITES: list[Write] = [
    Write(
        method="POST",
        path=_MAKE,
        prepare=_switched_on,
        body={"username": "one-person", "next": "/ui/sessions"},
        told=[
            Told(
                event="sso_link.issued",
                action="other",
                kind="User",
                name=PERSON,
                new={"user": PERSON, "next": "/ui/sessions"},
                org=ROOT,
            )
        ],
        again=Again.ACTS,
        shown_once=["login_url"],
    ),
    Write(
        method="POST",
        path=f"{API}sso/login/",
        prepare=_with_link,
        caller="stranger",
        body={"key": "{key}"},
        told=[
            Told(
                event="sign_in.succeeded",
                action="other",
                kind="LoginLog",
                name="one-person",
                new={"username": "one-person", "status": True, "backend": "sso"},
                org=ROOT,
                user=PERSON,
            )
        ],
        again=Again.GONE,
        marks=COUNTED | SESSION | {"authn_ssolink"},
    ),
]
