"""All workers of a run share one migration: the first worker migrates its test database, the others copy it.

Migrating costs each worker seconds of CPU time, for which the others wait when there are few cores. The copy belongs to
the run: it is in the folder of the process that starts the workers (`RUN_FOLDER`) and is deleted with it. Without
workers nothing is copied.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final
from unittest import mock

import psycopg
from django.core.management import call_command
from django.core.management.commands import migrate
from django.db import connection
from psycopg import sql

#: Environment variable with the folder of the run; set by the process that starts the workers.
RUN_FOLDER: Final = "TEST_RUN_FOLDER"


def is_worker() -> bool:
    return "PYTEST_XDIST_WORKER" in os.environ and RUN_FOLDER in os.environ


@contextmanager
def migrated_once() -> Iterator[None]:
    """Within the block, the test database of a worker is made from the copy of the run.

    When there is no copy yet, the worker migrates its database and makes the copy.
    """
    if not is_worker():
        yield
        return
    folder = Path(os.environ[RUN_FOLDER])
    create = connection.creation.create_test_db

    def create_from_copy(*arguments: Any, **options: Any) -> str:
        copied = folder / "copied"
        with (folder / "copying.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # the kernel releases the lock when the process ends in any way
            if copied.exists():
                with _from_copy(folder):
                    name: str = create(*arguments, **options)
            else:
                name = create(*arguments, **options)
                _copy(folder)
                copied.touch()
        _with_rows_of_its_own()
        return name

    with mock.patch.object(connection.creation, "create_test_db", create_from_copy):
        yield


def drop_copy(folder: Path) -> None:
    """Drop the copy on a PostgreSQL server. A copy for SQLite is deleted with its folder."""
    if connection.vendor == "postgresql" and (folder / "copied").exists():
        # Without Django, which allows the use of a database only in tests.
        with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
            server.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(_copy_name(folder))))


def _with_rows_of_its_own() -> None:
    """Make the rows of every installation anew, because the copied rows are signed with the key of another data folder.

    The fixtures make `flush` empty the tables as `emptying` does.
    """
    call_command("flush", verbosity=0, interactive=False)
    connection.close()


@contextmanager
def _from_copy(folder: Path) -> Iterator[None]:
    """Within the block, the next test database starts as the copy, and the migrate command does nothing."""
    test_settings = connection.settings_dict["TEST"]

    def copied(_self: object, *_arguments: object, **_options: object) -> None:
        if connection.vendor == "sqlite":
            connection.close()
            shutil.copyfile(folder / "migrated.sqlite3", connection.settings_dict["NAME"])

    with mock.patch.object(migrate.Command, "handle", copied):
        if connection.vendor == "sqlite":
            yield
        else:
            with mock.patch.dict(test_settings, {"TEMPLATE": _copy_name(folder)}):
                yield


def _copy(folder: Path) -> None:
    """Copy the test database. A worker that died during the copy may have left an incomplete one, which is replaced."""
    if connection.vendor == "sqlite":
        copy = folder / "migrated.sqlite3"
        copy.unlink(missing_ok=True)
        with closing(connection.cursor()) as cursor:
            cursor.execute("VACUUM INTO %s", [str(copy)])
        return
    source = connection.settings_dict["NAME"]
    connection.close()
    connection.close_pool()  # PostgreSQL cannot copy a database that has connections
    with connection._nodb_cursor() as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS "{_copy_name(folder)}"')
        cursor.execute(f'CREATE DATABASE "{_copy_name(folder)}" TEMPLATE "{source}"')


def _copy_name(folder: Path) -> str:
    return folder.name.replace("-", "_")
