"""`Provided` places, which the composition root fills."""

import pytest

from postern.foundation.provided import Provided


def test_empty_place_raises_an_error() -> None:
    with pytest.raises(LookupError, match="the lock-out of account names was not provided"):
        _ = Provided[int]("the lock-out of account names").value


def test_none_is_a_valid_value() -> None:
    place = Provided[None]("nothing much")
    place.provide(None)
    assert place.value is None


def test_temporary_value_is_replaced_by_the_one_before() -> None:
    place = Provided[int]("a number")
    place.provide(1)
    with place.replaced(2):
        assert place.value == 2
    assert place.value == 1
    place.provide(3)
    assert place.value == 3
