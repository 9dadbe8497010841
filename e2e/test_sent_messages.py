"""A super administrator writes a site message in the console, and its receiver reads it as it was typed."""

import admin_console
import pytest
from browser import photograph
from playwright.sync_api import Page, expect
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
