"""Recordings of neither a terminal nor a program, on the page of their session."""

from pathlib import Path
from subprocess import run

import pytest
from browser import Faults, admit, window
from playwright.sync_api import Browser, Page, Route, expect
from product import wait_until
from world import AUDITOR_PASSWORD, World

RECORDINGS = Path(__file__).resolve().parents[1] / "server" / "tests" / "fixtures" / "recordings"
NOT_PLAYABLE = {"en": "This recording cannot be played here yet", "zh-hans": "此录像暂时无法在此播放"}


def recorded_session(world: World) -> str:
    """An ended session with a sealed recording."""
    before = {row["id"] for row in world.sessions()}
    run(world.ssh("true"), check=True)

    def sealed() -> str | None:
        new = (row for row in world.sessions(is_finished="1") if row["id"] not in before)
        return next((row["id"] for row in new if row["recording_state"] == "sealed" and row["can_replay"]), None)

    return wait_until(sealed, message="a sealed recording")


def serve_instead(page: Page, world: World, session: str, name: str) -> None:
    """Serve a recording from the fixtures to the page, because no proxy of this version creates one."""
    source = world.admin.get(f"/api/v1/terminal/sessions/{session}/replay/")["src"].partition("?")[0]
    body = (RECORDINGS / f"{name}.postern").read_bytes()

    def answer(route: Route) -> None:
        route.fulfill(status=200, body=body, content_type="application/octet-stream")

    page.route(lambda url: source in url, answer)


@pytest.mark.parametrize(
    ("language", "scheme", "width"), [("en", "light", 1440), ("zh-hans", "dark", 1440), ("en", "dark", 320)]
)
def test_recording_of_a_desktop_says_that_it_cannot_be_played_yet(
    browser: Browser, world: World, tmp_path: Path, language: str, scheme: str, width: int
) -> None:
    faults = Faults()
    context = window(browser, color_scheme=scheme, viewport={"width": width, "height": 900})
    page = context.new_page()
    faults.watch(page)
    session = recorded_session(world)
    serve_instead(page, world, session, "desktop")
    admit(page, world.product.url, "auditor", AUDITOR_PASSWORD)
    context.add_cookies([{"name": "django_language", "value": language, "url": world.product.url}])
    page.goto(f"{world.product.url}/ui/terminal/sessions/{session}")
    heading = page.get_by_role("heading", name=NOT_PLAYABLE[language])
    expect(heading).to_be_visible()
    assert (heading.bounding_box() or {"width": width + 1})["width"] <= width
    page.screenshot(path=str(tmp_path / "desktop.png"))
    context.close()
    assert faults.found == []


def test_recording_of_queries_plays_to_its_end(browser: Browser, world: World, tmp_path: Path) -> None:
    faults = Faults()
    context = window(browser)
    page = context.new_page()
    faults.watch(page)
    session = recorded_session(world)
    serve_instead(page, world, session, "queries")
    admit(page, world.product.url, "auditor", AUDITOR_PASSWORD)
    page.goto(f"{world.product.url}/ui/terminal/sessions/{session}")
    expect(page.get_by_text("no terminal")).to_be_visible()
    expect(page.get_by_text("00:03").first).to_be_visible()
    expect(page.get_by_role("button", name="Play")).to_be_visible()  # the replay has reached its end
    page.screenshot(path=str(tmp_path / "queries.png"))
    context.close()
    assert faults.found == []
