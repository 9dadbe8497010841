import pytest
from hypothesis import given
from hypothesis import strategies as st

from postern.apps.perms.grants import action_names
from postern.contracts.enums import Actions


@pytest.mark.spec("S6-061", "S6-062", "S6-063")
def test_to_names_lists_every_name_whose_bits_are_set() -> None:
    assert action_names.to_names(7) == ["connect", "upload_file", "download_file", "updownload"]
    assert action_names.to_names(25) == ["connect", "clipboard_copy", "clipboard_paste", "clipboard_copy_paste"]
    assert [*action_names.to_names(255), "forward"] == list(action_names.ACTION_NAMES)
    assert action_names.to_names(511) == list(action_names.ACTION_NAMES)
    assert action_names.to_names(0) == []


def test_from_names_of_an_unknown_name_is_an_error() -> None:
    assert action_names.from_names(["connect", "updownload"]) == Actions(7)
    with pytest.raises(KeyError):
        action_names.from_names(["connect", "root"])


def test_all_does_not_include_port_forwarding() -> None:
    assert action_names.from_names(["all"]) == Actions(255)
    assert action_names.from_names(["all", "forward"]) == Actions(511)
    assert action_names.to_names(257) == ["connect", "forward"]


@given(st.lists(st.sampled_from(sorted(action_names.ACTION_NAMES))))
def test_names_round_trip(names: list[str]) -> None:
    bits = action_names.from_names(names)
    assert action_names.from_names(action_names.to_names(bits)) == bits
