"""Forms, bulk calls and imports refuse names, subjects and comments with characters that make them look like other
text.
"""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from postern.apps.users.models import User
from writes.case import Write, filled
from writes.table import AREAS
from writes.trial import Trial, prepared, undone
from writes.world import World, found_world

pytestmark = [pytest.mark.timeout(600), pytest.mark.django_db]

TURNED = "\u202egnp.exe"
#: Fields whose text names or describes an object.
NAMES = ("name", "username", "hostname", "value", "subject", "message", "comment", "number", "wechat", "phone")


@pytest.fixture
def world(licensed: None, make_user: Callable[..., User], settings: Any) -> World:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher", *settings.PASSWORD_HASHERS]
    return found_world(make_user)


def _items(body: Any) -> list[dict[str, Any]]:
    return [item for item in (body if isinstance(body, list) else [body]) if isinstance(item, dict)]


def _let_through(trial: Trial) -> list[str]:
    stored = []
    named = {name for item in _items(trial.body) for name in item if name in NAMES and isinstance(item[name], str)}
    for name in named:
        body = trial.body
        for item in _items(body):
            item[name] = TURNED
        with undone():
            answer = trial.call_with(body)
            if answer.status_code < 300:
                stored.append(f"{trial.write} {name}: {answer.status_code}")
    return stored


def _candidates(area: str) -> list[Write]:
    # Sign-in names, and texts that proxies report about targets, are accepted.
    # The console displays such characters as codes.
    return [
        w
        for w in AREAS[area]
        if w.format == "json" and w.caller in {"admin", "browser"} and isinstance(w.body, dict | list)
    ]


@pytest.mark.parametrize("area", list(AREAS))
def test_no_route_stores_a_name_with_reversed_text(area: str, world: World) -> None:
    let_through: list[str] = []
    for write in _candidates(area):
        with undone():
            let_through += _let_through(prepared(write, world))
    assert not let_through, "\n".join(let_through)
    assert filled("{admin}", world.values)


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_refusal_names_the_refused_character(as_org_admin: APIClient, language: str) -> None:
    answer = as_org_admin.post(
        "/api/v1/users/groups/", {"name": f"ops{TURNED}"}, format="json", headers={"Accept-Language": language}
    )
    assert answer.status_code == 400
    (message,) = answer.json()["name"]
    assert "U+202E" in message
    assert message.isascii() == (language == "en")


def test_comment_may_have_line_breaks_but_no_reversed_text(as_org_admin: APIClient) -> None:
    url = "/api/v1/users/groups/"
    assert as_org_admin.post(url, {"name": "a", "comment": "one\ntwo"}, format="json").status_code == 201
    assert as_org_admin.post(url, {"name": "b", "comment": f"one\n{TURNED}"}, format="json").status_code == 400


@pytest.mark.parametrize("instant", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59Z", "1899-12-31T00:00:00Z"])
def test_instant_at_the_edge_of_the_calendar_is_refused_in_filters_and_bodies(
    as_org_admin: APIClient, people: dict[str, User], instant: str
) -> None:
    """A stored instant at the edge of the calendar would break every list for readers in another time zone."""
    listed = as_org_admin.get("/api/v1/audits/login-logs/", {"date_from": instant, "date_to": instant})
    assert listed.status_code == 400
    assert set(listed.json()) == {"date_from", "date_to"}
    changed = as_org_admin.patch(f"/api/v1/users/users/{people['user'].pk}/", {"date_expired": instant}, format="json")
    assert changed.status_code == 400
    assert set(changed.json()) == {"date_expired"}


@pytest.mark.parametrize("address", ["no address", "1.2.3", "::g", "1.2.3.4/8", "1.2.3.4,5.6.7.8"])
def test_filter_by_an_invalid_address_is_refused_on_every_database(as_org_admin: APIClient, address: str) -> None:
    answer = as_org_admin.get("/api/v1/audits/login-logs/", {"ip": address})
    assert (answer.status_code, set(answer.json())) == (400, {"ip"})
