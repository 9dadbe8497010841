"""Spans of time of login ACLs: days, nights across midnight and Sunday, and edges."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postern.apps.authn.login_acls.addresses import contains, is_item, parsed_address
from postern.apps.authn.login_acls.hours import covers

MONDAY = datetime(2026, 11, 23, tzinfo=UTC)


def span(*days: int, start: str, end: str) -> dict[str, Any]:
    return {"days": list(days), "start": start, "end": end}


@pytest.mark.parametrize(
    ("spans", "moment", "is_covered"),
    [
        ([], MONDAY, True),
        ([span(1, start="09:00", end="17:00")], MONDAY.replace(hour=9), True),
        ([span(1, start="09:00", end="17:00")], MONDAY.replace(hour=17), False),
        ([span(2, start="09:00", end="17:00")], MONDAY.replace(hour=10), False),
        ([span(7, start="22:00", end="06:00")], MONDAY.replace(hour=5, minute=59), True),
        ([span(7, start="22:00", end="06:00")], MONDAY.replace(hour=6), False),
        ([span(7, start="22:00", end="06:00")], MONDAY.replace(hour=23), False),
        ([span(1, start="00:00", end="00:00")], MONDAY.replace(hour=23, minute=59), True),
        ([span(1, start="00:00", end="00:00")], MONDAY + timedelta(days=1), False),
        ([span(3, start="09:00", end="17:00"), span(1, start="08:00", end="09:00")], MONDAY.replace(hour=8), True),
    ],
)
def test_span_covers_its_minutes(spans: list[dict[str, Any]], moment: datetime, is_covered: bool) -> None:
    assert covers(spans, moment) is is_covered


@given(st.integers(1, 7), st.integers(0, 1439), st.integers(0, 1439), st.integers(0, 7 * 1440 - 1))
def test_span_is_the_minutes_from_its_start_to_its_end(day: int, start: int, end: int, at: int) -> None:
    def clock(minute: int) -> str:
        return f"{minute // 60:02}:{minute % 60:02}"

    length = (end - start) % 1440 or 1440
    first = (day - 1) * 1440 + start
    expected = (at - first) % (7 * 1440) < length
    assert covers([span(day, start=clock(start), end=clock(end))], MONDAY + timedelta(minutes=at)) is expected


@pytest.mark.parametrize(
    ("item", "address", "is_inside"),
    [
        ("*", "", True),
        ("10.0.0.0/8", "", False),
        ("10.0.0.0/8", "10.255.255.255", True),
        ("10.0.0.7/8", "10.1.1.1", True),
        ("10.0.0.1", "10.0.0.1", True),
        ("10.0.0.1 - 10.0.0.3", "10.0.0.3", True),
        ("10.0.0.1-10.0.0.3", "10.0.0.4", False),
        ("10.0.0.1-10.0.0.3", "::ffff:10.0.0.2", True),
        ("::ffff:10.0.0.1-0::ffff:10.0.0.3", "10.0.0.2", True),
        ("2001:db8::/32", "2001:db8::1", True),
        ("2001:db8::1-2001:db8::9", "10.0.0.1", False),
        ("0.0.0.0/0", "2001:db8::1", False),
        ("nonsense", "10.0.0.1", False),
    ],
)
def test_item_contains_its_addresses(item: str, address: str, is_inside: bool) -> None:
    assert contains(item, parsed_address(address)) is is_inside


def test_only_addresses_networks_and_ranges_are_items() -> None:
    assert all(map(is_item, ["*", "::1", "10.0.0.1", "10.0.0.0/8", "fe80::/10", "1.1.1.1-1.1.1.2"]))
    assert not any(
        map(
            is_item,
            [
                "",
                "**",
                "10.0.0",
                "10.0.0.0/40",
                "1.1.1.2-1.1.1.1",
                "a-b",
                "1.1.1.1-::1",
                "::ffff:10.0.0.1",
                "::FFFF:10.0.0.0/104",
                "0::ffff:10.0.0.0/104",
                "0:0:0:0:0:ffff:a00:1",
            ],
        )
    )
