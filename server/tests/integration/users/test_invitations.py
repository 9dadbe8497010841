"""An organization cannot take over users: they join only with their own consent, or that of an
administrator of theirs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from factories.grants import grant, make_asset, make_group, make_node, make_system_user
from postern.apps.assets.tree.actions import ensure_root
from postern.apps.audits.models import AuditEvent
from postern.apps.notifications.models import SiteMessageReceipt
from postern.apps.orgs.models import Organization
from postern.apps.users.invitations import actions as invitations
from postern.apps.users.models import Invitation, Membership, User
from postern.foundation import licensing
from postern.foundation.bus import outbox
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID

API = "/api/v1/"
USERS = f"{API}users/users/"
SENT = f"{API}users/invitations/"
OWN = f"{API}users/profile/invitations/"
OF_MEMBERS = f"{API}users/member-invitations/"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _licence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(licensing, "is_open", lambda: True)


@dataclass
class Side:
    """An organization with its administrator and a member."""

    org: Organization
    admin: User
    person: User
    client: APIClient

    @property
    def headers(self) -> dict[str, str]:
        return {"X-JMS-ORG": str(self.org.pk)}


@pytest.fixture
def side_of(make_user: Callable[..., User], client_of: Callable[..., APIClient]) -> Callable[[str], Side]:
    def make(name: str) -> Side:
        org = Organization.objects.create(name=name)
        ensure_root(actor=SYSTEM, org_id=org.pk, name=name)
        admin = make_user(f"{name}-admin", org_role="Admin", org_id=org.pk)
        person = make_user(f"{name}-person", org_id=org.pk)
        client = client_of(admin)
        client.credentials(HTTP_X_JMS_ORG=str(org.pk))
        return Side(org, admin, person, client)

    return make


@pytest.fixture
def raiders(side_of: Callable[[str], Side]) -> Side:
    return side_of("alpha")


@pytest.fixture
def theirs(side_of: Callable[[str], Side]) -> Side:
    return side_of("beta")


def invite(side: Side, addressee: object, role: str = "User") -> Any:
    return side.client.post(f"{USERS}invite/", [{"user": str(addressee), "role": role}])


def orgs_of(user: User) -> set[Any]:
    return set(Membership.objects.filter(user=user).values_list("org_id", flat=True))


def deliver() -> None:
    while outbox.drain():
        pass


def subjects(user: User) -> list[str]:
    rows = SiteMessageReceipt.objects.filter(user=user).order_by("date_delivered")
    return [row.message.subject for row in rows.select_related("message")]


# --- joining needs consent ---


@pytest.mark.parametrize("named_by", ["pk", "username", "email"])
@pytest.mark.parametrize("role", ["User", "Admin"])
def test_organization_cannot_take_over_users_by_inviting_them(
    raiders: Side, theirs: Side, named_by: str, role: str
) -> None:
    victim = theirs.person
    assert invite(raiders, getattr(victim, named_by), role).status_code == 201
    assert orgs_of(victim) == {theirs.org.pk}
    listed = raiders.client.get(USERS).json()
    assert str(victim.pk) not in {row["id"] for row in listed}
    assert raiders.client.get(f"{USERS}{victim.pk}/").status_code == 404
    # Their own administrator still controls the account.
    assert theirs.client.get(f"{USERS}{victim.pk}/").json()["can_update"] is True
    assert theirs.client.patch(f"{USERS}{victim.pk}/", {"comment": "ours"}).status_code == 200


@pytest.mark.parametrize("role", ["Admin", "Auditor"])
@pytest.mark.parametrize("member", [True, False])
def test_super_administrators_and_auditors_are_never_added_without_consent(
    raiders: Side, make_user: Callable[..., User], role: str, member: bool
) -> None:
    above = make_user("above", role=role, org_role="User" if member else None, org_id=raiders.org.pk)
    before = sorted(Membership.objects.filter(user=above).values_list("role", flat=True))
    for addressee in (above.pk, above.username, above.email):
        assert invite(raiders, addressee, "Auditor").status_code == 201
    assert sorted(Membership.objects.filter(user=above).values_list("role", flat=True)) == before
    pending = raiders.client.get(OF_MEMBERS).json()
    assert pending == []


@pytest.mark.parametrize("named", ["pk", "username", "email"])
def test_user_without_an_organization_is_asked_however_they_are_named(
    raiders: Side, make_user: Callable[..., User], client_of: Callable[..., APIClient], named: str
) -> None:
    """Their id may be known to an organization that they left, and its administrator could reset their password."""
    free = make_user("free", org_role=None)
    assert invite(raiders, getattr(free, named)).status_code == 201
    assert orgs_of(free) == set()
    assert raiders.client.patch(f"{USERS}{free.pk}/", {"name": "Taken"}, headers=raiders.headers).status_code == 404
    client = client_of(free)
    (invitation,) = client.get(OWN).json()
    assert client.post(f"{OWN}{invitation['id']}/accept/").status_code == 200
    assert orgs_of(free) == {raiders.org.pk}


def test_user_who_was_removed_is_asked_before_they_come_back(raiders: Side) -> None:
    person = raiders.person
    assert raiders.client.post(f"{USERS}{person.pk}/remove/", headers=raiders.headers).status_code in {200, 204}
    assert orgs_of(person) == set()
    assert invite(raiders, person.pk).status_code == 201
    assert orgs_of(person) == set()


def test_administrator_of_both_organizations_consents_by_inviting(raiders: Side, theirs: Side) -> None:
    Membership.objects.create(user=raiders.admin, org=theirs.org, role="Admin")
    assert invite(raiders, theirs.person.username).status_code == 201
    assert orgs_of(theirs.person) == {raiders.org.pk, theirs.org.pk}


def test_super_administrators_add_any_user_at_once(as_admin: APIClient, theirs: Side) -> None:
    body = [{"user": str(theirs.person.pk), "role": "Auditor"}]
    answer = as_admin.post(f"{USERS}invite/", body)
    assert (answer.status_code, answer.json()) == (201, body)
    assert orgs_of(theirs.person) == {theirs.org.pk, DEFAULT_ORG_ID}
    assert as_admin.post(f"{USERS}invite/", [{"user": str(uuid4()), "role": "User"}]).status_code == 400


# --- no enumeration ---


def test_invitation_answers_the_same_whether_or_not_the_user_exists(raiders: Side, theirs: Side) -> None:
    """Answer, own list, audit log and number of queries are equal except for the administrator's own input."""
    seen: list[Any] = []
    for addressee in (theirs.person.username, "nobody-here", theirs.person.email, "nobody@example.test"):
        with CaptureQueriesContext(connection) as queries:
            answer = invite(raiders, addressee)
        row = next(invitation for invitation in raiders.client.get(SENT).json() if invitation["addressee"] == addressee)
        event = AuditEvent.objects.filter(org_id=raiders.org.pk, event="invitation.sent").latest("sequence")
        assert answer.json() == [{"user": addressee, "role": "User"}]
        assert event.resource == addressee
        seen.append((answer.status_code, sorted(row), row["roles"], event.new, len(queries)))
    assert seen == [seen[0]] * 4
    assert {"id", "addressee", "roles", "created_by", "date_created", "date_expired"} == set(
        raiders.client.get(SENT).json()[0]
    )


def test_declined_invitation_looks_to_its_sender_like_an_unanswered_one(
    raiders: Side, theirs: Side, client_of: Callable[..., APIClient]
) -> None:
    invite(raiders, theirs.person.username)
    invite(raiders, "nobody-here")
    before = raiders.client.get(SENT).json()
    log = AuditEvent.objects.filter(org_id=raiders.org.pk).count()
    person = client_of(theirs.person)
    (own,) = person.get(OWN).json()
    assert person.post(f"{OWN}{own['id']}/decline/").status_code == 200
    assert person.get(OWN).json() == []
    assert raiders.client.get(SENT).json() == before
    assert AuditEvent.objects.filter(org_id=raiders.org.pk).count() == log
    assert AuditEvent.objects.filter(event="invitation.declined").count() == 1
    # Deleting the account leaves its invitations unchanged.
    theirs.person.delete()
    assert raiders.client.get(SENT).json() == before


def test_address_that_is_also_the_user_name_of_another_account_invites_nobody(
    raiders: Side, theirs: Side, make_user: Callable[..., User]
) -> None:
    make_user(theirs.person.email)  # an account of the attacker, with the victim's address as its user name
    assert invite(raiders, theirs.person.email).status_code == 201
    assert Invitation.objects.get().user is None


def test_number_of_invitations_of_an_administrator_is_limited(raiders: Side, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invitations, "MAX_AN_HOUR", 3)
    for number in range(3):
        assert invite(raiders, f"guess{number}").status_code == 201
    refused = invite(raiders, "guess4")
    assert (refused.status_code, refused.json()["code"], refused["Retry-After"]) == (429, "throttled", "3600")
    many = [{"user": f"guess{number}", "role": "User"} for number in range(4)]
    Invitation.objects.update(date_created=clock.now() - timedelta(hours=2))
    assert raiders.client.post(f"{USERS}invite/", many).status_code == 429
    assert Invitation.objects.count() == 3, "all or nothing"
    assert invite(raiders, "guess4").status_code == 201


@pytest.mark.parametrize(
    "query", ["", "?search=beta", "?limit=10&offset=0&search=beta", "?username=beta-person", "?all=1"]
)
def test_suggestion_contains_no_users_of_another_organization(raiders: Side, theirs: Side, query: str) -> None:
    body = raiders.client.get(f"{USERS}suggestion/{query}").json()
    rows = body["results"] if isinstance(body, dict) else body
    ours = {raiders.admin.username, raiders.person.username}
    assert {row["username"] for row in rows} <= ours
    by_id = raiders.client.get(f"{USERS}suggestion/?id={theirs.person.pk}").json()
    assert by_id == []


def outside(theirs: Side) -> dict[str, Any]:
    """An object of each kind in the other organization."""
    org_id = theirs.org.pk
    return {
        "user": theirs.person,
        "group": make_group("beta group", users=[theirs.person], org_id=org_id),
        "asset": make_asset("beta-host", nodes=[make_node("beta node", org_id=org_id)], org_id=org_id),
    }


def test_id_of_another_organization_is_answered_like_an_unknown_id(raiders: Side, theirs: Side) -> None:
    """Checks every endpoint that takes the id of a user or object: an id of another organization and an invented id."""
    own = raiders.org.pk
    group = make_group("alpha group", org_id=own)
    node = make_node("alpha node", org_id=own)
    asset = make_asset("alpha-host", nodes=[node], org_id=own)
    system_user = make_system_user("alpha root", org_id=own)
    dynamic = make_system_user("alpha same", username="", username_same_with_user=True, org_id=own)
    permission = grant(
        "alpha permission", users=[raiders.person], assets=[asset], system_users=[system_user], org_id=own
    )
    foreign = outside(theirs)
    calls: dict[str, Callable[[str], Any]] = {
        "user of a group": lambda pk: ("patch", f"users/groups/{group.pk}/", {"users": [pk]}),
        "user of a new group": lambda pk: ("post", "users/groups/", {"name": "new", "users": [pk]}),
        "user beside a group": lambda pk: (
            "post",
            "users/users-groups-relations/",
            {"user": pk, "usergroup": str(group.pk)},
        ),
        "user of a permission": lambda pk: ("patch", f"perms/asset-permissions/{permission.pk}/", {"users": [pk]}),
        "user beside a permission": lambda pk: (
            "post",
            "perms/asset-permissions-users-relations/",
            {"user": pk, "assetpermission": str(permission.pk)},
        ),
        "user beside a system user": lambda pk: (
            "post",
            "assets/system-users-users-relations/",
            {"user": pk, "systemuser": str(dynamic.pk)},
        ),
        "user to explain": lambda pk: (
            "get",
            f"perms/asset-permissions/explain/?user={pk}&asset={asset.pk}&system_user={system_user.pk}",
            None,
        ),
        "invitation": lambda pk: ("post", "users/users/invite/", [{"user": pk, "role": "User"}]),
        "suggestion": lambda pk: ("get", f"users/users/suggestion/?id={pk}", None),
        "user list": lambda pk: ("get", f"users/users/?ids={pk}", None),
        "password": lambda pk: ("patch", f"users/users/{pk}/password/", {"password": "violet anchor seventeen"}),
        "unlock": lambda pk: ("patch", f"users/users/{pk}/unblock/", {}),
        "second factor": lambda pk: ("post", f"users/users/{pk}/otp/reset/", {}),
        "what a person may reach": lambda pk: ("get", f"perms/users/{pk}/assets/", None),
        "permissions of a person": lambda pk: ("get", f"perms/asset-permissions/?user_id={pk}", None),
        "groups of a person": lambda pk: ("get", f"users/users-groups-relations/?user={pk}", None),
        "group:of a person": lambda pk: ("patch", f"users/users/{raiders.person.pk}/", {"groups": [pk]}),
        "asset:star": lambda pk: ("post", "assets/favorite-assets/", {"asset": pk}),
        "asset:of a permission": lambda pk: ("patch", f"perms/asset-permissions/{permission.pk}/", {"assets": [pk]}),
    }
    for name, call in calls.items():
        kind = name.partition(":")[0] if ":" in name else "user"
        answers = []
        for pk in (str(foreign[kind].pk), str(uuid4())):
            method, path, body = call(pk)
            more = {} if body is None else {"data": body, "format": "json"}
            answer = getattr(raiders.client, method)(f"{API}{path}", **more)
            text = answer.content.decode().replace(pk, "<id>")
            answers.append((answer.status_code, text))
        assert answers[0] == answers[1], name


def test_favourites_must_be_assets_of_the_own_organizations(
    raiders: Side, theirs: Side, client_of: Callable[..., Any]
) -> None:
    asset = outside(theirs)["asset"]
    stars = f"{API}assets/favorite-assets/"
    assert raiders.client.post(stars, {"asset": str(asset.pk)}).status_code == 400
    assert client_of(theirs.person).post(stars, {"asset": str(asset.pk)}).status_code == 201


# --- steps of an invitation ---


def test_invited_user_sees_it_accepts_and_belongs_to_both(
    raiders: Side, theirs: Side, client_of: Callable[..., APIClient]
) -> None:
    invite(raiders, theirs.person.email, "Auditor")
    deliver()
    deliver()
    assert len(subjects(theirs.person)) == 1, "told once, however often the message is delivered"
    assert "alpha" in subjects(theirs.person)[0]
    person = client_of(theirs.person)
    (row,) = person.get(OWN).json()
    assert (row["org_display"], row["roles"]) == ("alpha", ["Auditor"])
    assert row["created_by"] == str(raiders.admin)
    assert person.post(f"{OWN}{row['id']}/accept/").status_code == 200
    assert orgs_of(theirs.person) == {raiders.org.pk, theirs.org.pk}
    user_row = raiders.client.get(f"{USERS}{theirs.person.pk}/").json()
    assert (user_row["org_roles"], user_row["can_update"]) == (["Auditor"], False)
    assert raiders.client.patch(f"{USERS}{theirs.person.pk}/", {"email": "x@example.test"}).status_code == 403
    assert raiders.client.get(SENT).json() == []
    deliver()
    assert any("alpha" in subject for subject in subjects(raiders.admin))
    events = AuditEvent.objects.filter(org_id=raiders.org.pk).order_by("sequence").values_list("event", "user")
    assert [(event, user) for event, user in events if event.startswith(("invitation", "membership"))] == [
        ("invitation.sent", str(raiders.admin)),
        ("membership.changed", str(theirs.person)),
        ("invitation.accepted", str(theirs.person)),
    ]
    assert person.post(f"{OWN}{row['id']}/accept/").status_code == 404, "once"


def test_administrator_of_the_invited_user_can_consent(
    raiders: Side, theirs: Side, side_of: Callable[[str], Side]
) -> None:
    third = side_of("gamma")
    invite(raiders, theirs.person.username)
    deliver()
    assert len(subjects(theirs.admin)) == 1
    assert subjects(third.admin) == []
    (row,) = theirs.client.get(OF_MEMBERS).json()
    assert (row["user_display"], row["org_display"]) == (str(theirs.person), "alpha")
    for stranger in (third, raiders):
        assert stranger.client.get(OF_MEMBERS).json() == []
        assert stranger.client.post(f"{OF_MEMBERS}{row['id']}/accept/").status_code == 404
    assert theirs.client.post(f"{OF_MEMBERS}{row['id']}/accept/").status_code == 200
    assert orgs_of(theirs.person) == {raiders.org.pk, theirs.org.pk}
    assert AuditEvent.objects.get(event="invitation.accepted").user == str(theirs.admin)


def test_invitation_of_another_user_can_neither_be_seen_nor_answered(
    raiders: Side, theirs: Side, make_user: Callable[..., User], client_of: Callable[..., APIClient]
) -> None:
    invite(raiders, theirs.person.username)
    pk = Invitation.objects.get().pk
    stranger = client_of(make_user("stranger"))
    assert stranger.get(OWN).json() == []
    for verb in ("accept", "decline"):
        assert stranger.post(f"{OWN}{pk}/{verb}/").status_code == 404
    assert theirs.client.delete(f"{SENT}{pk}/").status_code == 404
    assert theirs.client.get(SENT).json() == []
    assert orgs_of(theirs.person) == {theirs.org.pk}


@pytest.mark.parametrize(
    "end", ["withdrawn", "expired", "again", "inviter demoted", "inviter disabled", "inviter deleted"]
)
def test_ended_invitation_cannot_be_accepted(
    raiders: Side, theirs: Side, client_of: Callable[..., APIClient], end: str
) -> None:
    invite(raiders, theirs.person.username, "Admin")
    pk = Invitation.objects.get().pk
    if end == "withdrawn":
        assert raiders.client.delete(f"{SENT}{pk}/").status_code == 204
        assert raiders.client.get(SENT).json() == []
    elif end == "expired":
        Invitation.objects.update(date_expired=clock.now())
    elif end == "again":
        invite(raiders, theirs.person.username, "User")
        assert len(raiders.client.get(SENT).json()) == 1
    elif end == "inviter demoted":
        Membership.objects.filter(user=raiders.admin).update(role="User")
    elif end == "inviter disabled":
        User.objects.filter(pk=raiders.admin.pk).update(is_active=False)
    else:
        raiders.admin.delete()
    for client, path in ((client_of(theirs.person), OWN), (theirs.client, OF_MEMBERS)):
        answer = client.post(f"{path}{pk}/accept/")
        assert (answer.status_code, answer.json()["code"]) == (404, "object_does_not_exist")
    assert orgs_of(theirs.person) == {theirs.org.pk}


def test_withdrawal_without_a_filter_is_refused(raiders: Side) -> None:
    invite(raiders, "guess")
    assert raiders.client.delete(SENT).status_code == 400
    invite(raiders, "other")
    assert raiders.client.delete(f"{SENT}?addressee=guess").status_code == 204
    assert [row["addressee"] for row in raiders.client.get(SENT).json()] == ["other"]


@pytest.mark.parametrize("addressee", ["", " ", "a" * 255, "a\x00b"])
def test_invalid_names_are_refused_with_a_clear_error(raiders: Side, addressee: str) -> None:
    assert invite(raiders, addressee).status_code == 400
