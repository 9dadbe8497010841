"""Everything by keyboard alone, and on a screen that is zoomed or narrow."""

from collections.abc import Iterator

import pytest
from accessibility import axe_findings, settled
from browser import Faults, window
from playwright.sync_api import Browser, Locator, Page, expect
from product import ADMIN_PASSWORD
from world import World

MOST_STEPS = 120


@pytest.fixture
def page(browser: Browser, world: World) -> Iterator[Page]:
    """The administrator, signed in without touching a mouse."""
    context = window(browser)
    page = context.new_page()
    faults = Faults()
    faults.watch(page)
    page.goto(f"{world.product.url}/ui/login")
    tab_to(page, page.get_by_label("Username"))
    page.keyboard.type("admin")
    tab_to(page, page.get_by_label("Password", exact=True))
    page.keyboard.type(ADMIN_PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(lambda address: "/login" not in address)
    yield page
    context.close()
    assert faults.found == []


def tab_to(page: Page, target: Locator, key: str = "Tab") -> None:
    """Press a key until the target has the focus, and see that the focus shows."""
    target.first.wait_for()
    for _ in range(MOST_STEPS):
        if target.first.evaluate("element => element === document.activeElement"):
            outline = target.first.evaluate(
                "e => { const s = getComputedStyle(e); return s.outlineStyle !== 'none' || s.boxShadow !== 'none'"
                " || getComputedStyle(e.parentElement).outlineStyle !== 'none'"
                " || getComputedStyle(e.parentElement).boxShadow !== 'none'; }"
            )
            assert outline, f"the focus on {target} does not show"
            return
        page.keyboard.press(key)
    raise AssertionError(f"{target} is out of the keyboard's reach")


def press(page: Page, target: Locator, key: str = "Enter") -> None:
    tab_to(page, target)
    page.keyboard.press(key)


def test_group_is_made_changed_and_deleted_by_keyboard(world: World, page: Page) -> None:
    settled(page, f"{world.product.url}/ui/users/groups")
    press(page, page.get_by_role("link", name="Create"))
    page.wait_for_url("**/users/groups/create")
    tab_to(page, page.get_by_label("Name"))
    page.keyboard.type("By keyboard")
    press(page, page.get_by_role("button", name="Save", exact=True))
    page.wait_for_url(lambda address: address.rstrip("/").endswith("/users/groups"))
    row = page.get_by_role("row", name="By keyboard")
    press(page, row.get_by_role("button").last)  # the row's menu
    menu = page.get_by_role("menu")
    menu.wait_for()
    tab_to(page, menu.get_by_role("menuitem", name="Delete"), key="ArrowDown")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("alertdialog").or_(page.get_by_role("dialog"))
    dialog.wait_for()
    expect(dialog).to_contain_text("By keyboard")
    page.keyboard.press("Escape")  # cancelled: the focus is back where it came from
    dialog.wait_for(state="hidden")
    expect(row.get_by_role("button").last).to_be_focused()
    page.keyboard.press("Enter")
    tab_to(page, menu.get_by_role("menuitem", name="Delete"), key="ArrowDown")
    page.keyboard.press("Enter")
    press(page, dialog.get_by_role("button", name="Delete"))
    row.wait_for(state="detached")


def test_first_tab_skips_to_the_content(world: World, page: Page) -> None:
    settled(page, f"{world.product.url}/ui/users/users")
    # From the very top of the document: a page that was opened starts at its heading.
    page.evaluate("document.body.tabIndex = -1; document.body.focus()")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('main').contains(document.activeElement)")


def test_failed_form_leads_to_the_first_fault(world: World, page: Page) -> None:
    settled(page, f"{world.product.url}/ui/users/users/create")
    press(page, page.get_by_role("button", name="Save", exact=True))
    expect(page.get_by_role("textbox", name="Name").first).to_be_focused()
    assert axe_findings(page) == []
