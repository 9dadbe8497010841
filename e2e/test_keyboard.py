"""Everything by keyboard alone, also on a zoomed or narrow screen."""

import re
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
    yield from at_the_keys(browser, world, Faults())


@pytest.fixture
def refused_page(browser: Browser, world: World) -> Iterator[Page]:
    """As above, but rows are refused on purpose."""
    yield from at_the_keys(browser, world, Faults(frozenset({400})))


def at_the_keys(browser: Browser, world: World, faults: Faults) -> Iterator[Page]:
    """The administrator, signed in by keyboard only."""
    context = window(browser)
    page = context.new_page()
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
    """Press a key until the target has the focus, and check that the focus is visible."""
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


def test_group_is_created_changed_and_deleted_by_keyboard(world: World, page: Page) -> None:
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


def test_file_is_imported_and_a_refused_row_corrected_by_keyboard(world: World, refused_page: Page) -> None:
    page = refused_page
    groups = "/api/v1/users/groups/"
    world.admin.post(groups, {"name": "keys-taken"})
    settled(page, f"{world.product.url}/ui/users/groups")

    press(page, page.get_by_role("button", name="Import and export"))
    menu = page.get_by_role("menu")
    tab_to(page, menu.get_by_role("menuitem", name="Import"), key="ArrowDown")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Import user groups")
    dialog.wait_for()
    tab_to(page, dialog.get_by_role("button", name="Choose file"))
    with page.expect_file_chooser() as chooser:
        page.evaluate("0")  # answered after the page requested file choosers, which a mere key press can overtake
        page.keyboard.press("Enter")
    rows = "*Name,Comment\nkeys-1,first\nkeys-taken,second\nkeys-3,third\n"
    chooser.value.set_files({"name": "groups.csv", "mimeType": "text/csv", "buffer": rows.encode()})

    failed = dialog.get_by_role("button", name="Name, row 2: keys-taken (failed)")
    failed.wait_for()
    # The focus is still in the dialog, so nothing has to be searched from the start of the page.
    assert dialog.evaluate("dialog => dialog.contains(document.activeElement)")
    press(page, failed)
    expect(dialog.get_by_role("textbox", name="Name, row 2")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("keys-2")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("row", name=re.compile("^2 "))).to_contain_text("Will be created")
    assert dialog.evaluate("dialog => dialog.contains(document.activeElement)")

    press(page, dialog.get_by_role("button", name="Import", exact=True))
    finished = dialog.get_by_role("button", name="Finished")
    finished.wait_for()
    assert dialog.evaluate("dialog => dialog.contains(document.activeElement)")
    press(page, finished)
    dialog.wait_for(state="detached")
    expect(page.get_by_role("button", name="Import and export")).to_be_focused()
    made = {row["name"]: row["comment"] for row in world.admin.get(f"{groups}?search=keys-")}
    assert made == {"keys-taken": "", "keys-1": "first", "keys-2": "second", "keys-3": "third"}


def test_first_tab_skips_to_the_content(world: World, page: Page) -> None:
    settled(page, f"{world.product.url}/ui/users/users")
    # From the top of the document, because an opened page starts at its heading.
    page.evaluate("document.body.tabIndex = -1; document.body.focus()")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('main').contains(document.activeElement)")


def test_failed_form_moves_the_focus_to_the_first_error(world: World, page: Page) -> None:
    settled(page, f"{world.product.url}/ui/users/users/create")
    press(page, page.get_by_role("button", name="Save", exact=True))
    expect(page.get_by_role("textbox", name="Name").first).to_be_focused()
    assert axe_findings(page) == []
