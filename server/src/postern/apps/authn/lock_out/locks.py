"""Reads of the locks that `guard` and `mfa_guard` set, and the keys of counters."""

from datetime import UTC, datetime
from functools import cache
from typing import Final

from postern.apps.authn.lock_out.models import GuardKind, SignInGuard
from postern.apps.users.models import username_key
from postern.foundation.database.prepared import PreparedObjects, PreparedQuery
from postern.kernel import clock
from postern.kernel.addresses import address_key
from postern.kernel.ids import token_hash

#: Counters of account names.
OF_ACCOUNT: Final = (GuardKind.ACCOUNT, GuardKind.MFA)
_MAX_KEY_CHARS: Final = 512
#: Placeholder of the current instant in prepared queries.
_INSTANT: Final = datetime(2000, 1, 1, tzinfo=UTC)


def key_hash(kind: GuardKind, key: str) -> str:
    """The stored form of an account name or an address."""
    text = username_key(key[:_MAX_KEY_CHARS]) if kind in OF_ACCOUNT else address_key(key)
    return token_hash(f"{kind.value}:{text}")


def of_name(username: str, now: datetime) -> list[SignInGuard]:
    """The counters that lock this name now."""
    return _of_name().all(
        now=now, account=key_hash(GuardKind.ACCOUNT, username), codes=key_hash(GuardKind.MFA, username)
    )


def locked_accounts(usernames: list[str]) -> dict[str, datetime]:
    """The names that are locked now by wrong passwords or wrong codes, with the end of each lock."""
    hashes = {key_hash(kind, name): name for name in usernames for kind in OF_ACCOUNT}
    # There are few locks and perhaps many names, so read all locks.
    locked_until_by_name: dict[str, datetime] = {}
    for value, until in _of_accounts().tuples(now=clock.now()):
        if value in hashes and until is not None:
            name = hashes[value]
            locked_until_by_name[name] = max(until, locked_until_by_name.get(name, until))
    return locked_until_by_name


def locked_addresses() -> list[SignInGuard]:
    """The addresses that are locked now, sorted by the end of the lock, latest first."""
    rows = SignInGuard.objects.filter(kind=GuardKind.ADDRESS, date_locked_until__gt=clock.now())
    return list(rows.order_by("-date_locked_until"))


@cache
def _of_name() -> PreparedObjects[SignInGuard]:
    """Prepared, because every sign-in needs it."""
    return PreparedObjects(
        SignInGuard,
        lambda now, account, codes: SignInGuard.objects.filter(
            kind__in=OF_ACCOUNT, key_hash__in=[account, codes], date_locked_until__gt=now
        ).order_by(),
        stand_ins={"now": _INSTANT, "account": "of-account", "codes": "of-codes"},
    )


@cache
def _of_accounts() -> PreparedQuery:
    """Prepared, because every page of users needs it."""
    return PreparedQuery(
        lambda now: SignInGuard.objects.filter(kind__in=OF_ACCOUNT, date_locked_until__gt=now).order_by(),
        stand_ins={"now": _INSTANT},
        columns=("key_hash", "date_locked_until"),
    )
