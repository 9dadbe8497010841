"""Which signals ask for the end, and which for the end at once."""

from signal import SIGINT, SIGTERM, Signals

import pytest

from postern.entrypoints.shutdown import StopSignals


@pytest.mark.parametrize(
    ("supervised", "signals", "at_once"),
    [
        (False, [SIGTERM], False),
        (False, [SIGTERM, SIGTERM], True),
        (False, [SIGINT, SIGINT], True),
        (False, [SIGTERM, SIGINT], True),
        (True, [SIGTERM], False),
        (True, [SIGTERM, SIGTERM], False),  # one of the supervisor, one of a service manager
        (True, [SIGTERM, SIGINT], True),
        (True, [SIGINT], False),
    ],
)
async def test_second_stop_signal_asks_for_the_end_at_once(
    supervised: bool, signals: list[Signals], at_once: bool
) -> None:
    taken = StopSignals(supervised=supervised)
    for number in signals:
        taken.take(number)
    assert taken.stopping.is_set()
    assert taken.at_once.is_set() == at_once
