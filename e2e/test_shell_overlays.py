"""Overlays available on every screen: messages, command palette, API keys; and the help menu."""

import re
from pathlib import Path

import pytest
from accessibility import axe_findings
from browser import admit, expect_to_fit, sign_in, window
from company import Company, account, go
from playwright.sync_api import Browser, Page, WebSocketRoute, expect
from product import ADMIN_PASSWORD, wait_until

GUIDES = Path(__file__).parents[1] / "docs" / "guide"


@pytest.mark.spec("S1-071", "S1-072", "S3-013", "S3-015", "S4-022", "S7-037", "S7-038", "S7-039")
def test_message_arrives_at_the_bell_and_is_read(page: Page, company: Company) -> None:
    bell = page.get_by_role("button", name="Site messages")
    bell.wait_for()
    company.admin.post(
        "/api/v1/notifications/site-message/send/",
        {
            "user_ids": [],
            "group_ids": [],
            "is_broadcast": True,
            "subject": "Maintenance tonight",
            "message": "<p>Restart at <b>22:00</b><script>document.title = 'taken'</script></p>",
        },
        200,
    )
    expect(bell).to_have_accessible_name("Site messages, 1 unread")
    bell.click()
    page.get_by_role("button", name="Maintenance tonight", exact=False).first.click()
    expect(page.locator("b", has_text="22:00")).to_be_visible()
    assert "taken" not in page.title()
    assert axe_findings(page) == []
    page.get_by_role("button", name="Mark as read: Maintenance tonight").click()
    page.get_by_role("heading", name="No unread messages").wait_for()
    page.keyboard.press("Escape")
    expect(bell).to_have_accessible_name("Site messages")
    expect(bell).to_be_focused()
    go(page, company, "/notifications/site-messages")
    page.get_by_role("button", name="Maintenance tonight", exact=False).first.wait_for()
    assert axe_findings(page) == []


@pytest.mark.spec("S8-019")
def test_broken_websocket_is_reported_and_reconnected(browser: Browser, company: Company) -> None:
    context = window(browser)
    page = context.new_page()
    opened: list[WebSocketRoute] = []

    def carry(route: WebSocketRoute) -> None:
        opened.append(route)
        if len(opened) > 1:
            route.connect_to_server()

    page.route_web_socket("**/ws/notifications/site-msg/", carry)
    sign_in(page, company.product.url, "admin", ADMIN_PASSWORD)
    page.get_by_role("button", name="Site messages").wait_for()
    wait_until(lambda: page.evaluate("1") and opened, message="the first socket")
    opened[0].close(code=1011)
    page.get_by_text("Connect Websocket failed").wait_for()
    wait_until(lambda: page.evaluate("1") and len(opened) > 1, 60, message="the second socket")
    context.close()


def test_palette_finds_screens_and_objects_by_keyboard(page: Page, company: Company) -> None:
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Search or jump")
    expect(field).to_be_focused()
    assert axe_findings(page) == []
    page.keyboard.type("web-def")
    expect(page.get_by_role("option", name="web-default", exact=False).first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    page.get_by_role("heading", level=1, name="web-default").wait_for()
    page.keyboard.press("Control+k")
    expect(field).to_be_focused()
    page.keyboard.type("operation")
    expect(page.get_by_role("option", name=re.compile("operation", re.IGNORECASE)).first).to_have_attribute(
        "aria-selected", "true"
    )
    page.keyboard.press("Enter")
    page.wait_for_url("**/audits/operate-log")
    page.keyboard.press("Control+k")
    expect(field).to_be_focused()
    page.keyboard.press("Escape")
    expect(field).to_have_count(0)


@pytest.mark.spec("S1-084", "S3-016", "S4-023", "S7-033", "S7-034", "S7-035", "S7-036")
def test_api_key_is_shown_once_and_stored_nowhere(page: Page, company: Company) -> None:
    account(page).click()
    page.get_by_role("menuitem", name="API keys").click()
    dialog = page.get_by_role("dialog", name="API keys")
    with page.expect_response(
        lambda response: response.url.endswith("/access-keys/") and response.request.method == "POST"
    ) as made:
        dialog.get_by_role("button", name="New key").click()
        dialog.get_by_label("Comment").fill("nightly report")
        assert axe_findings(page) == []
        dialog.get_by_role("button", name="Create").click()
    secret = made.value.json()["secret"]
    assert made.value.status == 201
    dialog.get_by_text(secret, exact=True).wait_for()
    dialog.get_by_text("nightly report", exact=True).wait_for()
    assert axe_findings(page) == []
    short = made.value.json()["id"][:8]
    dialog.get_by_role("button", name=f"Switch key {short} off").click()
    dialog.get_by_role("button", name=f"Switch key {short} on").wait_for()
    stored = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
    assert secret not in stored
    assert ADMIN_PASSWORD not in stored
    dialog.get_by_role("button", name="Close").first.click()
    account(page).click()
    page.get_by_role("menuitem", name="API keys").click()
    dialog.get_by_text(made.value.json()["id"], exact=True).wait_for()
    expect(dialog.get_by_text(secret, exact=True)).to_have_count(0)
    dialog.get_by_role("button", name=f"Delete key {short}").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
    dialog.get_by_role("heading", name="No API keys").wait_for()


@pytest.mark.spec("S1-074", "S1-075", "S1-076")
def test_help_menu_leads_to_documentation_support_and_enterprise_edition(page: Page, company: Company) -> None:
    for entry, heading in (
        ("Documentation", "Reach a host with ssh or sftp"),
        ("Support", "When something goes wrong"),
        ("Enterprise edition", "What a licence opens"),
    ):
        page.get_by_role("banner").get_by_role("button", name="Help").click()
        page.get_by_role("menuitem", name=entry, exact=True).click()
        page.get_by_role("heading", level=2, name=heading).wait_for()
        assert axe_findings(page) == []


@pytest.mark.parametrize(
    ("language", "guide", "link", "section"),
    [
        ("en", "Troubleshooting", "setting", "System settings"),
        ("zh-hans", "故障排查", "设置", "系统设置"),
    ],
)
def test_guides_are_in_the_chosen_language_and_their_links_lead_to_sections(
    browser: Browser, company: Company, language: str, guide: str, link: str, section: str
) -> None:
    with window(browser) as context:
        page = context.new_page()
        admit(page, company.product.url, "admin", ADMIN_PASSWORD)
        context.add_cookies([{"name": "django_language", "value": language, "url": company.product.url}])
        page.goto(f"{company.product.url}/ui/help/guide/troubleshooting")
        page.get_by_role("heading", level=1, name=guide).wait_for()
        page.locator("article").get_by_role("link", name=link, exact=True).first.click()
        # Below the bar that stays at the top of the page.
        heading = page.get_by_role("heading", name=section, exact=True)
        heading.wait_for()
        bar = page.get_by_role("banner").bounding_box()
        assert bar is not None
        wait_until(lambda: bar["height"] <= (heading.bounding_box() or bar)["y"] < bar["height"] + 100)
        page.set_viewport_size({"width": 320, "height": 800})
        for name in sorted(path.stem for path in GUIDES.glob("*.md") if path.stem != "README" and "." not in path.stem):
            page.goto(f"{company.product.url}/ui/help/guide/{name}")
            page.locator("article p").first.wait_for()
            expect_to_fit(page)
