"""Places that the composition root fills."""

import pytest

from postern.foundation.provided import Provided


def test_place_that_is_empty_raises_instead_of_allowing() -> None:
    with pytest.raises(LookupError, match="nobody provides the lock-out of account names"):
        _ = Provided[int]("the lock-out of account names").value


def test_none_is_a_value_like_any_other() -> None:
    place = Provided[None]("nothing much")
    place.provide(None)
    assert place.value is None


def test_value_of_a_while_gives_way_to_the_one_before() -> None:
    place = Provided[int]("a number")
    place.provide(1)
    with place.replaced(2):
        assert place.value == 2
    assert place.value == 1
    place.provide(3)
    assert place.value == 3
