"""Stores the people of a running reading in a scratch file until the directory has sent all of them.

A reading takes effect only when it is complete, and 100,000 people take 120 MB as objects. They are therefore stored in
a SQLite file below POSTERN_HOME, mode 0600, and compared in batches. The file is unlinked before the first person is
written, so it disappears however the process ends.
"""

import json
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from postern.apps.directory.people import Person, dn_key
from postern.foundation.machine.private_files import private_folder
from postern.foundation.phrases import Phrase
from postern.kernel.errors import PosternError

#: Number of people in one batch.
BATCH: Final = 500
#: Memory of SQLite's page cache, in KiB.
_CACHE_KIB: Final = 4096
_NOT_STAGED: Final = Phrase(
    "directory.not_staged",
    _("The people of the directory cannot be written to %(folder)s: %(reason)s. Check its free space and its rights."),
)


class NotStaged(PosternError):
    """The scratch file cannot be written."""

    code = "directory_not_staged"


class Staged:
    """People who have been read so far. Of entries with the same DN or permanent id, only the first is stored."""

    def __init__(self, file: sqlite3.Connection) -> None:
        self._file = file
        file.execute("CREATE TABLE person (dn_key TEXT UNIQUE, uid TEXT UNIQUE, record TEXT NOT NULL)")
        file.execute("CREATE TABLE belonging (whole TEXT, part TEXT)")
        file.execute("CREATE INDEX belonging_whole ON belonging (whole)")
        file.execute("CREATE TABLE member (part TEXT PRIMARY KEY, step INTEGER) WITHOUT ROWID")
        file.execute("CREATE INDEX member_step ON member (step)")

    def add(self, person: Person) -> None:
        """Store a person, unless they are stored already."""
        record = json.dumps(
            [
                person.uid,
                person.dn,
                person.username,
                person.name,
                person.email,
                person.groups,
                person.is_enabled,
                dict(person.more),
            ]
        )
        self._file.execute(
            "INSERT OR IGNORE INTO person VALUES (?, ?, ?)", (dn_key(person.dn), person.uid or None, record)
        )

    def number(self) -> int:
        """The number of people."""
        return self._counted("SELECT count(*) FROM person")

    def number_with_id(self) -> int:
        """The number of people with a permanent id; only they can be users."""
        return self._counted("SELECT count(uid) FROM person")

    def first(self) -> Person | None:
        """The first person of the reading."""
        row = self._file.execute("SELECT record FROM person ORDER BY rowid LIMIT 1").fetchone()
        return _person(row[0]) if row else None

    def batches(self) -> Iterator[list[Person]]:
        """People with a permanent id, in batches, in the order of the reading."""
        last = 0
        while rows := self._file.execute(
            "SELECT rowid, record FROM person WHERE rowid > ? AND uid IS NOT NULL ORDER BY rowid LIMIT ?", (last, BATCH)
        ).fetchall():
            last = rows[-1][0]
            yield [_person(record) for _rowid, record in rows]

    def with_ids(self, uids: Iterable[str]) -> dict[str, Person]:
        """The people with these permanent ids, by id. Takes at most one batch of ids."""
        wanted = list(uids)
        marks = ", ".join("?" * len(wanted))
        rows = self._file.execute(f"SELECT uid, record FROM person WHERE uid IN ({marks})", wanted)  # noqa: S608 - marks
        return {uid: _person(record) for uid, record in rows}

    def add_group(self, group: str, members: Iterable[str]) -> None:
        """Store the direct members of a group, by the keys of `is_member`."""
        self._file.executemany("INSERT INTO belonging VALUES (?, ?)", ((group, member) for member in members))

    def close_groups(self, roots: Iterable[str]) -> None:
        """Compute the direct and nested members of the groups `roots`. Groups may contain each other in cycles."""
        self._file.execute("CREATE TABLE root (whole TEXT PRIMARY KEY) WITHOUT ROWID")
        self._file.executemany("INSERT OR IGNORE INTO root VALUES (?)", ((root,) for root in roots))
        step = 0
        new_members = self._file.execute(
            "INSERT OR IGNORE INTO member SELECT part, 0 FROM root JOIN belonging USING (whole)"
        ).rowcount
        while new_members:
            new_members = self._file.execute(
                "INSERT OR IGNORE INTO member SELECT belonging.part, ? FROM member JOIN belonging "
                "ON belonging.whole = member.part WHERE member.step = ?",
                (step + 1, step),
            ).rowcount
            step += 1

    def is_member(self, *keys: str) -> bool:
        """Whether `close_groups` found one of these keys: the key of a DN, or `uid:` and a login name."""
        marks = ", ".join("?" * len(keys))
        return bool(self._counted(f"SELECT count(*) FROM member WHERE part IN ({marks})", keys))  # noqa: S608 - marks

    def _counted(self, statement: str, values: tuple[str, ...] = ()) -> int:
        return int(self._file.execute(statement, values).fetchone()[0])


@contextmanager
def staged() -> Iterator[Staged]:
    """An empty scratch file for the duration of the block. Raises NotStaged, also when the disk becomes full."""
    folder: Path = settings.POSTERN.home / "directory"
    try:
        with closing(_opened(folder)) as file:
            yield Staged(file)
    except (sqlite3.Error, OSError) as error:
        raise NotStaged(_NOT_STAGED.say(folder=str(folder), reason=str(error))) from error


def _opened(folder: Path) -> sqlite3.Connection:
    with tempfile.NamedTemporaryFile(dir=private_folder(folder), prefix="reading-") as scratch:
        file = sqlite3.connect(scratch.name, isolation_level=None)
        # No rollback and no other reader: neither a journal nor a commit is needed.
        file.executescript(
            f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
            f"PRAGMA cache_size = -{_CACHE_KIB}; PRAGMA temp_store = FILE; BEGIN EXCLUSIVE"
        )
        return file


def _person(record: str) -> Person:
    uid, dn, username, name, email, groups, is_enabled, more = json.loads(record)
    return Person(uid, dn, username, name, email, tuple(groups), is_enabled, more)
