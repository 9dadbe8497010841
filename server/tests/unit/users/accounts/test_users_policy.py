from uuid import UUID, uuid4

import pytest

from postern.apps.users.accounts.policy import (
    Subject,
    may_delete,
    may_grant_org_role,
    may_grant_system_role,
    may_update,
)
from postern.contracts.enums import RoleBits
from postern.foundation.caller.actor import Actor, ActorKind

SUPER = RoleBits.SUPER | RoleBits.ADMIN | RoleBits.AUDIT | RoleBits.USE
ORG_ADMIN = RoleBits.ADMIN | RoleBits.AUDIT | RoleBits.USE
SUPER_AUDITOR = RoleBits.SUPER | RoleBits.AUDIT | RoleBits.USE
AUDITOR = RoleBits.AUDIT | RoleBits.USE


def doer(bits: RoleBits, user_id: UUID | None = None) -> Actor:
    return Actor(kind=ActorKind.USER, user_id=user_id or uuid4(), bits=bits)


def subject(
    role: str = "User", *, org_admin: bool = False, built_in: bool = False, user_id: UUID | None = None
) -> Subject:
    return Subject(user_id=user_id or uuid4(), system_role=role, is_org_admin=org_admin, is_built_in_admin=built_in)


@pytest.mark.parametrize("bits", [SUPER, ORG_ADMIN, AUDITOR, RoleBits.USE])
def test_users_may_update_but_not_delete_themselves(bits: RoleBits):
    me = uuid4()
    assert may_update(doer(bits, me), subject(user_id=me))
    assert not may_delete(doer(bits, me), subject(user_id=me))


def test_super_administrator_may_update_all_and_delete_all_except_the_built_in():
    for role in ("Admin", "Auditor", "User"):
        assert may_update(doer(SUPER), subject(role))
        assert may_delete(doer(SUPER), subject(role))
    assert not may_delete(doer(SUPER), subject("Admin", built_in=True))


def test_k60_organization_administrator_may_not_change_system_administrators_and_auditors():
    for role in ("Admin", "Auditor"):
        assert not may_update(doer(ORG_ADMIN), subject(role))
        assert not may_delete(doer(ORG_ADMIN), subject(role))


def test_organization_administrator_may_update_but_not_remove_another_administrator_of_the_organization():
    assert may_update(doer(ORG_ADMIN), subject(org_admin=True))
    assert not may_delete(doer(ORG_ADMIN), subject(org_admin=True))
    assert may_delete(doer(ORG_ADMIN), subject())


@pytest.mark.parametrize("bits", [SUPER_AUDITOR, AUDITOR, RoleBits.USE, RoleBits.NONE])
def test_k60_lower_roles_may_change_no_other_user(bits: RoleBits):
    assert not may_update(doer(bits), subject())
    assert not may_delete(doer(bits), subject())


def test_k35_users_cannot_grant_a_role_that_they_do_not_hold():
    assert may_grant_system_role(doer(SUPER), "Admin")
    assert not may_grant_system_role(doer(ORG_ADMIN), "Admin")
    assert not may_grant_system_role(doer(ORG_ADMIN), "Auditor")
    assert may_grant_system_role(doer(ORG_ADMIN), "User")
    assert not may_grant_system_role(doer(SUPER_AUDITOR), "User")
    assert may_grant_org_role(doer(ORG_ADMIN), "Admin")
    assert not may_grant_org_role(doer(AUDITOR), "User")
    assert not may_grant_org_role(doer(SUPER), "Owner")
