"""A user who leaves an organization leaves its permissions and system users in the same transaction, even
in a crash.
"""

from unittest import mock

import pytest
from rest_framework.test import APIClient

from factories.grants import grant, make_asset, make_system_user
from postern.apps.audits.models import AuditEvent
from postern.apps.orgs.roles import OrgRole
from postern.apps.perms.models import AssetPermission, PermissionUser
from postern.apps.users.memberships import actions as memberships
from postern.apps.users.models import Membership, User
from postern.apps.vault.models import SystemUser, SystemUserUser
from postern.foundation.bus import events
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.caller.scope import OrgScope
from postern.kernel.ids import DEFAULT_ORG_ID

HOME = OrgScope(DEFAULT_ORG_ID)
RELATION = "/api/v1/assets/system-users-users-relations/"


@pytest.fixture
def leaver(people: dict[str, User]) -> User:
    return people["user"]


@pytest.fixture
def system_user(db: None) -> SystemUser:
    return make_system_user("dynamic", username="", username_same_with_user=True)


@pytest.fixture
def permissions(leaver: User, system_user: SystemUser) -> list[AssetPermission]:
    asset = make_asset("web-1")
    return [grant(f"p{n}", users=[leaver], assets=[asset], system_users=[system_user]) for n in range(3)]


def leave(user: User) -> None:
    memberships.set_org_roles(actor=SYSTEM, scope=HOME, user=user, roles=())


def test_permissions_and_bindings_of_a_removed_user_do_not_return_after_a_crash(
    leaver: User, permissions: list[AssetPermission], system_user: SystemUser
) -> None:
    SystemUserUser.objects.create(systemuser=system_user, user=leaver)
    with mock.patch.object(
        events.Bus, "_publish"
    ):  # the process dies right after the commit, before any subscriber runs
        leave(leaver)
    assert not PermissionUser.objects.exists()
    assert not SystemUserUser.objects.exists()
    Membership.objects.create(user=leaver, org_id=DEFAULT_ORG_ID, role=OrgRole.USER)
    assert not any(permission.users.exists() for permission in permissions)
    records = AuditEvent.objects.filter(event="assetpermission.link_removed")
    assert [event.old for event in records] == [{"users": "Uma(uma)"}] * 3
    assert AuditEvent.objects.filter(event="systemuser.unbound").count() == 1


def test_failed_removal_withdraws_nothing(leaver: User, permissions: list[AssetPermission]) -> None:
    with (
        mock.patch.object(memberships.trail, "record", side_effect=RuntimeError("the audit log is full")),
        pytest.raises(RuntimeError, match="audit log"),
    ):
        leave(leaver)
    assert PermissionUser.objects.count() == len(permissions)
    assert Membership.objects.filter(user=leaver).exists()


def test_losing_one_of_two_roles_is_not_leaving(leaver: User, permissions: list[AssetPermission]) -> None:
    Membership.objects.create(user=leaver, org_id=DEFAULT_ORG_ID, role=OrgRole.AUDITOR)
    memberships.set_org_roles(actor=SYSTEM, scope=HOME, user=leaver, roles=[OrgRole.AUDITOR])
    assert PermissionUser.objects.count() == len(permissions)


def test_system_user_is_bound_to_members_only(leaver: User, system_user: SystemUser, as_admin: APIClient) -> None:
    body = {"user": str(leaver.pk), "systemuser": str(system_user.pk)}
    leave(leaver)
    refused = as_admin.post(RELATION, body)
    assert (refused.status_code, list(refused.json())) == (400, ["user"])
    assert not SystemUserUser.objects.exists()
    Membership.objects.create(user=leaver, org_id=DEFAULT_ORG_ID, role=OrgRole.USER)
    assert as_admin.post(RELATION, body).status_code == 201
