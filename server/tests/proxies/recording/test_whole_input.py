"""Input of a program is recorded completely: nothing that a shell could run hides behind other bytes or a fake transfer
(issue 6, 1.1).
"""

import io
import os
import random
import tarfile
import zlib
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postern.contracts.recording.format import INPUT
from postern.contracts.recording.rendering import render
from postern.contracts.recording.streams import SAMPLE, SKIPPED, STREAM_END, Sample, Skipped, Stream, StreamEnd
from postern.proxies.core.recording.command_line import export_input
from postern.proxies.core.recording.journal_format import RECORD_HEADER
from postern.proxies.core.recording.program_recording import ProgramRecording
from postern.proxies.core.recording.transfer_commands import transfer_in
from postern.proxies.core.recording.transfer_framing import FRAMINGS, RsyncFraming, ScpFraming, TarFraming
from postern.proxies.core.recording.whole_input import InputTooLong, TerminalInput
from proxies.recording.recording_tools import header, journal_in, seal_all
from proxies.recording.test_program_recordings import end, opened, sealed_events

MIB = 1 << 20
COMMANDS = b"echo hidden-work > /tmp/x\nid\n"


class Kept:
    """A recorder in memory."""

    def __init__(self) -> None:
        self.events: list[tuple[int, bytes]] = []

    def event(self, kind: int, data: bytes) -> None:
        self.events.append((kind, data))

    def input(self, data: bytes) -> None:
        self.events.append((INPUT, data))

    def kept_input(self) -> bytes:
        """Return every recorded byte of the input, in order."""
        parts = []
        for kind, data in self.events:
            if kind == INPUT:
                parts.append(data)
            elif kind == SAMPLE and (sample := Sample.decode(data)).stream is Stream.INPUT:
                parts.append(sample.data)
        return b"".join(parts)

    def shown(self) -> bytes:
        return b"".join(render(kind, data) for kind, data in self.events if kind == INPUT)

    def skipped(self) -> int:
        return sum(Skipped.decode(data).length for kind, data in self.events if kind == SKIPPED)


def program(command: bytes, recorder: Kept, **more: Any) -> ProgramRecording:
    return ProgramRecording(recorder, lambda *_: None, command, **more)


def fed(command: bytes, stdin: bytes, answers: bytes = b"", piece: int = 32_768) -> Kept:
    """Return the recording of a program that answered first and then received `stdin`."""
    recorder = Kept()
    recording = program(command, recorder)
    recording.take(Stream.OUTPUT, answers)
    for start in range(0, len(stdin), piece):
        recording.take(Stream.INPUT, stdin[start : start + piece])
    recording.close()
    return recorder


def tar_of(*files: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, content in files:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def frame(content: bytes, tag: int = 7) -> bytes:
    return (tag << 24 | len(content)).to_bytes(4, "little") + content


RSYNC = b"rsync --server -vlogDtpre.iLsfxCIvu . /srv/in"
RSYNC_GREETING = b"\x20\0\0\0"
NOISE = random.Random(3).randbytes(3 * MIB)

#: A flood, and ways to disguise the commands behind it.
FLOODS = {
    "comments": b"# nothing to see\n" * 1_500_000,
    "random bytes": NOISE,
    "zeros": bytes(3 * MIB),
    "control characters": b"\x01\x02\x03\n" * 500_000,
    "compressed": zlib.compress(NOISE),
}


@pytest.mark.parametrize("flood", FLOODS)
def test_commands_behind_a_flood_are_recorded_and_shown(flood: str) -> None:
    stdin = FLOODS[flood] + b"\n" + COMMANDS + FLOODS[flood] + b"\n"
    recorder = fed(b"bash -s", stdin)

    assert recorder.kept_input() == stdin
    assert b"echo hidden-work > /tmp/x\r\nid" in recorder.shown()


@pytest.mark.parametrize(
    "disguised",
    [
        b"\0".join(bytes((code,)) for code in COMMANDS),
        COMMANDS.decode().encode("utf-16-le"),
        b"\0\0\0\0" + COMMANDS,
        os.urandom(40) + b"\n" + COMMANDS + b"\x01\x02\x03\x04" * 100,
        b"\x01" * 1000 + b"\n" + COMMANDS.replace(b"o", b"o\0"),
    ],
    ids=["laced with NUL", "UTF-16", "behind NUL", "between bytes", "laced between bytes"],
)
def test_commands_that_shells_read_through_other_bytes_are_shown_as_text(disguised: bytes) -> None:
    recorder = fed(b"bash", disguised)

    assert recorder.kept_input() == disguised
    assert b"echo hidden-work > /tmp/x\r\nid\r\n" in recorder.shown()


def test_commands_sent_byte_by_byte_are_recorded() -> None:
    stdin = b"\0\x01\xff".join(bytes((code,)) for code in COMMANDS) + NOISE[:4000]
    assert fed(b"bash", stdin, piece=1).kept_input() == stdin


HEADERS = {
    "tar": (b"tar xf -", tar_of(("a", b"x" * 600))[:1536], b""),
    "tar with its end": (b"tar xf - -C /srv", tar_of(("a", b"x" * 600)), b""),
    "scp": (b"scp -t /srv", b"C0644 5 name\nhello\0", b"\0\0\0"),
    "rsync": (RSYNC, RSYNC_GREETING + frame(b"list" * 100), RSYNC_GREETING + b"\x81\x02"),
}


@pytest.mark.parametrize("name", HEADERS)
@pytest.mark.parametrize("piece", [1, 500, 32_768])
def test_input_after_the_end_of_a_transfer_is_recorded_completely(name: str, piece: int) -> None:
    command, header, answers = HEADERS[name]
    flood = b"# nothing\n" * (2_000 if piece == 1 else 2_000_000)
    recorder = fed(command, header + flood + COMMANDS, answers, piece)

    assert recorder.kept_input().endswith(flood + COMMANDS)


TRANSFERS = {
    "tar": (b"tar xf -", tar_of(("noise", NOISE), ("script", COMMANDS)), b""),
    "scp": (b"scp -t /srv", b"C0644 %d name\n" % len(NOISE) + NOISE + b"\0", b"\0\0\0"),
    "rsync": (
        RSYNC,
        RSYNC_GREETING + b"".join(frame(NOISE[:30_000]) for _ in range(100)),
        RSYNC_GREETING + b"\x81\x02",
    ),
}


@pytest.mark.parametrize("name", TRANSFERS)
def test_proven_transfer_is_recorded_by_head_tail_size_and_hash(name: str) -> None:
    command, stdin, answers = TRANSFERS[name]
    recorder = fed(command, stdin, answers)

    assert recorder.skipped() > len(stdin) - 400_000
    assert recorder.kept_input().startswith(stdin[:30_000])
    assert recorder.kept_input().endswith(stdin[-30_000:])
    (account,) = (
        stream_end
        for kind, data in recorder.events
        if kind == STREAM_END and (stream_end := StreamEnd.decode(data)).stream is Stream.INPUT
    )
    assert (account.size, account.protocol) == (len(stdin), name)


@pytest.mark.parametrize("name", TRANSFERS)
@pytest.mark.parametrize(
    "shell",
    [b"bash -s", b"%s; bash", b"%s & sh", b"%s $(sh)", b"cat | sh", b"exec /tmp/%s", b"PATH=/tmp %s", b"env %s", b""],
)
def test_well_formed_transfer_to_another_program_is_recorded_completely(name: str, shell: bytes) -> None:
    """A shell runs the files inside a tar stream, so the bytes alone prove nothing."""
    command, stdin, answers = TRANSFERS[name]
    recorder = fed(shell % command if b"%" in shell else shell, stdin, answers)

    assert recorder.kept_input() == stdin
    assert not recorder.skipped()


def test_transfer_whose_program_never_answered_is_recorded_completely() -> None:
    for name in ("scp", "rsync"):
        command, stdin, _ = TRANSFERS[name]
        assert fed(command, stdin, b"bash: C0644: command not found\n").kept_input() == stdin


@pytest.mark.parametrize(
    ("command", "transfer"),
    [
        ("tar xf -", "tar"), ("tar -xf -", "tar"), ("tar -xvpf - -C /srv/in", "tar"), ("tar xfC - /srv", "tar"),
        ("sudo -n tar --extract --file=- --directory=/x", "tar"), ("/bin/tar -C/srv -xf-", "tar"),
        ("tar xf", ""), ("tar xf /dev/st0", ""), ("tar xzf -", ""), ("tar x", ""), ("tar", ""),
        ("tar xf - --to-command=sh", ""), ("tar xf - --to-com=sh", ""), ("tar xf - -I sh", ""),
        ("tar xf - --checkpoint-action=exec=sh", ""), ("tar -xf - -F sh", ""), ("tar xf - --rsh-command=x", ""),
        ("tar -xIsh -f -", ""), ("tar xf -\nsh", ""), ("/home/a/tar xf -", ""), ("./tar xf -", ""), ("tar xf - 'a", ""),
        ("tar xf - *", ""), ("tar xf - [-]*", ""), ("tar xf - ?-to-command=sh", ""), ("/usrtar xf -", ""),
        ("scp -t /srv", "scp"), ("scp -r -p -t -- /srv", "scp"), ("scp -v -f /etc/x", "scp"), ("scp -rt .", "scp"),
        ("scp a b", ""), ("scp -S sh -t x", ""), ("scp -oProxyCommand=sh -t x", ""), ("scp -t x;sh", ""),
        ("rsync --server -logDtpre.iLsfxCIvu . /srv", "rsync"), ("sudo rsync --server --sender -e.x . a", "rsync"),
        ("rsync --server --daemon .", ""), ("rsync -a a b", ""), ("rsync --rsh=sh --server . x", ""),
        ("rsync --server --config=/tmp/x --daemon .", ""), ("rsync --server . `sh`", ""), ("rsync --server . $(sh)", ""),
        ("bash -c 'tar xf -'", ""), ("cat > tar", ""), ("sudo", ""), ("sudo -u x tar xf -", ""), ("", ""),
    ],
)  # fmt: skip
def test_command_line_counts_as_transfer_only_if_it_can_be_nothing_else(command: str, transfer: str) -> None:
    assert transfer_in(command.encode()) == transfer


STREAMS = {
    "tar": tar_of(("a", b"x" * 700), ("b", b""), ("c" * 150, b"y"), ("d", b"z" * 512)),
    "scp": b"D0755 0 dir\nT1 0 1 0\nC0644 5 a b\nhello\0E\nC0600 0 empty\n\0\0",
    "rsync": RSYNC_GREETING + b"\x08xxh3 md5\x04zstd" + frame(b"a" * 300) + frame(b"") + frame(b"bye", 93),
}


@pytest.mark.parametrize("name", STREAMS)
@given(cuts=st.lists(st.integers(0, 30_000), max_size=12), tail=st.binary(min_size=600, max_size=600))
def test_framing_does_not_depend_on_how_the_stream_is_cut(name: str, cuts: list[int], tail: bytes) -> None:
    """Every byte is well-formed or part of an incomplete header. None is after the end of the protocol."""
    framing = FRAMINGS[name]()
    stream = STREAMS[name]
    places = sorted({cut % len(stream) for cut in cuts})
    at = 0
    for begin, stop in zip([0, *places], [*places, len(stream)], strict=True):
        taken = framing.take(stream[begin:stop])
        assert begin + taken <= stop
        at = begin + taken
    assert at == len(stream)
    assert framing.take(b"\xff" * 4 + tail) == 0
    assert framing.take(stream) == 0


@settings(max_examples=500)
@given(st.sampled_from([TarFraming, ScpFraming, RsyncFraming]), st.lists(st.binary(max_size=700), max_size=6))
def test_k43_framing_accepts_any_bytes(kind: Any, pieces: list[bytes]) -> None:
    framing = kind()
    for piece in pieces:
        assert 0 <= framing.take(piece) <= len(piece)
        assert len(framing._head) <= 8192


def test_input_beyond_the_limit_is_refused_and_not_silently_truncated() -> None:
    recorder = Kept()
    recording = program(b"cat > f", recorder, max_input_bytes=100_000)
    recording.take(Stream.INPUT, b"x" * 99_000)
    with pytest.raises(InputTooLong):
        recording.take(Stream.INPUT, b"y" * 1000)
    recording.close()

    assert recorder.kept_input() == b"x" * 99_000


@pytest.mark.parametrize(
    "unit",
    [b"abcd\n\x01\n", b"\x01\n", b"\0a\n\x01\x02\n", b"\x01" * 20 + b"\n" * 30, "数据\n\x01\n".encode()],
    ids=["lines and controls", "controls", "NUL", "runs", "UTF-8"],
)
def test_recorded_input_takes_little_more_space_than_its_bytes(unit: bytes) -> None:
    """Alternating text and binary bytes once took eight times the space in the journal, and two seconds per MiB."""
    stdin = (unit * (MIB // len(unit) + 1))[:MIB]
    recorder = fed(b"bash -s", stdin)

    assert recorder.kept_input() == stdin
    assert len(recorder.events) < 2 * MIB // (32 * 1024)


def test_tar_stream_of_small_texts_is_shown_as_text() -> None:
    stdin = tar_of(*((f"file {number}", b"line of text %d\n" % number) for number in range(200)))
    recorder = fed(b"cat > backup.tar", stdin)

    assert recorder.kept_input() == stdin
    assert all(b"line of text %d\r\n" % number in recorder.shown() for number in range(200))


@pytest.mark.parametrize("kind", ["program", "terminal"])
def test_limit_applies_to_written_bytes_and_not_to_sent_bytes(kind: str) -> None:
    """Sent byte by byte, the input takes many times its size in the journal."""
    recorder = Kept()
    recording = program(b"bash", recorder, max_input_bytes=100_000)
    take = partial(recording.take, Stream.INPUT) if kind == "program" else TerminalInput(recorder, 100_000).take

    def flood() -> None:
        for _ in range(10_000):
            take(b"x")

    with pytest.raises(InputTooLong):
        flood()
    assert len(recorder.events) * (1 + RECORD_HEADER.size) <= 100_000


def test_transfer_does_not_count_towards_the_limit() -> None:
    command, stdin, _ = TRANSFERS["tar"]
    recorder = Kept()
    recording = program(command, recorder, max_input_bytes=100_000)
    for start in range(0, len(stdin), 32_768):
        recording.take(Stream.INPUT, stdin[start : start + 32_768])


def test_input_of_a_sealed_recording_can_be_exported(tmp_path: Path) -> None:
    journal = journal_in(tmp_path, segment_bytes=64 << 20)
    recording = opened(journal)
    stdin = NOISE + b"\n" + COMMANDS + bytes(1000)
    for start in range(0, len(stdin), 32_768):
        recording.take(Stream.INPUT, stdin[start : start + 32_768])
    end(recording)
    journal.close()
    (sealed,) = seal_all(tmp_path)
    sealed_events(sealed)
    assert sealed.path is not None

    out, errors = io.BytesIO(), io.StringIO()
    assert export_input(sealed.path, out, errors) == 0
    assert out.getvalue() == stdin
    assert errors.getvalue() == ""


@pytest.mark.parametrize("keeps_keys", [True, False])
def test_typed_input_can_be_exported_if_it_was_recorded(tmp_path: Path, keeps_keys: bool) -> None:
    journal = journal_in(tmp_path)
    session_id = uuid4()
    stated = replace(header(session_id), record_input=keeps_keys)
    recorder = journal.open_session(session_id, 80, 24, stated)
    recorder.output(b"$ ")
    if keeps_keys:
        TerminalInput(recorder, MIB).take(NOISE[:100_000])
    recorder.end("user_closed")
    journal.close()
    (sealed,) = seal_all(tmp_path)
    assert sealed.path is not None

    out, errors = io.BytesIO(), io.StringIO()
    assert export_input(sealed.path, out, errors) == (0 if keeps_keys else 1)
    assert out.getvalue() == (NOISE[:100_000] if keeps_keys else b"")
    assert errors.getvalue() == "" or "keys are not recorded" in errors.getvalue()
