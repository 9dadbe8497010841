"""Who may do what to whom: rules over plain values, no queries."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from postern.foundation.caller.actor import Actor


@dataclass(frozen=True, slots=True)
class Subject:
    """The person acted on.

    `is_org_admin`: holds the role Admin in the organization of the request. `is_shared`: also belongs to an
    organization that the actor does not administer.
    """

    user_id: UUID
    system_role: str
    is_org_admin: bool
    is_built_in_admin: bool
    is_shared: bool = False


def may_update(actor: Actor, subject: Subject) -> bool:
    """Whether the actor may change the account: themselves, super administrators anybody, organization administrators nobody above them (K60).

    Nor somebody whom they share with another organization: whoever sets the password of an account has all of its
    rights, and nobody gives themselves rights that they do not hold (K35). Of the own account, `LIMITS` stay as they are.
    """
    if actor.user_id is not None and actor.user_id == subject.user_id:
        return True
    if actor.is_super_user:
        return True
    return actor.is_org_admin and subject.system_role == "User" and not subject.is_shared


def may_delete(actor: Actor, subject: Subject) -> bool:
    """Nobody himself, nobody the built-in administrator; organization administrators no other administrator of theirs.

    For organization administrators this is the right to remove somebody from the organization: only super
    administrators delete accounts.
    """
    if actor.user_id is not None and actor.user_id == subject.user_id:
        return False
    if subject.is_built_in_admin:
        return False
    if actor.is_super_user:
        return True
    return actor.is_org_admin and subject.system_role == "User" and not subject.is_org_admin


def may_manage_membership(actor: Actor, *, user_id: UUID, system_role: str) -> bool:
    """Whether the actor may change somebody's roles in the organization of the request.

    Organization administrators: of nobody above them (K60), and not their own. This does not depend on other
    organizations: a membership belongs to the organization, an account to its person.
    """
    if actor.is_super_user:
        return True
    return actor.is_org_admin and system_role == "User" and actor.user_id != user_id


#: Columns that limit what a person may do. Nobody below the super administrators changes their own.
LIMITS: Final = frozenset(
    {"username", "email", "source", "mfa_level", "need_update_password", "is_active", "date_expired", "role"}
)


def may_change_limits(actor: Actor, user_id: UUID) -> bool:
    """Whether the actor may change `LIMITS` of this account, if they may change the account at all."""
    return actor.is_super_user or actor.user_id != user_id


def may_grant_system_role(actor: Actor, role: str) -> bool:
    """Nobody grants a right that he does not hold (K35): only super administrators give more than `User`."""
    return actor.is_super_user or (actor.is_org_admin and role == "User")


def may_grant_org_role(actor: Actor, role: str) -> bool:
    """Organization roles are given by administrators of that organization."""
    return actor.is_org_admin and role in ("Admin", "Auditor", "User")
