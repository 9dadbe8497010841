"""The console's frame in a real browser: menu, organizations, pages, open views, languages, sign-out."""

import json

import pytest
from accessibility import Requests
from company import DEFAULT_ORG, Company, account, cookie, go, signed_in, stored
from playwright.sync_api import Browser, Page, expect
from product import wait_until
from world import ZHANG_PASSWORD


@pytest.mark.spec("S1-001", "S1-069", "S9-006", "S9-056", "S3-082", "S1-010")
def test_sidebar_is_220_px_wide_and_remembers_its_collapsed_state(page: Page, company: Company) -> None:
    sidebar = page.get_by_role("complementary", name="Sidebar")
    box = sidebar.bounding_box()
    assert box is not None
    assert box["width"] == 220
    page.get_by_role("button", name="Close menu").click()
    wait_until(
        lambda: (cookie(page, "sidebarStatus"), stored(page, "sidebarStatus")) == ("0", "0"),
        message="what is remembered of the menu",
    )
    page.reload()
    page.get_by_role("button", name="Open menu").wait_for()
    box = sidebar.bounding_box()
    assert box is not None
    assert box["width"] == 52
    page.evaluate("window.before = true")
    for name, path in (
        ("Users", "/users/users"),
        ("Permissions", "/perms/asset-permissions"),
        ("Sessions", "/terminal/session"),
    ):
        page.get_by_role("navigation", name="Main menu").get_by_role("link", name=name).click()
        page.wait_for_url(lambda address, path=path: address.split("?")[0] == f"{company.product.url}/ui{path}")
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        assert page.evaluate("window.before") is True, "the document was loaded anew"


@pytest.mark.spec("S1-004", "S1-090", "S4-025", "S4-026", "S3-084", "S3-085", "S6-050", "S3-006")
def test_switch_of_organization_reloads_with_its_data(page: Page, company: Company) -> None:
    named: list[str | None] = []
    page.on("request", lambda one: named.append(one.headers.get("x-jms-org")) if "/api/v1/assets/" in one.url else None)
    go(page, company, "/assets/assets")
    page.get_by_role("link", name="web-default").wait_for()
    assert set(named) == {DEFAULT_ORG}
    named.clear()
    page.evaluate("window.before = true")
    choose_organization(page, "Shanghai")
    page.get_by_role("link", name="web-shanghai").wait_for()
    assert page.evaluate("window.before") is None, "the page was not loaded anew"
    assert page.url.endswith("/ui/assets/assets")
    assert set(named) == {company.shanghai}
    expect(page.get_by_role("link", name="web-default")).to_have_count(0)
    assert cookie(page, "X-JMS-ORG") == company.shanghai
    assert json.loads(stored(page, "jms_current_org_admin"))["id"] == company.shanghai
    page.reload()
    page.get_by_role("link", name="web-shanghai").wait_for()


@pytest.mark.spec("S4-024", "S4-027")
def test_switch_on_an_object_goes_to_the_root_and_clears_the_role(page: Page, company: Company) -> None:
    go(page, company, "/assets/assets")
    page.get_by_role("link", name="web-default").click()
    page.wait_for_url(lambda address: len(address.rsplit("/", 1)[-1].split("?")[0]) == 36)
    # A role still remembered after the switch would lead to the user page.
    page.evaluate("localStorage.setItem('jms_current_role_admin', '1')")
    choose_organization(page, "Shanghai")
    page.wait_for_url(lambda address: address.rstrip("/").endswith("/start"))
    page.get_by_role("button", name="Organization: Shanghai").or_(
        page.get_by_role("button", name="Organization Shanghai")
    ).wait_for()
    wait_until(lambda: stored(page, "jms_current_role_admin") == "146", message="the role of the new organization")


def choose_organization(page: Page, name: str) -> None:
    page.get_by_role("complementary", name="Sidebar").get_by_role("button", name="Organization").click()
    page.get_by_role("menuitemradio", name=name).click()


@pytest.mark.spec("S1-008", "S1-009", "S4-028", "S6-041")
def test_admin_page_and_user_page(page: Page, company: Company) -> None:
    menu = page.get_by_role("navigation", name="Main menu")
    menu.get_by_role("button", name="Permissions").wait_for()
    account(page).click()
    page.get_by_role("menuitem", name="Switch to user page").click()
    menu.get_by_role("link", name="My assets").wait_for()
    wait_until(lambda: stored(page, "jms_current_role_admin") == "1", message="the role that is remembered")
    organization = page.get_by_role("complementary", name="Sidebar").get_by_role("button", name="Organization")
    expect(organization).to_have_count(0)
    account(page).click()
    page.get_by_role("menuitem", name="Switch to admin page").click()
    menu.get_by_role("button", name="Permissions").wait_for()


@pytest.mark.spec("S4-048", "S4-049", "S2-205")
def test_open_views_persist_and_can_be_closed(page: Page, company: Company) -> None:
    strip = page.get_by_role("navigation", name="Open views")
    go(page, company, "/assets/assets?search=web")
    go(page, company, "/users/groups")
    go(page, company, "/audits/operate-log")
    page.evaluate("document.querySelector('main').style.paddingBottom = '4000px'; scrollTo(0, 900)")
    assert page.evaluate("scrollY") == 900
    strip.get_by_role("link", name="Assets", exact=True).click()
    page.wait_for_url("**/assets/assets?search=web")
    wait_until(lambda: page.evaluate("scrollY") == 0, message="the top of the page")
    expect(page.get_by_role("heading", level=1).first).to_be_focused()
    strip.get_by_role("button", name="All open views").click()
    page.get_by_role("menuitem", name="Pin").click()
    strip.get_by_role("button", name="All open views").click()
    page.get_by_role("menuitem", name="Close all").click()
    expect(strip.get_by_role("link")).to_have_count(1)
    page.reload()
    expect(strip.get_by_role("link")).to_have_text(["Assets"])
    # Another tab of the browser starts with none.
    other = page.context.new_page()
    other.goto(f"{company.product.url}/ui/users/users")
    expect(other.get_by_role("navigation", name="Open views").get_by_role("link")).to_have_text(["Users"])


@pytest.mark.spec("S1-006", "S1-077", "S3-081", "S9-054")
def test_language_switch_persists_and_the_server_follows(page: Page, company: Company) -> None:
    go(page, company, "/assets/assets")
    page.get_by_role("columnheader", name="Hostname").wait_for()
    page.get_by_role("button", name="简体中文").click()
    page.get_by_role("columnheader", name="主机名").wait_for()  # a label of the server
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    assert (cookie(page, "django_language"), stored(page, "lang")) == ("zh-hans", "cn")
    page.reload()
    page.get_by_role("columnheader", name="主机名").wait_for()
    page.get_by_role("button", name="English").click()
    page.get_by_role("columnheader", name="Hostname").wait_for()
    assert (cookie(page, "django_language"), stored(page, "lang")) == ("en", "en")


@pytest.mark.spec("S2-001", "S1-085", "S7-082", "S7-083")
def test_unknown_page_and_sign_out(page: Page, company: Company) -> None:
    go(page, company, "/no/such/page")
    assert page.url.endswith("/ui/404")
    page.get_by_role("heading", level=1, name="Page not found").wait_for()
    account(page).click()
    with Requests(page) as requests:
        with page.expect_request(lambda request: "/core/auth/logout/" in request.url) as out:
            page.get_by_role("menuitem", name="Sign out").click()
        assert out.value.url.endswith("/core/auth/logout/?next=%2Fui%2F")
        page.get_by_label("Username").wait_for()
        requests.complete()
    page.goto("about:blank")  # a page that is still open could receive a cookie again
    page.context.clear_cookies()
    with Requests(page) as requests:
        with page.expect_request(lambda request: "/core/auth/login/" in request.url) as back:
            page.goto(f"{company.product.url}/ui/users/users?page=2")
        assert "next=%2Fui%2Fusers%2Fusers%3Fpage%3D2" in back.value.url
        page.get_by_label("Username").wait_for()
        requests.complete()


def test_ordinary_user_has_no_selector_and_a_phone_shows_everything(browser: Browser, company: Company) -> None:
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
            expect(page.get_by_role("menuitem", name=name, exact=name != "Profile")).to_be_visible()


def test_each_view_keeps_its_own_name_and_address(page: Page, company: Company) -> None:
    """A saved form navigates to its list and closes its own view. The names of the other views must not change."""
    page.goto(f"{company.product.url}/ui/users/groups?search=none")
    page.get_by_role("link", name="Create user group").first.click()
    page.get_by_role("textbox", name="Name").fill("Named once")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url(lambda address: address.split("?")[0].endswith("/users/groups"))
    views = page.get_by_role("navigation", name="Open views").get_by_role("link")
    expect(views).to_have_text(["Start here", "User groups"])  # where the sign-in leads


def test_toolbar_of_a_list_stays_on_one_line_beside_the_open_sidebar(page: Page, company: Company) -> None:
    page.set_viewport_size({"width": 992, "height": 700})
    for path in ("/users/users", "/users/groups", "/assets/assets", "/perms/asset-permissions", "/xpack/orgs"):
        go(page, company, path)
        main = page.get_by_role("main")
        # The heading stands on the same line, unless tabs come between it and the list.
        has_tabs = path == "/users/users"
        beside = main.get_by_role("button", name="Columns") if has_tabs else page.get_by_role("heading", level=1)
        box = beside.bounding_box()
        assert box is not None
        middle = box["y"] + box["height"] / 2
        for part in (main.get_by_role("combobox", name="Search"), main.get_by_role("link", name="Create").first):
            place = part.bounding_box()
            assert place is not None
            assert place["y"] < middle < place["y"] + place["height"], path
            assert place["x"] + place["width"] <= 992, path


def test_tooltip_appears_by_pointer_can_be_hovered_and_dismissed(page: Page, company: Company) -> None:
    go(page, company, "/users/users")
    tip = page.locator("[data-tip-box]")
    columns = page.get_by_role("button", name="Columns")
    page.mouse.move(300, 500)
    columns.hover()
    expect(tip).to_have_text("Columns")
    expect(tip).to_be_in_viewport(ratio=1)
    tip.hover()
    expect(tip).to_be_visible()
    page.keyboard.press("Escape")
    expect(tip).to_have_count(0)
    assert columns.get_attribute("title") == "Columns"
