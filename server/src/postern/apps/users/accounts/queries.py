"""Loads the facts that the rules need about a user and about the caller."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from uuid import UUID

from django.db.models import QuerySet

from postern.apps.orgs.roles import OrgRole
from postern.apps.users.accounts.models import BUILT_IN_ADMIN, Membership, Source, User, username_key
from postern.apps.users.accounts.policy import Subject
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.foundation.database.prepared import PreparedObjects, PreparedQuery


@dataclass(frozen=True, slots=True)
class OrgRoles:
    """The roles of one user in one organization."""

    org_id: UUID
    roles: frozenset[str]


def org_roles_of(user_id: UUID) -> tuple[OrgRoles, ...]:
    """All memberships of a user, by organization."""
    roles_by_org: dict[UUID, set[str]] = {}
    for org_id, role in _memberships().tuples(user_id=user_id):
        roles_by_org.setdefault(org_id, set()).add(role)
    return tuple(OrgRoles(org_id=org_id, roles=frozenset(roles)) for org_id, roles in sorted(roles_by_org.items()))


def account_named(username: str) -> User | None:
    """As `User.objects.named`, for ways in: a prepared query."""
    return _accounts().first(key=username_key(username))


def id_named(username: str) -> UUID | None:
    """The user with this login name. Reads no more, so that known and unknown names take the same time."""
    return next((key for (key,) in _ids_by_name().tuples(key=username_key(username))), None)


def id_addressed(address: str) -> UUID | None:
    """The user with this mail address, read in the same way."""
    return next((key for (key,) in _ids_by_address().tuples(address=address.strip().lower())), None)


def ssh_keys_named(username: str) -> str:
    """The public keys that let in the local user or service account of this name; "" without any.

    The answer takes the same time whether or not the name exists: a row is read in both cases, that of the name or the
    one next to it towards the built-in administrator, who always exists.
    """
    key = username_key(username)
    nearest = _nearest_below() if key >= BUILT_IN_ADMIN else _nearest_above()
    for name, source, keys in nearest.tuples(key=key):
        return ("", str(keys))[(name == key) & (source == Source.LOCAL)]
    return ""


@cache
def _ids_by_name() -> PreparedQuery:
    return PreparedQuery(
        lambda key: User.objects.filter(username_key=key).order_by(), stand_ins={"key": "stand-in"}, columns=("id",)
    )


@cache
def _nearest_below() -> PreparedQuery:
    return _keys_of(lambda key: User.objects.filter(username_key__lte=key).order_by("-username_key")[:1])


@cache
def _nearest_above() -> PreparedQuery:
    return _keys_of(lambda key: User.objects.filter(username_key__gte=key).order_by("username_key")[:1])


def _keys_of(users: Callable[[str], QuerySet[User]]) -> PreparedQuery:
    return PreparedQuery(users, stand_ins={"key": "stand-in"}, columns=("username_key", "source", "public_key"))


@cache
def _ids_by_address() -> PreparedQuery:
    return PreparedQuery(
        lambda address: User.objects.filter(email=address).order_by(),
        stand_ins={"address": "stand-in"},
        columns=("id",),
    )


@cache
def _accounts() -> PreparedObjects[User]:
    return PreparedObjects(User, lambda key: User.objects.filter(username_key=key), stand_ins={"key": "stand-in"})


@cache
def _memberships() -> PreparedQuery:
    """Organization and role, by user. Prepared, because every request needs it."""
    return PreparedQuery(
        lambda user_id: Membership.objects.filter(user_id=user_id).order_by(),
        stand_ins={"user_id": UUID(int=1)},
        columns=("org_id", "role"),
    )


def administered_org_ids(actor: Actor) -> frozenset[UUID]:
    """Organizations in which the actor has the role Admin."""
    if actor.user_id is None:
        return frozenset()
    return frozenset(row.org_id for row in org_roles_of(actor.user_id) if OrgRole.ADMIN in row.roles)


def subject_of(
    user: User, scope: OrgScope, administered: frozenset[UUID], memberships: Iterable[Membership] | None = None
) -> Subject:
    """The facts about `user` for the rules. `memberships` are all rows of the user, where they have been read."""
    if memberships is None:
        roles = [(row.org_id, role) for row in org_roles_of(user.pk) for role in row.roles]
    else:
        roles = [(row.org_id, row.role) for row in memberships]
    return Subject(
        user_id=user.pk,
        system_role=user.role,
        is_org_admin=(scope.org_id, OrgRole.ADMIN) in roles,
        is_built_in_admin=user.is_built_in_admin,
        is_service=user.is_service_account,
        is_shared=any(org_id not in administered for org_id, _role in roles),
    )
