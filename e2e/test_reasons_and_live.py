"""The console explains why a connection is not permitted, and shows running sessions without a refresh."""

import re
import subprocess
from collections.abc import Iterator

import pytest
from browser import Faults, admit, window
from playwright.sync_api import Browser, Page, expect
from product import ADMIN_PASSWORD
from world import ZHANG_PASSWORD, World

#: Polling lists would eventually show what the server should have pushed.
NO_POLLING = """
const every = window.setInterval;
window.setInterval = (work, ms, ...more) => (ms === 5000 ? 0 : every(work, ms, ...more));
"""


def person(browser: Browser, world: World, name: str, password: str) -> Iterator[Page]:
    context = window(browser, locale="en-GB")
    page = context.new_page()
    admit(page, world.product.url, name, password)
    yield page
    context.close()


@pytest.fixture
def admin_page(browser: Browser, world: World) -> Iterator[Page]:
    yield from person(browser, world, "admin", ADMIN_PASSWORD)


@pytest.fixture
def page_of_zhang(browser: Browser, world: World) -> Iterator[Page]:
    yield from person(browser, world, "zhang", ZHANG_PASSWORD)


@pytest.fixture
def lonely(world: World) -> dict[str, str]:
    """An asset without any permission, with one account."""
    return world.new_asset("lonely")


@pytest.fixture
def lively(world: World) -> Iterator[str]:
    """The name of an asset on which only this test opens sessions."""
    with world.asset_of_zhang("lively") as name:
        yield name


def test_connecting_without_a_permission_says_why_and_offers_the_filled_in_form(
    admin_page: Page, world: World, lonely: dict[str, str]
) -> None:
    page, faults = admin_page, Faults()
    faults.watch(page)
    page.goto(f"{world.product.url}/ui/connect?asset={lonely['id']}")
    dialog = page.get_by_role("dialog", name=f"No access to {lonely['name']}")
    expect(dialog.get_by_text(re.compile("No permission (includes|gives)"))).to_be_visible()
    assert faults.found == []
    with page.context.expect_page() as opened:
        dialog.get_by_role("link", name="Create permission").click()
    form = opened.value
    main = form.get_by_role("main")
    expect(main.get_by_text(lonely["name"])).to_be_visible()
    expect(main.get_by_role("button", name="Remove Administrator")).to_be_visible()
    expect(main.get_by_role("button", name="Remove deploy")).to_be_visible()
    main.get_by_role("textbox", name="Name", exact=True).fill(f"admin on {lonely['name']}")
    form.get_by_role("button", name="Save", exact=True).click()
    form.wait_for_url(re.compile("/perms/asset-permissions$"))
    page.goto(f"{world.product.url}/ui/connect?asset={lonely['id']}")
    expect(page.get_by_role("tab", name=lonely["name"])).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_user_without_the_right_to_grant_learns_whom_to_ask_and_nothing_about_the_asset(
    page_of_zhang: Page, world: World, lonely: dict[str, str]
) -> None:
    page = page_of_zhang
    page.goto(f"{world.product.url}/ui/connect?asset={lonely['id']}")
    dialog = page.get_by_role("dialog", name="No access to this asset")
    expect(dialog.get_by_text("Ask for an asset permission: Administrator.")).to_be_visible()
    expect(dialog.get_by_role("link")).to_have_count(0)
    expect(page.get_by_text(lonely["name"])).to_have_count(0)


def test_sessions_appear_are_previewed_beside_the_list_and_vanish_without_a_refresh(
    admin_page: Page, world: World, lively: str
) -> None:
    page, faults = admin_page, Faults()
    faults.watch(page)
    page.add_init_script(NO_POLLING)
    page.goto(f"{world.product.url}/ui/terminal/session")
    main = page.get_by_role("main")
    expect(main.get_by_role("button", name="Refresh")).to_be_visible()
    # Sessions of other tests, on other assets, begin and end meanwhile.
    rows = main.get_by_role("row").filter(has_text=lively)
    expect(rows).to_have_count(0)
    client = subprocess.Popen(
        world.ssh(login=f"zhang@deploy@{lively}", options=("-tt",)),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    with client:
        expect(rows).to_have_count(1)
        rows.first.get_by_role("button", name="Monitor").click()
        preview = page.get_by_role("complementary", name="Session")
        expect(preview.get_by_text("Live, read-only")).to_be_visible()
        expect(rows.first).to_have_attribute("data-current", "true")
        preview.get_by_role("button", name="Terminate").click()
        page.get_by_role("alertdialog").get_by_role("button", name="Terminate 1 session").click()
        expect(rows).to_have_count(0)
        expect(preview.get_by_text(re.compile("[Tt]erminated|administrator")).first).to_be_visible()
        client.terminate()
    assert faults.found == []
