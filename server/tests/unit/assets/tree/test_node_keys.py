import pytest
from hypothesis import given
from hypothesis import strategies as st

from postern.apps.assets.tree import node_keys

keys = st.lists(st.integers(min_value=0, max_value=120), min_size=1, max_size=8).map(
    lambda parts: ":".join(map(str, parts))
)


def test_ancestors_are_listed_from_the_root() -> None:
    assert node_keys.ancestors_of("1:0:12:3") == ["1", "1:0", "1:0:12"]
    assert node_keys.ancestors_of("1") == []


@pytest.mark.parametrize(("key", "parent"), [("1", None), ("1:0", "1"), ("12:0:3", "12:0")])
def test_parent_of_key(key: str, parent: str | None) -> None:
    assert node_keys.parent_of(key) == parent


def test_is_within_does_not_take_a_text_prefix_for_an_ancestor() -> None:
    assert node_keys.is_within("1:1", "1:1")
    assert node_keys.is_within("1:1:0", "1:1")
    assert not node_keys.is_within("1:10", "1:1")
    assert not node_keys.is_within("11", "1")


@pytest.mark.parametrize("text", ["", ":", "1:", ":1", "a", "1:a", "1::2", "１", "1 ", "-1", "1:" * 300 + "1"])
def test_is_key_refuses_invalid_keys(text: str) -> None:
    assert not node_keys.is_key(text)


def test_rebased_of_a_key_outside_the_subtree_is_an_error() -> None:
    with pytest.raises(ValueError, match="is not below"):
        node_keys.rebased("1:10", "1:1", "1:2")


@given(keys, keys)
def test_rebased_keeps_the_path_below_the_base(key: str, new_base: str) -> None:
    for base in [*node_keys.ancestors_of(key), key]:
        moved = node_keys.rebased(key, base, new_base)
        assert node_keys.is_within(moved, new_base)
        assert node_keys.rebased(moved, new_base, base) == key


@given(st.lists(keys, max_size=30))
def test_sort_puts_every_parent_before_its_children(items: list[str]) -> None:
    ordered = sorted(items, key=node_keys.sort_key)
    for position, key in enumerate(ordered):
        assert not any(key != later and node_keys.is_within(key, later) for later in ordered[position:])


@given(st.lists(keys, max_size=30))
def test_topmost_covers_every_key_exactly_once(items: list[str]) -> None:
    top_keys = node_keys.topmost(items)
    assert all(sum(node_keys.is_within(key, top) for top in top_keys) == 1 for key in items)
    assert all(node_keys.depth_of(key) == len(node_keys.ancestors_of(key)) + 1 for key in items)
