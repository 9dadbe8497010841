"""The administrator's console in Chromium: fixtures of a signed-in browser, and actions that its screens share."""

import re
import uuid
from collections.abc import Iterator
from typing import Final

import pytest
from browser import Faults, admit, window
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect
from product import ADMIN_PASSWORD, Product

PASSWORD: Final = "meadow-Copper-signal-58"


@pytest.fixture(scope="module")
def signed_in(product: Product, browser: Browser) -> Iterator[BrowserContext]:
    """A browser in which the administrator is signed in."""
    context = window(browser)
    page = context.new_page()
    admit(page, product.url, "admin", ADMIN_PASSWORD)
    page.close()
    yield context
    context.close()


@pytest.fixture
def page(signed_in: BrowserContext) -> Iterator[Page]:
    """A tab of the administrator. The test fails on any page error."""
    tab = signed_in.new_page()
    faults = Faults()
    faults.watch(tab)
    yield tab
    tab.close()
    assert faults.found == []


@pytest.fixture(scope="module")
def objects(product: Product) -> dict[str, str]:
    """One object of each kind, created through the API. Their ids replace the braces in the addresses below."""
    api, mark = product.api(), uuid.uuid4().hex[:6]
    user = {
        "name": f"Routes {mark}",
        "username": f"routes-{mark}",
        "email": f"routes-{mark}@example.invalid",
    }
    asset = {
        "hostname": f"routes-{mark}",
        "ip": "192.0.2.9",
        "platform": "Linux",
        "number": "A-7",
    }
    account = {
        "name": f"routes-{mark}",
        "username": "deploy",
        "protocol": "ssh",
        "password": PASSWORD,
    }
    return {
        "system_user": api.post("/api/v1/assets/system-users/", account)["id"],
        "user": api.post(
            "/api/v1/users/users/",
            {**user, "password_strategy": "custom", "password": PASSWORD},
        )["id"],
        "group": api.post("/api/v1/users/groups/", {"name": f"routes-{mark}"})["id"],
        "asset": api.post("/api/v1/assets/assets/", asset)["id"],
        "label": api.post("/api/v1/assets/labels/", {"name": "routes", "value": mark})["id"],
    }


def text(page: Page, label: str) -> Locator:
    """Return a text field of the form."""
    return page.get_by_role("main").get_by_role("textbox", name=label, exact=True)


def pick(scope: Page | Locator, field: str, option: str) -> None:
    """Choose in a remote select."""
    scope.get_by_role("combobox", name=field, exact=True).fill(option)
    page = scope if isinstance(scope, Page) else scope.page
    offered = page.get_by_role("option", name=re.compile(re.escape(option))).first
    offered.wait_for()
    options = page.get_by_role("listbox")
    several = options.get_attribute("aria-multiselectable") == "true"
    offered.click()
    if several:  # stays open for the next choice
        page.keyboard.press("Escape")
    expect(options).to_have_count(0)


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()


def row_of(page: Page, name: str) -> Locator:
    return page.get_by_role("row").filter(has_text=name)


def listed(page: Page, name: str | re.Pattern[str], *, exact: bool = False) -> Locator:
    """Return links of the page itself, not of the views that the shell keeps open."""
    return page.get_by_role("main").get_by_role("link", name=name, exact=exact)


def choose_rows(page: Page, *names: str) -> Locator:
    """Select rows and return the bar of bulk actions."""
    for name in names:
        page.get_by_role("checkbox", name=f"Select {name}").check()
    bar = page.get_by_role("region", name="Actions for the selection")
    expect(bar.get_by_role("status")).to_contain_text(f"{len(names)} selected")
    return bar


def more(page: Page, name: str, action: str) -> None:
    """Open an entry of a row's menu."""
    page.get_by_role("button", name=f"Actions of {name}").click()
    page.get_by_role("menuitem", name=action).click()
