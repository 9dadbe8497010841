"""Makes the golden recordings under tests/fixtures/recordings and the worked example of the format description.

Run it (`python tests/unit/contracts/recording/golden.py` in server/) only when the format itself gets a new version.
The files stand for existing recordings, which must stay readable.
"""

import base64
import json
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from postern.contracts.enums import TransferDirection
from postern.contracts.recording import Recording, RecordingHeader
from postern.contracts.recording.events import (
    EVENTS_VERSION,
    Answer,
    DesktopFrame,
    End,
    File,
    FrameCodec,
    Note,
    Outcome,
    Query,
    RecordedEvent,
    encode,
)
from postern.contracts.recording.format import END, INPUT, KEYFRAME, MARK, OUTPUT, RESIZE, SIZE, Content, json_bytes
from postern.contracts.recording.rendering import render
from postern.contracts.recording.streams import (
    COMMAND,
    ERROR,
    SAMPLE,
    SKIPPED,
    STREAM_END,
    STREAMS_VERSION,
    Sample,
    Skipped,
    Stream,
    StreamEnd,
)
from postern.contracts.vt import Screen
from postern.proxies.core.recording.container import SessionFile
from postern.proxies.core.recording.journal_format import Record, position_of
from postern.proxies.core.recording.session_sealing import NewScreen, SessionSealing
from postern.proxies.core.recording.signing import SealingKey

FIXTURES = Path(__file__).parents[3] / "fixtures" / "recordings"
DESCRIPTION = Path(__file__).parents[5] / "docs" / "reference" / "recording-format.md"
KEY = SealingKey(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
STARTED_AT = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
SEALED_AT = "2026-11-21T10:00:00.000+00:00"

Step = tuple[int, int, bytes]


class PlainScreen:
    """A screen without an emulator, so that changes of the emulator do not change the worked example."""

    at_ground = True

    def __init__(self, columns: int, rows: int) -> None:
        self._fed = b""

    def feed(self, data: bytes) -> None:
        self._fed += data

    def resize(self, columns: int, rows: int) -> None: ...

    def snapshot(self) -> bytes:
        return self._fed

    def pending(self) -> bytes:
        return b""


def write_recording(
    path: Path,
    steps: list[Step],
    *,
    state: str = "sealed",
    cut_after: tuple[int, ...] = (),
    screen: NewScreen = Screen,
    number: int = 1,
    columns: int = 80,
    rows: int = 24,
    charset: str = "utf-8",
    streams: int = 0,
    content: Content = Content.TERMINAL,
) -> None:
    """Seal `steps` (ms, kind, data) into `path`. A block ends after each step whose index is in `cut_after`."""
    header = RecordingHeader(
        session_id=UUID(int=number),
        started_at=STARTED_AT,
        columns=columns,
        rows=rows,
        user="ann",
        asset="db-01",
        system_user="deploy",
        login_name="deploy",
        remote_addr="192.0.2.7",
        charset=charset,
        streams=streams,
        content=content,
        events=EVENTS_VERSION if content in {Content.QUERIES, Content.DESKTOP} else 1,
    )
    path.unlink(missing_ok=True)
    session = SessionSealing(number, SessionFile.create(path, header), screen, 0)
    for place, (ms, kind, data) in enumerate(steps):
        session.take(Record(position_of(1, place), position_of(1, place + 1), number, kind, ms, data))
        if place in cut_after:
            session.cut(6)
    session.cut(6)
    session.file.seal(
        KEY, state=state, end_reason=session.ended or "interrupted", ended_at=SEALED_AT, sealed_at=SEALED_AT
    )


def shell_steps() -> list[Step]:
    """90 seconds of a shell: colours, Chinese, a full-screen program, a resize and a long pause."""
    prompt = b"\x1b[32mdeploy@db-01\x1b[0m:\x1b[34m~\x1b[0m$ "
    steps: list[Step] = [(0, OUTPUT, b"Welcome to db-01\r\n"), (120, OUTPUT, prompt)]
    ms = 1_500
    for key in b"ls -l":
        steps.append((ms, OUTPUT, bytes((key,))))
        ms += 140
    listing = "\r\ntotal 12\r\n-rw-r--r-- 1 deploy deploy 812 Nov 21 09:12 \x1b[31mbackup.tar.gz\x1b[0m\r\n"
    steps.append((ms, OUTPUT, listing.encode()))
    chinese = "-rw-r--r-- 1 deploy deploy  44 Nov 21 09:12 说明文件.txt\r\n".encode()
    steps += [(ms + 5, OUTPUT, chinese[:49]), (ms + 6, OUTPUT, chinese[49:])]  # cut inside a UTF-8 character
    steps.append((ms + 10, OUTPUT, prompt))
    steps += [(9_000, MARK, json_bytes({"name": "command", "text": "ls -l"}))]
    steps += [(40_000, OUTPUT, b"vi notes"), (40_200, OUTPUT, b"\r\n\x1b[?1049h\x1b[2J\x1b[H")]
    steps += [(40_300 + row * 10, OUTPUT, b"\x1b[%d;1H\x1b[34m~\x1b[0m" % row) for row in range(2, 24)]
    steps += [(41_000, OUTPUT, b"\x1b[1;1Hfirst line of the notes"), (45_000, RESIZE, SIZE.pack(100, 30))]
    steps += [(45_100, OUTPUT, b"\x1b[2J\x1b[1;1Hfirst line of the notes\x1b[30;1H-- INSERT --")]
    steps += [(50_000, OUTPUT, b"\x1b[?1049l"), (50_010, OUTPUT, prompt)]
    steps += [(88_000, OUTPUT, b"exit\r\nlogout\r\n"), (88_100, END, b"target_closed")]
    return steps


def program_steps() -> list[Step]:
    """A command without a terminal: text, errors, input, and binary data of which only both ends are recorded."""
    end = StreamEnd(Stream.OUTPUT, 600_000, 500_000, True, "ab" * 32, "tar")
    return [
        (0, COMMAND, "make all && cat 映像\n".encode()),
        (10, OUTPUT, b"compiling\nlinking\r\n"),
        (20, ERROR, b"warning: 1\nwarning: 2\n"),
        (900, INPUT, b"yes\n"),
        (1_000, SAMPLE, Sample(Stream.OUTPUT, False, 19, bytes(range(256))).encode()),
        (1_100, SKIPPED, Skipped(Stream.OUTPUT, 275, 400_000, bytes(32)).encode()),
        (1_200, SKIPPED, Skipped(Stream.OUTPUT, 400_275, 100_000, bytes(32)).encode()),
        (1_300, SAMPLE, Sample(Stream.OUTPUT, True, 500_275, b"done \xff\n").encode()),
        (1_400, STREAM_END, end.encode()),
        (1_400, STREAM_END, StreamEnd(Stream.ERROR, 22, 0, False, "cd" * 32, "").encode()),
        (1_500, END, b"target_closed"),
    ]


def write_program() -> None:
    path = FIXTURES / "program.postern"
    write_recording(path, program_steps(), number=5, streams=STREAMS_VERSION, cut_after=(4,))
    describe(path)


def query_steps() -> list[Step]:
    """Queries with their answers, a note and a file. One query contains terminal control sequences."""
    events: list[tuple[int, RecordedEvent]] = [
        (0, Note("以 app 登录 db-01")),
        (100, Query(1, b"select *\n  from t where name = '\x1b[2J'", is_last=False)),
        (100, Query(1, b"\n  and id = 7;")),
        (140, Answer(1, Outcome.DONE, 12_345)),
        (900, Query(2, "drop table 订单".encode())),
        (901, Answer(2, Outcome.REFUSED, None, "drop is not permitted")),
        (2_000, File(TransferDirection.DOWNLOAD, "copy to", "/srv/订单.csv", 1_234_567)),
        (2_500, File(TransferDirection.UPLOAD, "copy from", "/srv/new.csv", 0, False)),
        (3_000, End("user_closed")),
    ]
    return [(ms, *encode(event)) for ms, event in events]


def write_queries() -> None:
    path = FIXTURES / "queries.postern"
    write_recording(path, query_steps(), number=6, streams=STREAMS_VERSION, content=Content.QUERIES)
    describe(path)


def write_desktop() -> None:
    path = FIXTURES / "desktop.postern"
    frames = [DesktopFrame(FrameCodec.RFB, bytes((place,)) * 10, place == 0) for place in range(3)]
    steps: list[Step] = [(100 * place, *encode(frame)) for place, frame in enumerate(frames)]
    write_recording(path, steps, number=7, streams=STREAMS_VERSION, content=Content.DESKTOP)
    describe(path)


def write_all() -> None:
    FIXTURES.mkdir(parents=True, exist_ok=True)
    tiny: list[Step] = [(0, OUTPUT, b"$ "), (1_000, OUTPUT, b"id\r\n"), (1_500, END, b"user_closed")]
    write_recording(FIXTURES / "tiny.postern", tiny, screen=PlainScreen)
    shell = shell_steps()
    write_recording(FIXTURES / "shell.postern", shell, cut_after=(11, 30), number=2)
    write_recording(FIXTURES / "incomplete.postern", shell[:20], state="incomplete", cut_after=(8,), number=3)
    flood: list[Step] = [
        (place * 50, OUTPUT, b"\x1b[3%dmline %06d of a long listing\x1b[0m\r\n" % (place % 8, place))
        for place in range(6_000)
    ]
    flood += [(300_000, INPUT, b"\x03"), (300_010, END, b"user_closed")]
    write_recording(FIXTURES / "long.postern", flood, cut_after=tuple(range(499, 6_000, 500)), number=4)
    write_program()
    write_queries()
    write_desktop()
    for path in FIXTURES.glob("*.postern"):
        describe(path)
    text = DESCRIPTION.read_text("utf-8")
    before, rest = text.split("<!-- example:begin -->")
    after = rest.split("<!-- example:end -->")[1]
    DESCRIPTION.write_text(f"{before}<!-- example:begin -->\n{example()}<!-- example:end -->{after}", "utf-8")


def describe(path: Path) -> None:
    """The expected content of a recording, which every reader must find."""
    with path.open("rb") as file:
        recording = Recording.open(file)
        events = [
            [event.ms, chr(event.kind), base64.b64encode(event.data).decode()]
            for number in range(len(recording.blocks))
            for event in recording.block_events(number)
        ]
        text_of_event = {}
        if recording.header.streams:
            text = b"".join(render(event.kind, event.data) for event in recording.events() if event.kind != KEYFRAME)
            text_of_event = {"shown": text.decode("utf-8", "replace")}
    if len(events) > 200:
        events = events[:100] + events[-100:]
    expected = {
        "public_key": KEY.public.hex(),
        "manifest": recording.manifest,
        "blocks": [place._asdict() for place in recording.blocks],
        "activity": recording.activity._asdict(),
        "marks": [list(mark) for mark in recording.marks],
        "events": events,
        **text_of_event,
        "events_note": "all events of all blocks, keyframes too; of a long recording the first and last hundred",
    }
    path.with_suffix(".json").write_text(json.dumps(expected, indent=1, ensure_ascii=False) + "\n", "utf-8")


def example() -> str:
    """`tiny.postern` as a hex dump with its public key."""
    data = (FIXTURES / "tiny.postern").read_bytes()
    lines = []
    for start in range(0, len(data), 16):
        part = data[start : start + 16]
        text = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in part)
        lines.append(f"{start:04x}  {part.hex(' '):<47}  {text}")
    return f"\nPublic key: `{KEY.public.hex()}`.\n\n```text\n" + "\n".join(lines) + "\n```\n\n"


if __name__ == "__main__":
    write_all()
