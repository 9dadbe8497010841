"""What the log says of the health of the parts."""

import logging

import pytest

from postern.foundation.parts import health
from postern.kernel.errors import Unavailable


def test_log_warns_of_a_part_that_fails_and_not_of_one_that_has_not_come_up_yet(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = False

    def check() -> None:
        if not answers:
            raise Unavailable("it does not answer")

    def told() -> list[tuple[int, str]]:
        caplog.clear()
        with health.CHECKS.replaced({"probe": check}):
            health.examine()
            health.examine()
        return [(record.levelno, record.message) for record in caplog.records if record.name == health.__name__]

    with caplog.at_level(logging.INFO):
        assert told() == [(logging.INFO, "probe is not up yet: Unavailable")]
        answers = True
        assert told() == [(logging.INFO, "probe is up")]
        answers = False
        assert told() == [(logging.WARNING, "probe is not healthy: Unavailable")]
        answers = True
        assert told() == [(logging.INFO, "probe is healthy again")]
