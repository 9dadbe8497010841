"""Events that a handler gets once for a write."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from postern.foundation.bus import events


@dataclass(frozen=True)
class Bound:
    number: int


@dataclass(frozen=True)
class Placed:
    number: int


@pytest.fixture
def calls() -> list[list[object]]:
    return []


@pytest.fixture
def partners(calls: list[list[object]]) -> dict[type, events.Subscription]:
    def handle(happened: Sequence[object]) -> None:
        calls.append(list(happened))

    return {one.event_type: one for one in events.once_for_a_write((Bound, Placed), handle)}


def publish(partners: dict[type, events.Subscription], *happened: object) -> None:
    for event in happened:
        partners[type(event)].handle(event)


def test_handler_gets_all_events_of_a_write_at_its_end(
    partners: dict[type, events.Subscription], calls: list[list[object]]
) -> None:
    with events.gathering():
        publish(partners, Bound(1), Placed(2))
        with events.gathering():
            publish(partners, Bound(3))
        assert calls == []
    assert calls == [[Bound(1), Placed(2), Bound(3)]]


def test_events_of_a_part_that_failed_are_dropped(
    partners: dict[type, events.Subscription], calls: list[list[object]]
) -> None:
    def fail(number: int) -> None:
        with events.gathering():
            publish(partners, Bound(number))
            raise LookupError

    with events.gathering():
        publish(partners, Bound(1))
        with pytest.raises(LookupError):
            fail(2)
    assert calls == [[Bound(1)]]
    with pytest.raises(LookupError):
        fail(3)
    assert calls == [[Bound(1)]]


def test_outside_of_a_write_each_event_is_handled_at_once(
    partners: dict[type, events.Subscription], calls: list[list[object]]
) -> None:
    publish(partners, Bound(1), Placed(2))
    assert calls == [[Bound(1)], [Placed(2)]]
