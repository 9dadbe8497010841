"""The lease of a proxy runs only while the control plane could have heard it."""

from postern.apps.sessions.heartbeats import presence


def observe(start: float, seconds: float, *, web: bool = True, step: float = 5.0) -> float:
    """Rounds of the lease check from `start` on; returns what the last one found."""
    found, now = 0.0, start
    while now <= start + seconds:
        if web:
            presence.stamp_web(now)
        found = presence.observed_for_s(now)
        now += step
    return found


def test_observation_grows_while_web_and_worker_are_up() -> None:
    assert observe(1000, 60) >= 45


def test_observation_starts_anew_after_the_web_part_was_away() -> None:
    observe(1000, 60)
    assert observe(1065, 60, web=False) == 0.0
    assert observe(1130, 20) <= 20


def test_observation_starts_anew_after_the_worker_was_away() -> None:
    observe(1000, 60)
    assert observe(1200, 20) <= 20


def test_observation_is_nothing_without_a_web_part() -> None:
    assert presence.observed_for_s(1000) == 0.0
