"""The scratch file of a reading: private, unlinked, read in batches, with nested group membership."""

import os
import resource
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from django.conf import settings
from django.utils import translation

from postern.apps.directory import staging
from postern.apps.directory.people import Person
from postern.apps.directory.staging import NotStaged, Staged, staged

ANN: Final = Person(
    "id-ann", "uid=ann,dc=x", "ann", "李 Ann", "ann@example.com", ("staff", "eu"), is_enabled=False, more={"phone": "1"}
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(settings, "POSTERN", replace(settings.POSTERN, home=tmp_path))
    return tmp_path


@pytest.fixture
def people(home: Path) -> Iterator[Staged]:
    with staged() as file:
        yield file


def numbered(number: int, **more: Any) -> Person:
    values = {"uid": f"id{number}", "dn": f"uid=u{number},dc=x", "username": f"u{number}", **more}
    return replace(ANN, **values)


def test_people_are_returned_unchanged(people: Staged) -> None:
    people.add(ANN)
    assert people.with_ids(["id-ann", "id-nobody"]) == {"id-ann": ANN}
    assert people.first() == ANN


def test_person_with_two_names_is_stored_once(people: Staged) -> None:
    for person in (
        ANN,
        replace(ANN, dn="UID=Ann, DC=x"),
        replace(ANN, dn="uid=other,dc=x"),
        replace(ANN, uid="", dn="x"),
    ):
        people.add(person)
    people.add(replace(ANN, uid="", dn="y"))
    assert (people.number(), people.number_with_id()) == (3, 1), "two have no permanent id"
    assert [list(batch) for batch in people.batches()] == [[ANN]]


def test_batches_contain_each_person_with_an_id_once(people: Staged, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "BATCH", 4)
    for number in range(10):
        people.add(numbered(number) if number != 3 else numbered(number, uid=""))
    batches = [[person.username for person in batch] for batch in people.batches()]
    assert batches == [["u0", "u1", "u2", "u4"], ["u5", "u6", "u7", "u8"], ["u9"]]


def test_nested_groups_may_contain_cycles(people: Staged) -> None:
    people.add_group("root", ["ann", "inner"])
    people.add_group("inner", ["bob", "root", "deep"])
    people.add_group("deep", ["uid:cat", "ann"])
    people.add_group("other", ["dan"])
    people.close_groups(["root", "root", "unknown"])
    assert [people.is_member(key) for key in ("ann", "bob", "uid:cat", "inner", "root", "dan", "cat")] == [
        *[True] * 5,
        False,
        False,
    ]
    assert people.is_member("nobody", "bob")


def test_file_is_private_and_unlinked(home: Path) -> None:
    with staged() as people:
        people.add(ANN)
        (descriptor,) = [link for link in Path("/proc/self/fd").iterdir() if _is_below(link, home)]
        assert stat.S_IMODE(descriptor.stat().st_mode) == 0o600
        assert stat.S_IMODE((home / "directory").stat().st_mode) == 0o700
        assert list((home / "directory").iterdir()) == []


def _is_below(link: Path, home: Path) -> bool:
    return link.is_symlink() and str(link.readlink()).startswith(str(home / "directory"))


def test_killed_process_leaves_no_file(home: Path) -> None:
    """Stores many people, so that SQLite has written to the disk when the process is killed."""
    program = (
        "import django, os, signal, sys; django.setup()\n"
        "from dataclasses import replace\n"
        "from postern.apps.directory.people import Person\n"
        "from postern.apps.directory.staging import staged\n"
        "with staged() as people:\n"
        "    for number in range(20_000):\n"
        "        people.add(Person(f'id{number}', f'uid=u{number}', f'u{number}', 'x' * 300, ''))\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environ = {**os.environ, "POSTERN_HOME": str(home), "DJANGO_SETTINGS_MODULE": "postern.foundation.django_settings"}
    ended = subprocess.run([sys.executable, "-c", program], env=environ, capture_output=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert list((home / "directory").rglob("*")) == []


def test_full_disk_is_reported(home: Path) -> None:
    """A file size limit of the process replaces a full disk: SQLite gets an error of the system."""
    with pytest.raises(NotStaged) as caught, _files_of_at_most(1_000_000):
        _stage_many()
    assert str(home / "directory") in caught.value.message
    assert list((home / "directory").iterdir()) == []


def _stage_many() -> None:
    with staged() as people:
        for number in range(40_000):
            people.add(numbered(number, name="x" * 300))


@contextmanager
def _files_of_at_most(size: int) -> Iterator[None]:
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_unwritable_folder_is_reported(home: Path) -> None:
    (home / "directory").write_text("a file in its place", encoding="ascii")
    with translation.override("en"):
        with pytest.raises(NotStaged) as caught, staged():
            pass
        assert "Check its free space and its rights" in caught.value.message
