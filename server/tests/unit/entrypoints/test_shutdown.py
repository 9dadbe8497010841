"""Which signals request an orderly stop, and which an immediate stop."""

import asyncio
import os
import signal
from signal import SIGHUP, SIGINT, SIGTERM, Signals

import pytest

from postern.entrypoints.shutdown import PROXY_ENDS_S, PROXY_STOP_S, StopSignals
from postern.entrypoints.up import parts
from postern.foundation.settings import Settings
from postern.proxies.core.parts import budget as module
from postern.proxies.core.parts.budget import StopBudget


@pytest.mark.parametrize(
    ("supervised", "signals", "at_once"),
    [
        (False, [SIGTERM], False),
        (False, [SIGTERM, SIGTERM], True),
        (False, [SIGINT, SIGINT], True),
        (False, [SIGTERM, SIGINT], True),
        (True, [SIGTERM], False),
        (True, [SIGTERM, SIGTERM], False),  # one from the supervisor, one from a service manager
        (True, [SIGTERM, SIGINT], True),
        (True, [SIGINT], False),
        (False, [SIGHUP], False),
        (False, [SIGHUP, SIGHUP], False),  # when a terminal is closed, the shell and the kernel each send one
        (False, [SIGHUP, SIGTERM], True),
    ],
)
async def test_second_stop_signal_requests_an_immediate_stop(
    supervised: bool, signals: list[Signals], at_once: bool
) -> None:
    taken = StopSignals(supervised=supervised)
    for number in signals:
        taken.take(number)
    assert taken.stopping.is_set()
    assert taken.at_once.is_set() == at_once


def test_stop_steps_of_the_proxy_share_one_budget_that_ends_before_the_supervisor_kills(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s = 100.0
    monkeypatch.setattr(module, "monotonic_s", lambda: now_s)
    budget = StopBudget(PROXY_ENDS_S)
    now_s += 1000  # the budget starts with the first step, not while sessions may still finish
    whole_s = budget.left()
    assert 0 < whole_s <= PROXY_STOP_S - 3  # the rest is for closing the listeners and for the end of the process

    assert budget.left(keep_s=6) == whole_s - 6
    now_s += 5
    assert budget.left() == whole_s - 5
    now_s += 100
    assert budget.left() == budget.left(keep_s=6) == 0


def test_supervisor_gives_the_proxy_more_time_than_its_stop_budget() -> None:
    settings = Settings.load({"POSTERN_HOME": "/nowhere"})
    (proxy,) = (part for part in parts(settings, reload=False) if part.name == "proxy")
    assert proxy.stop_timeout_s == PROXY_STOP_S


async def test_closed_terminal_requests_an_orderly_stop() -> None:
    taken = StopSignals(supervised=False)
    former = signal.signal(SIGHUP, signal.SIG_DFL)  # the test runner may ignore SIGHUP
    taken.listen(asyncio.get_running_loop())
    try:
        os.kill(os.getpid(), SIGHUP)
        await asyncio.wait_for(taken.stopping.wait(), 10)
    finally:
        for number in (SIGTERM, SIGINT, SIGHUP):
            asyncio.get_running_loop().remove_signal_handler(number)
        signal.signal(SIGHUP, former)
    assert not taken.at_once.is_set()
