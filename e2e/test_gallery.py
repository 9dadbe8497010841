"""The gallery: every part of the console in every state, held to the accessibility rules in both themes and narrow."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from browser import chromium
from playwright.sync_api import Browser, Locator, Page, expect
from product import free_port, wait_until
from test_console_crawl import AXE, RULES

CONSOLE: Final = Path(__file__).resolve().parent.parent / "console"
WIDTHS: Final = (1440, 390, 320)


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the gallery on a development server, which needs no Postern behind it."""
    port = free_port()
    cache = tmp_path_factory.mktemp("gallery")
    log = cache / "vite.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [
                "node_modules/.bin/vite",
                "--host",
                "127.0.0.1",
                "--port",
                str(port),
                "--strictPort",
            ],
            cwd=CONSOLE,
            env={**os.environ, "POSTERN_DEV_TARGET": "http://127.0.0.1:9"},
            stdout=output,
            stderr=output,
        )
    address = f"http://127.0.0.1:{port}/ui/__gallery"

    def answers() -> bool:
        try:
            with urlopen(address, timeout=5) as answer:
                return bool(answer.status == 200)
        except (URLError, OSError):
            return False

    try:
        wait_until(answers, timeout_s=60, message=f"the development server, see {log}")
        yield address
    finally:
        server.terminate()
        server.wait(timeout=20)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


def opened(browser: Browser, address: str, theme: str, language: str, width: int = 1440) -> Page:
    page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
    page.set_default_timeout(60_000)
    page.add_init_script(f"localStorage.theme = '{theme}'; localStorage.lang = '{language}'")
    page.goto(address)
    # The last part to come: rows of a generic table.
    expect(page.get_by_text("plan-01").first).to_be_visible(timeout=60_000)
    return page


def axe_findings(page: Page, part: Locator | None = None) -> list[str]:
    """What the accessibility rules find in a part, by default on the whole page."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text())
    run = "(part, rules) => axe.run(part, {runOnly: rules, resultTypes: ['violations']})"
    if part is None:
        result = page.evaluate(f"rules => ({run})(document, rules)", RULES)
    else:
        # Rules about the page as a whole say nothing about a part of it.
        result = part.evaluate(run, [rule for rule in RULES if rule != "best-practice"])
    return [f"{found['id']}: {found['nodes'][0]['html'][:160]}" for found in result["violations"]]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_part_meets_the_accessibility_rules_at_rest_and_open(browser: Browser, gallery: str, theme: str) -> None:
    page = opened(browser, gallery, theme, "en")
    assert page.locator("html").get_attribute("data-theme") == theme
    page.get_by_role("button", name="Check", exact=True).click()
    page.get_by_role("button", name="Server error").click()
    expect(page.get_by_text("Refused by the server")).to_be_visible()
    page.get_by_role("button", name="Error toast").click()
    expect(page.get_by_text("2 assets failed")).to_be_visible()
    wrong = axe_findings(page)
    for opener, role in (
        ("Menu", "menu"),
        ("Popover", "group"),
        ("Dialog", "dialog"),
        ("Drawer", "dialog"),
        ("Confirm", "alertdialog"),
        ("Create plan", "dialog"),
    ):
        page.get_by_role("button", name=opener, exact=True).first.click()
        overlay = page.get_by_role(role, name="Popover") if role == "group" else page.get_by_role(role)
        expect(overlay.first).to_be_visible()
        wrong += [f"{opener}: {one}" for one in axe_findings(page, overlay.first)]
        page.keyboard.press("Escape")
        expect(overlay).to_have_count(0)
    assert wrong == []


def test_nothing_but_tables_scrolls_sideways(browser: Browser, gallery: str) -> None:
    page = opened(browser, gallery, "light", "cn")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        beyond = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert beyond <= 0, f"{beyond} px too wide at {width} px"


def test_tooltips_come_to_the_keyboard_too(browser: Browser, gallery: str) -> None:
    page = opened(browser, gallery, "light", "en")
    page.get_by_role("button", name="Popover").focus()
    page.keyboard.press("Tab")
    tip = page.get_by_text("Tooltip (Delete)", exact=True)
    expect(tip).to_be_visible(timeout=20_000)
    page.keyboard.press("Escape")
    expect(tip).to_have_count(0)
