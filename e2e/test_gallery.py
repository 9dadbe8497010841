"""The gallery: every component of the console in every state, checked by the accessibility rules in both themes and
narrow.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
from accessibility import Requests, at_rest, axe_findings
from browser import window
from dev_console import development_console
from playwright.sync_api import Browser, Locator, Page, expect

WIDTHS: Final = (1440, 390, 320)
#: Components that open over the page: their button, and the role of what opens.
OPENERS: Final = (
    ("Menu", "menu"),
    ("Popover", "group"),
    ("Dialog", "dialog"),
    ("Drawer", "dialog"),
    ("Confirm", "alertdialog"),
    ("Create plan", "dialog"),
    ("Choose Expires", "dialog"),
    ("Time range", "dialog"),
)
#: Records everything that moves or fades over time. `window.__moved` has the names.
WITNESS: Final = """
window.__moved = [];
document.addEventListener('transitionrun', (event) => window.__moved.push(event.propertyName));
for (const kind of ['animationend', 'animationiteration'])
  document.addEventListener(kind, (event) => event.elapsedTime > 0 && window.__moved.push(event.animationName));
"""


@pytest.fixture(scope="module")
def gallery(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the gallery on a development server, which needs no running Postern."""
    log = tmp_path_factory.mktemp("gallery") / "vite.log"
    with development_console("http://127.0.0.1:9", log) as server:
        address = f"{server}/ui/__gallery"
        # The server bundles packages on first use, and reloads the page when it discovers more.
        page = window(browser).new_page()
        with Requests(page) as requests:
            show(page, address, "light", "en")
            requests.complete()
        page.context.close()
        yield address


def opened(browser: Browser, address: str, theme: str, language: str, **options: Any) -> Page:
    page = window(browser, **options).new_page()
    show(page, address, theme, language)
    return page


def show(page: Page, address: str, theme: str, language: str) -> None:
    page.add_init_script(f"localStorage.theme = '{theme}'; localStorage.lang = '{language}'")
    page.goto(address)
    # The last component to appear: rows of a generic table.
    expect(page.get_by_text("plan-01").first).to_be_visible()


def overlays(page: Page) -> Iterator[tuple[str, Locator]]:
    """Open each overlay in turn, yield it, and close it."""
    for opener, role in OPENERS:
        page.get_by_role("button", name=opener, exact=True).first.click()
        overlay = page.get_by_role(role, name="Popover") if role == "group" else page.get_by_role(role)
        expect(overlay.first).to_be_visible()
        yield opener, overlay.first
        page.keyboard.press("Escape")
        expect(overlay).to_have_count(0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_component_meets_the_accessibility_rules_idle_and_open(
    browser: Browser, gallery: str, theme: str
) -> None:
    page = opened(browser, gallery, theme, "en")
    expect(page.locator("html")).to_have_attribute("data-theme", theme)
    page.get_by_role("button", name="Check", exact=True).click()
    page.get_by_role("button", name="Server error").click()
    expect(page.get_by_text("Refused by the server")).to_be_visible()
    page.get_by_role("button", name="Error toast").click()
    expect(page.get_by_text("2 assets failed")).to_be_visible()
    wrong = axe_findings(page)
    for opener, overlay in overlays(page):
        wrong += [f"{opener}: {finding}" for finding in axe_findings(page, overlay)]
    assert wrong == []


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_nothing_moves_for_users_who_prefer_reduced_motion(browser: Browser, gallery: str, motion: str) -> None:
    page = opened(browser, gallery, "light", "en", reduced_motion=motion)
    page.evaluate(WITNESS)
    page.get_by_role("button", name="Error toast").click()
    expect(page.get_by_text("2 assets failed")).to_be_visible()
    for _ in overlays(page):
        at_rest(page)
    moved = set(page.evaluate("window.__moved"))
    if motion == "reduce":
        assert moved == set()
    else:
        assert moved & {"pt-rise", "pt-fade"}, moved


def test_only_tables_scroll_sideways(browser: Browser, gallery: str) -> None:
    page = opened(browser, gallery, "light", "cn")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        at_rest(page)
        beyond = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert beyond <= 0, f"{beyond} px too wide at {width} px"


def test_tooltips_are_available_by_keyboard(browser: Browser, gallery: str) -> None:
    page = opened(browser, gallery, "light", "en")
    page.get_by_role("button", name="Popover").focus()
    page.keyboard.press("Tab")
    tip = page.get_by_text("Tooltip (Delete)", exact=True)
    expect(tip).to_be_visible()
    page.keyboard.press("Escape")
    expect(tip).to_have_count(0)


def test_dates_can_be_chosen_by_keyboard_alone(browser: Browser, gallery: str) -> None:
    page = opened(browser, gallery, "light", "en")
    expires = page.get_by_label("Expires", exact=True).first
    expires.focus()
    page.keyboard.press("Alt+ArrowDown")
    calendar = page.get_by_role("dialog", name="Choose Expires")
    day = page.locator(":focus")
    expect(day).to_have_accessible_name(re.compile("November 20, 2026"))
    page.keyboard.press("PageDown")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(day).to_have_accessible_name(re.compile("December 19, 2026 selected"))
    page.keyboard.press("Tab")
    expect(calendar.get_by_label("Time")).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(calendar).to_have_count(0)
    expect(expires).to_have_value("2026-12-19 16:45")
    expect(expires).to_be_focused()

    page.get_by_role("button", name="Time range").focus()
    page.keyboard.press("Enter")
    span = page.get_by_role("dialog", name="Time range")
    expect(day).to_have_accessible_name(re.compile("November 3, 2026"))
    page.keyboard.press("Escape")
    expect(span).to_have_count(0)
    expect(page.get_by_label("From", exact=True)).to_have_value("2026-11-03 00:00")
