"""Opening, seeking and exporting recordings. The golden recordings stand for existing files."""

import base64
import io
import json
import zlib
from itertools import accumulate
from pathlib import Path

import pytest

from postern.contracts.recording import Recording, RecordingUnreadable, iter_asciicast, verify
from postern.contracts.recording.format import KEYFRAME, MARK, OUTPUT, RESIZE, SIZE, inflate, read_varint, varint
from unit.contracts.recording.golden import (
    DESCRIPTION,
    FIXTURES,
    KEY,
    PlainScreen,
    Step,
    example,
    shell_steps,
    write_recording,
)

GOLDEN = sorted(FIXTURES.glob("*.postern"))


class CountingSource:
    """A source that records each range request."""

    def __init__(self, path: Path) -> None:
        self._data = path.read_bytes()
        self.size = len(self._data)
        self.requests: list[tuple[int, int]] = []

    def read_at(self, offset: int, length: int) -> bytes:
        self.requests.append((offset, length))
        return self._data[offset : offset + length]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_recording_has_the_expected_content(path: Path) -> None:
    expected = json.loads(path.with_suffix(".json").read_text("utf-8"))
    with path.open("rb") as file:
        assert verify(file, bytes.fromhex(expected["public_key"])).valid
        recording = Recording.open(file)
        assert recording.manifest == expected["manifest"]
        assert [place._asdict() for place in recording.blocks] == expected["blocks"]
        assert [list(mark) for mark in recording.marks] == expected["marks"]
        events = [event for number in range(len(recording.blocks)) for event in recording.block_events(number)]
    content = [[event.ms, chr(event.kind), base64.b64encode(event.data).decode()] for event in events]
    assert (content if len(content) <= 200 else content[:100] + content[-100:]) == expected["events"]


def test_format_description_shows_the_golden_example() -> None:
    assert example() in DESCRIPTION.read_text("utf-8")


def test_promise_28_opening_takes_two_requests_and_seeking_one_more() -> None:
    source = CountingSource(FIXTURES / "long.postern")
    recording = Recording.open(source)
    assert len(source.requests) == 2
    recording.block_events(recording.block_at(200_000))
    assert len(source.requests) == 3


def test_events_from_a_time_start_with_the_last_keyframe_before_it() -> None:
    with (FIXTURES / "shell.postern").open("rb") as file:
        recording = Recording.open(file)
        for moment in (0, 1, 9_000, 44_999, 45_000, 60_000, 88_100, 10**9):
            events = list(recording.events(moment))
            assert events[0].kind == KEYFRAME
            assert events[0].ms <= moment
            assert all(event.kind != KEYFRAME for event in events[1:])
        # There is a keyframe right before the resize, because the terminal of the player reflows its lines.
        assert next(iter(recording.events(45_000))).ms == 45_000


def test_output_of_all_events_is_the_recorded_output() -> None:
    expected = b"".join(data for _, kind, data in shell_steps() if kind == OUTPUT)
    with (FIXTURES / "shell.postern").open("rb") as file:
        recording = Recording.open(file)
        assert b"".join(event.data for event in recording.events() if event.kind == OUTPUT) == expected
        assert recording.manifest["output_bytes"] == len(expected)
        assert sum(recording.activity.output_bytes) == len(expected)


def test_asciicast_of_a_session_is_valid_and_complete() -> None:
    with (FIXTURES / "shell.postern").open("rb") as file:
        lines = list(iter_asciicast(file))
    head, *rest = [json.loads(line) for line in lines]
    assert (head["version"], head["width"], head["height"]) == (2, 80, 24)
    assert head["timestamp"] == 1795253400
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in lines)
    assert [event[0] for event in rest] == sorted(event[0] for event in rest)
    text = "".join(event[2] for event in rest if event[1] == "o")
    assert text == b"".join(data for _, kind, data in shell_steps() if kind == OUTPUT).decode()
    assert "说明文件.txt" in text
    assert [event for event in rest if event[1] == "r"] == [[45.0, "r", "100x30"]]
    assert [event for event in rest if event[1] == "m"] == [[9.0, "m", "command ls -l"]]


@pytest.mark.parametrize("name", sorted(path.name for path in FIXTURES.glob("*.postern")))
def test_version_3_has_the_events_of_version_2_with_intervals(name: str) -> None:
    with (FIXTURES / name).open("rb") as file:
        older, newer = ([json.loads(line) for line in iter_asciicast(file, version)] for version in (2, 3))
        (head, *events), (former, *expected) = newer, older
    assert head == {
        "version": 3,
        "term": {"cols": former["width"], "rows": former["height"], "type": "xterm-256color"},
        "timestamp": former["timestamp"],
        "title": former["title"],
    }
    assert [event[1:] for event in events] == [event[1:] for event in expected]
    assert all(event[0] >= 0 for event in events)
    since_start = accumulate(round(event[0] * 1000) for event in events)
    assert list(since_start) == [round(event[0] * 1000) for event in expected]


def test_asciicast_replaces_bytes_that_are_no_text(tmp_path: Path) -> None:
    steps: list[Step] = [(0, OUTPUT, b"\xff\xfe ok \xe4"), (5, OUTPUT, b"\xb8"), (9, OUTPUT, b"\xad end \xe4\xb8")]
    path = tmp_path / "r.postern"
    write_recording(path, steps, screen=PlainScreen, state="incomplete")
    with path.open("rb") as file:
        events = [json.loads(line) for line in list(iter_asciicast(file))[1:]]
    assert "".join(event[2] for event in events) == "\ufffd\ufffd ok 中 end \ufffd"


def test_asciicast_of_a_gb18030_target_is_utf8(tmp_path: Path) -> None:
    encoded = "数据库".encode("gb18030")
    path = tmp_path / "r.postern"
    write_recording(path, [(0, OUTPUT, encoded[:3]), (5, OUTPUT, encoded[3:])], charset="gb18030", state="incomplete")
    with path.open("rb") as file:
        events = [json.loads(line) for line in list(iter_asciicast(file))[1:]]
        assert "".join(event[2] for event in events) == "数据库"
        keyframe = Recording.open(file).block_events(0)[0]
    assert keyframe.kind == KEYFRAME


def test_block_that_inflates_beyond_its_stated_length_is_refused() -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    bomb = packer.compress(bytes(50_000_000)) + packer.flush()
    with pytest.raises(RecordingUnreadable):
        inflate(bomb, 100_000)


@pytest.mark.parametrize("cut", [0, 5, 11, 40, 300, 1_000])
def test_truncated_file_is_refused_as_unreadable(cut: int) -> None:
    data = (FIXTURES / "shell.postern").read_bytes()
    with pytest.raises(RecordingUnreadable):
        Recording.open(io.BytesIO(data[:cut]))


def test_k43_reader_of_damaged_files_raises_only_recording_unreadable() -> None:
    """K43 (hostile input crashes nothing): the reader raises `RecordingUnreadable` or returns something."""
    data = bytearray((FIXTURES / "shell.postern").read_bytes())
    for place in range(0, len(data), 3):
        damaged = bytearray(data)
        damaged[place] ^= 0x55
        try:
            recording = Recording.open(io.BytesIO(damaged))
            for event in recording.events(45_000):
                if event.kind in {KEYFRAME, RESIZE}:
                    assert event.size
            list(iter_asciicast(recording))
        except RecordingUnreadable:
            pass


@pytest.mark.parametrize("number", [0, 1, 127, 128, 16_383, 16_384, 2**32, 2**53 - 1])
def test_varint_round_trips(number: int) -> None:
    assert read_varint(varint(number) + b"rest", 0) == (number, len(varint(number)))


@pytest.mark.parametrize("data", [b"", b"\x80", b"\xff" * 12, b"\xff\xff\xff\xff\xff\xff\xff\x7f"])
def test_varint_that_is_too_long_is_refused(data: bytes) -> None:
    with pytest.raises(RecordingUnreadable):
        read_varint(data, 0)


def test_marks_are_on_the_time_line() -> None:
    with (FIXTURES / "shell.postern").open("rb") as file:
        assert [tuple(mark) for mark in Recording.open(file).marks] == [(9_000, "command", "ls -l")]
    assert ord("m") == MARK
    assert SIZE.size == 4
    assert len(KEY.public) == 32


def test_chain_heads_end_with_the_chain_of_the_manifest() -> None:
    with (FIXTURES / "shell.postern").open("rb") as file:
        recording = Recording.open(file)
        heads = list(recording.chain_heads())
    assert len(heads) == len(recording.blocks)
    assert heads[-1] == recording.manifest["chain"]


def test_blocks_that_start_in_the_same_millisecond_are_all_exported(tmp_path: Path) -> None:
    path = tmp_path / "r.postern"
    steps: list[Step] = [(0, OUTPUT, b"%d " % number) for number in range(10)]
    write_recording(path, steps, cut_after=(2, 5, 7), state="incomplete")
    with path.open("rb") as file:
        recording = Recording.open(file)
        assert len(recording.blocks) == 4
        assert b"".join(event.data for event in recording.events() if event.kind == OUTPUT) == b"0 1 2 3 4 5 6 7 8 9 "
        lines = [json.loads(line) for line in list(iter_asciicast(recording))[1:]]
        assert "".join(line[2] for line in lines) == "0 1 2 3 4 5 6 7 8 9 "
        assert recording.block_at(0) == 3
