"""Checks whether the credential of a call is still valid, during its writes and later. Credentials are browser
sign-ins, bearer tokens and access keys.
"""

from collections.abc import Collection
from datetime import UTC, datetime
from functools import cache
from uuid import UUID

from django.db.models import F, Q

from postern.apps.authn.credentials.models import AccessKey, BearerToken, LoginSession
from postern.apps.rbac import facade as rbac
from postern.apps.users.credentials.rules import mfa_is_forced
from postern.apps.users.models import User
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.foundation.database.prepared import PreparedQuery
from postern.kernel import clock

_ACCESS_KEY, _TOKEN = "access_key", "token"


def credential_of(auth: object) -> str | None:
    """Id of the access key or token of the call, for the log and for `still_holds`; never its secret."""
    match auth:
        case AccessKey():
            return name_of_key(auth.pk)
        case BearerToken():
            return name_of_token(auth.pk)
        case _:
            return None


def name_of_key(key_id: UUID) -> str:
    """The form of an access key in `Actor.credential`."""
    return f"{_ACCESS_KEY}:{key_id}"


def name_of_token(token_id: UUID) -> str:
    """The form of a bearer token in `Actor.credential`."""
    return f"{_TOKEN}:{token_id}"


def still_holds(actor: Actor) -> bool:
    """Whether the credential is still valid.

    Locks its row: a concurrent revocation waits until the caller's write is committed.
    """
    login_session = UUID(actor.login_session) if actor.login_session is not None else None
    return hold(login_session=login_session, credential=actor.credential or "")


@cache
def _open_sign_in() -> PreparedQuery:
    """Prepared, because a write checks its caller for each user that it changes."""
    return PreparedQuery(
        lambda key, now: (
            LoginSession.objects.filter(pk=key, date_ended__isnull=True, date_expired__gt=now)
            .select_for_update()
            .order_by()
        ),
        stand_ins={"key": UUID(int=1), "now": datetime(1999, 1, 1, tzinfo=UTC)},
        columns=("id",),
    )


def has_lost_rights(actor: Actor, user: User) -> bool:
    """Whether the user now has fewer rights in the request's organization than when the request began."""
    if actor.scope_id is None:
        return False
    return bool(actor.bits & ~rbac.rights_of(user, OrgScope(actor.scope_id)).bits)


def hold(*, login_session: UUID | None, credential: str) -> bool:
    """Whether this sign-in, token or access key is still valid; its row is locked until the transaction ends.

    The user's row is locked first, as in `users.hold`.
    """
    now = clock.now()
    if login_session is not None:
        return bool(_open_sign_in().tuples(key=login_session, now=now))
    kind, _separator, text = credential.partition(":")
    if kind == _TOKEN:
        tokens = BearerToken.objects.filter(pk=UUID(text), date_revoked__isnull=True, date_expired__gt=now)
        return bool(tokens.select_for_update().values_list("pk"))
    if kind == _ACCESS_KEY:
        keys = AccessKey.objects.filter(_not_ended(), pk=UUID(text), is_active=True)
        return bool(keys.select_for_update().values_list("pk"))
    return True


def _not_ended() -> Q:
    return Q(date_expired__isnull=True) | Q(date_expired__gt=clock.now())


def holding_among(credentials: Collection[str]) -> frozenset[str]:
    """The credentials among these tokens and access keys that would be accepted now. Two queries.

    Excludes credentials that were revoked, switched off or deleted, that have expired, or whose owner can no longer use
    them.
    """
    ids: dict[str, set[UUID]] = {_ACCESS_KEY: set(), _TOKEN: set()}
    for credential in credentials:
        kind, _separator, text = credential.partition(":")
        if kind in ids:
            ids[kind].add(UUID(text))
    valid = User.objects.valid()
    keys = AccessKey.objects.filter(_not_ended(), pk__in=ids[_ACCESS_KEY], is_active=True, user__in=valid)
    tokens = BearerToken.objects.select_related("user").filter(
        pk__in=ids[_TOKEN],
        date_revoked__isnull=True,
        date_expired__gt=clock.now(),
        epoch=F("user__session_epoch"),
        user__in=valid,
    )
    return frozenset(
        {name_of_key(pk) for pk in keys.values_list("pk", flat=True)}
        | {name_of_token(token.pk) for token in tokens if token.mfa or not mfa_is_forced(token.user)}
    )
