"""An administrator to whom nothing is granted is told what they can do, others whom to ask."""

import re
import uuid

import pytest
from browser import Faults, admit, photograph, window
from playwright.sync_api import Browser, expect
from product import ADMIN_PASSWORD
from world import World

PASSWORD = "meadow-Copper-signal-58"


def test_an_administrator_gets_from_my_assets_to_the_form_that_helps(world: World, browser: Browser) -> None:
    context = window(browser)
    page, faults = context.new_page(), Faults()
    faults.watch(page)
    admit(page, world.product.url, "admin", ADMIN_PASSWORD)
    page.goto(f"{world.product.url}/ui/")
    page.get_by_role("button", name=re.compile("Administrator")).click()
    page.get_by_role("menuitem", name="Switch to user page").click()
    page.wait_for_url("**/ui/my-assets*")
    expect(page.get_by_text("Create one, or add a host first")).to_be_visible()
    expect(page.get_by_role("link", name="Whom to ask")).to_have_count(0)
    photograph(page, "my-assets-of-an-administrator")
    page.get_by_role("link", name="Create asset permission").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("^Create asset permission"))
    expect(page.get_by_role("form")).to_contain_text("Administrator")
    page.goto(f"{world.product.url}/ui/connect")
    panel = page.get_by_role("navigation", name="My assets")
    expect(panel.get_by_role("link", name="Create permission")).to_be_visible()
    photograph(page, "web-terminal-of-an-administrator")
    context.close()
    assert faults.found == []


@pytest.mark.parametrize(("path", "words"), [("/my-assets", "Ask an administrator"), ("/connect", "Ask an adm")])
def test_others_are_told_whom_to_ask(world: World, browser: Browser, path: str, words: str) -> None:
    name = f"new-{uuid.uuid4().hex[:6]}"
    world.admin.post(
        "/api/v1/users/users/",
        {
            "name": name,
            "username": name,
            "email": f"{name}@example.invalid",
            "password_strategy": "custom",
            "password": PASSWORD,
        },
    )
    world.product.api(name, PASSWORD).call("PATCH", "/api/v1/users/profile/", {"is_first_login": False})
    context = window(browser)
    page = context.new_page()
    admit(page, world.product.url, name, PASSWORD)
    page.goto(f"{world.product.url}/ui{path}")
    expect(page.get_by_text(re.compile(words))).to_be_visible()
    expect(page.get_by_role("link", name=re.compile("^Create"))).to_have_count(0)
    context.close()
