"""Joining an organization with consent, and recovering from an organization that no longer exists."""

import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from accessibility import at_rest, axe_findings
from browser import Faults, first_sign_in, window
from company import DEFAULT_ORG, Company
from playwright.sync_api import Browser, Page, expect
from world import ZHANG_PASSWORD


@dataclass(frozen=True)
class Person:
    id: str
    username: str
    email: str


@dataclass(frozen=True)
class Branch:
    """A separate organization for one test."""

    id: str
    name: str


@pytest.fixture
def branch(company: Company) -> Branch:
    name = f"Branch {uuid.uuid4().hex[:6]}"
    return Branch(str(company.admin.post("/api/v1/orgs/orgs/", {"name": name})["id"]), name)


def new_person(company: Company, org_id: str, *roles: str) -> Person:
    """Create a user who belongs to this organization only."""
    username = f"p-{uuid.uuid4().hex[:8]}"
    body = {
        "name": username.title(),
        "username": username,
        "email": f"{username}@example.invalid",
        "password_strategy": "custom",
        "password": ZHANG_PASSWORD,
        "org_roles": list(roles or ["User"]),
    }
    answer = company.admin.call("POST", "/api/v1/users/users/", body, {"X-JMS-ORG": org_id})
    assert answer.status == 201, answer
    return Person(str(answer.body["id"]), username, str(body["email"]))


@pytest.fixture
def pages(browser: Browser) -> Iterator["Pages"]:
    """Browsers of several users. The test fails on page errors other than those that it names."""
    opened = Pages(browser)
    yield opened
    for context in opened.contexts:
        context.close()
    # The router logs why the guard rejected a user without any organization.
    assert [fault for fault in opened.faults.found if "the guard failed: organization" not in fault] == []


class Pages:
    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self.contexts: list[object] = []
        # A refusal about an organization is expected here.
        self.faults = Faults(expected_statuses=frozenset({401, 403, 404}))

    def sign_in(self, company: Company, person: Person, address: str = "/login") -> Page:
        context = window(self._browser)
        self.contexts.append(context)
        page = context.new_page()
        self.faults.watch(page)
        fill_sign_in(page, company, person, address)
        return page


def fill_sign_in(page: Page, company: Company, person: Person, address: str) -> None:
    page.goto(f"{company.product.url}{address}")
    page.get_by_label("Username").fill(person.username)
    page.get_by_label("Password", exact=True).fill(ZHANG_PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda found: "/login" not in found)
    page.get_by_role("heading", level=1).first.wait_for(state="attached")
    if "first-login" in page.url:
        first_sign_in(page)
        page.get_by_role("heading", level=1).first.wait_for(state="attached")


def findings(page: Page) -> list[str]:
    """Return the accessibility findings in both themes, and whether the page is too wide for a phone."""
    violations: list[str] = []
    at_rest(page)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        expect(page.locator("html")).to_have_attribute("data-theme", theme)
        violations += axe_findings(page)
    page.set_viewport_size({"width": 320, "height": 720})
    at_rest(page)
    width = page.evaluate("document.documentElement.scrollWidth")
    page.set_viewport_size({"width": 1440, "height": 900})
    return [*violations, *([f"{width} px wide"] if width > 320 else [])]


@pytest.mark.parametrize("address", ["/login", "/core/auth/login/"])
def test_sign_in_page_is_served_at_the_addresses_of_the_contract(company: Company, pages: Pages, address: str) -> None:
    """The page itself is served at that address, and leads back to the console from which it was opened."""
    person = new_person(company, DEFAULT_ORG)
    page = pages.sign_in(company, person, address)
    page.context.clear_cookies()
    page.goto(f"{company.product.url}{address}?next=/api/docs/")
    assert page.url == f"{company.product.url}{address}?next=/api/docs/"
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.get_by_label("Username").fill(person.username)
    page.get_by_label("Password", exact=True).fill(ZHANG_PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{company.product.url}/api/docs/")


def test_invited_user_joins_after_accepting(company: Company, branch: Branch, pages: Pages) -> None:
    inviter = new_person(company, branch.id, "Admin")
    guest = new_person(company, company.shanghai)

    # The administrator writes an address, and learns nothing about its owner.
    admin_page = pages.sign_in(company, inviter)
    admin_page.goto(f"{company.product.url}/ui/users/users")
    admin_page.get_by_role("button", name="Invite").click()
    dialog = admin_page.get_by_role("dialog", name=f"Invite users to “{branch.name}”")
    dialog.get_by_role("textbox", name="User names or e-mail addresses").fill(f"{guest.email}\nnobody-at-all")
    dialog.get_by_role("button", name="Invite").click()
    expect(admin_page.get_by_text("2 invitations sent.")).to_be_visible()
    expect(admin_page.get_by_text(guest.username.title())).to_have_count(0)
    admin_page.get_by_role("button", name="Invite").click()
    waiting = dialog.get_by_role("region", name="Waiting for an answer")
    expect(waiting.get_by_role("listitem")).to_have_count(2)
    assert findings(admin_page) == []
    waiting.get_by_role("button", name="Withdraw the invitation of “nobody-at-all”").click()
    expect(waiting.get_by_role("listitem")).to_have_count(1)

    # The user is notified by the bell, and decides on the profile page.
    guest_page = pages.sign_in(company, guest)
    guest_page.get_by_role("button", name="Site messages, 1 unread").click()
    # In the account's language when the message was created. The sign-in has changed that language meanwhile.
    notice = re.compile(f"(You are invited into the organization|你被邀请加入组织) {branch.name}")
    messages = guest_page.get_by_role("dialog", name="Site messages")
    expect(messages.get_by_role("button", name=notice).first).to_be_visible()
    guest_page.keyboard.press("Escape")
    guest_page.goto(f"{company.product.url}/ui/users/profile")
    accept = guest_page.get_by_role("button", name=f"Accept the invitation to “{branch.name}”")
    accept.wait_for()
    assert findings(guest_page) == []
    accept.click()
    expect(guest_page.get_by_text(f"You have joined “{branch.name}”")).to_be_visible()
    expect(accept).to_have_count(0)
    admin_page.goto(f"{company.product.url}/ui/users/users")
    expect(admin_page.get_by_role("link", name=guest.username.title())).to_be_visible()


@pytest.mark.parametrize("end", ["left", "deleted"])
def test_stale_organization_leads_back_to_an_accessible_one(
    company: Company, branch: Branch, pages: Pages, end: str
) -> None:
    person = new_person(company, DEFAULT_ORG, "Admin")
    relation = "/api/v1/orgs/org-member-relation/"
    company.admin.post(relation, [{"org": branch.id, "user": person.id, "role": "Admin"}])
    page = pages.sign_in(company, person)
    page.get_by_role("complementary", name="Sidebar").get_by_role("button", name="Organization").click()
    with page.expect_navigation():
        page.get_by_role("menuitemradio", name=branch.name).click()
    page.goto(f"{company.product.url}/ui/users/groups")
    page.get_by_role("heading", level=1, name="User groups").wait_for()

    # While the user is working: a question appears, and the console continues in another organization.
    (row,) = company.admin.get(f"{relation}?org={branch.id}&user={person.id}")
    company.admin.delete(f"{relation}{row['id']}/")
    if end == "deleted":
        company.admin.delete(f"/api/v1/orgs/orgs/{branch.id}/")
    page.get_by_role("navigation", name="Main menu").get_by_role("link", name="Users", exact=True).first.click()
    question = page.get_by_role(
        "alertdialog",
        name=f"The organization “{branch.name}” is not open to you any more",
    )
    question.wait_for()
    assert findings(page) == []
    question.get_by_role("button", name="Switch organization").click()
    notice = f"You can no longer work in “{branch.name}”. You are in “Default” now."
    expect(page.get_by_text(notice)).to_be_visible()
    page.goto(f"{company.product.url}/ui/users/users")
    expect(page.get_by_role("link", name=person.username.title())).to_be_visible()

    # Sign in again with the data that the browser has stored.
    page.evaluate(
        """([id, name, username]) => {
          const kept = JSON.stringify({ id, name, is_default: false, is_root: false });
          localStorage.setItem(`jms_current_org_${username}`, kept);
          document.cookie = `X-JMS-ORG=${id}; path=/`;
        }""",
        [branch.id, branch.name, person.username],
    )
    page.goto(f"{company.product.url}/core/auth/logout/")
    fill_sign_in(page, company, person, "/core/auth/login/")
    expect(page.get_by_text(notice)).to_be_visible()
    page.goto(f"{company.product.url}/ui/users/users")
    expect(page.get_by_role("link", name=person.username.title())).to_be_visible()


def test_user_without_an_organization_sees_invitations_and_can_sign_out(
    company: Company, branch: Branch, pages: Pages
) -> None:
    person = new_person(company, branch.id)
    page = pages.sign_in(company, person)
    inviter = new_person(company, DEFAULT_ORG, "Admin")
    api = company.product.api(inviter.username, ZHANG_PASSWORD)
    api.call("PATCH", "/api/v1/users/profile/", {"is_first_login": False})
    api.post("/api/v1/users/users/invite/", [{"user": person.username, "role": "User"}])
    (row,) = company.admin.get(f"/api/v1/orgs/org-member-relation/?org={branch.id}&user={person.id}")
    company.admin.delete(f"/api/v1/orgs/org-member-relation/{row['id']}/")

    page.goto(f"{company.product.url}/ui/")
    expect(page.get_by_role("heading", name="You do not belong to any organization")).to_be_visible()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    accept = page.get_by_role("button", name="Accept the invitation to “Default”")
    accept.wait_for()
    assert findings(page) == []
    accept.click()
    expect(page.get_by_role("navigation", name="Main menu")).to_be_visible()
