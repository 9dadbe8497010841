"""The rsync inspector beside a session: it holds nothing back, reads behind the traffic, and never ends a transfer."""

import random
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from peers.recorded_rsync import Recorded, transfer
from postern.kernel.clock import monotonic_s
from postern.proxies.ssh.rsync import inspector as inspectors
from postern.proxies.ssh.rsync.inspector import RsyncInspector
from postern.proxies.ssh.rsync.reader import Reader

pytestmark = pytest.mark.skipif(shutil.which("rsync") is None, reason="rsync is not installed")


class Session:
    """The part of a session that the inspector uses. Nothing is read before `read`."""

    grant = SimpleNamespace(session_id="s")

    def __init__(self) -> None:
        self.transfers: list[tuple[str, str, int, bool]] = []
        self.behind: list[Any] = []
        self.times_caught_up = 0

    @property
    def log(self) -> "Session":
        return self

    def file_transferred(
        self, direction: Any, operation: str, path: str, *, size: int = 0, success: bool = True, detail: str = ""
    ) -> None:
        self.transfers.append((operation, path, size, success))

    def caught_up(self) -> None:
        self.times_caught_up += 1

    def read_behind(self, reader: Any) -> None:
        self.behind.append(reader)

    def read(self, until_s: float) -> None:
        self.behind = [reader for reader in self.behind if not reader.read_until(until_s)]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    root = tmp_path_factory.mktemp("rsync")
    (root / "from").mkdir()
    for number in range(40):
        (root / "from" / f"file {number}").write_bytes(random.Random(number).randbytes(20_000))
    return transfer(root, "-a", f"{root}/from/", f"host:{root}/to/")


def carry(inspector: RsyncInspector, recorded: Recorded) -> None:
    for from_person, data in recorded.pieces:
        assert (inspector.from_person(data) if from_person else inspector.from_target(data)) == data


def inspect(session: Session, recorded: Recorded) -> RsyncInspector:
    return RsyncInspector(session, recorded.command)  # type: ignore[arg-type]  # a stand-in for the session


def names(session: Session) -> set[str]:
    return {Path(path).name for operation, path, _, _ in session.transfers if operation == "upload"}


ALL = {f"file {number}" for number in range(40)}


def test_bytes_are_forwarded_before_they_are_read(recorded: Recorded) -> None:
    session = Session()
    inspector = inspect(session, recorded)
    carry(inspector, recorded)

    assert session.transfers == []
    assert len(session.behind) == 1
    session.read(monotonic_s() + 60)
    assert session.behind == []
    assert names(session) == ALL
    inspector.close()
    assert inspector.account == f"entries in this log: {len(session.transfers)}"


def test_reading_stops_at_the_end_of_its_turn_and_continues_in_the_next(recorded: Recorded) -> None:
    session = Session()
    carry(inspect(session, recorded), recorded)
    turns = 0
    while session.behind:
        session.read(0)  # expired immediately: one slice per turn
        turns += 1

    assert turns > 100
    assert names(session) == ALL


def test_both_sides_pause_while_too_much_is_unread(recorded: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspectors, "_FULL_BYTES", 10_000)
    session = Session()
    inspector = inspect(session, recorded)
    carry(inspector, recorded)
    assert (session.transfers, inspector.is_full) == ([], True)
    turns = 0
    while inspector.is_full:
        session.read(0)
        turns += 1

    assert turns > 100
    assert (session.times_caught_up, len(session.behind)) == (1, 1)


def test_end_of_a_session_reads_for_a_bounded_time_and_reports_the_rest(
    recorded: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspectors, "_CLOSE_S", 0.0)
    session = Session()
    inspector = inspect(session, recorded)
    carry(inspector, recorded)
    inspector.close()

    assert len(names(session)) < len(ALL)
    assert inspector.account.endswith("the files are not named: too much was left to be read at the end")


def test_queued_bytes_are_read_at_the_end_of_the_session(recorded: Recorded) -> None:
    session = Session()
    inspector = inspect(session, recorded)
    carry(inspector, recorded)
    inspector.close()

    assert names(session) == ALL


def test_failing_reader_keeps_the_names_so_far_and_the_transfer(
    recorded: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = Reader.take
    count = 0

    def fail_in_the_middle(self: Reader, data: bytes, *, from_person: bool) -> None:
        nonlocal count
        count += 1
        if count > 150:
            raise IndexError("a fault of the reader")
        take(self, data, from_person=from_person)

    monkeypatch.setattr(Reader, "take", fail_in_the_middle)
    session = Session()
    inspector = inspect(session, recorded)
    carry(inspector, recorded)
    inspector.close()

    assert set() < names(session) < ALL
    assert inspector.account.endswith(", then the files are not named: the reader failed")


def test_entries_of_one_transfer_are_bounded(recorded: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspectors, "_MAX_NAMED", 10)
    session = Session()
    inspector = inspect(session, recorded)
    carry(inspector, recorded)
    inspector.close()

    assert len(session.transfers) == 10
    assert inspector.account == "entries in this log: 10, then the files are not named: too many entries"


def test_transfer_that_cannot_be_parsed_buffers_nothing(recorded: Recorded) -> None:
    session = Session()
    inspector = RsyncInspector(session, b"rsync --server -nre.iLsfxCIvu . /srv")  # type: ignore[arg-type]  # as above
    carry(inspector, recorded)
    inspector.close()

    assert (session.transfers, session.behind) == ([], [])
    assert inspector.account == "the files are not named: a dry run sends no files"
