"""The second factor in the whole product: set up in a browser, required by browser and ssh; and signed requests of
programs.
"""

import json
import os
import re
import subprocess
import sys
import uuid
from datetime import UTC, datetime
from pathlib import Path

import pyotp
import pytest
from browser import Faults, window
from playwright.sync_api import Browser, Page, expect
from product import Product

GUIDE = Path(__file__).resolve().parent.parent / "docs" / "guide" / "access-keys.md"
PICTURES = os.environ.get("POSTERN_PICTURES", "")


PASSWORD = "amber-Harbour-lantern-93"


@pytest.fixture
def fay(product: Product) -> str:
    """The name of a new user who gets a second factor. Other tests sign in as administrator without one."""
    name = f"fay-{uuid.uuid4().hex[:6]}"
    person = {"name": name, "username": name, "email": f"{name}@example.invalid", "need_update_password": False}
    product.api().post("/api/v1/users/users/", {**person, "password_strategy": "custom", "password": PASSWORD})
    product.api(name, PASSWORD).patch("/api/v1/users/profile/", {"is_first_login": False})
    return name


def picture(page: Page, name: str) -> None:
    """Save a screenshot if POSTERN_PICTURES names a folder."""
    if PICTURES:
        page.screenshot(path=f"{PICTURES}/{name}.png", full_page=True)


def enter_password(page: Page, product: Product, username: str) -> None:
    page.goto(f"{product.url}/ui/login")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def code_of(secret: str, *, steps: int = 0) -> str:
    """Return the app's code for now, or for this many time steps later. Each code is accepted once."""
    return pyotp.TOTP(secret).at(datetime.now(UTC), counter_offset=steps)


def ask_ssh(product: Product, folder: Path, username: str, *answers: str) -> str:
    """Run real ssh with a program that answers its questions. Returns its output including prompts."""
    left, program, asked = folder / "answers", folder / "askpass", folder / "asked"
    left.write_text("".join(f"{answer}\n" for answer in answers))
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$1" >> {asked}\nhead -n 1 {left}\nsed -i 1d {left}\n')
    program.chmod(0o700)
    done = subprocess.run(
        [
            "ssh", "-F", "none", "-o", f"UserKnownHostsFile={folder / 'known'}", "-o", "StrictHostKeyChecking=accept-new",
            "-o", "PubkeyAuthentication=no", "-p", str(product.ssh_port), "-l", username, "127.0.0.1", "true",
        ],
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "SSH_ASKPASS": str(program),
             "SSH_ASKPASS_REQUIRE": "force", "DISPLAY": ":none"},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr + (asked.read_text() if asked.exists() else "")


@pytest.mark.spec("S1-051")
def test_second_factor_from_setup_to_removal(product: Product, fay: str, browser: Browser, tmp_path: Path) -> None:
    page = window(browser).new_page()
    faults = Faults(expected_statuses=frozenset({400}))
    faults.watch(page)
    enter_password(page, product, fay)
    page.wait_for_url(lambda address: "/login" not in address)

    # Set it up.
    page.goto(f"{product.url}/ui/users/profile")
    page.get_by_role("button", name="Enable", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Current password").fill(PASSWORD)
    dialog.get_by_role("button", name="Continue").click()
    expect(dialog.get_by_role("img", name="QR picture")).to_be_visible()
    secret = dialog.locator("code").inner_text().replace(" ", "")
    picture(page, "mfa-enrol")
    dialog.get_by_label("MFA code").fill(code_of(secret))
    dialog.get_by_role("button", name="Turn on MFA").click()
    codes = dialog.get_by_role("list", name="Recovery codes").get_by_role("listitem")
    expect(codes).to_have_count(10)
    recovery = codes.all_inner_texts()
    picture(page, "mfa-recovery-codes")
    dialog.get_by_role("button", name="Done").click()
    expect(page.get_by_role("button", name="Change app")).to_be_visible()
    picture(page, "mfa-profile")

    # ssh requires the second factor.
    refused = ask_ssh(product, tmp_path, fay, PASSWORD, "000000", "000000", "000000")
    assert "MFA Error, please check" in refused
    assert "SYSTEMUSER=ASSET" not in refused
    accepted = ask_ssh(product, tmp_path, fay, PASSWORD, recovery[0])
    assert "SYSTEMUSER=ASSET" in accepted or "系统用户=资产" in accepted, accepted

    # The browser requires it, too.
    page.close()
    page = window(browser).new_page()
    faults.watch(page)
    enter_password(page, product, fay)
    code = page.get_by_label("MFA code")
    expect(code).to_be_focused()
    picture(page, "mfa-sign-in")
    code.fill("12345")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("MFA Error, please check")
    page.get_by_role("button", name="Use a recovery code").click()
    page.get_by_label("Recovery code").fill(recovery[1])
    page.keyboard.press("Enter")
    page.wait_for_url(lambda address: "/login" not in address)

    # Switch it off again.
    page.goto(f"{product.url}/ui/users/profile")
    page.get_by_role("button", name="Disable", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("MFA code or recovery code").fill(recovery[2])
    dialog.get_by_role("button", name="Disable").click()
    expect(page.get_by_role("button", name="Enable", exact=True)).to_be_visible()
    product.api(fay, PASSWORD)  # the password alone suffices again
    assert faults.found == []


@pytest.mark.spec("S7-034")
def test_request_signing_examples_of_the_guide_work(product: Product) -> None:
    key = product.api().post("/api/v1/authentication/access-keys/")
    environ = {
        "PATH": os.environ["PATH"],
        "POSTERN_URL": product.url,
        "KEY_ID": key["id"],
        "KEY_SECRET": key["secret"],
    }
    text = GUIDE.read_text()
    python, shell = (re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)[0] for language in ("python", "sh"))

    def run(*command: str) -> str:
        return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60, check=True).stdout

    assert run(sys.executable, "-c", python) == "admin\n"
    assert json.loads(run("sh", "-c", shell))["username"] == "admin"
    assert json.loads(run("sh", "-c", shell))["username"] == "admin", "a second time within the same second"
