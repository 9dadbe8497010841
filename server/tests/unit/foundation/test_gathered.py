"""Repeated requests for the same work are gathered into one round. Rounds do not overlap, and no request is lost."""

import threading
import time

from postern.foundation.bus import gathered
from postern.foundation.bus.gathered import Gathered

ASK = Gathered.ask  # conftest.py replaces it with an immediate call


def test_hundred_requests_make_at_most_two_rounds() -> None:
    rounds: list[frozenset[int]] = []
    work: Gathered[int] = Gathered("test", rounds.append)
    for number in range(100):
        ASK(work, number % 7)
    work.wait()
    assert len(rounds) <= 2
    assert frozenset().union(*rounds) == frozenset(range(7))


def test_request_during_a_round_is_done_in_the_next_round_although_the_first_fails() -> None:
    began, go_on = threading.Event(), threading.Event()
    rounds: list[frozenset[str]] = []

    def do(keys: frozenset[str]) -> None:
        rounds.append(keys)
        began.set()
        assert go_on.wait(60)
        raise RuntimeError("as expected by this test")

    work: Gathered[str] = Gathered("test", do)
    ASK(work, "early")
    assert began.wait(60)
    ASK(work, "late")
    go_on.set()
    work.wait()
    assert rounds == [frozenset({"early"}), frozenset({"late"})]
    time.sleep(gathered.GATHER_S)
    assert not any(thread.name == "test" for thread in threading.enumerate()), "idle costs no thread"
