"""Output of commands as a person reads it."""

import time

import pytest

from postern.apps.jobs.batch_commands.showing import KEPT_BYTES, shown


@pytest.mark.parametrize(
    ("output", "text"),
    [
        (b"10%\r50%\r100%\ndone\r\n", "100%\ndone\n"),
        (b"whole line\r\r\nnext", "whole line\nnext"),
        (b"first\rlast\r", "last"),
        ("rm \u202egnp.exe\n".encode(), "rm ⟨U+202E⟩gnp.exe\n"),
        ("a\u2066b\u2069 c\u200bd\ufeff".encode(), "a⟨U+2066⟩b⟨U+2069⟩ c⟨U+200B⟩d⟨U+FEFF⟩"),
        ("one\u2028two".encode(), "one⟨U+2028⟩two"),
        ("\ttab, می\u200cخواهم, 👩\u200d💻, ä 行".encode(), "\ttab, می\u200cخواهم, 👩\u200d💻, ä 行"),
    ],
)
def test_output_is_shown_as_its_reader_would_see_it_on_a_terminal_with_nothing_hidden(output: bytes, text: str) -> None:
    assert shown(output) == text


def test_one_endless_line_of_a_hostile_host_costs_little() -> None:
    """A regular expression took 18 seconds for it."""
    begun = time.process_time()
    assert len(shown(b"x" * KEPT_BYTES)) == KEPT_BYTES
    assert len(shown("\u202e".encode() * (KEPT_BYTES // 3))) == len("⟨U+202E⟩") * (KEPT_BYTES // 3)
    assert time.process_time() - begun < 1
