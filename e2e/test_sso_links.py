"""SSO links in the whole product: a portal requests links with the commands of the how-to, and Chromium opens them."""

import json
import os
import re
import subprocess
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Faults, photograph, window
from playwright.sync_api import Browser, Page, expect
from product import Product

HOW_TO = Path(__file__).resolve().parent.parent / "docs" / "how-to" / "make-sso-links.md"
PROFILE = "() => fetch('/api/v1/users/profile/').then((answer) => answer.json()).then((person) => person.username)"
USED = "This link has been used or has expired."


BASIC, SECURITY = (f"/api/v1/settings/setting/?category={name}" for name in ("basic", "security"))


@pytest.fixture(scope="module")
def own(product: Product) -> Iterator[Product]:
    """The shared product with links switched on and the users `ann` and `bob`, until the tests end."""
    api = product.api()
    address, made = api.get(BASIC)["SITE_URL"], []
    try:
        api.patch(BASIC, {"SITE_URL": product.url})
        api.patch(SECURITY, {"AUTH_SSO": True})
        for name in ("ann", "bob"):
            person = {"name": name.title(), "username": name, "email": f"{name}@example.test", "source": "local"}
            made.append(api.post("/api/v1/users/users/", person)["id"])
        yield product
    finally:
        for one in made:
            api.delete(f"/api/v1/users/users/{one}/")
        api.patch(SECURITY, {"AUTH_SSO": False})
        api.patch(BASIC, {"SITE_URL": address})


@pytest.fixture(scope="module")
def key(own: Product) -> dict[str, str]:
    made: dict[str, str] = own.api().post("/api/v1/authentication/access-keys/", {})
    return made


def link_for(own: Product, key: dict[str, str], username: str, target: str = "/ui/users/profile") -> str:
    """Request a link with the commands of the how-to."""
    block = re.search(r"```bash\n(.*?)```", HOW_TO.read_text(), re.DOTALL)
    assert block is not None
    done = subprocess.run(
        ["bash", "-ec", block[1], "bash", username, target],
        env={"PATH": os.environ["PATH"], "POSTERN_URL": own.url, "KEY_ID": key["id"], "KEY_SECRET": key["secret"]},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return str(json.loads(done.stdout)["login_url"])


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = window(browser)
    yield context.new_page()
    context.close()


def is_inside(page: Page, username: str) -> None:
    page.wait_for_url(lambda address: "/ui/" in address and "/login" not in address)
    assert page.evaluate(PROFILE) == username


def test_link_of_the_how_to_signs_in_once(own: Product, key: dict[str, str], browser: Browser, page: Page) -> None:
    faults = Faults(expected_statuses=frozenset({400}))
    faults.watch(page)
    link = link_for(own, key, "ann")
    with urllib.request.urlopen(link, timeout=30) as scanner:  # a mail scanner opens the link
        assert scanner.status == 200
    addresses: list[str] = []
    page.on("framenavigated", lambda frame: addresses.append(frame.url))
    page.goto(link)
    is_inside(page, "ann")
    authkey = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(link).query))["authkey"]
    assert authkey not in page.url
    page.go_back()
    assert authkey not in page.url
    assert any(address.endswith(f"?sso=1#{authkey}") for address in addresses)
    second = window(browser)
    again = second.new_page()
    again.goto(link)
    expect(again.get_by_role("alert")).to_contain_text(USED)
    expect(again.get_by_label("Username")).to_be_visible()
    assert "sso" not in again.url
    photograph(again, "sso-link-used")
    second.close()
    assert faults.found == []


def test_link_for_another_user_requires_agreement_in_the_browser(own: Product, key: dict[str, str], page: Page) -> None:
    page.goto(link_for(own, key, "bob"))
    is_inside(page, "bob")
    page.goto(link_for(own, key, "ann"))
    expect(page.get_by_text("You are signed in as Bob(bob). The link signs in Ann(ann).")).to_be_visible()
    photograph(page, "sso-link-switch")
    assert page.evaluate(PROFILE) == "bob"
    page.get_by_role("button", name="Sign out and continue").click()
    is_inside(page, "ann")
    page.goto(link_for(own, key, "ann", "/ui/users/profile?activeTab=ssh-key"))
    page.wait_for_url(lambda address: "/ui/" in address and "/login" not in address)
    assert page.evaluate(PROFILE) == "ann"


def test_link_requires_the_second_factor_in_the_browser(own: Product, key: dict[str, str], page: Page) -> None:
    api = own.api()
    bob = next(row for row in api.get("/api/v1/users/users/?username=bob"))
    api.patch(f"/api/v1/users/users/{bob['id']}/", {"mfa_level": 2})
    page.goto(link_for(own, key, "bob"))
    expect(page.get_by_text("Your account needs a second factor")).to_be_visible()
    assert page.evaluate("() => fetch('/api/v1/users/profile/').then((answer) => answer.status)") == 401
    logs = api.get("/api/v1/audits/login-logs/?username=bob")
    rows = logs["results"] if isinstance(logs, dict) else logs
    assert {row["backend"] for row in rows} == {"sso"}
