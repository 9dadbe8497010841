"""The settings screen in a browser, and the effect of a change on web processes, proxies and the audit log."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from admin_console import page, signed_in
from browser import admit, photograph, window
from playwright.sync_api import Browser, Page, expect
from product import Product, wait_until
from world import AUDITOR_PASSWORD, ZHANG_PASSWORD, World

__all__ = ["page", "signed_in"]

SECURITY = "/api/v1/settings/setting/?category=security"
TERMINAL = "/api/v1/settings/setting/?category=terminal"
FORMS = (
    "Basic",
    "Mail server",
    "Mail content",
    "Terminals",
    "Security",
    "LDAP",
    "WeCom",
    "DingTalk",
    "FeiShu",
    "Syslog",
)


@pytest.fixture
def unchanged(product: Product) -> Iterator[None]:
    """Restore the settings after each test."""
    api = product.api()
    before = {url: api.call("GET", url).body for url in (SECURITY, TERMINAL)}
    yield
    for url, values in before.items():
        assert product.api().call("PATCH", url, values).status == 200


def open_settings(page: Page, product: Product, tab: str) -> None:
    page.goto(f"{product.url}/ui/settings?activeTab={tab}")
    expect(page.get_by_role("heading", name="System settings", level=1)).to_be_visible()


@pytest.mark.spec("S1-032", "S2-138", "S2-190", "S1-037")
def test_every_form_of_the_settings_opens_from_the_menu(page: Page, product: Product) -> None:
    page.goto(f"{product.url}/ui/assets/assets")
    page.get_by_role("link", name="System settings").click()
    parts = page.get_by_role("navigation", name="System settings")
    for name in FORMS:
        parts.get_by_role("button", name=name).click()
        expect(page.get_by_role("form", name=name)).to_be_visible()
        expect(page.get_by_role("button", name="No changes")).to_be_visible()
        photograph(page, f"settings-{name.lower().replace(' ', '-')}")
    # The screen of the extension is available without a licence, because the licence is installed there.
    assert product.api().get("/api/v1/settings/public/")["data"]["XPACK_ENABLED"] is True
    with page.expect_response("**/api/v1/xpack/license/detail") as answer:
        parts.get_by_role("button", name="Licence").click()
    assert answer.value.json()["is_valid"] is False
    expect(page.get_by_text("No licence is installed.")).to_be_visible()
    expect(page.get_by_role("heading", name="Import licence")).to_be_visible()
    expect(page.get_by_label("Licence file")).to_be_visible()
    page.goto(f"{product.url}/ui/xpack/orgs")
    expect(page.get_by_role("heading", level=1)).to_contain_text("needs a licence")


@pytest.mark.spec("S2-139", "S6-023")
@pytest.mark.parametrize(("username", "password"), [("zhang", ZHANG_PASSWORD), ("auditor", AUDITOR_PASSWORD)])
def test_settings_are_for_super_administrators_only(
    browser: Browser, world: World, username: str, password: str
) -> None:
    context = window(browser)
    try:
        page = context.new_page()
        admit(page, world.product.url, username, password)
        page.goto(f"{world.product.url}/ui/settings")
        expect(page.get_by_role("heading", level=1)).to_have_text("You cannot open “System settings”")
        expect(page.get_by_role("link", name="System settings")).to_have_count(0)
    finally:
        context.close()


@pytest.mark.usefixtures("unchanged")
def test_changed_setting_is_saved_recorded_and_undone(page: Page, product: Product) -> None:
    open_settings(page, product, "security")
    field = page.get_by_label("Connection max idle time")
    field.fill("0")
    page.get_by_role("button", name="Save 1 change").click()
    expect(page.get_by_role("form").get_by_text("1", exact=False).first).to_be_visible()
    assert product.api().call("GET", SECURITY).body["SECURITY_MAX_IDLE_TIME"] == 30
    field.fill("17")
    expect(page.get_by_text("Saved value: 30")).to_be_visible()
    page.get_by_role("button", name="Save 1 change").click()
    expect(page.get_by_role("button", name="No changes")).to_be_visible()
    assert product.api().call("GET", SECURITY).body["SECURITY_MAX_IDLE_TIME"] == 17

    page.goto(f"{product.url}/ui/audits/operate-log")
    row = page.get_by_role("row").filter(has_text="Connection max idle time").first
    row.get_by_role("button", name=re.compile("SECURITY_MAX_IDLE_TIME")).click()
    page.get_by_role("button", name="Undo this change").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Undo this change").click()
    expect(page.get_by_text("The earlier settings apply again")).to_be_visible()
    assert product.api().call("GET", SECURITY).body["SECURITY_MAX_IDLE_TIME"] == 30


@pytest.mark.usefixtures("unchanged")
def test_unsaved_settings_are_kept_across_tabs_and_not_lost_silently(page: Page, product: Product) -> None:
    open_settings(page, product, "security")
    page.get_by_label("Connection max idle time").fill("18")
    parts = page.get_by_role("navigation", name="System settings")
    parts.get_by_role("button", name="Terminals").click()
    expect(parts.get_by_text("1 unsaved")).to_be_visible()
    parts.get_by_role("button", name="Security").click()
    expect(page.get_by_label("Connection max idle time")).to_have_value("18")
    menu = page.get_by_role("navigation", name="Main menu")
    menu.get_by_role("button", name="Permissions").click()
    menu.get_by_role("link", name="Asset permissions").click()
    question = page.get_by_role("alertdialog")
    expect(question).to_be_visible()
    question.get_by_role("button").first.click()
    assert product.api().call("GET", SECURITY).body["SECURITY_MAX_IDLE_TIME"] == 30


@pytest.mark.usefixtures("unchanged")
def test_proxy_applies_a_changed_setting_without_a_restart(product: Product, tmp_path: Path) -> None:
    def offered() -> set[str]:
        """The methods of authentication that the SSH front offers."""
        done = subprocess.run(
            [
                "ssh", "-F", "none", "-o", f"UserKnownHostsFile={tmp_path / 'known'}", "-o", "StrictHostKeyChecking=accept-new",
                "-o", "PreferredAuthentications=none", "-p", str(product.ssh_port), "somebody@127.0.0.1", "true",
            ],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        found = re.search(r"Permission denied \(([a-z,-]+)\)", done.stderr)
        return set(found[1].split(",")) if found else set()

    wait_until(lambda: "publickey" in offered(), 60, message="the SSH front to offer keys")
    assert product.api().call("PATCH", TERMINAL, {"TERMINAL_PUBLIC_KEY_AUTH": False}).status == 200
    wait_until(lambda: (now := offered()) and "publickey" not in now, 60, message="the SSH front to offer no keys")
    assert product.api().call("PATCH", TERMINAL, {"TERMINAL_PUBLIC_KEY_AUTH": True}).status == 200
    wait_until(lambda: "publickey" in offered(), 60, message="the SSH front to offer keys again")


def test_about_offers_diagnostics_without_secrets(page: Page, product: Product, tmp_path: Path) -> None:
    email = "/api/v1/settings/setting/?category=email"
    assert product.api().call("PATCH", email, {"EMAIL_HOST_PASSWORD": "meadow-Copper-signal"}).status == 200
    open_settings(page, product, "about")
    parts = page.get_by_role("listitem").filter(has_text="up")
    for name in ("database", "proxy", "redis", "web", "worker"):
        expect(parts.filter(has_text=name).first).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download diagnostics").click()
    file = tmp_path / "diagnostics.json"
    download.value.save_as(file)
    text = file.read_text()
    assert {part["name"] for part in json.loads(text)["parts"]} >= {"database", "proxy", "redis", "web", "worker"}
    assert "meadow-Copper-signal" not in text


@pytest.mark.parametrize("width", [1440, 320])
def test_settings_fit_the_screen(page: Page, product: Product, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    tabs = "basic email terminal security ldap syslog openid messages webhooks licence about"
    for tab in tabs.split():
        open_settings(page, product, tab)
        page.get_by_role("main").get_by_role("button").last.wait_for()
        expect(page.locator(".settings-nav [aria-current]")).to_be_in_viewport()
        overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert overflow <= 0, tab
