"""Work that is asked for many times is done once, one round at a time, and nothing that is asked for is forgotten."""

import threading
import time

from postern.foundation.bus import gathered
from postern.foundation.bus.gathered import Gathered

ASK = Gathered.ask  # the tests' surroundings replace it with a call at once


def test_hundred_calls_make_one_round() -> None:
    rounds: list[frozenset[int]] = []
    work: Gathered[int] = Gathered("test", rounds.append)
    for number in range(100):
        ASK(work, number % 7)
    work.wait()
    assert len(rounds) <= 2
    assert frozenset().union(*rounds) == frozenset(range(7))


def test_what_is_asked_while_the_work_runs_is_done_after_it_and_a_failure_stops_nothing() -> None:
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
