"""Public interface of rbac: a user's rights in an organization."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from postern.apps.rbac.policy import Role, Standing, bits_of, effective_bits, roles_shown
from postern.apps.users import facade as users
from postern.apps.users.models import User
from postern.contracts.enums import RoleBits
from postern.foundation.caller.scope import OrgScope

__all__ = ["OrgStanding", "Rights", "Role", "rights_of", "shown_bits", "standings_of"]


@dataclass(frozen=True, slots=True)
class Rights:
    """`bits`: what the server permits in the scope. `roles`: what the console shows. `org_ids`: all memberships."""

    bits: RoleBits
    roles: tuple[Role, ...]
    org_ids: frozenset[UUID]
    org_roles: frozenset[str]
    scope_id: UUID

    def may_enter(self, scope: OrgScope, *, system_role: str) -> bool:
        """Whether the user may enter this organization."""
        if system_role in ("Admin", "Auditor"):
            return True
        return not scope.is_root and scope.org_id in self.org_ids


@dataclass(frozen=True, slots=True)
class OrgStanding:
    """Roles and permission bits of a user in one organization."""

    org_id: UUID
    org_name: str
    roles: tuple[Role, ...]
    permissions: RoleBits


def rights_of(user: User, scope: OrgScope) -> Rights:
    """Roles and bits of a user in a scope. One query."""
    memberships = users.org_roles_of(user.pk)
    org_roles = next((row.roles for row in memberships if row.org_id == scope.org_id), frozenset())
    standing = Standing(system_role=user.role, org_roles=org_roles, is_root=scope.is_root, valid=user.is_valid)
    return Rights(
        bits=effective_bits(standing),
        roles=roles_shown(standing),
        org_ids=frozenset(row.org_id for row in memberships),
        org_roles=org_roles,
        scope_id=scope.org_id,
    )


def standings_of(
    user: User, memberships: Iterable[users.OrgRoles], names: Mapping[UUID, str]
) -> tuple[OrgStanding, ...]:
    """Roles and permissions of a user in each of their organizations, and in all organizations for system roles.

    `memberships` are all memberships of the user; `names` are the names of the organizations by id, in the order of the
    result.
    """
    roles_in = {row.org_id: row.roles for row in memberships}
    org_ids = list(names) if user.role in ("Admin", "Auditor") else [pk for pk in names if pk in roles_in]
    standings: list[OrgStanding] = []
    for org_id in org_ids:
        standing = Standing(
            system_role=user.role,
            org_roles=roles_in.get(org_id, frozenset()),
            is_root=OrgScope(org_id).is_root,
            valid=user.is_valid,
        )
        roles = roles_shown(standing)
        standings.append(OrgStanding(org_id=org_id, org_name=names[org_id], roles=roles, permissions=bits_of(roles)))
    return tuple(standings)


def shown_bits(rights: Rights) -> int:
    """The bits of the displayed roles, as the number that the console uses."""
    return int(bits_of(rights.roles))
