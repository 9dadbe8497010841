"""Where blocks are cut, what their snapshots contain, and that a failing emulator costs only the certainty of
snapshots.
"""

import io
import random
import shutil
import time
from pathlib import Path
from uuid import UUID

import pytest

from postern.contracts.recording import Recording
from postern.contracts.recording.format import FLAG_UNCERTAIN, KEYFRAME, OUTPUT
from postern.contracts.vt import Screen
from postern.proxies.core.recording.sealer import Sealer
from postern.proxies.core.recording.session_sealing import BLOCK_BYTES, HARD_BLOCK_BYTES
from proxies.recording.recording_tools import KEY, header, journal_in, recorded_output, seal_all


class StumblingScreen(Screen):
    """Fails on a certain character, like an emulator with a bug."""

    def feed(self, data: bytes) -> None:
        if b"!" in data:
            raise TypeError("a fault of the emulator")
        super().feed(data)


def open_recording(path: Path | None) -> Recording:
    assert path is not None
    return Recording.open(io.BytesIO(path.read_bytes()))


def record(tmp_path: Path, pieces: list[bytes], *, charset: str = "utf-8", screen: type[Screen] = Screen) -> Recording:
    """Return the sealed recording of a session whose output was `pieces`, after checking that it is complete."""
    journal = journal_in(tmp_path)
    begin = header(UUID(int=1)).__dict__ | {"charset": charset}
    recorder = journal.open_session(UUID(int=1), 80, 24, type(header(UUID(int=1)))(**begin))
    for piece in pieces:
        recorder.output(piece)
    recorder.end("user_closed")
    journal.close()
    (sealed,) = seal_all(tmp_path, screen)
    assert recorded_output(sealed) == b"".join(pieces)
    return open_recording(sealed.path)


def screen_lines(recording: Recording, number: int) -> list[str]:
    """Return the screen at the end of block `number`, from its own keyframe alone."""
    events = recording.block_events(number)
    columns, rows = events[0].size
    screen = Screen(columns, rows)
    screen.feed(events[0].repaint)
    for event in events:
        if event.kind == OUTPUT:
            screen.feed(event.data)
    return screen.lines()


@pytest.mark.parametrize("seed", range(5))
def test_blocks_cut_inside_sequences_and_characters_show_the_right_screen(seed: int, tmp_path: Path) -> None:
    source = random.Random(seed)
    text = "".join(f"\x1b[3{source.randrange(8)};1m第{place}行 🙂 text\x1b[0m\r\n" for place in range(25_000)).encode()
    pieces, place = [], 0
    while place < len(text):
        length = source.choice((1, 2, 5, 100, 5_000, 40_000))
        pieces.append(text[place : place + length])
        place += length
    recording = record(tmp_path, pieces)
    assert len(recording.blocks) >= 3
    whole = Screen(80, 24)
    for number in range(len(recording.blocks)):
        for event in recording.block_events(number):
            if event.kind == OUTPUT:
                whole.feed(event.data)
        assert screen_lines(recording, number) == whole.lines()
        assert recording.blocks[number].flags == 0


def test_target_that_never_ends_a_sequence_cannot_create_an_endless_block(tmp_path: Path) -> None:
    recording = record(tmp_path, [b"\x1b]0;" + b"a" * 60_000] + [b"a" * 60_000] * 30)
    assert len(recording.blocks) >= 3
    for number in range(len(recording.blocks)):
        size = sum(len(event.data) for event in recording.block_events(number))
        assert size <= HARD_BLOCK_BYTES + 200_000


def test_failing_emulator_marks_blocks_uncertain_and_loses_no_byte(tmp_path: Path) -> None:
    pieces = [b"quiet line\r\n" * 5_000] * 8 + [b"hostile!\r\n"] + [b"quiet line\r\n" * 5_000] * 8
    recording = record(tmp_path, pieces, screen=StumblingScreen)
    flags = [place.flags & FLAG_UNCERTAIN for place in recording.blocks]
    assert flags[0] == 0
    assert flags[-1] == FLAG_UNCERTAIN
    assert recording.block_events(len(flags) - 1)[0].data[4] == FLAG_UNCERTAIN


def test_k43_random_bytes_are_recorded_completely_and_play(tmp_path: Path) -> None:
    source = random.Random(43)
    alphabet = [
        b"\x1b[",
        b"\x1b]",
        b"\x1bP",
        b"\x1b(",
        b"?",
        b";",
        b"1049h",
        b"999999999b",
        b"m",
        b"J",
        b"\xff",
        b"\x07",
    ]
    pieces = [
        b"".join(source.choice(alphabet) if source.random() < 0.5 else source.randbytes(3) for _ in range(200))
        for _ in range(600)
    ]
    recording = record(tmp_path, pieces)
    assert all(recording.block_events(number)[0].kind == KEYFRAME for number in range(len(recording.blocks)))


def test_snapshot_of_a_gb18030_target_is_utf8(tmp_path: Path) -> None:
    line = "数据库服务器\r\n".encode("gb18030")
    recording = record(tmp_path, [line * 10_000, line * 10_000, line[:5], line[5:]], charset="gb18030")
    assert len(recording.blocks) >= 1
    last = recording.block_events(len(recording.blocks) - 1)[0]
    last.repaint.decode("utf-8")


def test_k30_everything_in_a_session_is_recorded_without_a_gap(tmp_path: Path) -> None:
    """Mode changes, resizes and floods in one session: the recorded count equals the number of bytes sent."""
    journal = journal_in(tmp_path, segment_bytes=1 << 18)
    recorder = journal.open_session(UUID(int=1), 80, 24, header(UUID(int=1)))
    source = random.Random(30)
    sent = b""
    for turn in range(300):
        data = source.choice(
            (
                b"\x1b[?1049h\x1b[2Jvi\x1b[?1049l",
                b"**\x18B00000000000000\r\x8a\x11" + source.randbytes(3_000),  # zmodem
                b"\x1b[?2004h$ ls\r\n",
                source.randbytes(20_000),
                b"\x00" * 100,
                b"a",
            )
        )
        recorder.output(data)
        sent += data
        if turn % 7 == 0:
            recorder.resize(source.randrange(1, 300), source.randrange(1, 100))
        if turn % 50 == 0:
            recorder.resize(0, 0)
            recorder.resize(100_000, 100_000)
    assert recorder.output_bytes == len(sent)
    recorder.end("user_closed")
    journal.close()
    (sealed,) = seal_all(tmp_path)
    assert recorded_output(sealed) == sent
    assert open_recording(sealed.path).manifest["output_bytes"] == len(sent)


def test_flood_keeps_the_journal_small(tmp_path: Path) -> None:
    """Segments are deleted as soon as session files contain their data. A long session retains none of them."""
    journal = journal_in(tmp_path, segment_bytes=1 << 20)
    flood = journal.open_session(UUID(int=1), 80, 24, header(UUID(int=1)))
    quiet = journal.open_session(UUID(int=2), 80, 24, header(UUID(int=2)))
    quiet.output(b"$ ")
    sealer = Sealer(tmp_path, KEY, Screen)
    most = 0
    for _ in range(6):
        for _ in range(10):
            flood.output(b"y\r\n" * 20_000)
        for session in [s for j in sealer._journals.values() for s in j.sessions.values()]:
            session._since_s -= 120  # as if a minute had passed
        sealer.drain()
        most = max(most, len(list((tmp_path / "journal").glob("*/*.seg"))))
    assert most <= 4
    flood.end("user_closed")
    quiet.end("user_closed")
    journal.close()
    assert {sealed.session_id.int: len(recorded_output(sealed)) for sealed in seal_all(tmp_path)} == {
        1: 6 * 10 * 60_000,
        2: 2,
    }


def test_thousand_short_sessions_of_a_dead_proxy_come_back_within_a_minute(tmp_path: Path) -> None:
    """Promise 5."""
    journal = journal_in(tmp_path)
    for number in range(1, 1_001):
        recorder = journal.open_session(UUID(int=number), 80, 24, header(UUID(int=number)))
        recorder.output(b"session %d" % number)
        if number % 2:
            recorder.end("user_closed")
    journal.close()
    started_s = time.process_time()
    sealed = seal_all(tmp_path)
    assert time.process_time() - started_s < 60  # other load on the machine does not count
    assert len(sealed) == 1_000
    assert sum(recording.state == "incomplete" for recording in sealed) == 500
    assert recorded_output(sealed[500]) == b"session %d" % sealed[500].session_id.int


def test_dragging_a_window_does_not_fill_the_file_with_snapshots(tmp_path: Path) -> None:
    journal = journal_in(tmp_path)
    recorder = journal.open_session(UUID(int=1), 80, 24, header(UUID(int=1)))
    recorder.output(b"\x1b[2J" + b"x" * 1_000)
    for columns in range(80, 180):
        recorder.resize(columns, 24)
    recorder.end("user_closed")
    journal.close()
    (sealed,) = seal_all(tmp_path)
    events = open_recording(sealed.path).block_events(0)
    assert sum(event.kind == KEYFRAME for event in events) <= 2
    assert BLOCK_BYTES == 256 * 1024


def test_sealer_behind_in_a_flood_keeps_every_byte_and_marks_snapshots_uncertain(tmp_path: Path) -> None:
    journal = journal_in(tmp_path, segment_bytes=1 << 18)
    recorder = journal.open_session(UUID(int=1), 80, 24, header(UUID(int=1)))
    flood = b"".join(b"line %d of a flood\r\n" % number for number in range(300_000))
    for start in range(0, len(flood), 50_000):
        recorder.output(flood[start : start + 50_000])
    recorder.end("user_closed")
    journal.close()
    (sealed,) = seal_all(tmp_path)
    assert recorded_output(sealed) == flood
    recording = open_recording(sealed.path)
    assert recording.blocks[0].flags == 0
    assert recording.blocks[5].flags == FLAG_UNCERTAIN
    whole = Screen(80, 24)
    whole.feed(flood)
    assert screen_lines(recording, len(recording.blocks) - 1) == whole.lines()


def test_recording_damaged_on_disk_is_set_aside_and_reported_as_lost(tmp_path: Path) -> None:
    journal = journal_in(tmp_path)
    recorder = journal.open_session(UUID(int=1), 80, 24, header(UUID(int=1)))
    recorder.output(b"some output")
    sealer = Sealer(tmp_path, KEY, Screen)
    sealer.drain()
    for session in [s for j in sealer._journals.values() for s in j.sessions.values()]:
        session.cut(6)
    (part,) = (tmp_path / "recordings" / "live").iterdir()
    content = bytearray(part.read_bytes())
    content[-3] ^= 1
    part.write_bytes(content)
    recorder.end("user_closed")
    sealer.drain()
    journal.close()
    (sealed,) = seal_all(tmp_path)
    assert (sealed.state, sealed.path) == ("lost", None)
    assert len(list((tmp_path / "recordings" / "damaged").iterdir())) == 1
    assert not list((tmp_path / "journal").iterdir())
    # A second sealer does not process it again.
    assert len(seal_all(tmp_path)) == 1


def test_spool_interrupted_while_deleting_neither_reports_again_nor_leaks(tmp_path: Path) -> None:
    journal = journal_in(tmp_path)
    for number in (1, 2, 3):
        recorder = journal.open_session(UUID(int=number), 80, 24, header(UUID(int=number)))
        recorder.output(b"x")
        recorder.end("user_closed")
    journal.close()
    assert len(seal_all(tmp_path)) == 3
    spool = tmp_path / "recordings" / "spool"
    (spool / f"{UUID(int=1)}.json").rename(spool / f"{UUID(int=1)}.stored")  # died after the rename
    (spool / f"{UUID(int=2)}.json").unlink()  # a sealer that died before it described its file
    assert [sealed.session_id.int for sealed in seal_all(tmp_path)] == [3, 2]
    assert not (spool / f"{UUID(int=1)}.postern").exists()


def test_overlong_header_texts_do_not_refuse_the_session(tmp_path: Path) -> None:
    journal = journal_in(tmp_path)
    long = type(header(UUID(int=1)))(
        **(header(UUID(int=1)).__dict__ | {"user": "\x00" * 100_000, "asset": "中" * 100_000})
    )
    recorder = journal.open_session(UUID(int=1), 80, 24, long)
    recorder.end("user_closed")
    journal.close()
    (sealed,) = seal_all(tmp_path)
    assert recorded_output(sealed) == b""


def test_promise_5_unfinished_file_without_its_journal_is_sealed_as_incomplete(tmp_path: Path) -> None:
    journal = journal_in(tmp_path)
    recorder = journal.open_session(UUID(int=1), 80, 24, header(UUID(int=1)))
    recorder.output(b"in the file")
    sealer = Sealer(tmp_path, KEY, Screen)
    sealer.drain()
    for session in [s for j in sealer._journals.values() for s in j.sessions.values()]:
        session.cut(6)
    recorder.output(b"only in the journal")
    journal.close()
    shutil.rmtree(tmp_path / "journal")
    (sealed,) = seal_all(tmp_path)
    assert sealed.state == "incomplete"
    assert recorded_output(sealed) == b"in the file"
