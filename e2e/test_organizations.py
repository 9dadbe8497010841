"""Organizations in the console: creating one, adding members, renaming and deleting it."""

import re
import uuid
from collections.abc import Iterator

import pytest
from accessibility import at_rest, axe_findings
from admin_console import listed, more, pick, row_of, save, text
from browser import Faults, admit, window
from company import Company, go, signed_in
from playwright.sync_api import Browser, Locator, Page, expect
from product import ADMIN_PASSWORD, wait_until
from world import ZHANG_PASSWORD


@pytest.fixture
def admin_page(browser: Browser, company: Company) -> Iterator[Page]:
    """The administrator. Refusals by the server are expected; any other error fails the test."""
    context = window(browser)
    page = context.new_page()
    faults = Faults(expected_statuses=frozenset({403}))
    faults.watch(page)
    admit(page, company.product.url, "admin", ADMIN_PASSWORD)
    page.goto(f"{company.product.url}/ui/")
    page.get_by_role("heading", level=1).first.wait_for(state="attached")
    yield page
    context.close()
    assert faults.found == []


def selector(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Sidebar").get_by_role("button", name="Organization")


def offered(page: Page) -> list[str]:
    """Return the names that the sidebar's selector offers."""
    selector(page).click()
    page.get_by_role("menu", name=re.compile("^Organization")).wait_for()
    names = page.get_by_role("menuitemradio").all_inner_texts()
    page.keyboard.press("Escape")
    return [name.splitlines()[0] for name in names]


def root_nodes(company: Company, org_id: str) -> list[str]:
    answer = company.admin.call("GET", "/api/v1/assets/nodes/", headers={"X-JMS-ORG": org_id})
    return [str(row["value"]) for row in answer.body]


@pytest.mark.spec("S1-036", "S2-171", "S2-189", "S3-056", "S7-046")
def test_organization_is_created_filled_renamed_and_deleted(company: Company, admin_page: Page) -> None:
    page = admin_page
    before = f"Beijing {uuid.uuid4().hex[:6]}"
    after = f"{before} West"

    # Created: by the menu, in the form, and offered by the selector without a reload.
    menu = page.get_by_role("navigation", name="Main menu")
    menu.get_by_role("button", name="Extension").click()
    menu.get_by_role("link", name="Organizations").click()
    page.evaluate("window.before = true")
    page.get_by_role("main").get_by_role("link", name="Create organization").click()
    text(page, "Name").fill(before)
    save(page)
    expect(listed(page, before, exact=True)).to_be_visible()
    wait_until(lambda: before in offered(page), message="the selector with the organization")
    org_id = next(row["id"] for row in company.admin.get("/api/v1/orgs/orgs/") if row["name"] == before)

    # Members are added.
    listed(page, before, exact=True).click()
    page.get_by_role("tab", name="Members").click()
    form = page.get_by_role("form", name="Add members")
    pick(form, "Users", "zhang")
    form.get_by_role("checkbox", name="Organization auditor").check()
    form.get_by_role("button", name="Add").click()
    expect(page.get_by_role("cell", name="张伟(zhang)", exact=True)).to_have_count(2)

    # Renamed: list, selector and root node follow.
    page.get_by_role("link", name="Update").click()
    expect(text(page, "Name")).to_have_value(before)
    text(page, "Name").fill(after)
    save(page)
    expect(listed(page, after, exact=True)).to_be_visible()
    wait_until(lambda: after in offered(page), message="the selector with the new name")
    assert before not in offered(page)
    assert root_nodes(company, org_id) == [after]
    expect(row_of(page, after).get_by_role("cell").nth(2)).to_have_text("1")

    # Cannot be deleted while it has members.
    more(page, after, "Delete")
    question = page.get_by_role("alertdialog", name=f"Delete organization “{after}”?")
    question.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("The organization still has: People (1)").first).to_be_visible()
    question.get_by_role("button", name="Cancel").click()
    expect(listed(page, after, exact=True)).to_be_visible()

    # Emptied and deleted.
    listed(page, after, exact=True).click()
    page.get_by_role("tab", name="Members").click()
    people = page.get_by_role("cell", name="张伟(zhang)", exact=True)
    for left in (1, 0):
        page.get_by_role("row").filter(has_text="张伟(zhang)").first.get_by_role("button").first.click()
        page.get_by_role("alertdialog").get_by_role("button", name="Remove").click()
        expect(people).to_have_count(left)
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
    page.wait_for_url(lambda address: address.split("?")[0].endswith("/xpack/orgs"))
    expect(listed(page, "Default", exact=True)).to_be_visible()
    expect(listed(page, after, exact=True)).to_have_count(0)
    wait_until(lambda: after not in offered(page), message="the selector without the organization")
    assert page.evaluate("window.before") is True, "the page was loaded anew"
    assert after not in [row["name"] for row in company.admin.get("/api/v1/orgs/orgs/")]


@pytest.mark.parametrize(
    ("path", "heading"),
    [
        pytest.param("/xpack/orgs", "Organizations", marks=pytest.mark.spec("S2-164")),
        pytest.param("/xpack/orgs/create", "Create organization", marks=pytest.mark.spec("S2-165")),
        pytest.param("/xpack/orgs/{id}/update", "Update organization", marks=pytest.mark.spec("S2-166")),
        pytest.param("/xpack/orgs/{id}", "Shanghai", marks=pytest.mark.spec("S2-167")),
    ],
)
def test_route_opens_its_screen(company: Company, admin_page: Page, path: str, heading: str) -> None:
    go(admin_page, company, path.format(id=company.shanghai))
    expect(admin_page.get_by_role("heading", level=1)).to_have_text(heading)
    main = admin_page.get_by_role("main")
    if path.endswith("orgs"):
        expect(main.get_by_role("columnheader", name="System users")).to_be_visible()
        expect(listed(admin_page, "Shanghai", exact=True)).to_be_visible()
    elif path.endswith(("create", "update")):
        expect(text(admin_page, "Name")).to_have_value("Shanghai" if path.endswith("update") else "")
    else:
        expect(main.get_by_role("tab", name="Members")).to_be_visible()
    expect(main.get_by_role("button", name="Retry")).to_have_count(0)
    assert findings(admin_page) == []


def findings(page: Page) -> list[str]:
    """Return the accessibility findings in both themes, and whether the page is too wide for a phone."""
    violations: list[str] = []
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        expect(page.locator("html")).to_have_attribute("data-theme", theme)
        violations += axe_findings(page)
    page.set_viewport_size({"width": 320, "height": 720})
    at_rest(page)
    width = page.evaluate("document.documentElement.scrollWidth")
    return [*violations, *([f"{width} px wide"] if width > 320 else [])]


def test_members_tab_shows_its_form_and_is_accessible(company: Company, admin_page: Page) -> None:
    go(admin_page, company, f"/xpack/orgs/{company.shanghai}?activeTab=members")
    expect(admin_page.get_by_role("form", name="Add members")).to_be_visible()
    assert findings(admin_page) == []


@pytest.mark.spec("S2-168", "S6-026")
def test_only_a_super_administrator_opens_organizations(company: Company, browser: Browser) -> None:
    for page in signed_in(browser, company, "zhang", ZHANG_PASSWORD):
        expect(page.get_by_role("button", name="Extension")).to_have_count(0)
        for path in ("/xpack/orgs", "/xpack/orgs/create", f"/xpack/orgs/{company.shanghai}"):
            go(page, company, path)
            expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("^You cannot open “"))
