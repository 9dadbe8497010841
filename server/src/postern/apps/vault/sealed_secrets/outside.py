"""Reading and writing secrets of external stores while no transaction is open.

A store that hangs answers at its time limit. A transaction that waited for it would keep its locks for as long: those of
a proxy, of a session or of a job, and on SQLite those of everybody.

`read_outside` and `write_outside` run a piece of work. Where the work needs a secret that is not read yet, or has a
secret to write, its transaction is rolled back. Then the secrets are read or written, and the work starts again from its
first check. So what is decided, released, stored and audited is still one transaction, and a secret that was replaced
meanwhile is read anew.

A written secret that is not used in the end is at a path that no row names; `actions.tidying` removes it.
"""

from collections.abc import Callable, Hashable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from django.db import connection
from django.utils.translation import gettext as _

from postern.apps.vault.sealed_secrets.sealing import SecretPlace
from postern.apps.vault.sealed_secrets.stored import SecretProvider, StoredSecret
from postern.foundation.database import trial
from postern.foundation.database.write_transaction import write_transaction
from postern.kernel.errors import Conflict, PosternError
from postern.kernel.secret import Secret

_Result = TypeVar("_Result")
_Wanted = tuple[SecretPlace, StoredSecret]
_Written = tuple[SecretPlace, str]

#: A sign-in needs two secrets. A write reads once and writes once. More rounds mean that rows change faster than that.
_ROUNDS: Final = 8
#: What a round that is going to be rolled back has in place of a secret that is not read yet.
_NOT_READ: Final = Secret("not read yet")


@dataclass(slots=True, repr=False)
class _Rounds:
    """What the rounds of one piece of work have in common. It has no text form, because it holds secrets."""

    #: Whether the transaction of the work is `write_outside`'s.
    writes: bool
    #: Secrets that were read, or why they could not be.
    read: dict[_Wanted, Secret | PosternError] = field(default_factory=dict)
    #: Secrets that were written, as the row keeps them.
    written: dict[_Written, StoredSecret] = field(default_factory=dict)
    #: What this round misses.
    to_read: dict[_Wanted, SecretProvider] = field(default_factory=dict)
    to_write: dict[_Written, SecretProvider] = field(default_factory=dict)
    #: Values of `repeatable`, and how often this round has asked for each.
    values: dict[Hashable, Any] = field(default_factory=dict)
    asked: dict[Hashable, int] = field(default_factory=dict)

    def begin(self) -> None:
        self.to_read.clear()
        self.to_write.clear()
        self.asked.clear()

    @property
    def is_incomplete(self) -> bool:
        return bool(self.to_read or self.to_write)

    def fetch(self) -> None:
        """Read and write what the round missed. Raises PosternError when a secret cannot be written."""
        for (place, stored), provider in self.to_read.items():
            self.read[place, stored] = _read(provider, stored, place)
        if self.to_read:  # what the round would have written may depend on it
            return
        for (place, value), provider in self.to_write.items():
            self.written[place, value] = provider.store(place, Secret(value))


_ROUNDS_NOW: Final[ContextVar[_Rounds | None]] = ContextVar("rounds of the present work", default=None)


class _Again(Exception):
    """Ends the transaction of a round. No PosternError, because actions turn those into refusals."""


def read_outside(work: Callable[[], _Result]) -> _Result:
    """The result of the work, which must be repeatable until it has the secrets: it is started again with each of them.

    The work opens its own transaction, and writes no secrets. In a transaction of the caller it runs as it is, because
    the locks are held anyway.
    """
    return _in_rounds(work, _Rounds(writes=False))


def write_outside(work: Callable[[], _Result]) -> _Result:
    """The result of the work, which runs in a write transaction and may `put` secrets.

    Nothing is written to a store before the work was carried out once and rolled back: what is refused writes nothing.
    The work must be repeatable until it is committed; see `repeatable`. Raises PosternError with status 503 while the
    store cannot be used; then nothing is changed.
    """
    rounds = _Rounds(writes=True)

    def in_transaction() -> _Result:
        with write_transaction():
            result = work()
            if rounds.is_incomplete:
                raise _Again
            return result

    return _in_rounds(in_transaction, rounds)


def repeatable(key: Hashable, make: Callable[[], _Result]) -> _Result:
    """A random value, the same in every round of `write_outside`: the n-th value of this key that a round asks for."""
    rounds = _ROUNDS_NOW.get()
    if rounds is None:
        return make()
    number = rounds.asked[key] = rounds.asked.get(key, 0) + 1
    if (key, number) not in rounds.values:
        rounds.values[key, number] = make()
    value: _Result = rounds.values[key, number]
    return value


def opened(provider: SecretProvider, stored: StoredSecret, place: SecretPlace) -> Secret:
    """The secret of an external store: as it was read before, or read now. Raises as `SecretProvider.open` does."""
    rounds = _ROUNDS_NOW.get()
    if trial.is_running():
        return _NOT_READ
    if rounds is None:
        return provider.open(stored, place)
    cached = rounds.read.get((place, stored))
    if isinstance(cached, PosternError):
        raise cached
    if cached is not None:
        return cached
    rounds.to_read[place, stored] = provider
    if not rounds.writes:  # the work uses the secret at once, and commits its own transaction
        raise _Again
    return _NOT_READ


def written(provider: SecretProvider, place: SecretPlace, secret: Secret) -> StoredSecret | None:
    """The secret as the external store keeps it. None in a transaction that is rolled back in any case: one that is only
    tried, or a round before the secret is written.

    Outside of `write_outside` it is written at once.
    """
    if trial.is_running():
        return None
    rounds = _ROUNDS_NOW.get()
    if rounds is None or not rounds.writes:
        return provider.store(place, secret)
    key = (place, secret.reveal())
    stored = rounds.written.get(key)
    if stored is None:
        rounds.to_write[key] = provider
    return stored


def _in_rounds(work: Callable[[], _Result], rounds: _Rounds) -> _Result:
    if connection.in_atomic_block or _ROUNDS_NOW.get() is not None:
        return work()
    token = _ROUNDS_NOW.set(rounds)
    try:
        for _round in range(_ROUNDS):
            rounds.begin()
            try:
                return work()
            except _Again:
                rounds.fetch()
        raise Conflict(_("The object was changed again and again meanwhile. Nothing was stored. Try again."))
    finally:
        _ROUNDS_NOW.reset(token)


def _read(provider: SecretProvider, stored: StoredSecret, place: SecretPlace) -> Secret | PosternError:
    try:
        return provider.open(stored, place)
    except PosternError as error:
        return error
