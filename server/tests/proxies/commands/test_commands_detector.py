"""The detector alone: split echoes, limits, floods and hostile output."""

import random
import time

import pytest

from postern.contracts.enums import CommandKind
from postern.proxies.core.commands import CommandDetector, DetectedCommand
from postern.proxies.core.commands.keys import Key, KeyReader
from postern.proxies.core.commands.plain_text import plain_text
from timing import soon
from unit.contracts.vt.vt_fuzz import fragment


def detector() -> tuple[CommandDetector, list[DetectedCommand]]:
    commands: list[DetectedCommand] = []
    return CommandDetector(80, 24, commands.append), commands


def enter(subject: CommandDetector, line: str, *, at_ms: int = 0) -> None:
    for character in line:
        subject.user_input(character.encode(), at_ms)
        subject.target_output(character.encode(), at_ms)
    subject.user_input(b"\r", at_ms)


def test_echo_split_over_packets_is_reassembled() -> None:
    subject, commands = detector()
    subject.target_output(b"$ ", 0)
    subject.user_input("ls 中\r".encode(), 5)
    for byte in "ls 中\r\n".encode():
        subject.target_output(bytes([byte]), 6)
    subject.target_output(b"file\r\n$ ", 7)
    subject.user_input(b"x", 9)
    assert commands == [DetectedCommand(CommandKind.ECHO, "ls 中", "file", 5)]


def test_enter_on_an_empty_line_is_no_command() -> None:
    subject, commands = detector()
    subject.target_output(b"$ ", 0)
    for _ in range(3):
        subject.user_input(b"\r", 1)
        subject.target_output(b"\r\n$ ", 2)
    subject.close()
    assert commands == []


def test_return_without_line_feed_keeps_the_line_open() -> None:
    subject, commands = detector()
    subject.target_output(b"$ ", 0)
    enter(subject, "top")
    subject.target_output(b"\r", 1)
    assert commands == []
    subject.target_output(b"\n", 1)
    subject.close()
    assert [entry.input for entry in commands] == ["top"]


def test_line_beyond_its_budget_is_unknown() -> None:
    subject, commands = detector()
    subject.target_output(b"$ ", 0)
    subject.user_input(b"y", 0)
    for _ in range(100):
        subject.target_output(b"z" * 1000, 0)
    subject.user_input(b"\r", 1)
    subject.target_output(b"\r\n", 1)
    subject.close()
    assert [(entry.kind, entry.input) for entry in commands] == [(CommandKind.UNKNOWN, "")]


def test_output_switching_modes_cannot_switch_detection_off() -> None:
    subject, commands = detector()
    subject.target_output(b"$ \x1b[?2004h", 0)
    enter(subject, "evil")
    subject.target_output(b"\r\nno end of the editor's mode\r\n$ ", 1)
    enter(subject, "second", at_ms=2000)
    subject.target_output(b"\r\n$ ", 2001)
    enter(subject, "third", at_ms=4000)
    subject.target_output(b"\r\n", 4001)
    subject.close()
    assert [entry.input for entry in commands] == ["evil", "second", "third"]


def test_long_command_is_reported_before_it_ends() -> None:
    subject, commands = detector()
    subject.target_output(b"$ ", 0)
    enter(subject, "tail -f log")
    subject.target_output(b"\r\nline\r\n", 1)
    assert commands == []
    subject.tick(5000)
    assert [(entry.input, entry.output) for entry in commands] == [("tail -f log", "line")]


def test_flood_costs_next_to_nothing() -> None:
    subject, _ = detector()
    subject.target_output(b"$ ", 0)
    enter(subject, "yes")
    subject.target_output(b"\r\n", 0)
    data = b"\x1b[32my\x1b[0m\r\n" * 400

    def seconds_for_a_megabyte() -> float:
        start = time.process_time()
        for _ in range(2000):
            subject.target_output(data, 1)
        return (time.process_time() - start) / (2000 * len(data) / 1e6)

    soon(seconds_for_a_megabyte, 0.02)  # emulation would take 0.2 s


def test_idle_and_alternate_floods_are_not_buffered() -> None:
    subject, _ = detector()
    subject.target_output(b"\x1b[?1049h", 0)
    for _ in range(100):
        subject.target_output(b"x" * 100_000, 0)
    assert subject._alternate is not None
    assert len(subject._alternate._waiting) <= 128 * 1024
    subject.user_input(b"a\r", 1)
    subject.target_output(b"\x1b[?1049l", 1)
    for _ in range(100):
        subject.target_output(b"x" * 100_000, 0)
    assert len(subject._tail._data) <= 64 * 1024


@pytest.mark.parametrize("seed", range(15))
def test_k43_random_traffic_never_raises(seed: int) -> None:
    source = random.Random(seed)
    subject, commands = detector()
    keys = (
        b"a",
        b"\r",
        b"\x1b[A",
        b"\x7f",
        b"\x03",
        b"\x15",
        b"\t",
        b"\x1b[200~",
        b"\x1b[201~",
        b"\x1b",
        b"\xe4\xb8",
        b"\n",
    )
    for step in range(3000):
        if source.random() < 0.4:
            subject.user_input(source.choice(keys) * source.randint(1, 3), step * source.randint(1, 50))
        else:
            subject.target_output(fragment(source), step * 20)
        if step % 200 == 0:
            subject.resize(source.randint(0, 100), source.randint(0, 40))
    subject.close()
    assert all(len(entry.output) <= 4096 for entry in commands)


def test_paste_of_many_lines_is_bounded() -> None:
    subject, commands = detector()
    subject.target_output(b"$ ", 0)
    start = time.process_time()
    for _ in range(200):
        subject.user_input(b"some pasted line\r" * 1000, 1)
    assert time.process_time() - start < 5
    assert len(subject._ahead) <= 1000
    subject.close()
    assert len(commands) <= 2


def test_keys_are_split_and_terminal_reports_ignored() -> None:
    reader = KeyReader()
    assert list(reader.read(b"ab\x1b[A\x1bOB\x1bx\r\x7f\t")) == [
        (Key.TEXT, "ab"), (Key.EDIT, ""), (Key.EDIT, ""), (Key.EDIT, ""), (Key.ENTER, ""), (Key.BACK, ""), (Key.EDIT, ""),
    ]  # fmt: skip
    assert list(reader.read(b"\x1b[?1;2c\x1b[10;5R\x1b[<0;1;1M\x1b]11;rgb:0/0/0\x07\x1b[I")) == []
    assert list(reader.read(b"\x1b[200~a\rb")) == [(Key.TEXT, "a"), (Key.TEXT, "\n"), (Key.TEXT, "b")]
    assert list(reader.read(b"\x1b[20")) == []
    assert list(reader.read(b"1~\r")) == [(Key.ENTER, "")]


def test_plain_text_is_the_text_that_remains_visible() -> None:
    assert plain_text(b"\x1b]0;t\x07\x1b[1;31mred\x1b[0m\r\n10%\r100%\r\nab\b\bxy\x00\xff") == "red\n100%\nxy\ufffd"


def test_line_typed_before_its_prompt_is_detected_when_the_editor_draws_it() -> None:
    subject, commands = detector()
    subject.target_output(b"$ \x1b[?2004h", 0)
    enter(subject, "first")
    subject.target_output(b"\r\n\x1b[?2004l\r", 1)
    subject.user_input(b"\x03", 2)
    subject.user_input(b"exit\r", 3)
    subject.target_output(b"^C\r\n", 4)
    subject.target_output(b"\x1b[?2004h$ exit\r\n\x1b[?2004l\r", 5)
    subject.user_input(b"\x1b[A\r", 6)
    subject.target_output(b"^[[A\r\nend\r\n", 7)
    subject.target_output(b"\x1b[?2004h$ recalled\r\n\x1b[?2004l\r", 8)
    subject.close()
    assert [entry.input for entry in commands] == ["first", "exit", "recalled"]


def test_hidden_line_typed_ahead_is_recorded_without_text() -> None:
    subject, commands = detector()
    subject.target_output(b"working\r\n", 0)
    subject.user_input(b"s3cret-word\r", 1)
    subject.target_output(b"Password: \r\nwelcome\r\n", 2)
    subject.close()
    assert [(entry.kind, entry.input) for entry in commands] == [(CommandKind.HIDDEN, "")]
