"""A service account in the console, the API and a real ssh: creation, use, refusal on ways of people, and its end."""

import base64
import hashlib
import hmac
import re
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import formatdate
from pathlib import Path
from typing import Any

import admin_console
import pytest
from accessibility import axe_findings, moved, settled
from admin_console import row_of, save, text
from browser import Faults, admit, expect_to_fit, photograph, window
from playwright.sync_api import Browser, BrowserContext, Page, expect
from product import ADMIN_PASSWORD, Answer, Api, wait_until
from world import World

# Pytest looks for fixtures among the names of the module.
signed_in, page = admin_console.signed_in, admin_console.page
KEYS = "/api/v1/authentication/service-account-keys/"
PROFILE = "/api/v1/users/profile/"


def signed_call(world: World, key: tuple[str, str], path: str = PROFILE) -> Answer:
    """Send a signed request, as in the guide."""
    key_id, secret = key
    date = formatdate(time.time(), usegmt=True)
    signed = f"(request-target): get {path}\ndate: {date}"
    signature = base64.b64encode(hmac.new(secret.encode(), signed.encode(), hashlib.sha256).digest()).decode()
    header = (
        f'Signature keyId="{key_id}",algorithm="hmac-sha256",headers="(request-target) date",signature="{signature}"'
    )
    return Api(world.product.url).call("GET", path, headers={"Date": date, "Authorization": header})


def ssh_as(world: World, name: str, key: Path) -> subprocess.CompletedProcess[str]:
    command = [str(key) if part == str(world.keys["zhang"]) else part for part in world.ssh("echo", "done")]
    command[command.index("-l") + 1] = f"{name}@deploy@web-1"
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def account(world: World) -> Iterator[Callable[..., dict[str, Any]]]:
    made: list[str] = []

    def make(**more: Any) -> dict[str, Any]:
        name = f"robot-{uuid.uuid4().hex[:6]}"
        body = {"kind": "service", "name": name, "username": name, **more}
        row: dict[str, Any] = world.admin.post("/api/v1/users/users/", body)
        made.append(row["id"])
        return row

    yield make
    for one in made:
        world.admin.delete(f"/api/v1/users/users/{one}/")


def test_administrator_makes_an_account_with_a_key_that_calls_the_api(world: World, page: Page) -> None:
    name = f"build-{uuid.uuid4().hex[:6]}"
    page.goto(f"{world.product.url}/ui/users/users")
    page.get_by_role("tab", name="Service accounts").click()
    page.get_by_role("main").get_by_role("link", name="Create service account").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Create service account")
    for of_people in ("Email", "Password", "MFA", "Source", "Phone"):
        expect(page.get_by_role("main").get_by_label(of_people, exact=True)).to_have_count(0)
    text(page, "Name").fill("Nightly build")
    text(page, "Username").fill(name)
    text(page, "Owner").fill("Li Na: builds and deploys the shop")
    save(page)

    page.wait_for_url(re.compile("/users/service-accounts/[0-9a-f-]{36}$"))
    page.get_by_role("tab", name="Access keys").click()
    page.get_by_role("main").get_by_role("link", name="Create access key").first.click()
    text(page, "Comment").fill("pipeline")
    save(page)
    dialog = page.get_by_role("alertdialog", name="Access key made")
    expect(dialog).to_be_visible()
    photograph(page, "service-key-made")
    shown = re.findall(r"[0-9a-f]{8}-[0-9a-f-]{27}", dialog.inner_text())
    key = (shown[0], shown[1])
    dialog.get_by_role("button", name="Copy both").click()
    page.wait_for_url(re.compile("activeTab=keys"))
    expect(row_of(page, "pipeline")).to_contain_text("Works")
    expect(page.get_by_role("button", name="Actions of pipeline")).to_be_visible()

    answer = signed_call(world, key)
    assert (answer.status, answer.body["username"]) == (200, name)
    page.reload()
    expect(page.get_by_text(key[1])).to_have_count(0)
    row = world.admin.get(f"{KEYS}{key[0]}/")
    assert (row["secret"], row["date_last_used"] is not None) == ("******", True)

    page.goto(f"{world.product.url}/ui/users/users?activeTab=service-accounts")
    expect(row_of(page, name)).to_contain_text("Valid")
    page.get_by_role("tab", name="People").click()
    expect(row_of(page, "zhang").first).to_be_visible()
    expect(row_of(page, name)).to_have_count(0)
    # a generic link to a user redirects to the page of the service account
    page.goto(f"{world.product.url}/ui/users/users/{row['user']}")
    page.wait_for_url(re.compile(f"/users/service-accounts/{row['user']}"))
    expect(page.get_by_role("main").get_by_text(name).first).to_be_visible()
    page.goto("about:blank")  # an open page would load the deleted account again
    world.admin.delete(f"/api/v1/users/users/{row['user']}/")
    assert signed_call(world, key).status == 401


def test_password_form_refuses_a_service_account(
    world: World, account: Callable[..., dict[str, Any]], browser: Browser
) -> None:
    row = account()
    context = window(browser)
    tab = context.new_page()
    tab.goto(f"{world.product.url}/core/auth/login/")
    tab.get_by_label("Username").fill(row["username"])
    tab.get_by_label("Password", exact=True).fill("anything-At-all-58")
    tab.get_by_role("button", name="Sign in", exact=True).click()
    expect(tab.get_by_text(re.compile("username or password you entered is incorrect"))).to_be_visible()
    context.close()
    refused = world.admin.call("PATCH", f"/api/v1/users/users/{row['id']}/password/", {"password": "meadow-Copper-58x"})
    assert (refused.status, refused.body["code"]) == (400, "service_account")


def test_ssh_works_with_a_permission_and_ends_with_the_account(
    world: World, account: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    key = tmp_path / "robot_key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "robot", "-f", str(key)], check=True)
    row = account(public_key=key.with_suffix(".pub").read_text())
    refused = ssh_as(world, row["username"], key)
    assert refused.returncode != 0
    assert "done" not in refused.stdout
    grant = world.admin.post(
        "/api/v1/perms/asset-permissions/",
        {
            "name": f"{row['username']} on web-1",
            "users": [row["id"]],
            "assets": [world.asset_id],
            "system_users": [world.system_user_id],
        },
    )
    worked = ssh_as(world, row["username"], key)
    assert (worked.returncode, worked.stdout.strip()) == (0, "done"), worked.stderr
    login = world.admin.get(f"/api/v1/audits/login-logs/?username={row['username']}&limit=1&offset=0")["results"][0]
    assert login["status"] is True
    running = subprocess.Popen(
        [
            *(str(key) if part == str(world.keys["zhang"]) else part for part in world.ssh()[:-3]),
            "-l",
            f"{row['username']}@deploy@web-1",
            "127.0.0.1",
            "sleep 120",
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(
            lambda: any(one["is_finished"] is False for one in world.sessions(user_id=row["id"])),
            message="the session of the service account",
        )
        world.admin.patch(f"/api/v1/users/users/{row['id']}/", {"is_active": False})
        assert running.wait(5) != 0
    finally:
        running.kill()
        running.wait()
        world.admin.delete(f"/api/v1/perms/asset-permissions/{grant['id']}/")
    assert ssh_as(world, row["username"], key).returncode != 0


def test_key_expires_at_its_end(world: World, account: Callable[..., dict[str, Any]]) -> None:
    row = account()
    end = datetime.now(UTC) + timedelta(seconds=6)
    made = world.admin.post(KEYS, {"user": row["id"], "comment": "short", "date_expired": end.isoformat()})
    key = (made["id"], made["secret"])
    assert signed_call(world, key).status == 200
    time.sleep(max(0.0, (end - datetime.now(UTC)).total_seconds()) + 1.1)
    answer = signed_call(world, key)
    assert answer.status == 401
    assert "This access key ended on" in answer.body["detail"]


@pytest.mark.parametrize(
    ("width", "scheme", "language"),
    [(1440, "light", "en"), (1440, "dark", "zh-hans"), (320, "light", "zh-hans"), (320, "dark", "en")],
)
def test_screens_fit_and_are_accessible(
    world: World, account: Callable[..., dict[str, Any]], browser: Browser, width: int, scheme: Any, language: str
) -> None:
    row = account(comment="Li Na: builds and deploys the shop", name="Nightly build")
    soon = (datetime.now(UTC) + timedelta(days=30)).isoformat()
    key = world.admin.post(KEYS, {"user": row["id"], "comment": "pipeline", "date_expired": soon})
    world.admin.post(KEYS, {"user": row["id"], "comment": "old", "is_active": False})
    context: BrowserContext = window(browser, viewport={"width": width, "height": 860}, color_scheme=scheme)
    tab, faults = context.new_page(), Faults()
    faults.watch(tab)
    admit(tab, world.product.url, "admin", ADMIN_PASSWORD)
    context.add_cookies([{"name": "django_language", "value": language, "url": world.product.url}])
    for name, path in (
        ("list", "users?activeTab=service-accounts"),
        ("people", "users"),
        ("create", "service-accounts/create"),
        ("update", f"service-accounts/{row['id']}/update"),
        ("detail", f"service-accounts/{row['id']}"),
        ("keys", f"service-accounts/{row['id']}?activeTab=keys"),
        ("key-create", f"service-account-keys/create?user={row['id']}"),
        ("key-update", f"service-account-keys/{key['id']}/update"),
    ):
        (settled if name == "list" else moved)(tab, f"{world.product.url}/ui/users/{path}")
        photograph(tab, f"service-{name}-{width}-{scheme}")
        expect_to_fit(tab)
        assert axe_findings(tab) == [], name
    context.close()
    assert faults.found == []
