"""The text of recordings: every line once and in order, whatever the terminal did with it."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from postern.contracts.recording.format import INPUT, OUTPUT, RESIZE, SIZE
from postern.contracts.recording.reader import Recording
from postern.contracts.transcript.text import iter_text
from unit.contracts.recording.golden import FIXTURES, Step, write_recording

HEAD_LINES = 5


def text_of(path: Path, *, times: bool = False) -> list[str]:
    """The lines of the text without its head."""
    with path.open("rb") as file:
        text = "".join(iter_text(Recording.open(file), times=times))
    assert text.endswith("\n")
    return text.removesuffix("\n").split("\n")[HEAD_LINES:]


def lines_in(tmp_path: Path, steps: list[Step], *, times: bool = False, **form: object) -> list[str]:
    path = tmp_path / "text.postern"
    write_recording(path, steps, **form)  # type: ignore[arg-type]
    return text_of(path, times=times)


def shown(*output: bytes) -> list[Step]:
    return [(place * 1_000, OUTPUT, data) for place, data in enumerate(output)]


@pytest.mark.parametrize("seed", range(20))
def test_lines_of_any_length_cut_anywhere_come_once_and_in_order(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    alphabet = "abc 中文é|/"
    lines = [
        "".join(dice.choices(alphabet, k=dice.choice((0, 3, 40, 79, 80, 81, 160, 400)))).rstrip() for _ in range(150)
    ]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    data = "".join(f"{line}\r\n" for line in lines).encode()
    steps: list[Step] = []
    while data:
        size = dice.choice((1, 7, 100, 3_000))
        steps.append((len(steps), OUTPUT, data[:size]))
        data = data[size:]
    cuts = tuple(sorted(dice.sample(range(len(steps)), min(4, len(steps)))))
    assert lines_in(tmp_path, steps, cut_after=cuts) == lines


def test_a_full_screen_program_stands_between_the_lines_around_it(tmp_path: Path) -> None:
    steps = shown(
        b"$ ls\r\nnotes\r\n$ less notes\r\n",
        b"\x1b[?1049h\x1b[Hfirst page\r\n:",
        b"\x1b[?1049l$ echo same\r\nsame\r\nsame\r\n",
    )
    assert lines_in(tmp_path, steps) == [
        "$ ls", "notes", "$ less notes", "first page", ":", "$ echo same", "same", "same",
    ]  # fmt: skip


def test_what_stands_below_a_full_screen_program_is_not_repeated_when_it_scrolls_off(tmp_path: Path) -> None:
    flood = b"".join(b"%d\r\n" % number for number in range(60))
    lines = lines_in(
        tmp_path, shown(b"before\r\n", b"\x1b[?1049hpage\x1b[?1049l", b"\x1b[?1049hpage\x1b[?1049l", flood)
    )
    assert lines == ["before", "page", "page", *map(str, range(60))]


def test_a_recording_that_ends_in_a_full_screen_program_has_the_screen_below(tmp_path: Path) -> None:
    assert lines_in(tmp_path, shown(b"$ vi\r\n", b"\x1b[?1049h\x1b[Hin vi")) == ["$ vi", "in vi"]


def test_a_cleared_screen_is_kept_and_equal_lines_after_it_too(tmp_path: Path) -> None:
    steps = shown(b"$ one\r\n", b"\x1b[H\x1b[2J$ one\r\n", b"\x1b[H\x1b[J$ one\r\n", b"\x1bc$ one")
    assert lines_in(tmp_path, steps) == ["$ one"] * 4


def test_redrawing_shells_add_no_blank_lines(tmp_path: Path) -> None:
    """zsh erases the rest of the screen before each prompt."""
    prompt = b"\x1b[7m%\x1b[27m" + b" " * 79 + b"\r \r\r\x1b[J$ "
    steps = shown(prompt, b"true\r\n" + prompt, b"echo x\r\nx\r\n" + prompt)
    assert lines_in(tmp_path, steps) == ["$ true", "$ echo x", "x", "$"]


def test_edited_lines_are_written_as_they_were_executed(tmp_path: Path) -> None:
    assert lines_in(tmp_path, shown(b"$ sl\b\bls\x1b[K\r\nfile\r\n")) == ["$ ls", "file"]


def test_blank_lines_between_texts_are_kept(tmp_path: Path) -> None:
    assert lines_in(tmp_path, shown(b"a\r\n\r\n\r\nb\r\n\r\n")) == ["a", "", "", "b"]


def test_another_size_loses_nothing_and_repeats_nothing(tmp_path: Path) -> None:
    steps: list[Step] = [
        (0, OUTPUT, b"w" * 60 + b"\r\n" + b"".join(b"line %d\r\n" % number for number in range(20)) + b"$ "),
        (1, RESIZE, SIZE.pack(20, 5)),
        (2, OUTPUT, b"id\r\n"),
        (3, RESIZE, SIZE.pack(80, 24)),
        (4, OUTPUT, b"end"),
    ]
    assert lines_in(tmp_path, steps) == ["w" * 60, *(f"line {number}" for number in range(20)), "$ id", "end"]


def test_colours_titles_and_bells_leave_no_trace(tmp_path: Path) -> None:
    assert lines_in(tmp_path, shown(b"\x1b]0;title\x07\x1b[31mred\x1b[0m\x07\r\n")) == ["red"]


def test_typed_keys_are_not_in_the_text_of_a_terminal(tmp_path: Path) -> None:
    assert lines_in(tmp_path, [(0, OUTPUT, b"Password:"), (1, INPUT, b"hunter2\r"), (2, OUTPUT, b"\r\nok")]) == [
        "Password:", "ok",
    ]  # fmt: skip


def test_other_charsets(tmp_path: Path) -> None:
    data = "中文 text\r\n".encode("gb18030")
    assert lines_in(tmp_path, shown(data[:1], data[1:]), charset="gb18030") == ["中文 text"]


def test_times_are_those_at_which_a_line_began(tmp_path: Path) -> None:
    steps: list[Step] = [
        (1_000, OUTPUT, b"$ slee"),
        (5_000, OUTPUT, b"p 9\r\n"),
        (3_725_000, OUTPUT, b"\r\nlate " + b"x" * 100),
    ]
    assert lines_in(tmp_path, steps, times=True) == ["[00:00:01] $ sleep 9", "", "[01:02:05] late " + "x" * 100]


@pytest.mark.parametrize("sizes", [[(120, 24)], [(80, 3), (80, 24)], [(40, 24), (80, 24)]])
def test_times_are_right_after_a_change_of_size(tmp_path: Path, sizes: list[tuple[int, int]]) -> None:
    steps: list[Step] = [(0, OUTPUT, b"$ ")]
    steps += [(500 + place, RESIZE, SIZE.pack(*size)) for place, size in enumerate(sizes)]
    steps += [(600, OUTPUT, b"\a"), (3_600_000, OUTPUT, b"slept\r\n$ reboot\r\nbye")]
    assert lines_in(tmp_path, steps, times=True) == ["[00:00:00] $ slept", "[01:00:00] $ reboot", "[01:00:00] bye"]


def test_time_of_a_row_that_was_erased_is_that_of_its_new_text(tmp_path: Path) -> None:
    steps: list[Step] = [(0, OUTPUT, b"waiting"), (3_600_000, OUTPUT, b"\r\x1b[Kdone\r\n")]
    assert lines_in(tmp_path, steps, times=True) == ["[01:00:00] done"]


def test_rows_below_the_cursor_are_kept_when_the_window_shrinks(tmp_path: Path) -> None:
    steps: list[Step] = [(0, OUTPUT, b"a\r\nb\r\nc\r\nd\r\ne\r\nf\x1b[2A"), (1, RESIZE, SIZE.pack(80, 2))]
    steps.append((2, OUTPUT, b"\r\nend"))
    assert lines_in(tmp_path, steps, rows=6) == ["a", "b", "c", "e", "f", "d", "end"]


def test_another_size_in_a_full_screen_program_repeats_nothing_below_it(tmp_path: Path) -> None:
    steps: list[Step] = [
        (0, OUTPUT, b"one\r\ntwo\r\n$ vim\r\n"),
        (1, OUTPUT, b"\x1b[?1049h\x1b[Hpage1\r\npage2\r\n"),
        (2, RESIZE, SIZE.pack(100, 30)),
        (3, OUTPUT, b"\x1b[?1049l$ x\r\n"),
    ]
    assert lines_in(tmp_path, steps) == ["one", "two", "$ vim", "page1", "page2", "$ x"]


def test_many_blank_lines_are_counted(tmp_path: Path) -> None:
    steps: list[Step] = [(0, OUTPUT, b"a\r\n"), *((at, OUTPUT, b"\r\n" * 1_000) for at in range(3)), (4, OUTPUT, b"b")]
    assert lines_in(tmp_path, steps) == ["a", "[3,000 blank lines]", "b"]


def test_the_direction_of_a_text_cannot_be_changed(tmp_path: Path) -> None:
    (line,) = lines_in(tmp_path, shown("a \u202eb\u2066c".encode()))
    assert not {"\u202e", "\u2066"} & set(line)


def test_a_program_without_a_terminal_has_all_its_texts() -> None:
    lines = text_of(FIXTURES / "program.postern")
    assert lines[:6] == ["make all && cat 映像", "compiling", "linking", "warning: 1", "warning: 2", "yes"]


def test_a_broken_block_is_named_and_the_rest_is_there(tmp_path: Path) -> None:
    path = tmp_path / "broken.postern"
    write_recording(path, shown(b"one\r\n", b"two\r\n", b"three\r\n"), cut_after=(0, 1))
    with path.open("rb") as file:
        place = Recording.open(file).blocks[1]
    damaged = bytearray(path.read_bytes())
    damaged[place.offset + place.length - 5] ^= 0xFF
    path.write_bytes(damaged)
    lines = text_of(path)
    assert lines[:2] == ["one", "[A damaged part of the recording is missing here.]"]
    assert lines[-1] == "three"


def test_an_endless_line_is_written_in_parts(tmp_path: Path) -> None:
    steps = [(at, OUTPUT, b"x" * 50_000) for at in range(10)]
    lines = lines_in(tmp_path, steps, cut_after=tuple(range(10)))
    assert "".join(lines) == "x" * 500_000
    assert max(map(len, lines)) < 10_000


@pytest.mark.parametrize("seed", range(5))
def test_hostile_output_never_stops_it(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    parts = (
        b"\x1b[?1049h",
        b"\x1b[?1049l",
        b"\x1bc",
        b"\x1b[2J",
        b"\x1b[99;99H",
        b"\x1b[3;5r",
        b"\x1b[L",
        b"\x1b[M",
        b"x" * 200,
        b"\n",
    )
    steps: list[Step] = []
    for at in range(400):
        size = SIZE.pack(dice.randrange(1, 200), dice.randrange(1, 60))
        steps.append((at, RESIZE, size) if dice.random() < 0.1 else (at, OUTPUT, dice.choice(parts)))
    steps.append((400, OUTPUT, b"\x1bcthe end"))
    assert lines_in(tmp_path, steps)[-1] == "the end"


def test_the_program_says_when_a_file_is_no_recording(tmp_path: Path) -> None:
    (tmp_path / "nothing").write_bytes(b"nothing")
    for name, status, words in (
        ("nothing", 3, b"cannot be read"),
        (FIXTURES / "shell.postern", 0, b"[00:00:02] total 12"),
    ):
        with (tmp_path / name).open("rb") as file:
            done = subprocess.run(
                [sys.executable, "-I", "-m", "postern.contracts.transcript.program", "times"],
                stdin=file, capture_output=True, check=False,
            )  # fmt: skip
        assert (done.returncode, words in done.stdout) == (status, True)
