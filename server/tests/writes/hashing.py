"""Whether a password is hashed while a transaction is open: on SQLite nobody else writes meanwhile."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from django.contrib.auth.hashers import MD5PasswordHasher
from django.db import connection

from postern.apps.users.credentials.hashing import BoundedArgon2Hasher
from writes.case import Write
from writes.trial import prepared, undone
from writes.world import World


@contextmanager
def hashes_noted() -> Iterator[list[bool]]:
    """One entry for each hash that is made or compared: whether a transaction of the code under test was open."""
    noted: list[bool] = []
    outer = len(connection.savepoint_ids)  # those of the test

    def noting(work: Callable[..., Any]) -> Callable[..., Any]:
        def note(*args: Any, **kwargs: Any) -> Any:
            noted.append(len(connection.savepoint_ids) > outer)
            return work(*args, **kwargs)

        return note

    with (
        mock.patch.object(MD5PasswordHasher, "encode", noting(MD5PasswordHasher.encode)),
        mock.patch.object(BoundedArgon2Hasher, "encode", noting(BoundedArgon2Hasher.encode)),
        mock.patch.object(BoundedArgon2Hasher, "verify", noting(BoundedArgon2Hasher.verify)),
    ):
        yield noted


def hashes_outside_transactions(write: Write, world: World) -> list[str]:
    """No hash is made or compared while the call's transaction is open."""
    with undone():
        trial = prepared(write, world)
        with hashes_noted() as noted:
            trial.call()
        return ["hashes a password inside a transaction"] if any(noted) else []
