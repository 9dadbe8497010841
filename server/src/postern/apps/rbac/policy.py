"""Roles and their permission bits (specification, section 6). Pure functions over plain values."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from postern.contracts.enums import RoleBits


class Role(StrEnum):
    """A user's role as seen from one organization."""

    SUPER_ADMIN = "SuperAdmin"
    SUPER_AUDITOR = "SuperAuditor"
    ORG_ADMIN = "OrgAdmin"
    ORG_AUDITOR = "OrgAuditor"
    USER = "User"
    ANON = "Anon"


#: The bits of each role.
BITS_OF_ROLE: Final[dict[Role, RoleBits]] = {
    Role.SUPER_ADMIN: RoleBits.SUPER | RoleBits.ADMIN | RoleBits.AUDIT,
    Role.SUPER_AUDITOR: RoleBits.SUPER | RoleBits.AUDIT | RoleBits.USE,
    Role.ORG_ADMIN: RoleBits.ADMIN | RoleBits.AUDIT,
    Role.ORG_AUDITOR: RoleBits.AUDIT | RoleBits.USE,
    Role.USER: RoleBits.USE,
    Role.ANON: RoleBits.NONE,
}

#: Any of these opens the admin page; the user page needs `use`.
ADMIN_PAGE_BITS: Final = RoleBits.SUPER | RoleBits.AUDIT | RoleBits.ADMIN


@dataclass(frozen=True, slots=True)
class Standing:
    """The facts that determine a user's roles in one organization.

    `system_role` is `Admin`, `Auditor` or `User`. `org_roles` are the roles of the user's memberships in that
    organization (empty for the root organization and for non-members). `valid`: active and not expired.
    """

    system_role: str
    org_roles: frozenset[str]
    is_root: bool
    valid: bool = True


def roles_shown(standing: Standing) -> tuple[Role, ...]:
    """The roles that the console shows, strongest first, by the rule of the specification.

    A system administrator is super administrator and user. An organization `Admin` is organization administrator and
    user. An `Auditor` of the system or of the organization is organization auditor. Everybody else is a user.
    """
    if not standing.valid:
        return (Role.ANON,)
    if standing.system_role == "Admin":
        return (Role.SUPER_ADMIN, Role.USER)
    if "Admin" in standing.org_roles and not standing.is_root:
        return (Role.ORG_ADMIN, Role.USER)
    if standing.system_role == "Auditor" or ("Auditor" in standing.org_roles and not standing.is_root):
        return (Role.ORG_AUDITOR,)
    return (Role.USER,)


def bits_of(roles: Collection[Role]) -> RoleBits:
    """The combined bits of the roles."""
    bits = RoleBits.NONE
    for role in roles:
        bits |= BITS_OF_ROLE[role]
    return bits


def effective_bits(standing: Standing) -> RoleBits:
    """What the server permits the user in this organization: `Actor.bits`.

    These are the bits of the displayed roles, with one exception. A system auditor has the role super auditor, to read
    the records of all organizations. Where they also administer the organization, they get the administrator's bits
    only, because both sets of bits together would equal a super administrator's.
    """
    roles = roles_shown(standing)
    if standing.system_role == "Auditor" and roles == (Role.ORG_AUDITOR,):
        roles = (Role.SUPER_AUDITOR,)
    return bits_of(roles)


def satisfies(held: RoleBits, required: RoleBits) -> bool:
    """Whether the bits include all required bits."""
    return held & required == required


def opens_admin_page(held: RoleBits) -> bool:
    """Whether the admin page is open: any of super, admin, audit."""
    return bool(held & ADMIN_PAGE_BITS)


def opens_user_page(held: RoleBits) -> bool:
    """Whether the user page is open: the bit use."""
    return bool(held & RoleBits.USE)
