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
    ],
)
def test_only_the_last_of_lines_that_overwrite_each_other_is_shown(output: bytes, text: str) -> None:
    assert shown(output) == text


def test_one_endless_line_of_a_hostile_host_costs_little() -> None:
    """A regular expression took 18 seconds for it."""
    begun = time.process_time()
    assert len(shown(b"x" * KEPT_BYTES)) == KEPT_BYTES
    assert time.process_time() - begun < 1
