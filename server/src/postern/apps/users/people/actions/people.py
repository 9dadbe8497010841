"""Creates, changes and deletes users."""

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.orgs.roles import OrgRole
from postern.apps.users.accounts import service_accounts, trail
from postern.apps.users.accounts.distinct_names import require_distinct
from postern.apps.users.accounts.errors import AboveYou, FieldProblem, OwnLimit
from postern.apps.users.accounts.holding import hold, hold_caller
from postern.apps.users.accounts.models import MfaLevel, SystemRole, User
from postern.apps.users.accounts.policy import (
    LIMITS,
    may_change_limits,
    may_delete,
    may_grant_org_role,
    may_grant_system_role,
    may_manage_membership,
    may_update,
)
from postern.apps.users.accounts.queries import administered_org_ids, subject_of
from postern.apps.users.credentials.actions.links import IssuedLink, issue_set_password_link
from postern.apps.users.credentials.actions.passwords import (
    NewPassword,
    checked_public_keys,
    prepare,
    prepare_for_another,
    remember_password,
    store_prepared,
)
from postern.apps.users.credentials.events import PublicKeysChanged
from postern.apps.users.credentials.kinds import void_links
from postern.apps.users.groups.actions import change_groups
from postern.apps.users.memberships.actions import change_org_roles
from postern.apps.users.people.errors import BuiltInAdministrator, LastAdministrator
from postern.apps.users.people.events import UserClosed, UserCreated, UserExpiryMoved
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.kernel import clock

#: Columns that an update may change; all other columns have their own actions.
UPDATABLE: Final = frozenset(
    {
        "name",
        "username",
        "email",
        "wechat",
        "phone",
        "mfa_level",
        "source",
        "need_update_password",
        "is_active",
        "date_expired",
        "comment",
        "role",
    }
)


#: Columns of the input: `kind` is chosen at the creation, and compared afterwards.
WRITABLE: Final = UPDATABLE | {"kind"}

#: A change of one of these columns voids set-password links.
_LINKS_RELY_ON: Final = frozenset({"role", "source", "is_active", "date_expired", "username"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonInput:
    """Validated input of a user. `columns` holds only the given values; None in other fields keeps the current value.

    `new_password`: the result of `prepare_creation` or `prepare_change` for `password`, computed before the caller's
    transaction.
    """

    columns: Mapping[str, object] = field(default_factory=dict)
    password: str | None = None
    new_password: NewPassword | None = None
    public_key: str | None = None
    group_ids: frozenset[UUID] | None = None
    org_roles: frozenset[str] | None = None
    by_link: bool = False


@dataclass(frozen=True, slots=True)
class CreatedUser:
    """A new user; `link` is set when they have to set their own password."""

    user: User
    link: IssuedLink | None


def create_user(*, actor: Actor, scope: OrgScope, person: PersonInput) -> CreatedUser:
    """Create a person or a service account, and a membership of the organization unless it is the root.

    With `by_link` (password strategy "email"), the account has no password until the user sets one with the returned
    one-time link. Raises FieldProblem, AboveYou.
    """
    person = prepare_creation(actor, person)
    user = _new_user(person)
    user.created_by = actor.label[:128]
    if person.public_key:
        user.public_key = checked_public_keys(person.public_key)
    with transaction.atomic():
        hold_caller(actor)  # time has passed since the request began, because a password was hashed
        require_distinct(user)
        user.password = person.new_password.hashed if person.new_password is not None else make_password(None)
        if user.has_usable_password():
            user.date_password_last_updated = clock.now()
        user.save()
        if user.has_usable_password():
            remember_password(user)
        roles = person.org_roles or frozenset({OrgRole.USER})
        places = _change_memberships(actor, scope, user, roles, person.group_ids)
        recorded = {name: change.after for name, change in places.items()}
        trail.record_created(actor, user, org_id=scope.org_id, more=recorded)
        link = None
        if person.by_link and user.is_local:
            link = issue_set_password_link(actor=actor, user=user, void_password=False, scope=scope)
        events.publish(UserCreated(user_id=user.pk, username=user.username))
    return CreatedUser(user=user, link=link)


def prepare_creation(actor: Actor, person: PersonInput) -> PersonInput:
    """The input with its password checked and hashed. Raises FieldProblem. Call it before any transaction."""
    _check_grants(actor, person)
    user = _new_user(person)
    if user.is_service_account:
        columns = service_accounts.new_columns(person.columns, password=person.password)
        return replace(person, columns=columns, password=None, new_password=None, by_link=False)
    service_accounts.require_address_of_person(user.email)
    if person.new_password is not None or person.by_link or not user.is_local:
        return person
    if not person.password:
        raise FieldProblem("password", _("This field is required."))
    admin = user.role == SystemRole.ADMIN or OrgRole.ADMIN in (person.org_roles or ())
    return replace(person, new_password=prepare(user, person.password, for_admin=admin))


def _new_user(person: PersonInput) -> User:
    user = User(**{name: value for name, value in person.columns.items() if name in WRITABLE})
    if user.is_service_account:
        user.is_first_login = False  # nobody reads its first page
    return user


def update_user(*, actor: Actor, scope: OrgScope, user: User, person: PersonInput) -> User:
    """Change a user.

    Disabling or expiring the account ends everything that the user has open. Raises AboveYou, FieldProblem …
    """
    person = prepare_change(actor, scope, user, person)
    keys = checked_public_keys(person.public_key) if person.public_key else None
    with transaction.atomic():
        row = _locked(actor, user)
        # Check against the locked row. The user's role may have been raised since, and a form with old values must not
        # undo a restriction set in the meantime.
        person = _of_its_kind(row, _permitted(actor, scope, row, person))
        _check_grants(actor, person, before=row)
        _check_own_limits(actor, person, row)
        before = copy.copy(row)
        was_valid = row.is_valid
        changes = _apply(row, person, keys)
        if "username" in changes:
            require_distinct(row)
        _keep_an_administrator(before, row)
        if was_valid and not row.is_valid:
            row.session_epoch += 1
        # Before the row is written, so that administrators who lower their own role with the same form may still change
        # memberships.
        places = _change_memberships(actor, scope, row, person.org_roles, person.group_ids)
        if changes:
            row.save()
        if changes.keys() & _LINKS_RELY_ON:
            void_links(row)
        if person.new_password is not None:
            store_prepared(actor=actor, row=row, new=person.new_password, by_self=False)
        changes |= places
        if changes:
            trail.record(actor, audits.Event.USER_UPDATED, row, changes, org_id=scope.org_id)
        if "public_key" in changes:
            events.publish(PublicKeysChanged(user_id=row.pk, username=row.username))
        if "date_expired" in changes:
            events.publish(UserExpiryMoved(user_id=row.pk))
        if was_valid and not row.is_valid:
            cause = "expired" if row.is_active else "disabled"
            events.publish(UserClosed(user_id=row.pk, username=row.username, cause=cause))
    return row


def prepare_change(actor: Actor, scope: OrgScope, user: User, person: PersonInput) -> PersonInput:
    """The input that the actor may write, with its password checked and hashed. Call it before any transaction.

    Raises AboveYou, FieldProblem, OwnPassword.
    """
    person = _of_its_kind(user, _permitted(actor, scope, user, person))
    _check_grants(actor, person, before=user)
    _check_own_mfa(actor, person, user)
    keeps_source = person.columns.get("source", user.source) == user.source
    if person.new_password is None and person.password and keeps_source and user.is_local:
        person = replace(person, new_password=prepare_for_another(actor, user, person.password))
    return person


def _of_its_kind(user: User, person: PersonInput) -> PersonInput:
    """The input with what follows from the kind of the account. Raises FieldProblem for what the kind does not allow."""
    if not user.is_service_account:
        email = person.columns.get("email")
        if email is not None and email != user.email:
            service_accounts.require_address_of_person(str(email))
        return person
    return replace(person, columns=service_accounts.changed_columns(user, person.columns, password=person.password))


def _apply(row: User, person: PersonInput, keys: str | None) -> dict[str, trail.Change]:
    """Set the given values in `row`; returns the changes."""
    changes: dict[str, trail.Change] = {}
    for name, value in person.columns.items():
        if name in UPDATABLE and getattr(row, name) != value:
            changes[name] = trail.Change(getattr(row, name), value)
            setattr(row, name, value)
    if keys is not None and keys != row.public_key:
        changes["public_key"] = trail.masked(row.public_key, keys)
        row.public_key = keys
    return changes


def _change_memberships(
    actor: Actor, scope: OrgScope, row: User, roles: Iterable[str] | None, group_ids: frozenset[UUID] | None
) -> dict[str, trail.Change]:
    """Set roles and groups in the organization (None keeps them); returns the changes."""
    if scope.is_root:
        return {}
    changes = {
        "org_roles": None if roles is None else change_org_roles(actor=actor, scope=scope, user=row, roles=roles),
        "groups": None if group_ids is None else change_groups(scope=scope, user=row, group_ids=group_ids),
    }
    return {name: change for name, change in changes.items() if change is not None}


@transaction.atomic
def delete_user(*, actor: Actor, scope: OrgScope, user: User) -> None:
    """Delete an account permanently; everything that the user has open ends. Super administrators only."""
    row = _locked(actor, user)
    subject = subject_of(row, scope, administered_org_ids(actor))
    if not actor.is_super_user or not may_delete(actor, subject):
        raise AboveYou
    _keep_an_administrator(row, None)
    user_id, username = row.pk, row.username
    row.delete()
    row.pk = user_id  # the lock of the audit chain is taken last, as in every write
    trail.record_deleted(actor, row, org_id=scope.org_id)
    events.publish(UserClosed(user_id=user_id, username=username, cause="deleted"))


#: Columns that users may change in their own profile.
OWN_COLUMNS: Final = frozenset({"phone", "wechat", "comment", "mfa_level", "is_first_login", "language"})


@transaction.atomic
def update_own_profile(*, actor: Actor, user: User, changes: Mapping[str, object]) -> None:
    """Change the caller's own profile. A forced MFA level stays; an empty public key keeps the stored keys."""
    row = hold(actor, user)
    service_accounts.refuse_itself(actor, row)
    recorded: dict[str, trail.Change] = {}
    for name, value in changes.items():
        forced = name == "mfa_level" and row.mfa_level == MfaLevel.FORCED
        if name in OWN_COLUMNS and not forced and getattr(row, name) != value:
            recorded[name] = trail.Change(getattr(row, name), value)
            setattr(row, name, value)
    keys = checked_public_keys(str(changes["public_key"])) if changes.get("public_key") else row.public_key
    if keys != row.public_key:
        recorded["public_key"] = trail.masked(row.public_key, keys)
        row.public_key = keys
        events.publish(PublicKeysChanged(user_id=row.pk, username=row.username))
    if recorded:
        row.save()
        trail.record(actor, audits.Event.USER_PROFILE_UPDATED, row, recorded)


def change_mfa_level(*, user: User, level: MfaLevel) -> tuple[int, int]:
    """Set the MFA level after an authenticator app was set up or removed; a forced level stays. Returns the level
    before and after.

    Must run inside the caller's transaction; the caller audits the change.
    """
    row = User.objects.select_for_update().get(pk=user.pk)
    before = row.mfa_level
    if before not in {MfaLevel.FORCED, level}:
        row.mfa_level = level
        row.save(update_fields=["mfa_level"])
    return int(before), int(row.mfa_level)


def _permitted(actor: Actor, scope: OrgScope, user: User, person: PersonInput) -> PersonInput:
    """The part of the input that the actor may write. Raises AboveYou when the input changes more.

    If the user also belongs to other organizations, the organization's administrators may change only roles and groups
    in their own. A form sends all fields, so values equal to the stored values are ignored.
    """
    service_accounts.require_same_kind(user, person.columns)
    subject = subject_of(user, scope, administered_org_ids(actor))
    if may_update(actor, subject):
        return person
    if not may_manage_membership(actor, user_id=user.pk, system_role=user.role):
        raise AboveYou
    changes_columns = any(name in UPDATABLE and _differs(user, name, value) for name, value in person.columns.items())
    if changes_columns or person.password or person.public_key:
        raise AboveYou
    return replace(person, columns={})


def _differs(user: User, name: str, value: object) -> bool:
    """Whether the value differs from the stored one. Instants are compared by the second, as in the API format."""
    stored = getattr(user, name)
    if isinstance(stored, datetime) and isinstance(value, datetime):
        return stored.replace(microsecond=0) != value.replace(microsecond=0)
    return bool(stored != value)


def _check_own_limits(actor: Actor, person: PersonInput, user: User) -> None:
    """Refuse that users change their own restrictions, except super administrators, whatever form was sent."""
    if may_change_limits(actor, user.pk):
        return
    changed = [name for name in sorted(LIMITS) if name in person.columns and _differs(user, name, person.columns[name])]
    if changed:
        raise OwnLimit(*changed)


def _check_own_mfa(actor: Actor, person: PersonInput, user: User) -> None:
    """Refuse that users lower their own MFA level here: the profile page asks for a code of the second factor first."""
    level = person.columns.get("mfa_level")
    if actor.user_id == user.pk and isinstance(level, int) and level < user.mfa_level:
        raise FieldProblem("mfa_level", _("You can switch off your own MFA on your profile page only."))


def _check_grants(actor: Actor, person: PersonInput, before: User | None = None) -> None:
    """Refuse to grant rights that the actor does not hold (K35: nobody gives a right that they do not hold)."""
    role = person.columns.get("role")
    changes_role = role is not None and (before is None or role != before.role)
    if changes_role and not may_grant_system_role(actor, str(role)):
        raise FieldProblem("role", _("You do not have permission to grant this role."))
    _check_org_roles(actor, person.org_roles or ())


def _check_org_roles(actor: Actor, roles: Iterable[str]) -> None:
    if not all(may_grant_org_role(actor, role) for role in roles):
        raise FieldProblem("org_roles", _("You do not have permission to grant this role."))


def _keep_an_administrator(before: User, after: User | None) -> None:
    """Refuse a change that would leave no administrator (K60: the last administrator cannot be removed). `after` is
    None for a deletion.
    """
    # A service account cannot sign in to the console, so it does not count.
    if before.is_service_account:
        return
    stays = after is not None and after.role == SystemRole.ADMIN and after.is_valid
    if before.is_built_in_admin and not (after is not None and stays and _stays_built_in(before, after)):
        raise BuiltInAdministrator
    if stays or before.role != SystemRole.ADMIN or not before.is_valid:
        return
    if not User.objects.valid().people().filter(role=SystemRole.ADMIN).exclude(pk=before.pk).exists():
        raise LastAdministrator


def _stays_built_in(before: User, after: User) -> bool:
    """Whether the built-in administrator can still sign in by itself, now and later: no directory or provider is needed,
    and no earlier end is set.
    """
    if not after.is_built_in_admin or (before.is_local and not after.is_local):
        return False
    if after.date_expired is None:
        return True
    # Forms send instants by the second.
    return before.date_expired is not None and after.date_expired >= before.date_expired.replace(microsecond=0)


def _locked(actor: Actor, user: User) -> User:
    """The locked row of a user; for an administrator, the rows of all administrators, always in the same order.

    Two administrators who demote each other at the same time can therefore neither both succeed nor deadlock.
    """
    return hold(actor, user, administrators=user.role == SystemRole.ADMIN)
