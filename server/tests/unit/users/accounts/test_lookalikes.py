"""Usernames that look alike have one skeleton, and names that mix scripts are detected."""

import pytest

from postern.apps.users.accounts.lookalikes import scripts_mixed_in, skeleton_of
from postern.apps.users.accounts.models import username_key

#: Cyrillic, Greek, Armenian and mathematical letters, and full width.
LIKE_OTHERS = [
    ("аре", "ape"), ("сор", "cop"), ("ѕаѕ", "sas"), ("νο", "vo"), ("օ", "o"), ("ａｄｍｉｎ", "admin"), ("𝒶dmin", "admin"),
]  # fmt: skip
DISTINCT = [
    ("wang1", "wangl"), ("modern", "rnodern"), ("o0", "oo"), ("张伟", "张纬"), ("zoë", "zoe"), ("мария", "марина"), ("己", "已"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "other"), LIKE_OTHERS)
def test_letters_that_look_alike_have_one_skeleton(name: str, other: str) -> None:
    assert skeleton_of(username_key(name)) == skeleton_of(username_key(other))


@pytest.mark.parametrize(("name", "other"), DISTINCT)
def test_names_that_people_tell_apart_stay_distinct(name: str, other: str) -> None:
    assert skeleton_of(username_key(name)) != skeleton_of(username_key(other))


@pytest.mark.parametrize("name", ["ann", "wang王", "田中ようこ", "kim김", "мария-1", "αλέξης", "zoë.k", "علي٢", "देव"])
def test_scripts_that_are_written_together_are_not_mixed(name: str) -> None:
    assert scripts_mixed_in(name) == ()


def test_mixed_scripts_are_named() -> None:
    assert scripts_mixed_in("аdmin") == ("Cyrillic", "Latin")
    assert scripts_mixed_in("王α") == ("Greek", "Han")
