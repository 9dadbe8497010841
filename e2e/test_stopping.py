"""Stopping Postern with live sessions: users are told, get their time, and everything is recorded to its end."""

import os
import signal
import time
from pathlib import Path

import pytest
from product import Product, wait_until
from test_ssh_story import Terminal
from world import TargetHost, World, build_world

SECONDS = 12


@pytest.fixture
def stoppable(tmp_path: Path, host: TargetHost) -> World:
    """A separate Postern that the test stops. Its default language is English."""
    product = Product(tmp_path / "home", POSTERN_LANGUAGE="en", POSTERN_SHUTDOWN_SECONDS=str(SECONDS)).start()
    people = tmp_path / "people"
    people.mkdir()
    world = build_world(product, people, host)
    world.zhang().patch("/api/v1/users/profile/", {"language": ""})
    return world


def no_locale(argv: list[str]) -> list[str]:
    return ["env", "-u", "LANG", "-u", "LC_ALL", "-u", "LC_MESSAGES", *argv]


def opened(world: World) -> tuple[Terminal, str]:
    """Return a shell in use, and the id of its session."""
    before = {row["id"] for row in world.sessions()}
    terminal = Terminal(no_locale(world.ssh(options=("-tt",))))
    terminal.shows("$" if os.geteuid() else "#")
    terminal.type("echo before-$((40+2))\r")
    terminal.shows("before-42")

    def active() -> str:
        return next((str(r["id"]) for r in world.sessions() if r["id"] not in before and r["state"] == "active"), "")

    return terminal, wait_until(active, message="an active session")


def stopped_within(product: Product, terminal: Terminal, seconds: float) -> None:
    """Wait until both have ended. Meanwhile read the terminal, as a user would."""
    assert product.process is not None
    terminal.ends(seconds)
    assert product.process.wait(seconds) == 0, product.new_log()
    product.started.remove(product)


def test_shutdown_warns_sessions_and_menu_grants_the_time_and_completes_the_records(stoppable: World) -> None:
    world, product = stoppable, stoppable.product
    assert product.process is not None
    menu = Terminal(no_locale(world.ssh(login="zhang", options=("-tt",))))
    menu.shows("asset> ")
    terminal, first = opened(world)
    begun = time.monotonic()
    product.process.send_signal(signal.SIGTERM)
    terminal.shows(f"may go on for {SECONDS} seconds")
    menu.shows("The service is shutting down. Please connect again in a moment.")
    assert menu.ends(10) == 255
    terminal.type("echo meanwhile-$((40+2))\r")
    terminal.shows("meanwhile-42")
    terminal.shows("The service is shutting down. Please connect again in a moment.")
    assert time.monotonic() - begun >= SECONDS - 1
    stopped_within(product, terminal, 60)

    product.start()
    terminal, second = opened(world)
    product.process.send_signal(signal.SIGINT)
    terminal.shows(f"may go on for {SECONDS} seconds")
    told_at_s = time.monotonic()
    product.process.send_signal(signal.SIGINT)
    terminal.shows("The service is shutting down. Please connect again in a moment.")
    assert time.monotonic() - told_at_s < SECONDS / 2, "the second signal ended nothing"
    stopped_within(product, terminal, 60)

    product.start()
    try:
        for session_id in (first, second):
            row = world.admin.get(f"/api/v1/terminal/sessions/{session_id}/")
            assert (row["is_finished"], row["end_reason"]) == (True, "drained")

            def playable(of: str = session_id) -> bool:
                row = world.admin.get(f"/api/v1/terminal/sessions/{of}/")
                return row["recording_state"] == "sealed" and bool(row["can_replay"])

            wait_until(playable, message="the sealed recording")
        replay = world.admin.get(f"/api/v1/terminal/sessions/{first}/replay/")
        assert "meanwhile-42" in world.admin.call("GET", replay["cast_url"]).body
    finally:
        product.stop()
