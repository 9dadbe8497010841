"""The console's frame in a real browser: menu, organizations, bell, open views, palette, API keys, languages, storage."""

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from browser import Faults, chromium, first_sign_in, sign_in
from playwright.sync_api import Browser, Locator, Page, WebSocketRoute, expect
from product import ADMIN_PASSWORD, POSTERN, Api, Product, wait_until
from test_console_crawl import axe_findings
from world import ZHANG_PASSWORD

DEFAULT_ORG = "00000000-0000-0000-0000-000000000002"
#: What a loaded machine may need for anything that comes by the network.
PATIENCE_MS = 30_000


@dataclass(frozen=True)
class Company:
    """A licensed installation with two organizations, an asset in each, and an ordinary user."""

    product: Product
    admin: Api
    shanghai: str


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    directory = tmp_path_factory.mktemp("company")
    product = Product(directory / "home").start()
    try:
        install_licence(product, directory)
        admin = product.api()
        shanghai = str(admin.post("/api/v1/orgs/orgs/", {"name": "Shanghai"})["id"])
        for organization, name in (
            (DEFAULT_ORG, "web-default"),
            (shanghai, "web-shanghai"),
        ):
            body = {
                "hostname": name,
                "ip": "127.0.0.1",
                "platform": "Linux",
                "protocols": ["ssh/22"],
            }
            answer = admin.call(
                "POST", "/api/v1/assets/assets/", body, {"X-JMS-ORG": organization}
            )
            assert answer.status == 201, answer
        admin.post(
            "/api/v1/users/users/",
            {
                "name": "张伟",
                "username": "zhang",
                "email": "zhang@example.invalid",
                "password_strategy": "custom",
                "password": ZHANG_PASSWORD,
            },
        )
        yield Company(product, admin, shanghai)
    finally:
        product.stop()


def install_licence(product: Product, directory: Path) -> None:
    """As an operator does it: issue, trust, install."""
    environ = {**os.environ, "POSTERN_HOME": str(product.home)}
    key, licence = directory / "issuing.key", directory / "company.licence"
    for command in (
        ["issue", "--corporation", "Company", "--key", str(key), "--out", str(licence)],
        ["trust", f"{key}.pub"],
        ["install", str(licence)],
    ):
        subprocess.run(
            [str(POSTERN), "licence", *command],
            env=environ,
            check=True,
            capture_output=True,
            timeout=60,
        )


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture
def page(browser: Browser, company: Company) -> Iterator[Page]:
    """The administrator on a wide screen; nothing may go wrong behind the scenes."""
    yield from signed_in(browser, company, "admin", ADMIN_PASSWORD)


def signed_in(
    browser: Browser, company: Company, username: str, password: str, width: int = 1440
) -> Iterator[Page]:
    context = browser.new_context(
        locale="en-US", viewport={"width": width, "height": 900}
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    faults = Faults()
    faults.watch(page)
    sign_in(page, company.product.url, username, password)
    page.get_by_role("heading", level=1).first.wait_for(state="attached")
    if "first-login" in page.url:
        first_sign_in(page)
    yield page
    context.close()
    assert faults.found == []


def cookie(page: Page, name: str) -> str | None:
    return next(
        (str(one["value"]) for one in page.context.cookies() if one["name"] == name),
        None,
    )


def stored(page: Page, key: str) -> Any:
    return page.evaluate("key => localStorage.getItem(key)", key)


def account(page: Page) -> Locator:
    return page.get_by_role("banner").get_by_role("button", name="Administrator")


def go(page: Page, company: Company, path: str) -> None:
    page.goto(f"{company.product.url}/ui{path}")
    page.get_by_role("heading", level=1).first.wait_for(state="attached")


@pytest.mark.spec("S1-069", "S9-006", "S9-056", "S3-082", "S1-010")
def test_sidebar_is_220_px_wide_and_remembers_that_it_was_closed(
    page: Page, company: Company
) -> None:
    sidebar = page.get_by_role("complementary", name="Sidebar")
    box = sidebar.bounding_box()
    assert box is not None and box["width"] == 220
    page.get_by_role("button", name="Close menu").click()
    assert (cookie(page, "sidebarStatus"), stored(page, "sidebarStatus")) == ("0", "0")
    page.reload()
    page.get_by_role("button", name="Open menu").wait_for()
    box = sidebar.bounding_box()
    assert box is not None and box["width"] == 52
    for name in ("Users", "Permissions", "Sessions"):
        page.get_by_role("navigation", name="Main menu").get_by_role(
            "link", name=name
        ).click()
        page.get_by_role("heading", level=1).first.wait_for(state="attached")
        assert page.url.startswith(f"{company.product.url}/ui/")


@pytest.mark.spec("S1-004", "S1-090", "S4-025", "S4-026", "S3-084", "S3-085", "S6-050")
def test_switch_of_organization_reloads_and_shows_what_is_there(
    page: Page, company: Company
) -> None:
    go(page, company, "/assets/assets")
    page.get_by_role("link", name="web-default").wait_for()
    page.evaluate("window.before = true")
    choose_organization(page, "Shanghai")
    page.get_by_role("link", name="web-shanghai").wait_for()
    assert page.evaluate("window.before") is None, "the page was not loaded anew"
    assert page.url.endswith("/ui/assets/assets")
    assert page.get_by_role("link", name="web-default").count() == 0
    assert cookie(page, "X-JMS-ORG") == company.shanghai
    assert json.loads(stored(page, "jms_current_org_admin"))["id"] == company.shanghai
    page.reload()
    page.get_by_role("link", name="web-shanghai").wait_for()


@pytest.mark.spec("S4-024", "S4-027")
def test_switch_on_an_object_goes_to_the_root_and_forgets_the_role(
    page: Page, company: Company
) -> None:
    go(page, company, "/assets/assets")
    page.get_by_role("link", name="web-default").click()
    page.wait_for_url(
        lambda address: len(address.rsplit("/", 1)[-1].split("?")[0]) == 36
    )
    # A role that is still remembered after the switch would lead to the user page.
    page.evaluate("localStorage.setItem('jms_current_role_admin', '1')")
    choose_organization(page, "Shanghai")
    page.wait_for_url(lambda address: address.rstrip("/").endswith("/users/users"))
    page.get_by_role("button", name="Organization: Shanghai").or_(
        page.get_by_role("button", name="Organization Shanghai")
    ).wait_for()
    assert stored(page, "jms_current_role_admin") == "146"


def choose_organization(page: Page, name: str) -> None:
    page.get_by_role("complementary", name="Sidebar").get_by_role(
        "button", name="Organization"
    ).click()
    page.get_by_role("menuitemradio", name=name).click()


@pytest.mark.spec("S1-008", "S1-009", "S4-028", "S6-041")
def test_admin_page_and_user_page(page: Page, company: Company) -> None:
    menu = page.get_by_role("navigation", name="Main menu")
    menu.get_by_role("link", name="Permissions").wait_for()
    account(page).click()
    page.get_by_role("menuitem", name="Switch to user page").click()
    menu.get_by_role("link", name="My assets").wait_for()
    assert stored(page, "jms_current_role_admin") == "1"
    assert (
        page.get_by_role("complementary", name="Sidebar")
        .get_by_role("button", name="Organization")
        .count()
        == 0
    )
    account(page).click()
    page.get_by_role("menuitem", name="Switch to admin page").click()
    menu.get_by_role("link", name="Permissions").wait_for()


@pytest.mark.spec(
    "S1-071", "S1-072", "S3-013", "S3-015", "S4-022", "S7-037", "S7-038", "S7-039"
)
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
    expect(bell).to_have_accessible_name("Site messages, 1 unread", timeout=PATIENCE_MS)
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
def test_broken_socket_is_told_and_opened_again(
    browser: Browser, company: Company
) -> None:
    context = browser.new_context(
        locale="en-US", viewport={"width": 1440, "height": 900}
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
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
    wait_until(
        lambda: page.evaluate("1") and len(opened) > 1, 60, message="the second socket"
    )
    context.close()


@pytest.mark.spec("S4-048", "S4-049", "S2-205")
def test_open_views_are_kept_and_closed(page: Page, company: Company) -> None:
    strip = page.get_by_role("navigation", name="Open views")
    go(page, company, "/assets/assets?search=web")
    go(page, company, "/users/groups")
    go(page, company, "/audits/operate-log")
    page.evaluate(
        "document.querySelector('main').style.paddingBottom = '4000px'; scrollTo(0, 900)"
    )
    assert page.evaluate("scrollY") == 900
    strip.get_by_role("link", name="Assets", exact=True).click()
    page.wait_for_url("**/assets/assets?search=web")
    wait_until(lambda: page.evaluate("scrollY") == 0, message="the top of the page")
    expect(page.get_by_role("heading", level=1).first).to_be_focused()
    strip.get_by_role("button", name="All open views").click()
    page.get_by_role("menuitem", name="Keep open").click()
    strip.get_by_role("button", name="All open views").click()
    page.get_by_role("menuitem", name="Close all").click()
    expect(strip.get_by_role("link")).to_have_count(1)
    page.reload()
    expect(strip.get_by_role("link")).to_have_text(["Assets"])
    # Another tab of the browser starts with nothing.
    other = page.context.new_page()
    other.goto(f"{company.product.url}/ui/users/users")
    expect(
        other.get_by_role("navigation", name="Open views").get_by_role("link")
    ).to_have_text(["Users"])


def test_palette_finds_screens_and_objects_by_keyboard(
    page: Page, company: Company
) -> None:
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Search or jump")
    expect(field).to_be_focused()
    assert axe_findings(page) == []
    page.keyboard.type("web-def")
    page.get_by_role("option", name="web-default", exact=False).first.wait_for()
    page.keyboard.press("Enter")
    page.get_by_role("heading", level=1, name="web-default").wait_for()
    page.keyboard.press("Control+k")
    expect(field).to_be_focused()
    page.keyboard.type("operation")
    page.keyboard.press("Enter")
    page.wait_for_url("**/audits/operate-log")
    page.keyboard.press("Control+k")
    expect(field).to_be_focused()
    page.keyboard.press("Escape")
    expect(field).to_have_count(0)


@pytest.mark.spec("S1-084", "S3-016", "S4-023", "S7-033", "S7-034", "S7-035", "S7-036")
def test_api_key_is_shown_once_and_kept_nowhere(page: Page, company: Company) -> None:
    account(page).click()
    page.get_by_role("menuitem", name="API keys").click()
    dialog = page.get_by_role("dialog", name="API keys")
    with page.expect_response(
        lambda one: one.url.endswith("/access-keys/") and one.request.method == "POST"
    ) as made:
        dialog.get_by_role("button", name="Create").click()
    secret = made.value.json()["secret"]
    assert made.value.status == 201
    dialog.get_by_text(secret, exact=True).wait_for()
    assert axe_findings(page) == []
    short = made.value.json()["id"][:8]
    dialog.get_by_role("button", name=f"Switch key {short} off").click()
    dialog.get_by_role("button", name=f"Switch key {short} on").wait_for()
    kept = page.evaluate(
        "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])"
    )
    assert secret not in kept and ADMIN_PASSWORD not in kept
    dialog.get_by_role("button", name="Close").first.click()
    account(page).click()
    page.get_by_role("menuitem", name="API keys").click()
    dialog.get_by_text(made.value.json()["id"], exact=True).wait_for()
    assert dialog.get_by_text(secret, exact=True).count() == 0
    dialog.get_by_role("button", name=f"Delete key {short}").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
    dialog.get_by_role("heading", name="No API keys").wait_for()


@pytest.mark.spec("S1-006", "S3-081", "S9-054")
def test_language_switch_is_kept_and_the_server_follows(
    page: Page, company: Company
) -> None:
    go(page, company, "/assets/assets")
    page.get_by_role("columnheader", name="Hostname").wait_for()
    page.get_by_role("button", name="简体中文").click()
    page.get_by_role("columnheader", name="主机名").wait_for()  # a label of the server
    assert (cookie(page, "django_language"), stored(page, "lang")) == ("zh-hans", "cn")
    assert page.evaluate("document.documentElement.lang") == "zh-CN"
    page.reload()
    page.get_by_role("columnheader", name="主机名").wait_for()
    page.get_by_role("button", name="English").click()
    page.get_by_role("columnheader", name="Hostname").wait_for()
    assert (cookie(page, "django_language"), stored(page, "lang")) == ("en", "en")


@pytest.mark.spec("S2-001", "S1-085", "S7-082", "S7-083")
def test_unknown_page_and_the_way_out(page: Page, company: Company) -> None:
    go(page, company, "/no/such/page")
    assert page.url.endswith("/ui/404")
    page.get_by_role("heading", level=1, name="Page not found").wait_for()
    account(page).click()
    with page.expect_request(
        lambda request: "/core/auth/logout/" in request.url
    ) as out:
        page.get_by_role("menuitem", name="Sign out").click()
    assert out.value.url.endswith("/core/auth/logout/?next=%2Fui%2F")
    page.get_by_label("Username").wait_for()
    page.context.clear_cookies()
    with page.expect_request(
        lambda request: "/core/auth/login/" in request.url
    ) as back:
        page.goto(f"{company.product.url}/ui/users/users?page=2")
    assert "next=%2Fui%2Fusers%2Fusers%3Fpage%3D2" in back.value.url
    page.get_by_label("Username").wait_for()
    page.wait_for_load_state("networkidle")


def test_ordinary_user_has_no_selector_and_a_phone_has_everything(
    browser: Browser, company: Company
) -> None:
    for page in signed_in(browser, company, "zhang", ZHANG_PASSWORD, width=390):
        page.get_by_role("button", name="Open menu").click()
        drawer = page.get_by_role("dialog", name="Main menu")
        drawer.get_by_role("link", name="My assets").first.wait_for()
        assert drawer.get_by_role("button", name="Organization").count() == 0
        drawer.get_by_role("button", name="Close").click()
        page.get_by_role("button", name="张伟").click()
        for name in (
            "Profile",
            "API keys",
            "Web terminal",
            "Help",
            "简体中文",
            "Sign out",
        ):
            expect(
                page.get_by_role("menuitem", name=name, exact=name != "Profile")
            ).to_be_visible()


@pytest.mark.spec("S1-075", "S1-076")
def test_help_menu_leads_to_documentation_support_and_enterprise_edition(
    page: Page, company: Company
) -> None:
    for entry, heading in (
        ("Documentation", "Reach a host with ssh or sftp"),
        ("Support", "When something goes wrong"),
        ("Enterprise edition", "What a licence opens"),
    ):
        page.get_by_role("banner").get_by_role("button", name="Help").click()
        page.get_by_role("menuitem", name=entry, exact=True).click()
        page.get_by_role("heading", level=2, name=heading).wait_for()
        assert axe_findings(page) == []
