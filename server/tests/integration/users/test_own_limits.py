"""Users cannot change their own limits or act on higher roles, on any path.

K35: nobody takes over accounts beyond them; K60: a lower role does nothing to a higher one.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from unittest import mock

import pytest
from rest_framework.test import APIClient

from postern.apps.orgs.models import Organization
from postern.apps.users.models import Membership, User
from postern.apps.users.people.actions import people as person_actions
from postern.foundation import licensing
from postern.foundation.caller.actor import Actor
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID

USERS = "/api/v1/users/users/"
pytestmark = pytest.mark.django_db

#: Values that an organization administrator may not set for themselves.
LIMITS: dict[str, Any] = {
    "username": "someone-else",
    "email": "someone-else@example.test",
    "source": "ldap",
    "mfa_level": 1,
    "need_update_password": True,
    "is_active": False,
    "date_expired": "2999-01-01T00:00:00Z",
    "org_roles": ["Admin", "Auditor", "User"],
}


@pytest.fixture
def me(people: dict[str, User], make_user: Callable[..., User]) -> User:
    """An organization administrator whose account ends soon. There is a second administrator."""
    make_user("second", org_role="Admin")
    user = people["org_admin"]
    User.objects.filter(pk=user.pk).update(date_expired=clock.now() + timedelta(days=3), mfa_level=0)
    user.refresh_from_db()
    return user


def state(user: User) -> dict[str, Any]:
    row = User.objects.get(pk=user.pk)
    held = sorted(Membership.objects.filter(user=row).values_list("role", flat=True))
    return {**{name: getattr(row, name) for name in LIMITS if name != "org_roles"}, "org_roles": held, "role": row.role}


def by_patch(client: APIClient, user: User, change: dict[str, Any]) -> Any:
    return client.patch(f"{USERS}{user.pk}/", change)


def by_form(client: APIClient, user: User, change: dict[str, Any]) -> Any:
    row = client.get(f"{USERS}{user.pk}/").json()
    return client.put(f"{USERS}{user.pk}/", {**row, **change})


def by_bulk(client: APIClient, user: User, change: dict[str, Any]) -> Any:
    return client.patch(USERS, [{"id": str(user.pk), **change}])


PATHS = pytest.mark.parametrize("change_by", [by_patch, by_form, by_bulk])


@PATHS
@pytest.mark.parametrize("name", LIMITS)
def test_organization_administrator_cannot_change_their_own_limits(
    as_org_admin: APIClient, me: User, change_by: Callable[..., Any], name: str
) -> None:
    before = state(me)
    answer = change_by(as_org_admin, me, {name: LIMITS[name]})
    errors = answer.json()
    assert answer.status_code == 400, errors
    assert name in (errors[0] if isinstance(errors, list) else errors)
    assert state(me) == before


@PATHS
def test_form_that_repeats_the_own_limits_stores_the_other_fields(
    as_org_admin: APIClient, me: User, change_by: Callable[..., Any]
) -> None:
    row = as_org_admin.get(f"{USERS}{me.pk}/").json()
    same = {name: row[name] for name in LIMITS}
    assert change_by(as_org_admin, me, {**same, "comment": "nights"}).status_code == 200
    assert User.objects.get(pk=me.pk).comment == "nights"


def test_form_with_an_old_limit_does_not_undo_a_new_one(as_org_admin: APIClient, me: User) -> None:
    """Somebody else sets an earlier end of the account after the form was read and before its row is locked."""
    row = as_org_admin.get(f"{USERS}{me.pk}/").json()
    until = clock.now() + timedelta(hours=1)
    locked = person_actions._locked

    def expired_meanwhile(actor: Actor, user: User) -> User:
        User.objects.filter(pk=user.pk).update(date_expired=until)
        return locked(actor, user)

    with mock.patch.object(person_actions, "_locked", expired_meanwhile):
        answer = as_org_admin.patch(f"{USERS}{me.pk}/", {"date_expired": row["date_expired"]})
    assert answer.status_code == 400
    # The write was refused. The change of this test was rolled back with it.
    assert User.objects.get(pk=me.pk).date_expired == me.date_expired


def test_organization_administrator_cannot_invite_themselves_to_another_role(
    as_org_admin: APIClient, me: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(licensing, "is_open", lambda: True)
    before = state(me)
    for named in (str(me.pk), me.username, me.email):
        answer = as_org_admin.post(f"{USERS}invite/", [{"user": named, "role": "Auditor"}])
        assert answer.status_code == 400, answer.json()
    assert as_org_admin.post(f"{USERS}{me.pk}/remove/").status_code == 403
    assert as_org_admin.post(f"{USERS}remove/?ids={me.pk}").status_code == 403
    assert state(me) == before


def test_users_cannot_lift_their_own_lock_out(
    as_org_admin: APIClient, as_admin: APIClient, people: dict[str, User], me: User
) -> None:
    assert as_org_admin.patch(f"{USERS}{me.pk}/unblock/").status_code == 403
    assert as_admin.patch(f"{USERS}{people['admin'].pk}/unblock/").status_code == 403
    assert as_admin.patch(f"{USERS}{me.pk}/unblock/").status_code == 200


@PATHS
def test_super_administrator_changes_the_limits_of_others(
    as_admin: APIClient, me: User, change_by: Callable[..., Any]
) -> None:
    for name in ("username", "mfa_level", "date_expired", "org_roles"):
        assert change_by(as_admin, me, {name: LIMITS[name]}).status_code == 200, name


@pytest.mark.parametrize("role", ["Admin", "Auditor"])
@PATHS
def test_organization_administrator_cannot_change_the_roles_of_higher_roles(
    as_org_admin: APIClient, make_user: Callable[..., User], change_by: Callable[..., Any], role: str
) -> None:
    above = make_user("above", role=role)
    assert change_by(as_org_admin, above, {"org_roles": ["Admin"]}).status_code in {400, 403}
    assert state(above)["org_roles"] == ["User"]


@PATHS
def test_administrator_of_one_organization_changes_the_membership_of_a_shared_user_but_not_the_account(
    as_org_admin: APIClient, people: dict[str, User], change_by: Callable[..., Any]
) -> None:
    shared = people["user"]
    other = Organization.objects.create(name="Branch")
    Membership.objects.create(user=shared, org=other, role="User")
    before = User.objects.get(pk=shared.pk)
    account = {**LIMITS, "name": "Taken", "phone": "1", "comment": "x", "wechat": "w", "public_key": "ssh-ed25519 AAAA"}
    for name, value in account.items():
        if name != "org_roles":
            answer = change_by(as_org_admin, shared, {name: value})
            assert answer.status_code in {400, 403}, (name, answer.json())
    for tail in ("password/", "password/reset/", "pubkey/reset/", "unblock/"):
        answer = as_org_admin.patch(f"{USERS}{shared.pk}/{tail}", {"password": "violet anchor seventeen"})
        assert answer.status_code == 403, tail
    assert as_org_admin.post(f"{USERS}{shared.pk}/otp/reset/").status_code == 403
    assert change_by(as_org_admin, shared, {"org_roles": ["Auditor"]}).status_code == 200
    after = User.objects.get(pk=shared.pk)
    columns = [field.attname for field in User._meta.concrete_fields]
    assert [getattr(after, name) for name in columns] == [getattr(before, name) for name in columns]
    roles = set(Membership.objects.filter(user=shared).values_list("org_id", "role"))
    assert roles == {(DEFAULT_ORG_ID, "Auditor"), (other.pk, "User")}
    assert as_org_admin.post(f"{USERS}{shared.pk}/remove/").status_code == 204
    assert set(Membership.objects.filter(user=shared).values_list("org_id", flat=True)) == {other.pk}
