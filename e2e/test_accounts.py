"""Accounts in Chromium: an own secret lets a session in, its test shows that it works, and a code opens it."""

import re
import subprocess
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pyotp
import pytest
from admin_console import more
from browser import Faults, admit, window
from playwright.sync_api import Browser, Page, expect
from product import Product, wait_until
from world import ASSET, TargetHost, World

ACCOUNTS, RELATIONS = "/api/v1/assets/accounts/", "/api/v1/assets/system-users-assets-relations/"
PASSWORD = "meadow-Copper-signal-58"


@pytest.fixture(scope="module")
def page(product: Product, browser: Browser) -> Iterator[Page]:
    """The browser of an administrator who has no second factor yet."""
    name = f"keeper-{uuid.uuid4().hex[:6]}"
    product.api().post(
        "/api/v1/users/users/",
        {
            "name": "Kim Keeper",
            "username": name,
            "email": f"{name}@example.invalid",
            "role": "Admin",
            "password_strategy": "custom",
            "password": PASSWORD,
        },
    )
    context = window(browser)
    tab = context.new_page()
    # The server answers 400 as long as no code was entered; the console then asks for one.
    faults = Faults(expected_statuses=frozenset({400}))
    faults.watch(tab)
    admit(tab, product.url, name, PASSWORD)
    yield tab
    assert faults.found == []
    context.close()


def turn_on_second_factor(page: Page, product: Product) -> None:
    """Set up an authenticator app, which enters its first code."""
    page.goto(f"{product.url}/ui/users/profile")
    page.get_by_role("button", name="Enable", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Current password").fill(PASSWORD)
    dialog.get_by_role("button", name="Continue").click()
    secret = dialog.locator("code").inner_text().replace(" ", "")
    dialog.get_by_label("MFA code").fill(pyotp.TOTP(secret).at(datetime.now(UTC)))
    dialog.get_by_role("button", name="Turn on MFA").click()
    dialog.get_by_role("button", name="Done").click()


@pytest.fixture(scope="module")
def account(world: World, host: TargetHost) -> Iterator[dict[str, Any]]:
    """An account on the host whose system user has a wrong password. Zhang may use it, until the tests are over:
    connecting would ask others which system user is meant.
    """
    mark = uuid.uuid4().hex[:6]
    body = {"name": f"stale-{mark}", "username": host.login, "protocol": "ssh", "password": "not the password"}
    system_user = world.admin.post("/api/v1/assets/system-users/", body)
    row = world.admin.post(RELATIONS, {"asset": world.asset_id, "systemuser": system_user["id"]})
    permission = world.admin.post(
        "/api/v1/perms/asset-permissions/",
        {
            "name": f"stale {mark}",
            "users": [world.zhang_id],
            "assets": [world.asset_id],
            "system_users": [system_user["id"]],
        },
    )
    yield {"id": row["id"], "system_user": system_user["name"], "system_user_id": system_user["id"]}
    world.admin.delete(f"/api/v1/perms/asset-permissions/{permission['id']}/")


def through(world: World, account: dict[str, Any]) -> subprocess.CompletedProcess[bytes]:
    login = f"zhang@{account['system_user']}@{ASSET}"
    return subprocess.run(world.ssh("echo", "came in", login=login), capture_output=True, timeout=60, check=False)


@pytest.mark.spec("S2-181")
def test_own_secret_lets_a_real_session_in_and_its_test_shows_that_it_works(
    product: Product, page: Page, world: World, host: TargetHost, account: dict[str, Any]
) -> None:
    name = f"{host.login}@{ASSET}"
    assert through(world, account).stdout == b""

    page.goto(f"{product.url}/ui/assets/system-users/{account['system_user_id']}?activeTab=accounts")
    more(page, name, "Update secret")
    dialog = page.get_by_role("dialog", name=f"Secret of {name}")
    dialog.locator("input[type=file]").set_input_files(host.client_key)
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_label("Has a secret of its own")).to_be_visible()

    assert through(world, account).stdout == b"came in\n"
    page.get_by_role("button", name=f"Test {name}").click()
    log = page.get_by_role("dialog", name="Test accounts")
    expect(log.get_by_text("Succeeded", exact=True)).to_be_visible(timeout=30_000)
    page.keyboard.press("Escape")
    wait_until(
        lambda: world.admin.get(f"{ACCOUNTS}{account['id']}/")["connectivity"] == "ok", message="the result of the test"
    )
    page.goto(f"{product.url}/ui/assets/assets/{world.asset_id}?activeTab=accounts")
    row = page.get_by_role("row").filter(has_text=account["system_user"])
    expect(row.get_by_text("Works")).to_be_visible()


def test_secret_is_shown_after_a_code_only_and_the_look_is_on_record(
    product: Product, page: Page, world: World, account: dict[str, Any], host: TargetHost
) -> None:
    name, looks = f"{host.login}@{ASSET}", "/api/v1/audits/events/?event=accountsecret.viewed&limit=5&offset=0"
    before = world.admin.get(looks)["count"]
    accounts = f"{product.url}/ui/assets/system-users/{account['system_user_id']}?activeTab=accounts"
    page.goto(accounts)
    more(page, name, "View secret")
    question = page.get_by_role("dialog")
    expect(question.get_by_label("MFA code")).to_be_visible()
    question.get_by_role("button", name="Cancel").click()
    expect(question).to_have_count(0)
    assert world.admin.get(looks)["count"] == before

    turn_on_second_factor(page, product)
    page.goto(accounts)
    more(page, name, "View secret")
    dialog = page.get_by_role("dialog", name=f"Secret of {name}")
    expect(dialog.get_by_label("SSH private key", exact=True)).to_have_value(re.compile("PRIVATE KEY"))
    dialog.get_by_role("button", name="Close").last.click()
    expect(page.get_by_text("PRIVATE KEY")).to_have_count(0)
    events = world.admin.get(looks)["results"]
    assert len(events) == before + 1
    assert (events[0]["resource"], "keeper-" in events[0]["user"]) == (name, True)
