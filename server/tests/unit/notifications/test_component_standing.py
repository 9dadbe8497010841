"""When the state of a part is told: not at once, not twice, and not at every change of a measure that flaps."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Final

import pytest

from postern.apps.notifications.component_standing import CALM, LASTS, RECOVERY, Standing, is_to_tell, read
from postern.apps.sessions.facade import TerminalStatus

NORMAL, HIGH, CRITICAL, OFFLINE = TerminalStatus
START: Final = datetime(2026, 1, 1, tzinfo=UTC)
EVERY: Final = timedelta(seconds=30)


def told(readings: Sequence[TerminalStatus], every: timedelta = EVERY) -> list[tuple[int, TerminalStatus]]:
    """The messages for these readings: minutes since the start, and what was told."""
    standing = Standing(level=readings[0], since=START)
    messages = []
    for number, level in enumerate(readings):
        now = START + number * every
        standing = read(standing, level, now)
        if is_to_tell(standing, level, now):
            messages.append(((now - START) // timedelta(minutes=1), standing.level))
            standing = Standing(standing.level, standing.since, standing.better_since, standing.level, now)
    return messages


def minutes(number: int, level: TerminalStatus) -> list[TerminalStatus]:
    return [level] * (number * 2)


def test_part_that_works_has_no_message() -> None:
    assert told(minutes(600, NORMAL)) == []


@pytest.mark.parametrize("level", [HIGH, CRITICAL, OFFLINE])
def test_state_that_lasts_is_told_once_and_its_end_too(level: TerminalStatus) -> None:
    lasts = LASTS[level] // timedelta(minutes=1)
    assert told([*minutes(10, NORMAL), *minutes(100, level), *minutes(100, NORMAL)]) == [
        (10 + lasts, level),
        (110 + RECOVERY // timedelta(minutes=1), NORMAL),
    ]


@pytest.mark.parametrize("level", [HIGH, CRITICAL, OFFLINE])
def test_short_peak_has_no_message(level: TerminalStatus) -> None:
    peak = [level] * ((LASTS[level] - EVERY) // EVERY)
    assert told([*minutes(10, NORMAL), *peak, *minutes(100, NORMAL)]) == []


def test_worse_state_is_told_in_the_calm_period_and_a_better_one_after_it() -> None:
    story = [*minutes(5, HIGH), *minutes(5, CRITICAL), *minutes(10, HIGH), *minutes(60, NORMAL)]
    assert told(story) == [(2, HIGH), (7, CRITICAL), (7 + CALM // timedelta(minutes=1), NORMAL)]


@pytest.mark.parametrize("steps", [1, 3, 7, 15, 40])
def test_flapping_causes_no_storm(steps: int) -> None:
    """A day in which a measure crosses its threshold every few readings."""
    day = timedelta(days=1) // EVERY
    readings = [CRITICAL if (number // steps) % 2 else NORMAL for number in range(day)]
    messages = told(readings)
    assert len(messages) <= 2 * (timedelta(days=1) / (CALM + LASTS[CRITICAL])) + 1
    if steps in {1, 3, 7, 15}:  # it never works for long enough to count as working
        assert [level for _minute, level in messages] == [CRITICAL]


@pytest.mark.parametrize("seed", range(20))
def test_any_course_has_few_messages_and_no_two_of_the_same_state(seed: int) -> None:
    source = random.Random(seed)
    readings: list[TerminalStatus] = []
    while len(readings) < 2880:
        readings += [source.choice(tuple(TerminalStatus))] * source.randrange(1, 60)
    messages = told(readings)
    assert all(first[1] is not second[1] for first, second in pairwise(messages))
    for minute, level in messages:
        window = [other for other in messages if minute <= other[0] < minute + 30]
        assert len(window) <= 4, (level, window)


def test_gap_between_readings_is_no_reason_for_a_message() -> None:
    """The worker was away: the first reading afterwards starts anew for a state that it had not seen."""
    assert told([NORMAL, OFFLINE, NORMAL, NORMAL], every=timedelta(hours=2)) == []
