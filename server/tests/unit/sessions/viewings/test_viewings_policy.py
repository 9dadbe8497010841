"""The rules of playing a recording: byte ranges."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postern.apps.sessions.viewings import policy


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bytes=0-9", (0, 9)),
        ("bytes=90-", (90, 99)),
        ("bytes=90-1000", (90, 99)),
        ("bytes=-10", (90, 99)),
        ("bytes=-1000", (0, 99)),
        ("bytes=-0", None),
        ("bytes=100-", None),
        ("bytes=9-0", None),
        ("bytes=0-1,5-6", None),
        ("lines=0-9", None),
        ("bytes=a-b", None),
    ],
)
def test_byte_range_is_satisfied_or_refused(text: str, expected: tuple[int, int] | None) -> None:
    assert policy.parse_byte_range(text, 100) == expected


@given(st.text(max_size=40), st.integers(min_value=0, max_value=10_000))
def test_accepted_range_always_lies_inside_the_file(text: str, size: int) -> None:
    byte_range = policy.parse_byte_range(f"bytes={text}", size)
    assert byte_range is None or 0 <= byte_range[0] <= byte_range[1] < size
