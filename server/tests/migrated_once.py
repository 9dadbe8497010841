"""All workers of a run share one migration: the first of them migrates its test database, the others copy it.

Running every migration costs seconds of computing in each worker, which all others wait for on few cores. The copy belongs to the run alone: it lies in
the folder of the process that starts the workers (`RUN_FOLDER`), and ends with it. Without workers nothing is copied.
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

#: Names the folder of the run to its workers; set by the process that starts them.
RUN_FOLDER: Final = "TEST_RUN_FOLDER"


def is_worker() -> bool:
    return "PYTEST_XDIST_WORKER" in os.environ and RUN_FOLDER in os.environ


@contextmanager
def migrated_once() -> Iterator[None]:
    """As long as it lasts, a worker's test database is made from the copy of the run, if there is one; else it becomes the copy."""
    if not is_worker():
        yield
        return
    folder = Path(os.environ[RUN_FOLDER])
    create = connection.creation.create_test_db

    def create_from_copy(*arguments: Any, **options: Any) -> str:
        copied = folder / "copied"
        with (folder / "copying.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # the kernel lets go of it with the process, however that ends
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
    """What lies in the folder ends with it; a copy in the database's server is dropped here."""
    if connection.vendor == "postgresql" and (folder / "copied").exists():
        # Past Django, which lets nobody but tests use a database.
        with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
            server.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(_copy_name(folder))))


def _with_rows_of_its_own() -> None:
    """What every installation has is made anew: the rows of the copy are proven under the key of another data folder.

    The fixtures see to it that this empties the tables as `emptying` does.
    """
    call_command("flush", verbosity=0, interactive=False)
    connection.close()


@contextmanager
def _from_copy(folder: Path) -> Iterator[None]:
    """The next test database begins as the copy, and the command that would migrate it does nothing."""
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
    """Copy the test database. A worker that died while it did so may have left a part."""
    if connection.vendor == "sqlite":
        copy = folder / "migrated.sqlite3"
        copy.unlink(missing_ok=True)
        with closing(connection.cursor()) as cursor:
            cursor.execute("VACUUM INTO %s", [str(copy)])
        return
    source = connection.settings_dict["NAME"]
    connection.close()
    connection.close_pool()  # a database that somebody is connected to cannot be copied
    with connection._nodb_cursor() as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS "{_copy_name(folder)}"')
        cursor.execute(f'CREATE DATABASE "{_copy_name(folder)}" TEMPLATE "{source}"')


def _copy_name(folder: Path) -> str:
    return folder.name.replace("-", "_")
