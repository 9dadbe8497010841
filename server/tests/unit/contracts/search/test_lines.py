"""The lines of recordings: which are read, when they were on the screen, and what is never read."""

import io
import random
from itertools import pairwise
from pathlib import Path

import pytest

from postern.contracts.recording.format import END, INPUT, OUTPUT, RESIZE, SIZE, Content
from postern.contracts.recording.reader import Recording
from postern.contracts.search.key_blocks import KeyBlocks
from postern.contracts.search.lines import MAX_LINE, OVERLAP, Line, LineKind, ScreenLines, read_lines
from postern.contracts.search.program import Ended, ReadingFailed, frames, write_frames
from postern.kernel.secret_patterns import masked
from unit.contracts.recording.golden import Step, program_steps, shell_steps, write_recording


def lines_of(path: Path) -> tuple[list[Line], bool]:
    lines: list[Line] = []
    with path.open("rb") as file:
        is_whole = read_lines(Recording.open(file), lines.append)
    return lines, is_whole


def lines_in(tmp_path: Path, steps: list[Step], **form: object) -> list[Line]:
    path = tmp_path / "lines.postern"
    write_recording(path, steps, **form)  # type: ignore[arg-type]
    lines, is_whole = lines_of(path)
    assert is_whole
    return lines


def texts_in(tmp_path: Path, steps: list[Step], **form: object) -> list[str]:
    return [line.text for line in lines_in(tmp_path, steps, **form)]


def moment_of(lines: list[Line], text: str) -> list[int]:
    return [line.ms for line in lines if text in line.text]


def test_a_shell_is_read_with_its_moments(tmp_path: Path) -> None:
    lines = lines_in(tmp_path, shell_steps())
    assert moment_of(lines, "Welcome to db-01") == [120]
    assert len(moment_of(lines, "说明文件.txt")) == 1
    assert 1_500 <= moment_of(lines, "说明文件.txt")[0] <= 9_000
    first, second = moment_of(lines, "first line of the notes")[0], moment_of(lines, "-- INSERT --")[0]
    assert 41_000 <= first <= 45_000 <= second <= 50_000
    assert not any(line.text.endswith(("$ l", "ls", "ls -")) for line in lines), (
        "a line that is being typed is not read"
    )


def test_wrapped_rows_are_one_line(tmp_path: Path) -> None:
    text = "a" * 75 + "needle" + "b" * 100 + "中文" * 30
    assert text in texts_in(tmp_path, [(0, OUTPUT, text.encode() + b"\r\n"), (10, OUTPUT, b"x" + b"\r\n" * 50)])


def test_lines_that_scroll_past_at_once_are_read(tmp_path: Path) -> None:
    flood = "".join(f"line number {number}\r\n" for number in range(3_000)).encode()
    steps = [(at, OUTPUT, flood[at * 4_000 : (at + 1) * 4_000]) for at in range(len(flood) // 4_000 + 1)]
    texts = texts_in(tmp_path, steps)
    assert {f"line number {number}" for number in range(3_000)} <= set(texts)
    assert len(texts) == 3_000


def test_an_erased_screen_and_another_size_lose_nothing(tmp_path: Path) -> None:
    texts = texts_in(
        tmp_path,
        [
            (0, OUTPUT, b"before the clearing\r\n\x1b[H\x1b[2J"),
            (1, OUTPUT, b"before the reset\r\n\x1bc"),
            (2, OUTPUT, b"before the size" + b" " * 40 + b"wide\r\n"),
            (3, RESIZE, SIZE.pack(20, 5)),
            (4, OUTPUT, b"in the other screen\x1b[?1049h\x1b[Hshort\x1b[?1049l"),
        ],
    )
    assert "before the clearing" in texts
    assert "before the reset" in texts
    assert any(text.endswith("wide") for text in texts)
    assert "short" in texts


def test_full_screen_programs_are_sampled(tmp_path: Path) -> None:
    steps: list[Step] = [(0, OUTPUT, b"\x1b[?1049h")]
    steps += [(100 * n, OUTPUT, b"\x1b[Hload average: %d\x1b[5;1Hthe same row" % n) for n in range(1, 601)]
    texts = texts_in(tmp_path, steps)
    assert 25 <= sum(text.startswith("load average") for text in texts) <= 31
    assert texts.count("the same row") == 1


def test_a_line_seen_again_after_a_minute_is_another_hit(tmp_path: Path) -> None:
    def at(ms: int, text: bytes) -> list[Step]:
        return [(ms, OUTPUT, text + b"\r\n"), (ms + 1, OUTPUT, b"\x1b[2J\x1b[H"), (ms + 3_000, OUTPUT, b"\r\n")]

    steps = [*at(0, b"denied"), *at(10_000, b"denied"), *at(90_000, b"denied")]
    assert moment_of(lines_in(tmp_path, steps), "denied") == [0, 90_000]


def test_what_a_user_sends_is_never_read(tmp_path: Path) -> None:
    shell = [(0, OUTPUT, b"Password: "), (10, INPUT, b"s3cret-word\r"), (20, OUTPUT, b"\r\nwelcome\r\n")]
    assert texts_in(tmp_path, shell) == ["Password:", "welcome"]
    texts = texts_in(tmp_path, program_steps(), streams=1)
    assert "yes" not in texts
    assert {"make all && cat 映像", "compiling", "linking", "warning: 1"} <= set(texts)


def test_other_charsets(tmp_path: Path) -> None:
    data = "数据库 password policy\r\n".encode("gb18030")
    steps: list[Step] = [(0, OUTPUT, data[:3]), (5, OUTPUT, data[3:]), (9, END, b"target_closed")]
    assert "数据库 password policy" in texts_in(tmp_path, steps, charset="gb18030")


def test_an_endless_line_is_cut_with_an_overlap(tmp_path: Path) -> None:
    steps = [(n, OUTPUT, b"%07d," % n * 100) for n in range(400)]
    lines = lines_in(tmp_path, steps)
    assert all(len(line.text) <= MAX_LINE for line in lines)
    for before, after in pairwise(lines):
        assert after.repeated == OVERLAP
        assert after.text[:OVERLAP] == before.text[-OVERLAP:]


@pytest.mark.parametrize("length", [100, 190, 3_000, 7_000])
def test_a_secret_that_crosses_a_cut_is_hidden_in_all_parts(tmp_path: Path, length: int) -> None:
    secret = "canary" * (length // 6)
    for filling in range(3_200, 4_100, 150):
        for text in (f"{'x ' * (filling // 2)}password={secret} {'y ' * 9_000}", f"{'x ' * 1_900}'a' token={secret}"):
            lines = lines_in(
                tmp_path, [(n, OUTPUT, text[n * 900 :][:900].encode()) for n in range(len(text) // 900 + 1)]
            )
            for line in lines:
                assert "canary" not in masked(line.text, line.hidden), (filling, line.text[:200])
                assert "y y" in masked(line.text, line.hidden) or "y y" not in line.text


def test_a_private_key_is_hidden_line_by_line() -> None:
    blocks, begin = KeyBlocks(), "-----BEGIN OPENSSH PRIVATE KEY-----"
    texts = [
        "$ cat id",
        begin,
        "  2 b3BlbnNzaC1rZXk",
        "Proc-Type: 4,ENCRYPTED",
        "",
        "Zg==",
        "-----END OPENSSH PRIVATE KEY-----",
        "ls",
    ]
    lines = [blocks.marked(Line(0, LineKind.SCREEN, text)) for text in texts]
    assert [bool(line.hidden) for line in lines] == [False, False, True, True, True, True, False, False]
    cut_off = [blocks.marked(Line(0, LineKind.SCREEN, text)) for text in (begin, "Zg==", "$ ls -la", "Zg==")]
    assert [bool(line.hidden) for line in cut_off] == [False, True, False, False]


class TestTheLineWithTheCursor:
    """It is not read while it is typed. At the end it is read once."""

    def texts_of(self, *steps: tuple[int, bytes], size: tuple[int, int] | None = None) -> list[tuple[int, str]]:
        lines: list[Line] = []
        screen = ScreenLines(40, 6, lines.append)
        for ms, data in steps:
            screen.feed(ms, data)
        if size is not None:
            screen.resize(*size)
            screen.feed(ms + 5_000, b"")
        screen.finish()
        return [(line.ms, line.text) for line in lines]

    def test_is_read_at_the_end(self) -> None:
        typed = [(0, b"hello\r\n$ "), (1_000, b"l"), (5_000, b"s"), (90_000, b" -la")]
        assert self.texts_of(*typed) == [(0, "hello"), (90_000, "$ ls -la")]

    def test_is_read_at_the_end_of_a_full_screen(self) -> None:
        assert self.texts_of((0, b"\x1b[?1049h\x1b[3;1Hcmd: abc"), (5_000, b"d"), (90_000, b"\x1b[D")) == [
            (0, "cmd: abc"),
            (5_000, "cmd: abcd"),
        ]

    def test_is_not_read_again_where_it_was_a_line_before(self) -> None:
        back = [(0, b"hello world\r\nnext"), (3_000, b"."), (90_000, b"\x1b[A"), (93_000, b"\x1b[C"), (96_000, b"")]
        assert self.texts_of(*back) == [(0, "hello world"), (90_000, "next.")]

    def test_is_read_whole_before_another_size_cuts_it(self) -> None:
        typed = [(0, b"hello, a line of text\r\n$ a long line of text"), (1_000, b"")]
        whole = ["hello, a line of text", "$ a long line of text"]
        assert [text for _ms, text in self.texts_of(*typed, size=(10, 6))] == whole
        assert [text for _ms, text in self.texts_of(*typed, size=(60, 3))] == whole


def test_hostile_output_is_bounded() -> None:
    chance = random.Random(7)
    lines: list[Line] = []
    screen = ScreenLines(1_000, 2, lines.append)
    for ms in range(300):
        screen.feed(ms * 100, chance.randbytes(3_000))
        screen.feed(ms * 100, b"\x1b[%dS\x1b[%dL\x1b[2J" % (chance.randrange(99_999), chance.randrange(99_999)))
    screen.finish()
    assert all(2 <= len(line.text) <= MAX_LINE for line in lines)
    assert not any("\n" in line.text or "\r" in line.text for line in lines)


@pytest.mark.parametrize(("name", "value"), [("MOST_LINES", 100), ("MOST_CPU_S", 0.02)])
def test_a_recording_without_end_is_read_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, name: str, value: float
) -> None:
    monkeypatch.setattr(f"postern.contracts.search.lines.{name}", value)
    path = tmp_path / "endless.postern"
    write_recording(path, [(n, OUTPUT, b"line %d\r\n" % n * 50) for n in range(2_000)], cut_after=(500, 1_000, 1_500))
    lines, is_whole = lines_of(path)
    assert not is_whole
    assert lines[0].text == "line 0"
    assert len(lines) < 2_000
    assert not caplog.records


def test_a_recording_with_too_many_pieces_is_indexed_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "long.postern"
    write_recording(path, [(n, OUTPUT, b"line %d\r\n" % n * 50) for n in range(2_000)])
    monkeypatch.setattr("postern.contracts.search.program.MOST_PIECES", 5)
    answer = io.BytesIO()
    with path.open("rb") as file:
        write_frames(file, [], answer, with_grams=False)
    answer.seek(0)
    *pieces, ended = frames(answer)
    assert len(pieces) == 5
    assert isinstance(ended, Ended)
    assert not ended.is_whole
    monkeypatch.setattr("postern.contracts.search.program.MOST_PIECES", 4)
    answer.seek(0)
    with pytest.raises(ReadingFailed):
        list(frames(answer))


def test_a_broken_block_loses_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "broken.postern"
    steps = [(n * 100, OUTPUT, b"line of block %d\r\n" % n + b"\x1b[2J\x1b[H") for n in range(6)]
    write_recording(path, steps, cut_after=(0, 1, 2, 3, 4))
    with path.open("rb") as file:
        place = Recording.open(file).blocks[2]
    damaged = bytearray(path.read_bytes())
    damaged[place.offset + place.length - 5] ^= 0xFF
    path.write_bytes(damaged)
    lines, is_whole = lines_of(path)
    assert not is_whole
    texts = [line.text for line in lines]
    assert [text for text in texts if "block" in text] == [f"line of block {n}" for n in (0, 1, 3, 4, 5)]


@pytest.mark.parametrize("content", [Content.QUERIES, Content.DESKTOP])
def test_other_contents_are_read_by_their_texts(content: Content) -> None:
    name = "queries" if content is Content.QUERIES else "desktop"
    path = Path(__file__).parents[3] / "fixtures" / "recordings" / f"{name}.postern"
    assert path.exists()
    lines, is_whole = lines_of(path)
    assert is_whole
    assert bool(lines) is (content is Content.QUERIES)
