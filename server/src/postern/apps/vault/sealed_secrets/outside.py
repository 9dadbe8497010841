"""Reading secrets of external stores while no transaction is open.

A store that hangs answers at its time limit. A transaction that waited for it would keep its locks for as long: those of
a proxy, of a session or of a job, and on SQLite those of everybody.

`read_outside` runs a piece of work that opens its own transaction. Where the work needs a secret that is not read yet,
its transaction is rolled back, the secret is read, and the work starts again from its first check. So what is decided,
released and audited is still one transaction, and a secret that was replaced meanwhile is read anew.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Final, TypeVar

from django.db import connection

from postern.apps.vault.sealed_secrets.sealing import SecretPlace
from postern.apps.vault.sealed_secrets.stored import SecretProvider, StoredSecret
from postern.kernel.errors import Conflict, PosternError
from postern.kernel.secret import Secret

_Result = TypeVar("_Result")
_Wanted = tuple[SecretPlace, StoredSecret]

#: A sign-in needs two secrets. More rounds mean that they are replaced faster than they are read.
_ROUNDS: Final = 8

#: What was read for the work of this context, or why it could not be read.
_READ: Final[ContextVar[dict[_Wanted, Secret | PosternError] | None]] = ContextVar("read secrets", default=None)


class _ReadFirst(Exception):
    """Ends the transaction of the work. No PosternError, because actions turn those into refusals."""

    def __init__(self, provider: SecretProvider, stored: StoredSecret, place: SecretPlace) -> None:
        super().__init__("a secret is read first")
        self.provider = provider
        self.stored = stored
        self.place = place


def read_outside(work: Callable[[], _Result]) -> _Result:
    """The result of the work, which must be repeatable until it has the secrets: it is started again with each of them.

    In a transaction of the caller the work runs as it is, because the locks are held anyway.
    """
    if connection.in_atomic_block or _READ.get() is not None:
        return work()
    read: dict[_Wanted, Secret | PosternError] = {}
    token = _READ.set(read)
    try:
        for _round in range(_ROUNDS):
            try:
                return work()
            except _ReadFirst as wanted:
                read[wanted.place, wanted.stored] = _read(wanted)
        raise Conflict("the secrets are replaced faster than they are read")
    finally:
        _READ.reset(token)


def opened(provider: SecretProvider, stored: StoredSecret, place: SecretPlace) -> Secret:
    """The secret of an external store: as it was read before, or read now. Raises as `SecretProvider.open` does."""
    read = _READ.get()
    if read is None:
        return provider.open(stored, place)
    found = read.get((place, stored))
    if found is None:
        raise _ReadFirst(provider, stored, place)
    if isinstance(found, PosternError):
        raise found
    return found


def _read(wanted: _ReadFirst) -> Secret | PosternError:
    try:
        return wanted.provider.open(wanted.stored, wanted.place)
    except PosternError as error:
        return error
