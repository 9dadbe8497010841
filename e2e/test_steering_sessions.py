"""Administrators lock and unlock a running session and send its user a message: in Chromium, with a real sshd."""

import re
from collections.abc import Iterator

import pytest
from browser import Faults, Shown, admit, window
from playwright.sync_api import Browser, Page, expect
from product import ADMIN_PASSWORD, wait_until
from world import ZHANG_PASSWORD, TargetHost, World


@pytest.fixture
def steered(world: World) -> Iterator[str]:
    """The name of an asset on which only this test opens sessions."""
    with world.asset_of_zhang("steered") as name:
        yield name


def signed_in(browser: Browser, world: World, name: str, password: str, faults: Faults) -> Page:
    page = window(browser, locale="en-GB", viewport={"width": 1440, "height": 900}).new_page()
    faults.watch(page)
    admit(page, world.product.url, name, password)
    return page


def type_line(page: Page, text: str) -> None:
    page.locator(".xterm-helper-textarea").focus()
    page.keyboard.type(text + "\n")


def made_on(host: TargetHost, name: str) -> bool:
    return (host.directory / name).exists()


def test_what_is_typed_into_a_locked_session_never_reaches_the_host(
    browser: Browser, world: World, steered: str
) -> None:
    faults = Faults()
    zhang = signed_in(browser, world, "zhang", ZHANG_PASSWORD, faults)
    admin = signed_in(browser, world, "admin", ADMIN_PASSWORD, faults)
    there = world.host.directory
    data = Shown(zhang)
    zhang.goto(f"{world.product.url}/ui/connect")
    zhang.get_by_role("treeitem", name=steered).click()
    data.waits_for(r"[#$] ")
    type_line(zhang, f"touch {there}/before-lock")
    wait_until(lambda: made_on(world.host, "before-lock"), message="the shell")

    admin.goto(f"{world.product.url}/ui/terminal/session")
    row = admin.get_by_role("main").get_by_role("row").filter(has_text=steered)
    row.get_by_role("checkbox").check()
    admin.get_by_role("region", name="Actions for the selection").get_by_role("button", name="Lock", exact=True).click()
    expect(admin.get_by_text("1 session is being locked", exact=False)).to_be_visible()
    expect(row.get_by_text("Locked", exact=True)).to_be_visible()
    notice = zhang.get_by_role("status").filter(has_text="has locked this session")
    expect(notice).to_be_visible()
    type_line(zhang, f"touch {there}/while-locked")

    # The live view goes on, says who locked the session, and unlocks it.
    admin.get_by_role("main").get_by_role("row").filter(has_text=steered).get_by_role("button", name="Monitor").click()
    preview = admin.get_by_role("complementary", name="Session")
    expect(preview.get_by_text(re.compile(r"\(admin\)")).first).to_be_visible()
    zhang.wait_for_timeout(1_000)
    assert not made_on(world.host, "while-locked")
    preview.get_by_role("button", name="Unlock").click()
    expect(zhang.get_by_role("status").filter(has_text="has unlocked this session")).to_be_visible()
    type_line(zhang, f"touch {there}/after-lock")
    wait_until(lambda: made_on(world.host, "after-lock"), message="the shell goes on")
    assert not made_on(world.host, "while-locked")

    preview.get_by_role("button", name="Message").click()
    dialog = admin.get_by_role("dialog", name=re.compile("Message to"))
    dialog.get_by_role("textbox", name=re.compile("Message")).fill("Please save your work.")
    dialog.get_by_role("button", name="Send").click()
    expect(dialog).to_have_count(0)
    expect(zhang.get_by_role("status").filter(has_text="Please save your work.")).to_be_visible()
    type_line(zhang, "exit")
    expect(zhang.get_by_role("alert")).to_be_visible()
    events = world.admin.get("/api/v1/audits/events/?object_type=Session&limit=50&offset=0")["results"]
    assert {"session.locked", "session.unlocked", "session.message_sent"} <= {event["event"] for event in events}
    zhang.context.close()
    admin.context.close()
    assert faults.found == []
