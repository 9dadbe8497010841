"""A super administrator writes a site message in the console, and its receiver reads it as it was typed."""

import re
import uuid

import admin_console
import pytest
from browser import admit, photograph, window
from playwright.sync_api import Browser, Page, expect
from product import Product

# Pytest looks for fixtures among the names of the module.
signed_in, page = admin_console.signed_in, admin_console.page
TYPED = 'Down at 22:00 <script>alert(1)</script>\nline two & "more"\n\nsecond paragraph'
READ = "/api/v1/notifications/site-message/?limit=5&offset=0"


@pytest.mark.spec("S1-031")
def test_message_of_the_console_reaches_its_receiver_as_it_was_typed(product: Product, page: Page) -> None:
    page.goto(f"{product.url}/ui/notifications/site-messages")
    page.get_by_role("button", name="Send message").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("combobox", name="People").fill("admin")
    page.get_by_role("option", name="Administrator").click()
    dialog.get_by_role("textbox", name="Subject").fill("Tonight <b>")
    dialog.get_by_role("textbox", name="Message").fill(TYPED)
    photograph(page, "send-message")
    page.set_viewport_size({"width": 320, "height": 720})
    photograph(page, "send-message-narrow")
    dialog.get_by_role("button", name="Send", exact=True).click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("list", name="Site messages").get_by_text("Tonight <b>")).to_be_visible()
    message, *_ = product.api().get(READ)["results"]
    assert message["subject"] == "Tonight <b>"
    assert "<script" not in message["message"]
    assert "&lt;script&gt;alert(1)&lt;/script&gt;<br>line two" in message["message"]
    assert message["message"].endswith("<p>second paragraph</p>")


@pytest.mark.parametrize("to", ["group", "everybody"])
def test_message_to_a_group_and_to_everybody_reaches_the_bell_of_a_user(
    to: str, product: Product, page: Page, browser: Browser
) -> None:
    mark = uuid.uuid4().hex[:8]
    user = {"name": f"Receiver {mark}", "username": f"rec{mark}", "email": f"{mark}@example.com"}
    password = {"password_strategy": "custom", "password": admin_console.PASSWORD}
    made = product.api().post("/api/v1/users/users/", {**user, **password})
    group = product.api().post("/api/v1/users/groups/", {"name": f"shift {mark}", "users": [made["id"]]})
    context = window(browser)
    try:
        bell = context.new_page()
        admit(bell, product.url, user["username"], admin_console.PASSWORD)
        bell.goto(f"{product.url}/ui/")
        page.goto(f"{product.url}/ui/notifications/site-messages")
        page.get_by_role("button", name="Send message").click()
        dialog = page.get_by_role("dialog")
        if to == "group":
            dialog.get_by_role("combobox", name="User groups").fill(group["name"])
            page.get_by_role("option", name=group["name"]).click()
        else:
            dialog.get_by_role("checkbox", name="To everybody").check()
        dialog.get_by_role("textbox", name="Subject").fill(f"For you {mark}")
        dialog.get_by_role("textbox", name="Message").fill("Read this")
        dialog.get_by_role("button", name="Send", exact=True).click()
        expect(dialog).to_have_count(0)
        # The open page of the receiver is told over its websocket.
        bell.get_by_role("button", name=re.compile("unread|messages", re.IGNORECASE)).first.click()
        expect(bell.get_by_text(f"For you {mark}").first).to_be_visible()
    finally:
        context.close()
        product.api().delete(f"/api/v1/users/users/{made['id']}/")
