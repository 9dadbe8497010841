"""Writes of memberships."""

from collections.abc import Iterable

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.orgs.roles import OrgRole
from postern.apps.users.accounts import trail
from postern.apps.users.accounts.errors import AboveYou, FieldProblem, OwnLimit, RootOrganization
from postern.apps.users.accounts.holding import hold, hold_memberships
from postern.apps.users.accounts.models import Membership, User
from postern.apps.users.accounts.policy import may_delete, may_grant_org_role, may_manage_membership
from postern.apps.users.accounts.queries import administered_org_ids, org_roles_of, subject_of
from postern.apps.users.credentials.kinds import void_links
from postern.apps.users.groups.actions import leave_groups
from postern.apps.users.memberships.errors import LastOrganizationAdministrator
from postern.apps.users.memberships.events import MembershipChanged
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.foundation.database import row_writes


@transaction.atomic
def set_org_roles(*, actor: Actor, scope: OrgScope, user: User, roles: Iterable[str]) -> None:
    """Set the user's roles in the organization to exactly `roles`; empty roles remove the user from it."""
    change = change_org_roles(actor=actor, scope=scope, user=user, roles=roles)
    if change is not None:
        trail.record(actor, audits.Event.MEMBERSHIP_CHANGED, user, {"org_roles": change}, org_id=scope.org_id)


def change_org_roles(*, actor: Actor, scope: OrgScope, user: User, roles: Iterable[str]) -> trail.Change | None:
    """`set_org_roles` inside the caller's transaction. The caller audits the returned change; None means no change."""
    if scope.is_root:
        raise RootOrganization
    wanted = frozenset(roles)
    if not all(may_grant_org_role(actor, role) for role in wanted):
        raise FieldProblem("org_roles", _("You do not have permission to grant this role."))
    hold(actor, user)
    held = _held_roles(scope, user)
    if held == wanted:
        return None
    if actor.user_id == user.pk and not actor.is_super_user:
        raise OwnLimit("org_roles")
    if not may_manage_membership(actor, user_id=user.pk, system_role=user.role):
        raise AboveYou
    if OrgRole.ADMIN in held - wanted:
        _keep_an_administrator(actor, scope, user)
    return _store_roles(actor, scope, user, held, wanted)


@transaction.atomic
def join(*, actor: Actor, scope: OrgScope, user: User, roles: Iterable[str]) -> None:
    """Give the roles of an accepted invitation; existing roles stay.

    The caller has checked the right of the sender to give these roles.
    """
    hold(actor, user)
    held = _held_roles(scope, user)
    wanted = held | set(roles)
    if held != wanted:
        change = _store_roles(actor, scope, user, held, wanted)
        trail.record(actor, audits.Event.MEMBERSHIP_CHANGED, user, {"org_roles": change}, org_id=scope.org_id)


def _held_roles(scope: OrgScope, user: User) -> frozenset[str]:
    return next((row.roles for row in org_roles_of(user.pk) if row.org_id == scope.org_id), frozenset())


def _store_roles(
    actor: Actor, scope: OrgScope, user: User, held: frozenset[str], wanted: frozenset[str]
) -> trail.Change:
    void_links(user)
    hold_memberships({user.pk})
    if held - wanted:
        Membership.objects.filter(org_id=scope.org_id, user=user, role__in=held - wanted).delete()
    new = sorted(wanted - held)
    row_writes.insert(
        [Membership(org_id=scope.org_id, user=user, role=role, created_by=actor.label[:128]) for role in new]
    )
    if not wanted:
        leave_groups(user, scope)
    events.publish(MembershipChanged(user_id=user.pk, org_id=scope.org_id, removed=not wanted, by=actor))
    return trail.Change(sorted(held), sorted(wanted))


def _keep_an_administrator(actor: Actor, scope: OrgScope, user: User) -> None:
    """Refuse to remove the last administrator of an organization, except for super administrators, who can name others.

    Locks the rows of all administrators in one order, so that two administrators cannot remove each other's role at the
    same time.
    """
    if actor.is_super_user:
        return
    rows = Membership.objects.select_for_update().filter(org_id=scope.org_id, role=OrgRole.ADMIN).order_by("pk")
    others = [row.user_id for row in rows if row.user_id != user.pk]
    if not User.objects.valid().filter(pk__in=others).exists():
        raise LastOrganizationAdministrator


@transaction.atomic
def change_org_role(*, actor: Actor, row: Membership, role: str) -> None:
    """Change one membership of a user to another role in the same organization. Raises FieldProblem, AboveYou."""
    hold(actor, row.user)
    row.refresh_from_db(fields=["role"])  # the current role, read under the lock
    before = row.role
    if role == before:
        return
    if not may_grant_org_role(actor, role):
        raise AboveYou
    if Membership.objects.filter(org_id=row.org_id, user_id=row.user_id, role=role).exists():
        raise FieldProblem("role", _("This field must be unique."))
    scope = OrgScope(row.org_id)
    if before == OrgRole.ADMIN:
        _keep_an_administrator(actor, scope, row.user)
    void_links(row.user)
    row.role = role
    row.save(update_fields=["role"])
    trail.record(
        actor,
        audits.Event.MEMBERSHIP_CHANGED,
        row.user,
        {"org_roles": trail.Change([before], [role])},
        org_id=row.org_id,
    )
    events.publish(MembershipChanged(user_id=row.user_id, org_id=row.org_id, removed=False))


@transaction.atomic
def add_org_role(*, actor: Actor, scope: OrgScope, user: User, role: str) -> None:
    """Add a role (an invitation). Does nothing when the user has it."""
    hold(actor, user)
    set_org_roles(actor=actor, scope=scope, user=user, roles=_held_roles(scope, user) | {role})


@transaction.atomic
def take_org_role(*, actor: Actor, scope: OrgScope, user: User, role: str) -> None:
    """Remove a role. A user without any remaining role also leaves the groups of the organization."""
    hold(actor, user)
    set_org_roles(actor=actor, scope=scope, user=user, roles=_held_roles(scope, user) - {role})


@transaction.atomic
def remove_from_org(*, actor: Actor, scope: OrgScope, user: User) -> None:
    """Remove a user from the organization and its groups; the account stays."""
    if scope.is_root:
        raise RootOrganization
    hold(actor, user)
    subject = subject_of(user, scope, administered_org_ids(actor))
    if not may_delete(actor, subject):
        raise AboveYou
    set_org_roles(actor=actor, scope=scope, user=user, roles=())


def known_org_role(role: str) -> str:
    """`role` if it is one of Admin, Auditor, User. Raises FieldProblem otherwise."""
    if role not in OrgRole.values:
        raise FieldProblem("role", _("Unknown role. Use Admin, Auditor or User."))
    return role
