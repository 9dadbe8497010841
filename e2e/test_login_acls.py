"""Login ACLs in the console, and their effect on a browser, a token and a real ssh."""

import re
import subprocess
import uuid
from collections.abc import Iterator
from typing import Any

import admin_console
import pytest
from admin_console import save, text
from browser import Faults
from playwright.sync_api import BrowserContext, Page, expect
from product import Api, Product, wait_until
from world import ZHANG_PASSWORD, World

# Pytest looks for fixtures among the names of the module.
signed_in, page, objects = admin_console.signed_in, admin_console.page, admin_console.objects
ACLS = "/api/v1/acls/login-acls/"


@pytest.fixture
def rule(product: Product, objects: dict[str, str]) -> Iterator[dict[str, Any]]:
    body = {
        "name": f"office-{uuid.uuid4().hex[:6]}",
        "user": objects["user"],
        "action": "allow",
        "ip_group": ["10.0.0.0/8"],
    }
    made = product.api().post(ACLS, body)
    yield made
    product.api().call("DELETE", f"{ACLS}{made['id']}/")


@pytest.mark.parametrize(
    ("path", "heading"),
    [
        pytest.param("/users/user-acl?user={user}", "Login ACLs", marks=pytest.mark.spec("S2-019", "S1-024")),
        pytest.param("/users/user-acl/create?user={user}", "Create login ACL", marks=pytest.mark.spec("S2-020")),
        pytest.param("/users/user-acl/{id}", "office-", marks=pytest.mark.spec("S2-021")),
        pytest.param("/users/user-acl/{id}/update", "Update login ACL", marks=pytest.mark.spec("S2-022")),
    ],
)
def test_route_opens_its_screen(product: Product, rule: dict[str, Any], page: Page, path: str, heading: str) -> None:
    page.goto(f"{product.url}/ui{path.format(**rule)}")
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(f"^{heading}"))
    main = page.get_by_role("main")
    if "create" in path or "update" in path:
        expect(text(page, "Name")).to_be_visible()
        expect(page.get_by_role("combobox", name="User", exact=True)).to_be_disabled()
    else:
        expect(main.get_by_text(rule["name"]).first).to_be_visible()
    expect(main.get_by_role("button", name="Retry")).to_have_count(0)


@pytest.fixture
def mistaken(signed_in: BrowserContext) -> Iterator[Page]:
    """A tab of the administrator that allows refused requests."""
    tab, faults = signed_in.new_page(), Faults(expected_statuses=frozenset({400}))
    faults.watch(tab)
    yield tab
    tab.close()
    assert faults.found == []


def test_rule_is_created_on_the_page_of_its_user_and_tried(
    product: Product, objects: dict[str, str], mistaken: Page
) -> None:
    page = mistaken
    name = f"night-{uuid.uuid4().hex[:6]}"
    page.goto(f"{product.url}/ui/users/users/{objects['user']}?activeTab=login-acls")
    page.get_by_role("main").get_by_role("link", name="Create login ACL").first.click()
    text(page, "Name").fill(name)
    page.get_by_role("radio", name="Reject").check()
    addresses = page.get_by_role("textbox", name="IP")
    addresses.fill("10.0.0.0/8\nnonsense")
    page.get_by_role("button", name="Add a time").click()
    for day in ("Saturday", "Sunday"):
        page.get_by_role("checkbox", name=day).check()
    page.get_by_label("From", exact=True).fill("22:00")
    page.get_by_label("Until", exact=True).fill("06:00")
    expect(page.get_by_text("on the next day")).to_be_visible()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text(re.compile("Enter an address"))).to_be_visible()
    addresses.fill("10.0.0.0/8")
    save(page)

    page.wait_for_url(lambda address: "activeTab=login-acls" in address)
    row = page.get_by_role("row", name=re.compile(name))
    expect(row).to_contain_text("Never these")
    expect(row).to_contain_text("22:00–06:00")
    page.get_by_role("textbox", name="From address").fill("10.1.2.3")
    page.get_by_role("textbox", name="At", exact=True).fill("2026-11-23 23:30")
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_text(re.compile(f"Does not get in. Decided by “{name}”"))).to_be_visible()
    page.get_by_role("textbox", name="From address").fill("192.0.2.1")
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_text(re.compile("Gets in. Decided by .* the address does not match the rule"))).to_be_visible()
    (made,) = [one for one in product.api().get(f"{ACLS}?user={objects['user']}") if one["name"] == name]
    product.api().call("DELETE", f"{ACLS}{made['id']}/")


def is_let_in(world: World) -> bool:
    """Whether zhang can sign in. After consecutive failures the next attempt has to wait some seconds."""
    browser = Api(world.product.url)
    browser.call("GET", "/core/auth/login/")
    credentials = {"username": "zhang", "password": ZHANG_PASSWORD}
    return browser.call("POST", "/api/v1/authentication/sign-in/", credentials).status == 200


def test_refused_user_is_signed_out_at_once_and_ssh_shows_the_reason(world: World) -> None:
    product, zhang = world.product, world.zhang()
    assert zhang.call("GET", "/api/v1/users/profile/").status == 200
    body = {"name": "elsewhere", "user": world.zhang_id, "action": "allow", "ip_group": ["203.0.113.0/24"]}
    rule = product.api().post(ACLS, body)
    try:
        answer = zhang.call("GET", "/api/v1/users/profile/")
        assert (answer.status, answer.body["code"]) == (401, "acl_not_allow")
        shown = [part.replace("LogLevel=ERROR", "LogLevel=INFO") for part in world.ssh("true")]  # shows banners
        refused = subprocess.run(shown, capture_output=True, text=True, timeout=120, check=False)
        assert refused.returncode != 0
        assert "You may not sign in from this address" in refused.stderr + refused.stdout
        product.api().patch(f"{ACLS}{rule['id']}/", {"ip_group": ["127.0.0.0/8", "::1"]})
        wait_until(
            lambda: subprocess.run(world.ssh("true"), capture_output=True, timeout=120, check=False).returncode == 0,
            message="ssh to be let in again",
        )
        wait_until(lambda: is_let_in(world), message="the sign-in to be let in again")
    finally:
        product.api().call("DELETE", f"{ACLS}{rule['id']}/")
