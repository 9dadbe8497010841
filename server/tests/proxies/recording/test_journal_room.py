"""Which sessions end when the recording volume reaches its reserve: those of the user who writes most in total."""

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from uuid import UUID

import pytest

from postern.proxies.core.recording.journal import Journal
from postern.proxies.core.recording.journal_room import JournalRoom
from proxies.recording.recording_tools import header

RESERVE = 1 << 30


@dataclass(eq=False)
class Recording:
    person: str
    recent_bytes: int
    failed: bool = False


def room_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free_bytes: int) -> JournalRoom:
    monkeypatch.setattr(JournalRoom, "disk", SimpleNamespace(level="refuse", free_bytes=free_bytes))
    return JournalRoom(tmp_path, RESERVE)


def test_user_who_fills_the_volume_through_many_sessions_is_ended_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = room_with(tmp_path, monkeypatch, RESERVE - 1)
    recordings = [Recording("eve", 0) for _ in range(50)] + [Recording(name, 0) for name in ("alice", "bob", "carol")]
    ended = []
    for _ in range(3):
        for recording in recordings:
            recording.recent_bytes += 70_000 if recording.person == "eve" else 100_000
        for recording in room.too_many(recordings):
            recording.failed = True
            ended.append(recording.person)
    assert ended == ["eve"] * 3


def test_of_one_user_the_session_that_writes_most_ends_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = room_with(tmp_path, monkeypatch, RESERVE - 1)
    small, large, other = Recording("eve", 60_000), Recording("eve", 70_000), Recording("bob", 100_000)
    assert room.too_many([other, small, large]) == [large]


def test_below_half_of_the_reserve_the_writers_of_half_the_bytes_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = room_with(tmp_path, monkeypatch, RESERVE // 2 - 1)
    many = [Recording("eve", 10) for _ in range(6)]
    others = [Recording(name, 15) for name in ("alice", "bob", "carol")]
    assert room.too_many([*others, *many]) == [*many]  # 60 of 105


def test_sessions_of_one_user_count_together(tmp_path: Path) -> None:
    journal = Journal(tmp_path, segment_bytes=1 << 20, reserve_bytes=0)
    journal.start()
    recorders = [
        journal.open_session(UUID(int=number), 80, 24, header(UUID(int=number)), UUID(int=9)) for number in (1, 2)
    ]
    alone = journal.open_session(UUID(int=3), 80, 24, header(UUID(int=3)))
    assert recorders[0].person == recorders[1].person != alone.person
    for recorder in (*recorders, alone):
        recorder.end("user_closed")
    journal.close()
