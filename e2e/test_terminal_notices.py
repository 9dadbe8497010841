"""Notices of the proxy during a session, on the page of the web terminal."""

import pytest
from browser import Faults, Shown, admit, window
from playwright.sync_api import Browser, expect
from world import ASSET, ZHANG_PASSWORD, World


@pytest.mark.parametrize("width", [1440, 320])
def test_user_sees_which_actions_ended_even_on_a_narrow_screen(browser: Browser, world: World, width: int) -> None:
    faults = Faults()
    context = window(browser, viewport={"width": width, "height": 800})
    page = context.new_page()
    faults.watch(page)
    admit(page, world.product.url, "zhang", ZHANG_PASSWORD)
    terminal_data = Shown(page)
    page.goto(f"{world.product.url}/ui/connect")
    if width < 640:
        page.get_by_role("button", name="Show assets").last.click()
    page.get_by_role("treeitem", name=ASSET).click()
    terminal_data.waits_for(r"[#$] ")
    permission = f"/api/v1/perms/asset-permissions/{world.permission_id}/"
    world.admin.patch(permission, {"actions": ["connect", "download_file"]})
    try:
        notice = page.get_by_role("status").filter(has_text="upload")
        expect(notice).to_be_visible()
        assert notice.bounding_box()["width"] <= width
        notice.get_by_role("button", name="Dismiss this notice").click()
        expect(notice).to_have_count(0)
    finally:
        world.admin.patch(permission, {"actions": ["all"]})
    expect(page.get_by_role("status").filter(has_text="upload")).to_be_visible()
    page.locator(".xterm-helper-textarea").focus()
    page.keyboard.type("exit\n")
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="upload")).to_have_count(0)
    context.close()
    assert faults.found == []
