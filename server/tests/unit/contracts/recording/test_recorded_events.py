"""The closed union of recorded events: encoding and decoding, hostile bytes, and event kinds of a newer version."""

import io
import json
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as some

from postern.contracts.enums import TransferDirection
from postern.contracts.recording import events as module
from postern.contracts.recording.asciicast import iter_asciicast
from postern.contracts.recording.events import (
    QUERY_PIECE_BYTES,
    Answer,
    CommandLine,
    DesktopFrame,
    End,
    ErrorOutput,
    File,
    FrameCodec,
    Input,
    Keyframe,
    Mark,
    Note,
    Outcome,
    Output,
    Query,
    RecordedEvent,
    Resize,
    Unknown,
    decode,
    encode,
    is_sound,
)
from postern.contracts.recording.format import Content, RecordingHeader, RecordingUnreadable, encode_event, json_bytes
from postern.contracts.recording.rendering import render
from postern.contracts.recording.streams import Sample, Skipped, Stream, StreamEnd
from postern.proxies.core.recording.container import SessionFile
from unit.contracts.recording.golden import KEY, SEALED_AT

EVENTS: tuple[RecordedEvent, ...] = (
    Keyframe(80, 24, True, b"\x1b[H"),
    Output(b"out\x00\xff"),
    Input(b"in"),
    ErrorOutput(b"err"),
    CommandLine(b"id"),
    Resize(100, 30),
    Mark("environment", "LANG=C"),
    End("user_closed"),
    Sample(Stream.OUTPUT, False, 7, b"\x00"),
    Skipped(Stream.ERROR, 1, 2, b"\x01" * 32),
    StreamEnd(Stream.INPUT, 5, 0, False, "0" * 64, "rsync"),
    Note("连接到 db-1"),
    Query(3, b"select 1", True),
    Answer(3, Outcome.DONE, 1, ""),
    Answer(4, Outcome.REFUSED, None, "drop is not permitted"),
    File(TransferDirection.UPLOAD, "upload", "/srv/a", 12, False),
    DesktopFrame(FrameCodec.RFB, b"\x00\x01", True),
)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_every_kind_of_event_survives_encoding_and_decoding(event: RecordedEvent) -> None:
    kind, data = encode(event)
    assert decode(kind, data) == event
    assert is_sound(kind, data)
    render(kind, data)


def test_examples_contain_every_kind_of_the_union() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(RecordedEvent))
    assert {encode(event)[0] for event in EVENTS} == set(module._READERS)


@given(kind=some.integers(0, 255), data=some.binary(max_size=200))
def test_hostile_bytes_decode_to_an_event_or_unknown_or_unreadable(kind: int, data: bytes) -> None:
    try:
        event = decode(kind, data)
    except RecordingUnreadable:
        assert not is_sound(kind, data)
        return
    assert is_sound(kind, data)
    assert isinstance(event, Unknown) or encode(event)[0] == kind
    render(kind, data)


@given(
    kind=some.sampled_from(sorted(module._READERS)),
    fields=some.dictionaries(
        some.sampled_from(("text", "name", "number", "rows", "outcome", "detail", "direction", "path", "size")),
        some.one_of(some.none(), some.booleans(), some.integers(), some.floats(), some.text(), some.lists(some.none())),
    ),
)
def test_hostile_fields_decode_to_an_event_or_unknown_or_unreadable(kind: int, fields: dict[str, object]) -> None:
    try:
        decode(kind, json.dumps(fields).encode())
    except RecordingUnreadable:
        return
    render(kind, json.dumps(fields).encode())


def test_long_query_is_split_into_pieces_that_fit_a_record() -> None:
    text = b"x" * (2 * QUERY_PIECE_BYTES + 1)
    pieces = Query.pieces(7, text)
    assert b"".join(piece.text for piece in pieces) == text
    assert [piece.is_last for piece in pieces] == [False, False, True]
    assert max(len(encode(piece)[1]) for piece in pieces) <= 65_536
    assert [piece.is_last for piece in Query.pieces(1, b"")] == [True]


def test_rendered_query_contains_no_terminal_control_sequences() -> None:
    rendered = render(*encode(Query(1, b"select '\x1b]52;c;aGk=\x07'\nfrom t")))
    assert b"\x1b]" not in rendered
    assert b"\x07" not in rendered
    assert b"\r\nfrom t" in rendered
    assert b"\x1b]" not in render(*encode(Note("\x1b]0;title\x07")))


def test_events_of_a_newer_version_are_left_out_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "newer.postern"
    kinds = [encode(Output(b"before")), (ord("?"), b"\x00new"), encode(Output(b"after"))]
    keyframe, picture = encode(Keyframe(80, 24, False, b""))
    raw = encode_event(keyframe, 0, picture)
    raw += b"".join(encode_event(kind, 100, data) for kind, data in kinds)
    file = SessionFile.create(path, RecordingHeader.decode(json_bytes(header())))
    file.append_block(flags=0, first_ms=0, output_offset=0, bookkeeping=0, raw=raw, level=6)
    file.seal(KEY, state="sealed", end_reason="", ended_at=SEALED_AT, sealed_at=SEALED_AT)

    lines = [json.loads(line) for line in iter_asciicast(io.BytesIO(path.read_bytes()))]
    assert [line[1:] for line in lines[1:]] == [
        ["o", "before"],
        ["o", "after"],
        ["m", "Left out, because they need a newer version: 1"],
    ]


def header(**more: object) -> dict[str, object]:
    return {
        "version": 1, "session_id": "00000000-0000-0000-0000-000000000001",
        "started_at": "2026-11-21T09:30:00.000+00:00", "columns": 80, "rows": 24, **more,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("more", "content"),
    [
        ({}, Content.TERMINAL),
        ({"streams": 1}, Content.PROGRAM),
        ({"streams": 1, "content": "queries"}, Content.QUERIES),
        ({"streams": 1, "content": "desktop", "events": 99}, Content.DESKTOP),
        ({"streams": 1, "content": "hologram"}, Content.OTHER),
        ({"streams": 1, "content": 7}, Content.OTHER),
    ],
)
def test_header_names_the_content_of_the_recording(more: dict[str, object], content: Content) -> None:
    decoded = RecordingHeader.decode(json_bytes(header(**more)))
    assert decoded.content is content
    if content is not Content.OTHER:
        assert RecordingHeader.decode(decoded.encode()) == decoded
