"""Puzzles as plain values: bounded work, and solutions that are valid for one name and purpose for five minutes."""

from datetime import UTC, datetime, timedelta
from unittest import mock

import pytest

from factories.puzzles import solved
from postern.apps.authn.puzzles import puzzle as puzzles
from postern.apps.authn.puzzles.puzzle import MOST, Purpose, Puzzle, Solution, is_solved, new_puzzle
from postern.kernel import clock

pytestmark = pytest.mark.usefixtures("product_puzzle_cost")

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def solution_of(puzzle: Puzzle) -> Solution:
    answer = solved(
        {"token": puzzle.token, "salt": puzzle.salt, "key": puzzle.key, "rounds": puzzle.rounds, "most": MOST}
    )
    return Solution(**answer)


def test_vectors_shared_with_the_console_match() -> None:
    """The same numbers are in the console's `search.test.ts`."""
    salt = "000102030405060708090a0b0c0d0e0f"
    assert puzzles._key_of(7, salt) == "8fef4d695fbda326cec9462d23e4a649"
    assert puzzles._key_of(1234, salt) == "2240ea2a22754a3c4610356ef8e4d7ac"


@pytest.mark.parametrize("lot", [0, 1_999])
def test_work_has_a_lower_and_an_upper_limit(lot: int) -> None:
    with mock.patch("secrets.randbelow", return_value=lot) as drawn:
        solution = solution_of(new_puzzle(Purpose.SIGN_IN, "ann"))
    assert drawn.call_args.args == (2_000,)
    assert solution.number == 1_000 + lot < MOST


def test_solution_is_valid_for_its_name_and_purpose_until_it_expires() -> None:
    with mock.patch.object(clock, "now", return_value=NOW):
        solution = solution_of(new_puzzle(Purpose.SIGN_IN, "Ann"))
        assert is_solved(solution, Purpose.SIGN_IN, "Ann")
        assert is_solved(solution, Purpose.SIGN_IN, "ann")
        assert not is_solved(solution, Purpose.SIGN_IN, "anne")
        assert not is_solved(solution, Purpose.SIGN_IN, "")
        assert not is_solved(solution, Purpose.FORGOTTEN_PASSWORD, "ann")
    for seconds, fits in ((299, True), (300, False)):
        with mock.patch.object(clock, "now", return_value=NOW + timedelta(seconds=seconds)):
            assert is_solved(solution, Purpose.SIGN_IN, "ann") is fits


def test_names_of_any_length_have_puzzles() -> None:
    name = "名" * 1_024
    assert is_solved(solution_of(new_puzzle(Purpose.SIGN_IN, name)), Purpose.SIGN_IN, name)


def test_puzzles_are_unique() -> None:
    made = [new_puzzle(Purpose.SIGN_IN, "ann") for _ in range(20)]
    assert len({puzzle.token for puzzle in made}) == len({puzzle.salt for puzzle in made}) == 20
