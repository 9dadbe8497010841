"""The page of an asset lists the commands that were run on it, and leads to their moments in the recordings."""

import os
import re
from urllib.parse import quote

import pytest
from accessibility import axe_findings
from browser import Faults, admit, expect_to_fit, photograph, window
from playwright.sync_api import Browser, BrowserContext, Page, expect
from product import ADMIN_PASSWORD, wait_until
from test_ssh_story import Terminal
from world import World

LINE = "echo sum-of-all-$((40+2))"


def at_phone_width(page: Page, context: BrowserContext, world: World) -> None:
    """The tab on a narrow phone, dark and in Chinese; afterwards the page is as it was."""
    language = {"name": "django_language", "url": world.product.url}
    context.add_cookies([{**language, "value": "zh-hans"}])
    page.set_viewport_size({"width": 320, "height": 720})
    page.emulate_media(color_scheme="dark")
    page.reload()
    expect(page.get_by_role("tab", name="命令", exact=True)).to_be_visible()
    expect(page.get_by_text(LINE)).to_be_visible()
    expect_to_fit(page)
    photograph(page, "asset-commands-phone")
    assert axe_findings(page) == []
    context.add_cookies([{**language, "value": "en"}])
    page.set_viewport_size({"width": 1440, "height": 900})
    page.emulate_media(color_scheme="light")
    page.reload()
    expect(page.get_by_role("row").filter(has_text=LINE).first).to_be_visible()


@pytest.mark.spec("S2-029", "S6-030")
def test_asset_page_lists_the_commands_that_ran_on_it(browser: Browser, world: World) -> None:
    terminal = Terminal(world.ssh(options=("-tt",)))
    terminal.shows("$" if os.geteuid() else "#")
    terminal.type(f"{LINE}\r")
    terminal.shows("sum-of-all-42")
    terminal.type("exit\r")
    assert terminal.ends() == 0
    other = world.admin.post(
        "/api/v1/assets/assets/",
        {"hostname": "quiet-1", "ip": "127.0.0.9", "platform": "Linux", "protocols": ["ssh/22"]},
    )
    path = f"/api/v1/terminal/commands/?command_storage_id=default&asset_id={world.asset_id}&limit=5&offset=0"

    def recorded() -> dict[str, str] | None:
        rows: list[dict[str, str]] = world.admin.get(path)["results"]
        return next((row for row in rows if row["input"] == LINE), None)

    command = wait_until(recorded, 60, every_s=0.5, message="the command in the list")
    session = command["session"]
    wait_until(
        lambda: world.admin.get(f"/api/v1/terminal/sessions/{session}/")["can_replay"],
        60,
        every_s=0.5,
        message="the sealed recording",
    )

    faults = Faults()
    context = window(browser)
    page = context.new_page()
    faults.watch(page)
    admit(page, world.product.url, "admin", ADMIN_PASSWORD)
    page.goto(f"{world.product.url}/ui/assets/assets/{other['id']}")
    page.get_by_role("tab", name="Commands", exact=True).click()
    expect(page.get_by_text("No command has been run on this asset yet.")).to_be_visible()
    photograph(page, "asset-commands-empty")

    page.goto(f"{world.product.url}/ui/assets/assets/{world.asset_id}")
    page.get_by_role("tab", name="Commands", exact=True).click()
    row = page.get_by_role("row").filter(has_text=LINE).first
    expect(row).to_contain_text("张伟(zhang)")
    expect(row).to_contain_text("deploy")
    expect(row).to_contain_text("Ordinary")
    expect(page.get_by_text("sum-of-all-42")).to_have_count(0)
    row.get_by_role("button", expanded=False).click()
    expect(page.locator("pre").filter(has_text="sum-of-all-42")).to_be_visible()
    photograph(page, "asset-commands")
    at_phone_width(page, context, world)
    row.get_by_role("link", name="At ").click()
    page.wait_for_url(re.compile(rf"/terminal/sessions/{session}\?t=[0-9.]+$"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("张伟(zhang)")

    page.goto(f"{world.product.url}/ui/terminal/command?search={quote(LINE)}")
    row = page.get_by_role("row").filter(has_text=LINE).first
    expect(row).to_be_visible()
    expect(page.get_by_role("main").get_by_text("Delete")).to_have_count(0)  # a record stays
    expect(row).to_contain_text("web-1")
    row.get_by_role("button", expanded=False).click()
    expect(page.locator("pre").filter(has_text="sum-of-all-42")).to_be_visible()
    photograph(page, "commands")
    row.get_by_role("link", name="At ").click()
    page.wait_for_url(re.compile(rf"/terminal/sessions/{session}\?t=[0-9.]+$"))
    assert faults.found == []
    context.close()
