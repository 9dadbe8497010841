"""The rules of recording uploads: content ranges."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postern.apps.sessions.recordings import policy


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bytes 0-9/100", policy.Part(0, 9, 100)),
        ("bytes 99-99/100", policy.Part(99, 99, 100)),
        ("bytes 0-100/100", None),
        ("bytes 5-4/100", None),
        ("bytes 0-9/*", None),
        ("bytes 0-9", None),
        ("items 0-9/100", None),
        ("bytes -9/100", None),
        ("bytes ٠-٩/100", None),
        ("bytes 0-9/2000", None),
        ("", None),
    ],
)
def test_content_range_is_parsed_or_refused(text: str, expected: policy.Part | None) -> None:
    assert policy.parse_content_range(text, max_total=1000) == expected


@given(st.text(max_size=40), st.integers(min_value=0, max_value=10_000))
def test_accepted_part_always_lies_inside_the_file(text: str, size: int) -> None:
    part = policy.parse_content_range(f"bytes {text}", max_total=size)
    assert part is None or (0 <= part.first <= part.last < part.total <= size)
