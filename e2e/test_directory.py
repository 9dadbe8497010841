"""The LDAP directory in a browser: settings, tests, import, sign-in with the directory's password, and synchronisation."""

import re
import subprocess
from collections.abc import Iterator

import pyotp
import pytest
from admin_console import signed_in
from browser import admit, expect_to_fit, first_sign_in, photograph, sign_in, window
from playwright.sync_api import Browser, Page, expect
from product import ADMIN_PASSWORD, Product, wait_until

from peers.slapd import PARTNERS, ROOT_DN, ROOT_PASSWORD, STAFF, Slapd, Someone, serving

__all__ = ["signed_in"]

ANN = Someone("ann", "Ann Lee")
CROWD = tuple(Someone(f"p{number:02}", f"李 {number}") for number in range(60))
BOB = Someone("bob", "Bob", base=PARTNERS)


@pytest.fixture
def slapd() -> Iterator[Slapd]:
    with serving([ANN, BOB, *CROWD]) as server:
        yield server


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """A product that may connect to this machine. The directory of the test does not use an LDAP port."""
    with Product(tmp_path_factory.mktemp("directory") / "home", POSTERN_ALLOW_LOCAL_TARGETS="yes") as running:
        yield running


def open_settings(page: Page, product: Product) -> None:
    page.goto(f"{product.url}/ui/settings?activeTab=ldap")
    expect(page.get_by_role("form", name="LDAP")).to_be_visible()


@pytest.mark.spec("S1-047", "S7-016", "S7-017", "S7-022", "S7-023", "S8-046")
def test_directory_from_the_settings_to_a_sign_in(own: Product, slapd: Slapd, browser: Browser) -> None:
    context = window(browser)
    page = context.new_page()
    admit(page, own.url, "admin", ADMIN_PASSWORD)
    open_settings(page, own)
    expect(page.get_by_text("Not read yet")).to_be_visible()
    form = page.get_by_role("form", name="LDAP")
    form.get_by_label("LDAP server").fill(slapd.uri)
    form.get_by_label("Bind DN").fill(ROOT_DN)
    form.get_by_label("Password", exact=True).fill("wrong")
    form.get_by_label("User OU").fill(f"{STAFF} | {PARTNERS}")
    form.get_by_label("User search filter").fill("(uid=%(user)s)")
    form.get_by_label("User attr map").fill('{"username": "uid", "name": "sn", "email": "mail"}')

    # Test unsaved values. The failure is shown beside the button, not as a toast (S8-046).
    page.get_by_role("button", name="Test connection").click()
    refused = page.get_by_text("refused the bind DN or its password", exact=False)
    expect(refused).to_have_count(1)
    form.get_by_label("Password", exact=True).fill(ROOT_PASSWORD)
    page.get_by_role("button", name="Test connection").click()
    expect(page.get_by_text("The connection works: 62 people were found", exact=False)).to_be_visible()
    form.get_by_label("Enable LDAP auth").check()
    page.get_by_role("button", name=re.compile(r"^Save \d+ changes$")).click()
    expect(page.get_by_text("Settings saved")).to_be_visible()

    page.get_by_label("Username").fill("ann")
    page.locator("section, div").get_by_label("Password", exact=True).last.fill(ANN.password)
    page.get_by_role("button", name="Test login").click()
    expect(page.get_by_text("The sign-in of ann works", exact=False)).to_be_visible()

    page.reload()
    page.get_by_role("button", name="Choose people").click()
    dialog = page.get_by_role("dialog", name="Import users")
    expect(dialog.get_by_text("1–50 of 62")).to_be_visible(timeout=30_000)
    photograph(page, "ldap-import")
    dialog.get_by_label("Find by username, name or mail").fill("ann")
    dialog.get_by_label("ann", exact=True).check()
    dialog.get_by_role("button", name="Import 1 person").click()
    expect(dialog.get_by_text("1 user was created.")).to_be_visible()
    expect(dialog.get_by_text("imported", exact=True)).to_be_visible()
    dialog.get_by_role("button", name="Close").click()

    page.get_by_role("button", name="Synchronise now").click()
    expect(page.get_by_text("Succeeded", exact=True)).to_be_visible(timeout=30_000)
    photograph(page, "ldap-settings")

    # The imported person signs in with the directory's password, in the browser and with ssh.
    theirs = window(browser)
    tab = theirs.new_page()
    sign_in(tab, own.url, "ann", ANN.password)
    tab.get_by_role("heading", level=1).first.wait_for()
    first_sign_in(tab)
    confirm_with_the_directory_password(tab, own)
    theirs.close()
    shown = subprocess.run(
        ["sshpass", "-p", ANN.password, "ssh", "-tt", "-p", str(own.ssh_port), "-o", "StrictHostKeyChecking=no",
         "-o", "UserKnownHostsFile=/dev/null", "-o", "PreferredAuthentications=password", "ann@127.0.0.1"],
        input=b"q\n", capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert b"Permission denied" not in shown.stderr, shown.stderr

    # The person leaves: the account is disabled, and the password is refused.
    slapd.delete(ANN)
    page.get_by_role("button", name="Synchronise now").click()
    admin = own.api()
    wait_until(lambda: not admin.get("/api/v1/users/users/?username=ann")[0]["is_active"], message="disabled")
    context.close()


def confirm_with_the_directory_password(page: Page, own: Product) -> None:
    """Set up MFA on the profile page, and switch it off again."""
    page.goto(f"{own.url}/ui/users/profile")
    for width, scheme in ((320, "dark"), (1440, "light")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        page.get_by_role("button", name="Enable", exact=True).click()
        dialog = page.get_by_role("dialog")
        password = dialog.get_by_label("Password of your directory")
        password.fill("wrong")
        photograph(page, f"ldap-confirm-{width}")
        expect_to_fit(page)
        if width == 320:
            dialog.get_by_role("button", name="Cancel").click()
    dialog.get_by_role("button", name="Continue").click()
    expect(dialog.get_by_text("The password is incorrect.")).to_be_visible()
    password.fill(ANN.password)
    dialog.get_by_role("button", name="Continue").click()
    app = pyotp.TOTP(dialog.locator("code").inner_text().replace(" ", ""))
    dialog.get_by_label("MFA code").fill(app.now())
    dialog.get_by_role("button", name="Turn on MFA").click()
    codes = dialog.get_by_role("list", name="Recovery codes").get_by_role("listitem")
    expect(codes).to_have_count(10)
    recovery = codes.first.inner_text()
    dialog.get_by_role("button", name="Done").click()
    page.get_by_role("button", name="Disable", exact=True).click()
    dialog.get_by_label("code", exact=False).fill(recovery)
    dialog.get_by_role("button", name="Disable").click()
    expect(page.get_by_role("button", name="Enable", exact=True)).to_be_visible()


def test_settings_at_every_width_and_theme(own: Product, slapd: Slapd, browser: Browser) -> None:
    """No part is wider than the screen."""
    context = window(browser)
    page = context.new_page()
    admit(page, own.url, "admin", ADMIN_PASSWORD)
    for scheme in ("light", "dark"):
        for width in (320, 1280):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 900})
            open_settings(page, own)
            expect(page.get_by_role("button", name="Test connection")).to_be_visible()
            photograph(page, f"ldap-empty-{scheme}-{width}")
            expect_to_fit(page)
    context.close()
