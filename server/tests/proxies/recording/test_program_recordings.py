"""Recordings of programs without a terminal, from the journal to the sealed file: every byte is accounted for."""

import hashlib
import json
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postern.contracts.enums import RecordingState
from postern.contracts.recording import Recording, RecordingHeader, RecordingUnreadable, iter_asciicast, verify
from postern.contracts.recording.events import is_sound
from postern.contracts.recording.format import INPUT, KEYFRAME, OUTPUT, Event
from postern.contracts.recording.rendering import render
from postern.contracts.recording.streams import (
    COMMAND,
    ERROR,
    SAMPLE,
    SKIPPED,
    STREAM_END,
    Sample,
    Skipped,
    Stream,
    StreamEnd,
)
from postern.proxies.core.recording import Journal, SealedRecording, streams
from postern.proxies.core.recording.program_recording import ProgramRecording
from postern.proxies.core.recording.streams import is_binary
from proxies.recording.recording_tools import KEY, header, journal_in, seal_all

PIECES = st.lists(
    st.tuples(
        st.sampled_from(list(Stream)),
        st.one_of(
            st.binary(min_size=1, max_size=200),
            st.text(min_size=1, max_size=200).map(str.encode),
            st.integers(1, 200_000).map(lambda size: b"text " * (size // 5 + 1)),
            st.integers(1, 200_000).map(lambda size: bytes(range(256)) * (size // 256 + 1)),
        ),
    ),
    max_size=12,
)


def program_header(session_id: UUID) -> RecordingHeader:
    return RecordingHeader(**{**header(session_id).__dict__, "streams": 1})


def opened(
    journal: Journal, shown: list[bytes] | None = None, command: bytes = b"", max_input_bytes: int = 1 << 30
) -> ProgramRecording:
    session_id = uuid4()
    recorder = journal.open_session(session_id, 0, 0, program_header(session_id))
    program = ProgramRecording(
        recorder,
        lambda kind, data: (shown if shown is not None else []).append(render(kind, data)),
        command,
        max_input_bytes=max_input_bytes,
    )
    program.recorder = recorder  # type: ignore[attr-defined]  # for the tests' own use
    return program


def end(program: ProgramRecording) -> None:
    program.close()
    program.recorder.end("target_closed")  # type: ignore[attr-defined]  # as above


def sealed_events(sealed: SealedRecording) -> tuple[Recording, list[Event]]:
    assert sealed.path is not None
    with sealed.path.open("rb") as file:
        assert verify(file, KEY.public).valid
        recording = Recording.open(file)
        events = [event for number in range(len(recording.blocks)) for event in recording.block_events(number)]
        for line in iter_asciicast(recording):
            json.loads(line)
    return recording, [event for event in events if event.kind != KEYFRAME]


def rebuilt(events: list[Event]) -> dict[Stream, list[tuple[int, bytes | None]]]:
    """Return the parts of each stream in order: their offset, and their bytes or None if they were skipped."""
    parts: dict[Stream, list[tuple[int, bytes | None]]] = {stream: [] for stream in Stream}
    at = dict.fromkeys(Stream, 0)
    kinds = {INPUT: Stream.INPUT, OUTPUT: Stream.OUTPUT, ERROR: Stream.ERROR}
    for event in events:
        if event.kind in kinds:
            stream, offset, data, size = kinds[event.kind], at[kinds[event.kind]], event.data, len(event.data)
        elif event.kind == SAMPLE:
            stream, _, offset, data = Sample.decode(event.data)
            size = len(data)
        elif event.kind == SKIPPED:
            stream, offset, size, _ = Skipped.decode(event.data)
            data = None  # type: ignore[assignment]  # not stored
        else:
            continue
        assert offset <= at[stream], "a hole in the account"
        parts[stream].append((offset, data))
        at[stream] = max(at[stream], offset + size)
    return parts


@settings(max_examples=60)
@given(pieces=PIECES)
def test_every_byte_is_recorded_or_counted_and_hashed(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[Any]
) -> None:
    place = tmp_path_factory.mktemp("program")
    journal = journal_in(place)
    program = opened(journal)
    sent = dict.fromkeys(Stream, b"")
    for stream, data in pieces:
        program.take(stream, data)
        sent[stream] += data
    end(program)
    journal.close()
    (sealed,) = seal_all(place)
    assert sealed.state is RecordingState.SEALED
    _, events = sealed_events(sealed)

    parts = rebuilt(events)
    ends = {
        StreamEnd.decode(event.data).stream: StreamEnd.decode(event.data)
        for event in events
        if event.kind == STREAM_END
    }
    for stream, whole in sent.items():
        held = bytearray(len(whole))
        for offset, data in parts[stream]:
            if data is not None:
                assert whole[offset : offset + len(data)] == data
                held[offset : offset + len(data)] = b"\1" * len(data)
        if whole:
            assert ends[stream].size == len(whole)
            assert ends[stream].sha256 == hashlib.sha256(whole).hexdigest()
            assert ends[stream].not_kept == held.count(0)
        else:
            assert stream not in ends
    for event in events:
        if event.kind == SKIPPED:
            stretch = Skipped.decode(event.data)
            assert stretch.sha256 == hashlib.sha256(sent[stretch.stream][: stretch.offset + stretch.length]).digest()


def test_data_forwarded_before_a_crash_is_counted_and_hashed(tmp_path: Path) -> None:
    """The proxy dies in the middle of a flood: the end of the stream is missing, but every byte is accounted for."""
    journal = journal_in(tmp_path)
    program = opened(journal)
    data = bytes(range(256)) * 4000
    program.take(Stream.OUTPUT, data)
    journal.close()
    (sealed,) = seal_all(tmp_path)

    assert sealed.state is RecordingState.INCOMPLETE
    _, events = sealed_events(sealed)
    last = Skipped.decode([event for event in events if event.kind == SKIPPED][-1].data)
    assert last.offset + last.length == len(data)
    assert last.sha256 == hashlib.sha256(data).digest()


def test_consecutive_skipped_parts_are_combined(tmp_path: Path) -> None:
    journal = journal_in(tmp_path)
    program = opened(journal)
    for _ in range(500):
        program.take(Stream.OUTPUT, bytes(4096))
        program.take(Stream.ERROR, bytes(4096))
    end(program)
    journal.close()
    (sealed,) = seal_all(tmp_path)

    _, events = sealed_events(sealed)
    assert sum(event.kind == SKIPPED for event in events) <= 4
    assert sealed.size < 20_000


def test_text_is_recorded_up_to_its_budget_and_again_after_a_flood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 0.0
    monkeypatch.setattr(streams, "monotonic_s", lambda: now_s)
    journal = journal_in(tmp_path, segment_bytes=64 << 20)
    program = opened(journal)
    line = b"a line of a build log\n" * 1000
    for _ in range(streams.TEXT_BYTES // len(line) + 100):
        program.take(Stream.OUTPUT, line)
    now_s = 2.0
    program.take(Stream.OUTPUT, b"after the flood\n")
    end(program)
    journal.close()
    (sealed,) = seal_all(tmp_path)

    _, events = sealed_events(sealed)
    text = b"".join(event.data for event in events if event.kind == OUTPUT)
    assert streams.TEXT_BYTES - len(line) < len(text) <= streams.TEXT_BYTES + 100
    assert text.endswith(b"after the flood\n")


def test_slow_dialogue_is_recorded_even_if_it_looks_binary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 0.0
    monkeypatch.setattr(streams, "monotonic_s", lambda: now_s)
    journal = journal_in(tmp_path)
    program = opened(journal)
    program.take(Stream.OUTPUT, bytes(10_000_000))
    for number in range(300):
        now_s += 0.5
        program.take(Stream.OUTPUT, b"\0secret work %d" % number)
    end(program)
    journal.close()
    (sealed,) = seal_all(tmp_path)

    _, events = sealed_events(sealed)
    recorded = b"".join(Sample.decode(event.data).data for event in events if event.kind == SAMPLE)
    assert all(b"secret work %d" % number in recorded for number in range(300))


def test_live_view_counts_bytes_as_the_sealer_does(tmp_path: Path) -> None:
    live_text: list[bytes] = []
    journal = journal_in(tmp_path)
    program = opened(journal, live_text, b"make\tall \x1b[31m")
    program.take(Stream.OUTPUT, b"one\ntwo\r\nthree")
    program.take(Stream.ERROR, b"warning\n" * 20_000)
    program.take(Stream.INPUT, b"y\n")
    program.take(Stream.OUTPUT, bytes(300_000))
    end(program)
    journal.close()
    (sealed,) = seal_all(tmp_path)

    recording, events = sealed_events(sealed)
    assert recording.header.streams == 1
    assert sum(len(render(event.kind, event.data)) for event in events if event.kind != SKIPPED) == len(
        b"".join(live_text)
    )
    text = b"".join(live_text)
    assert text.startswith(b"\x1b[1mmake all  [31m\x1b[22m\r\none\r\ntwo\r\nthree\x1b[31mwarning\r\n")
    assert b"300,014 bytes" in text
    assert hashlib.sha256(b"one\ntwo\r\nthree" + bytes(300_000)).hexdigest().encode() in text


def test_export_shows_text_and_summaries_instead_of_binary_data(tmp_path: Path) -> None:
    journal = journal_in(tmp_path)
    program = opened(journal, command=b"cat image")
    rubbish = bytes(range(256)) * 2000
    program.take(Stream.OUTPUT, rubbish)
    end(program)
    journal.close()
    (sealed,) = seal_all(tmp_path)
    assert sealed.path is not None
    with sealed.path.open("rb") as file:
        lines = [json.loads(line) for line in iter_asciicast(file)]

    text = "".join(line[2] for line in lines[1:] if line[1] == "o")
    assert "\ufffd" not in text
    assert "\0" not in text
    assert "stdout: 512,000 bytes" in text
    assert hashlib.sha256(rubbish).hexdigest() in text


def test_text_lines_received_together_with_binary_data_are_shown(tmp_path: Path) -> None:
    journal = journal_in(tmp_path)
    program = opened(journal)
    program.take(Stream.OUTPUT, "compiling 数据\nlinking\n".encode() + bytes(range(256)) * 10)
    end(program)
    journal.close()
    (sealed,) = seal_all(tmp_path)

    _, events = sealed_events(sealed)
    assert [event.data.decode() for event in events if event.kind == OUTPUT] == ["compiling 数据\nlinking\n"]
    assert sum(len(Sample.decode(event.data).data) for event in events if event.kind == SAMPLE) == 2560


@pytest.mark.parametrize(
    ("data", "binary"),
    [
        (b"plain\n", False),
        ("数据库\n".encode(), False),
        ("数据库\n".encode("gbk"), False),
        (b"\x1b[31mred\x1b[0m\tx\r\n\a\b\f", False),
        (b"", False),
        (b"with \0 nul", True),
        (b"\x01\x02\x03\x04 and text after it", True),
    ],
)
def test_binary_and_text_are_distinguished_by_content(data: bytes, binary: bool) -> None:
    assert is_binary(data) is binary


@given(st.sampled_from([SAMPLE, SKIPPED, STREAM_END, COMMAND, ERROR, OUTPUT, INPUT]), st.binary(max_size=120))
def test_program_events_are_valid_or_unreadable_and_never_crash(kind: int, data: bytes) -> None:
    try:
        render(kind, data)
    except RecordingUnreadable:
        assert not is_sound(kind, data)


def test_streams_of_an_unknown_version_are_refused() -> None:
    encoded = program_header(uuid4()).encode()
    assert RecordingHeader.decode(encoded).streams == 1
    with pytest.raises(RecordingUnreadable, match="streams"):
        RecordingHeader.decode(encoded.replace(b'"streams":1', b'"streams":2'))
