"""The log of a job as files: growing, packed, cut, and written again by another worker."""

import os
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postern.apps.jobs.logs import files
from postern.apps.jobs.logs.files import LogReader, LogWriter, folder_of
from postern.apps.jobs.logs.text import whole_characters
from postern.kernel.ids import new_id


def test_readers_see_every_byte_at_once_while_the_log_grows(tmp_path: Path) -> None:
    job_id, wanted, chance = new_id(), bytearray(), random.Random(7)
    for token in (1, 2, 3):
        writer = LogWriter(tmp_path, job_id, token)
        for _ in range(200):
            data = chance.randbytes(chance.randrange(1, 6000))
            writer.write(data)
            wanted += data
            reader = LogReader(tmp_path, job_id)
            assert reader.size() == len(wanted)
            offset, limit = chance.randrange(len(wanted)), chance.randrange(1, 600_000)
            assert reader.read(offset, limit) == bytes(wanted[offset : offset + limit])
        if token != 2:  # the second worker was killed
            writer.close()
    assert b"".join(LogReader(tmp_path, job_id).pieces()) == bytes(wanted)


def test_finished_log_is_one_packed_file(tmp_path: Path) -> None:
    job_id = new_id()
    with LogWriter(tmp_path, job_id, 1) as writer:
        for number in range(40_000):
            writer.write(f"line {number} of a log that repeats itself\n".encode())
    folder = folder_of(tmp_path, job_id)
    assert [path.name for path in folder.iterdir()] == ["00000001-0.frames"]
    packed = (folder / "00000001-0.frames").stat().st_size
    assert packed < LogReader(tmp_path, job_id).size() / 4


def test_worker_that_was_believed_dead_writes_into_no_later_part(tmp_path: Path) -> None:
    job_id = new_id()
    frozen = LogWriter(tmp_path, job_id, 1)
    frozen.write(b"first\n")
    with LogWriter(tmp_path, job_id, 2) as successor:
        successor.write(b"second\n")
        frozen.write(b"too late\n")
    frozen.close()
    assert b"".join(LogReader(tmp_path, job_id).pieces()) == b"first\nsecond\n"


@pytest.mark.parametrize("offset", [5, 2**45, 2**63, 10**20])
def test_nothing_is_read_beyond_the_end(tmp_path: Path, offset: int) -> None:
    job_id = new_id()
    with LogWriter(tmp_path, job_id, 1) as writer:
        writer.write(b"line\n")
        assert LogReader(tmp_path, job_id).read(offset, 10) == b""
    assert LogReader(tmp_path, job_id).read(offset, 10) == b""


def test_half_a_frame_hides_nothing(tmp_path: Path) -> None:
    job_id = new_id()
    writer = LogWriter(tmp_path, job_id, 1)
    writer.write(b"x" * files.FRAME_BYTES)
    writer.write(b"rest")
    frames = folder_of(tmp_path, job_id) / "00000001-0.frames"
    with frames.open("ab") as file:  # the machine went off while the next frame was being written
        file.write(b"\x00\x00\x00\x04\x00\x00")
    assert b"".join(LogReader(tmp_path, job_id).pieces()) == b"x" * files.FRAME_BYTES + b"rest"


def test_log_ends_at_its_limit_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_LOG_BYTES", 1000)
    job_id = new_id()
    with LogWriter(tmp_path, job_id, 1) as writer:
        for _ in range(300):
            writer.write(b"0123456789")
    text = b"".join(LogReader(tmp_path, job_id).pieces())
    assert text.startswith(b"0123456789" * 100 + b"\n[The log is limited")
    assert len(text) < 1100


def test_files_are_private(tmp_path: Path) -> None:
    job_id = new_id()
    LogWriter(tmp_path, job_id, 1).write(b"x")
    for path in [*(tmp_path / "jobs").rglob("*"), tmp_path / "jobs"]:
        assert path.stat().st_mode & 0o077 == 0, path


def test_deleted_log_is_empty(tmp_path: Path) -> None:
    job_id = new_id()
    LogWriter(tmp_path, job_id, 1).write(b"x")
    files.delete(tmp_path, job_id)
    files.delete(tmp_path, job_id)
    assert not LogReader(tmp_path, job_id).exists()
    assert not os.path.lexists(folder_of(tmp_path, job_id))


@given(text=st.text(min_size=1, max_size=40), cut=st.integers(0, 160))
@settings(max_examples=300)
def test_no_character_is_split_between_two_pieces(text: str, cut: int) -> None:
    data = text.encode("utf-8", "surrogatepass")
    piece = whole_characters(data[:cut], is_last=False)
    if len(data[:cut]) > 4:
        assert len(piece) >= len(data[:cut]) - 3
        piece.decode("utf-8", "surrogatepass")


def test_bytes_that_are_no_text_do_not_stop_a_log() -> None:
    assert whole_characters(b"\x80\x80\x80\x80\x80", is_last=False)
    assert whole_characters(b"\xff", is_last=False) == b"\xff"


def test_beginning_of_a_character_alone_waits_for_its_rest() -> None:
    begun = "行".encode()[:2]
    assert whole_characters(begun, is_last=False) == b""
    assert whole_characters(begun, is_last=True) == begun
