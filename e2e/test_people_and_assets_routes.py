"""Every route of users, groups, assets, system users and labels, the first sign-in, and the account pages."""

import re
import uuid

import admin_console
import pytest
from admin_console import PASSWORD
from browser import Faults, admit, sign_in, window
from playwright.sync_api import Browser, Page, expect
from product import ADMIN_PASSWORD, Product
from route_screens import route, shows_screen

# Pytest looks for fixtures among the names of the module.
signed_in, page, objects = admin_console.signed_in, admin_console.page, admin_console.objects


@pytest.mark.parametrize(
    ("path", "heading"),
    [
        route("/users/users", "Users", "S2-011", "S1-011"),
        route("/users/users/create", "Create user", "S2-012"),
        route("/users/users/{user}/update", "Update user", "S2-013"),
        route("/users/users/{user}", "Routes .*", "S2-014"),
        route("/users/groups", "User groups", "S2-015", "S1-012"),
        route("/users/groups/create", "Create user group", "S2-016"),
        route("/users/groups/{group}/update", "Update user group", "S2-017"),
        route("/users/groups/{group}", "routes-.*", "S2-018"),
        route("/users/profile", "Profile", "S2-023"),
        route(
            "/users/first-login/personal-information-improvement/",
            "Complete your profile",
            "S2-024",
        ),
        route("/users/first-login/guide/", "User guide", "S2-025"),
        route("/assets/assets", "Assets", "S2-027"),
        route("/assets/assets/create", "Create asset", "S2-028"),
        route("/assets/assets/{asset}", "routes-.*", "S2-029"),
        route("/assets/assets/{asset}/update", "Update asset", "S2-030"),
        route("/assets/assets/detail/{asset}/update", "Edit more information", "S2-031"),
        route("/assets/system-users", "System users", "S2-039", "S1-020"),
        route("/assets/system-users/create", "Create system user", "S2-040"),
        route("/assets/system-users/{system_user}", "routes-.*", "S2-042"),
        route("/assets/system-users/{system_user}/update", "Update system user", "S2-041"),
        route("/assets/labels", "Labels", "S2-054", "S1-023"),
        route("/assets/labels/create", "Create label", "S2-055"),
        route("/assets/labels/{label}/update", "Update label", "S2-056"),
    ],
)
def test_route_opens_its_screen(product: Product, objects: dict[str, str], page: Page, path: str, heading: str) -> None:
    page.goto(f"{product.url}/ui{path.format(**objects)}")
    if path.rpartition("/")[2] in {
        "users",
        "groups",
        "assets",
        "system-users",
        "labels",
    }:
        table = page.get_by_role("main").get_by_role("table")
        expect(table.get_by_role("columnheader", name=re.compile("^(Name|Hostname)")).first).to_be_visible()
    shows_screen(page, path, heading)


@pytest.mark.spec("S2-026", "S2-024", "S2-025")
def test_first_sign_in_leads_over_the_own_profile_to_the_guide(product: Product, browser: Browser) -> None:
    username = f"first-{uuid.uuid4().hex[:6]}"
    body = {
        "name": "First",
        "username": username,
        "email": f"{username}@example.invalid",
    }
    product.api().post(
        "/api/v1/users/users/",
        {**body, "password_strategy": "custom", "password": PASSWORD},
    )
    context = window(browser)
    page = context.new_page()
    faults = Faults()
    faults.watch(page)
    sign_in(page, product.url, username, PASSWORD)
    page.wait_for_url(lambda address: "/users/first-login/personal-information-improvement" in address)
    expect(page.get_by_role("textbox", name="Username")).to_have_value(username)
    page.get_by_role("textbox", name="Phone").fill("12345")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("This field is required")).to_be_visible()
    page.get_by_role("checkbox", name="I know that").check()
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url(lambda address: "/users/first-login/guide" in address)
    page.get_by_role("link", name="Start", exact=True).click()
    page.wait_for_url(lambda address: "first-login" not in address)
    page.goto(f"{product.url}/ui/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert "first-login" not in page.url
    profile = product.api(username, PASSWORD).get("/api/v1/users/profile/")
    assert (profile["is_first_login"], profile["phone"]) == (False, "12345")
    context.close()
    assert faults.found == []


@pytest.mark.spec("S7-051")
def test_profile_organization_and_sign_out_have_the_paths_of_the_contract(product: Product, browser: Browser) -> None:
    context = window(browser)
    page = context.new_page()
    admit(page, product.url, "admin", ADMIN_PASSWORD)
    asked: list[tuple[str, str]] = []
    page.on(
        "request",
        lambda request: asked.append((request.method, request.url.removeprefix(product.url))),
    )
    page.goto(f"{product.url}/ui/users/users")
    page.get_by_role("link", name="Administrator").first.wait_for()
    assert ("GET", "/api/v1/users/profile/") in asked
    assert any(method == "GET" and path.startswith("/api/v1/orgs/orgs/current/") for method, path in asked)
    page.get_by_role("button", name=re.compile("Administrator")).first.click()
    page.get_by_role("menuitem", name="Sign out").click()
    page.wait_for_url(lambda address: "/login" in address)
    assert any(path.startswith("/core/auth/logout/?next=") for _method, path in asked)
    page.goto(f"{product.url}/ui/users/users")
    page.wait_for_url(lambda address: "/login" in address)
    context.close()
