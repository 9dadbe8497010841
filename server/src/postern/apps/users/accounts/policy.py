"""Rules about who may do what to which user: pure functions over plain values."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from postern.foundation.caller.actor import Actor


@dataclass(frozen=True, slots=True)
class Subject:
    """The user acted on.

    `is_service`: a service account. `is_org_admin`: has the role Admin in the request's organization. `is_shared`: also belongs to an organization that
    the actor does not administer.
    """

    user_id: UUID
    system_role: str
    is_org_admin: bool
    is_built_in_admin: bool
    is_shared: bool = False
    is_service: bool = False


def may_update(actor: Actor, subject: Subject) -> bool:
    """Whether the actor may change the account.

    Users may change their own account, except for `LIMITS`. Service accounts may not: a stolen key would otherwise make
    another one that lasts. Super administrators may change any account. Organization
    administrators may not change users with a higher role (K60: a lower role does nothing to a higher one), nor users
    who also belong to other organizations. Setting a password gives all rights of the account, and nobody may gain
    rights that they do not hold (K35: nobody gives a right that they do not hold).
    """
    if actor.user_id is not None and actor.user_id == subject.user_id:
        return not subject.is_service
    if actor.is_super_user:
        return True
    return actor.is_org_admin and subject.system_role == "User" and not subject.is_shared


def may_delete(actor: Actor, subject: Subject) -> bool:
    """Nobody may delete their own account or the built-in administrator. Organization administrators may not remove
    another administrator.

    For organization administrators, this is the right to remove a user from the organization: only super administrators
    delete accounts.
    """
    if actor.user_id is not None and actor.user_id == subject.user_id:
        return False
    if subject.is_built_in_admin:
        return False
    if actor.is_super_user:
        return True
    return actor.is_org_admin and subject.system_role == "User" and not subject.is_org_admin


def may_manage_membership(actor: Actor, *, user_id: UUID, system_role: str) -> bool:
    """Whether the actor may change a user's roles in the request's organization.

    Organization administrators may not do so for users with a higher role, nor for themselves. Other organizations of
    the user do not matter: a membership belongs to the organization, an account to its user.
    """
    if actor.is_super_user:
        return True
    return actor.is_org_admin and system_role == "User" and actor.user_id != user_id


#: Columns that restrict a user. Only super administrators may change their own.
LIMITS: Final = frozenset(
    {"username", "email", "source", "mfa_level", "need_update_password", "is_active", "date_expired", "role"}
)


def may_change_limits(actor: Actor, user_id: UUID) -> bool:
    """Whether the actor may change `LIMITS` of this account, given that they may change the account at all."""
    return actor.is_super_user or actor.user_id != user_id


def may_grant_system_role(actor: Actor, role: str) -> bool:
    """Whether the actor may grant the system role: only super administrators may grant more than `User`."""
    return actor.is_super_user or (actor.is_org_admin and role == "User")


def may_grant_org_role(actor: Actor, role: str) -> bool:
    """Whether the actor may grant roles in the organization: only its administrators may."""
    return actor.is_org_admin and role in ("Admin", "Auditor", "User")
