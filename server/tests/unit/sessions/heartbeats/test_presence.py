"""The lease of a proxy runs only while the control plane could have received its heartbeats."""

from postern.apps.sessions.heartbeats import presence


def observe(start: float, seconds: float, *, web: bool = True, step: float = 5.0) -> float:
    """Run the lease check for `seconds` from `start`; returns the last observed time in seconds."""
    observed_s, now = 0.0, start
    while now <= start + seconds:
        if web:
            presence.stamp_web(now)
        observed_s = presence.observed_for_s(now)
        now += step
    return observed_s


def test_observed_time_grows_while_web_and_worker_are_up() -> None:
    assert observe(1000, 60) >= 45


def test_observed_time_restarts_after_the_web_part_was_down() -> None:
    observe(1000, 60)
    assert observe(1065, 60, web=False) == 0.0
    assert observe(1130, 20) <= 20


def test_observed_time_restarts_after_the_worker_was_down() -> None:
    observe(1000, 60)
    assert observe(1200, 20) <= 20


def test_observed_time_is_zero_without_a_web_part() -> None:
    assert presence.observed_for_s(1000) == 0.0
