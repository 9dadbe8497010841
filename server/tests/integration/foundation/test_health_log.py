"""Log messages about the health of the parts."""

import logging

import pytest

from postern.foundation.parts import health
from postern.kernel.errors import Unavailable


def test_log_warns_of_a_failing_part_and_not_of_one_that_is_still_starting(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = False

    def check() -> None:
        if not answers:
            raise Unavailable("it does not answer")

    def logged() -> list[tuple[int, str]]:
        caplog.clear()
        with health.CHECKS.replaced({"probe": check}):
            health.examine()
            health.examine()
        return [(record.levelno, record.message) for record in caplog.records if record.name == health.__name__]

    with caplog.at_level(logging.INFO):
        assert logged() == [(logging.INFO, "probe is not up yet: Unavailable")]
        answers = True
        assert logged() == [(logging.INFO, "probe is up")]
        answers = False
        assert logged() == [(logging.WARNING, "probe is not healthy: Unavailable")]
        answers = True
        assert logged() == [(logging.INFO, "probe is healthy again")]
