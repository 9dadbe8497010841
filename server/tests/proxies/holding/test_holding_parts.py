"""The parts of the gate without sockets: keystrokes, the line of the keys, sentences."""

import string

import pytest

from postern.contracts.command_control import CommandAction, CommandDecision
from postern.kernel.command_control.verdict import Reason
from postern.proxies.core.holding.edited_line import EditedLine
from postern.proxies.core.holding.keystrokes import KeystrokeReader, Stroke
from postern.proxies.core.holding.texts import Text, refusal

RUNS = [
    b"\r", b"\n", b"\x1bOM", b"\x1b[27;5;13~", b"\x1b[27;2;13~", b"\x1b[27;5;106~", b"\x1b[13u", b"\x1b[13;5u",
    b"\x1b[13;2:1u", b"\x1b[57414u", b"\x1b[106;5u", b"\x1b[109;5u",
]  # fmt: skip


@pytest.mark.parametrize("key", RUNS)
def test_key_that_runs_a_line_is_recognised_wherever_it_is_cut(key: bytes) -> None:
    for cut in range(len(key)):
        reader = KeystrokeReader()
        strokes = [stroke for part in (b"ls" + key[:cut], key[cut:]) for stroke, _rest in reader.read(part) if part]
        assert strokes[-1].kind is Stroke.RUN
        assert b"".join(stroke.data for stroke in strokes) == b"ls" + key, "each byte once"


def test_bytes_behind_a_key_are_returned_with_it() -> None:
    first = [(stroke.kind, rest) for stroke, rest in KeystrokeReader().read(b"a\rb\x1b[A\r")]
    assert first == [
        (Stroke.TEXT, b"\rb\x1b[A\r"), (Stroke.RUN, b"b\x1b[A\r"), (Stroke.TEXT, b"\x1b[A\r"),
        (Stroke.SEQUENCE, b"\r"), (Stroke.RUN, b""),
    ]  # fmt: skip


def line_of(keys: bytes) -> EditedLine:
    line = EditedLine("utf8")
    for stroke, _rest in KeystrokeReader().read(keys):
        line.take(stroke)
    return line


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (b"ouch x\x01t\x05!", "touch x!"),
        (b"abc\x1b[D\x1b[D\x7fZ\x1b[3~", "Zc"),
        (b"one two\x17three", "one three"),
        (b"kill me\x15other", "other"),
        (b"ab\x01\x0b\x19\x19", "abab"),
        ("中文x\x7f".encode(), "中文"),
        (b"a\x1b[Ib\x1b[200~ c\x1b[201~", "ab c"),
        (b"word\x1b[A", None),
        (b"com\t", None),
        (b"a\x16\x03"[:2], None),
        (b"a/b;c\x17", None),
    ],
)
def test_line_of_the_keys_is_known_or_said_to_be_unknown(keys: bytes, text: str | None) -> None:
    assert line_of(keys).text == text


def test_echo_of_the_terminal_driver_is_told_from_that_of_a_line_editor() -> None:
    line = line_of(b"x\x7fab \x1b[A\x01")
    assert line.is_raw_echo(b"x\x08 \x08ab ^[[A^A")
    assert not line.is_raw_echo(b"ab \r\x1b[Kprompt$ older line")
    assert "ab" not in repr(line)


@pytest.mark.parametrize("text", list(Text), ids=lambda text: text.name)
def test_sentence_has_both_languages_with_the_same_placeholders(text: Text) -> None:
    chinese, english = text.value
    fields = [{name for _, name, _, _ in string.Formatter().parse(value) if name} for value in (chinese, english)]
    assert fields[0] == fields[1]
    assert any("\u4e00" <= character <= "\u9fff" for character in chinese)


@pytest.mark.parametrize(
    "reason", ["", "unreadable", "not_recorded", "invalid_rules", *(known.value for known in Reason)]
)
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_every_refusal_has_a_sentence(reason: str, language: str) -> None:
    for action in (CommandAction.DENY, CommandAction.CONFIRM):
        assert refusal(CommandDecision(action=action, reason=reason), language)
