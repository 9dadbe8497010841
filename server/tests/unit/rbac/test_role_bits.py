import pytest
from hypothesis import given
from hypothesis import strategies as st

from postern.apps.rbac.policy import (
    BITS_OF_ROLE,
    Role,
    Standing,
    bits_of,
    effective_bits,
    opens_admin_page,
    opens_user_page,
    roles_shown,
    satisfies,
)
from postern.contracts.enums import RoleBits


def standing(system: str = "User", *orgs: str, root: bool = False, valid: bool = True) -> Standing:
    return Standing(system_role=system, org_roles=frozenset(orgs), is_root=root, valid=valid)


@pytest.mark.spec("S6-001", "S6-002", "S6-003", "S6-004")
def test_permission_bits_have_the_specified_values():
    assert (RoleBits.USE, RoleBits.AUDIT, RoleBits.ADMIN, RoleBits.SUPER) == (1, 2, 16, 128)


@pytest.mark.parametrize(
    ("role", "bits"),
    [
        pytest.param(Role.SUPER_ADMIN, 128 + 16 + 2, marks=pytest.mark.spec("S6-005")),
        pytest.param(Role.SUPER_AUDITOR, 128 + 2 + 1, marks=pytest.mark.spec("S6-006")),
        pytest.param(Role.ORG_ADMIN, 16 + 2, marks=pytest.mark.spec("S6-007")),
        pytest.param(Role.ORG_AUDITOR, 2 + 1, marks=pytest.mark.spec("S6-008")),
        pytest.param(Role.USER, 1, marks=pytest.mark.spec("S6-009")),
        pytest.param(Role.ANON, 0, marks=pytest.mark.spec("S6-010")),
    ],
)
def test_role_holds_its_bits(role: Role, bits: int):
    assert BITS_OF_ROLE[role] == bits


@pytest.mark.spec("S6-015")
def test_system_admin_is_super_admin_and_user():
    assert roles_shown(standing("Admin", "Auditor")) == (Role.SUPER_ADMIN, Role.USER)


@pytest.mark.spec("S6-016")
def test_org_role_admin_is_org_admin_and_user():
    assert roles_shown(standing("User", "User", "Admin")) == (Role.ORG_ADMIN, Role.USER)
    assert roles_shown(standing("Auditor", "Admin")) == (Role.ORG_ADMIN, Role.USER)


@pytest.mark.spec("S6-017")
@pytest.mark.parametrize("who", [standing("Auditor"), standing("User", "Auditor"), standing("Auditor", "User")])
def test_auditor_in_system_or_organization_is_org_auditor(who: Standing):
    assert roles_shown(who) == (Role.ORG_AUDITOR,)


@pytest.mark.spec("S6-018")
@pytest.mark.parametrize("who", [standing("User"), standing("User", "User")])
def test_every_other_role_is_user(who: Standing):
    assert roles_shown(who) == (Role.USER,)


def test_user_without_a_membership_has_only_the_use_bit():
    assert effective_bits(standing("User")) == RoleBits.USE
    assert effective_bits(standing("User", root=True)) == RoleBits.USE


def test_system_auditor_has_the_bits_of_a_super_auditor():
    assert effective_bits(standing("Auditor")) == BITS_OF_ROLE[Role.SUPER_AUDITOR]
    assert effective_bits(standing("Auditor", root=True)) == BITS_OF_ROLE[Role.SUPER_AUDITOR]


@given(
    st.sampled_from(["Auditor", "User"]),
    st.frozensets(st.sampled_from(["Admin", "Auditor", "User"])),
    st.booleans(),
    st.booleans(),
)
def test_k60_only_the_system_role_admin_gives_super_administrator_bits(
    system: str, orgs: frozenset[str], root: bool, valid: bool
):
    bits = effective_bits(Standing(system_role=system, org_roles=orgs, is_root=root, valid=valid))
    assert not satisfies(bits, RoleBits.SUPER | RoleBits.ADMIN)


def test_root_organization_ignores_organization_roles():
    assert effective_bits(standing("User", "Admin", root=True)) == RoleBits.USE


def test_closed_account_has_no_bits():
    for system in ("Admin", "Auditor", "User"):
        assert effective_bits(standing(system, "Admin", valid=False)) == RoleBits.NONE


@pytest.mark.spec("S6-012")
def test_satisfies_needs_all_required_bits():
    assert satisfies(bits_of([Role.ORG_ADMIN]), RoleBits.AUDIT | RoleBits.ADMIN)
    assert not satisfies(bits_of([Role.ORG_AUDITOR]), RoleBits.AUDIT | RoleBits.ADMIN)


@pytest.mark.spec("S6-013")
def test_admin_page_needs_super_admin_or_audit():
    assert [opens_admin_page(BITS_OF_ROLE[role]) for role in Role] == [True, True, True, True, False, False]


@pytest.mark.spec("S6-014")
def test_user_page_needs_use():
    assert [opens_user_page(BITS_OF_ROLE[role]) for role in Role] == [False, True, False, True, True, False]
