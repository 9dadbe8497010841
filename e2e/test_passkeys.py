"""Passkeys in a real browser with Chromium's virtual authenticator: as second factor, as only factor, for confirmation.

Browsers refuse passkeys for IP addresses, so these tests open the console as localhost.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from browser import Faults, photograph, window
from playwright.sync_api import Browser, BrowserContext, Page, expect
from product import ADMIN_PASSWORD, Api, Product

SECURITY = "/api/v1/settings/setting/?category=security"
ANN_PASSWORD = "amber-Harbour-lantern-93"


class Keys:
    """The authenticators of one page."""

    def __init__(self, page: Page) -> None:
        self._cdp = page.context.new_cdp_session(page)
        self._cdp.send("WebAuthn.enable")
        self.id = ""

    def add(self, **options: Any) -> None:
        """Connect a key that verifies the person and answers at once."""
        usual = {
            "protocol": "ctap2",
            "transport": "internal",
            "hasResidentKey": True,
            "hasUserVerification": True,
            "isUserVerified": True,
            "automaticPresenceSimulation": True,
        }
        added = self._cdp.send("WebAuthn.addVirtualAuthenticator", {"options": {**usual, **options}})
        self.id = added["authenticatorId"]

    def verifies(self, right: bool) -> None:
        """Set whether the next fingerprint or PIN is right."""
        self._cdp.send(
            "WebAuthn.setUserVerified",
            {"authenticatorId": self.id, "isUserVerified": right},
        )

    def credentials(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._cdp.send("WebAuthn.getCredentials", {"authenticatorId": self.id})[
            "credentials"
        ]
        return found

    def remove(self) -> None:
        self._cdp.send("WebAuthn.removeVirtualAuthenticator", {"authenticatorId": self.id})


@pytest.fixture(scope="module")
def admin(product: Product) -> Api:
    """The administrator, who gets no passkey, because other tests sign in without one."""
    return product.api()


@pytest.fixture(scope="module")
def console(product: Product) -> str:
    """The address at which browsers accept passkeys."""
    return f"http://localhost:{product.http_port}"


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    opened = window(browser)
    yield opened
    opened.close()


@pytest.fixture
def ann(product: Product, admin: Api, request: pytest.FixtureRequest) -> str:
    """The name of a new user for each test, who has completed the first sign-in."""
    name = f"ann{abs(hash(request.node.name)) % 10_000_000}"
    admin.post(
        "/api/v1/users/users/",
        {"name": name, "username": name, "email": f"{name}@example.test", "password_strategy": "custom",
         "password": ANN_PASSWORD, "need_update_password": False},
    )  # fmt: skip
    product.api(name, ANN_PASSWORD).patch("/api/v1/users/profile/", {"is_first_login": False})
    return name


def opened(context: BrowserContext, *, statuses: frozenset[int] = frozenset()) -> tuple[Page, Faults]:
    page = context.new_page()
    faults = Faults(expected_statuses=statuses)
    faults.watch(page)
    return page, faults


def enter_password(page: Page, console: str, username: str, password: str = ANN_PASSWORD) -> None:
    page.goto(f"{console}/ui/login")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign in").click()


def sign_out(page: Page, console: str) -> None:
    page.goto(f"{console}/core/auth/logout/")
    page.get_by_label("Username").wait_for()


def add_passkey(page: Page, console: str, name: str) -> list[str]:
    """Add a passkey in the profile. Returns the recovery codes that the first passkey creates."""
    page.goto(f"{console}/ui/users/profile")
    page.get_by_role("button", name="Add passkey").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Current password").fill(ANN_PASSWORD)
    dialog.get_by_role("button", name="Continue").click()
    dialog.get_by_label("Name of the passkey").fill(name)
    dialog.get_by_role("button", name="Create passkey").click()
    codes = dialog.get_by_role("list", name="Recovery codes").get_by_role("listitem")
    expect(codes).to_have_count(10)
    texts = codes.all_inner_texts()
    dialog.get_by_role("button", name="Done").click()
    expect(page.get_by_text(name, exact=True)).to_be_visible()
    return texts


@pytest.mark.spec("S1-052")
def test_passkey_is_second_factor_only_factor_and_confirmation(
    admin: Api, console: str, context: BrowserContext, ann: str
) -> None:
    page, faults = opened(context, statuses=frozenset({400, 401}))
    keys = Keys(page)
    keys.add()
    enter_password(page, console, ann)
    page.wait_for_url(lambda address: "/login" not in address)
    recovery = add_passkey(page, console, "green key")
    expect(page.get_by_role("button", name="New recovery codes")).to_be_visible()
    photograph(page, "passkeys-profile")
    assert len(keys.credentials()) == 1

    # The second factor.
    sign_out(page, console)
    enter_password(page, console, ann)
    photograph(page, "passkeys-second-step")
    page.get_by_role("button", name="Use your passkey").click()
    page.wait_for_url(lambda address: "/login" not in address)

    # Confirmation: without an app, an action with a recent factor asks for the passkey.
    page.goto(f"{console}/ui/users/profile")
    page.get_by_role("button", name="New recovery codes").click()
    page.get_by_role("dialog").get_by_role("button", name="Continue").click()
    codes = page.get_by_role("list", name="Recovery codes").get_by_role("listitem")
    expect(codes).to_have_count(10)
    assert codes.all_inner_texts() != recovery
    page.get_by_role("button", name="Done").click()

    # The only factor, without a name and a password.
    sign_out(page, console)
    photograph(page, "passkeys-sign-in")
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url(lambda address: "/login" not in address)
    page.goto(f"{console}/ui/users/profile")
    expect(page.get_by_text("green key", exact=True)).to_be_visible()

    # Without the right fingerprint the sign-in is refused.
    sign_out(page, console)
    keys.verifies(False)
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("The browser was not given a passkey")
    keys.verifies(True)

    # A lost key: a recovery code replaces it.
    enter_password(page, console, ann)
    page.get_by_role("button", name="Use a recovery code").click()
    page.get_by_label("Recovery code").fill(recovery[0])
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_visible()  # the earlier codes are void
    logs = admin.get(f"/api/v1/audits/login-logs/?limit=50&offset=0&username={ann}")["results"]
    assert {row["backend"] for row in logs if row["status"]} == {"password", "passkey"}
    assert faults.found == []


def test_removal_requires_the_password_and_voids_the_passkey(console: str, context: BrowserContext, ann: str) -> None:
    page, faults = opened(context, statuses=frozenset({400, 401}))
    keys = Keys(page)
    keys.add()
    enter_password(page, console, ann)
    page.wait_for_url(lambda address: "/login" not in address)
    add_passkey(page, console, "green key")
    page.get_by_role("button", name="Remove green key").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Current password").fill("wrong")
    dialog.get_by_role("button", name="Remove").click()
    expect(dialog.get_by_role("alert")).to_contain_text("incorrect")
    dialog.get_by_label("Current password").fill(ANN_PASSWORD)
    photograph(page, "passkeys-remove")
    dialog.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("No passkey.", exact=False)).to_be_visible()
    sign_out(page, console)
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("does not know this passkey")
    enter_password(page, console, ann)  # MFA is off again
    page.wait_for_url(lambda address: "/login" not in address)
    assert faults.found == []


def test_passkey_gives_access_to_sensitive_views_in_the_console(
    product: Product, admin: Api, console: str, context: BrowserContext, ann: str
) -> None:
    """After an expired verification, the dialog accepts a touch of the passkey."""
    changed = admin.patch(SECURITY, {"SECURITY_TRUSTED_BROWSER_DAYS": 7})
    assert changed["SECURITY_TRUSTED_BROWSER_DAYS"] == 7
    page, faults = opened(context, statuses=frozenset({400, 401}))
    keys = Keys(page)
    keys.add()
    try:
        enter_password(page, console, ann)
        page.wait_for_url(lambda address: "/login" not in address)
        add_passkey(page, console, "desk")
        sign_out(page, console)
        enter_password(page, console, ann)
        page.get_by_label("Trust this browser for 7 days").check()
        photograph(page, "passkeys-trust")
        page.get_by_role("button", name="Use your passkey").click()
        page.wait_for_url(lambda address: "/login" not in address)

        # The password alone signs in here now, but does not suffice for changes.
        sign_out(page, console)
        enter_password(page, console, ann)
        page.wait_for_url(lambda address: "/login" not in address)
        page.goto(f"{console}/ui/users/profile")
        page.get_by_role("button", name="New recovery codes").click()
        page.get_by_role("dialog").get_by_role("button", name="Continue").click()
        gate = page.get_by_role("dialog", name="Verify that it is you")
        photograph(page, "passkeys-gate")
        gate.get_by_role("button", name="Use your passkey").click()
        expect(page.get_by_role("list", name="Recovery codes").get_by_role("listitem")).to_have_count(10)
        page.get_by_role("button", name="Done").click()

        # The trusted browser is listed, and its trust can be ended.
        page.get_by_role("button", name="End trust").click()
        expect(page.get_by_text("You trust no browser")).to_be_visible()
        sign_out(page, console)
        enter_password(page, console, ann)
        expect(page.get_by_role("button", name="Use your passkey")).to_be_visible()
    finally:
        admin.patch(SECURITY, {"SECURITY_TRUSTED_BROWSER_DAYS": 0})
    assert faults.found == []


def test_mandatory_mfa_can_be_met_by_a_passkey(admin: Api, console: str, context: BrowserContext, ann: str) -> None:
    page, faults = opened(context, statuses=frozenset({400, 401}))
    keys = Keys(page)
    keys.add(protocol="u2f", transport="usb", hasResidentKey=False, hasUserVerification=False)
    rows = admin.get(f"/api/v1/users/users/?username={ann}&limit=1&offset=0")["results"]
    admin.patch(f"/api/v1/users/users/{rows[0]['id']}/", {"mfa_level": 2})
    enter_password(page, console, ann)
    page.get_by_role("button", name="Set up a passkey instead").click()
    photograph(page, "passkeys-enrol")
    page.get_by_label("Name of the passkey").fill("old key")
    page.get_by_role("button", name="Create passkey").click()
    page.get_by_role("button", name="I have saved the codes").click()
    page.wait_for_url(lambda address: "/login" not in address)
    sign_out(page, console)
    enter_password(page, console, ann)
    page.get_by_role("button", name="Use your passkey").click()  # after the password, touch is sufficient
    page.wait_for_url(lambda address: "/login" not in address)
    # Without the password, touch is not sufficient: this key cannot verify the person.
    sign_out(page, console)
    keys.remove()
    assert faults.found == []


@pytest.mark.parametrize(
    ("locale", "button", "title"),
    [("en-US", "Use a passkey", "Passkeys"), ("zh-CN", "使用通行密钥", "通行密钥")],
)
def test_pages_in_both_languages_and_at_another_host_name(
    product: Product,
    browser: Browser,
    ann: str,
    locale: str,
    button: str,
    title: str,
) -> None:
    context = window(browser, locale=locale, viewport={"width": 320, "height": 800})
    try:
        page, faults = opened(context, statuses=frozenset({400, 401}))
        Keys(page).add()
        page.goto(f"{product.url}/ui/login")  # by IP address
        page.get_by_role("button", name=button).click()
        expect(page.get_by_role("alert")).to_contain_text(f"http://localhost:{product.http_port}")
        photograph(page, f"passkeys-narrow-{locale}")
        page.locator("[name=username]").fill(ann)
        page.locator("[name=password]").fill(ANN_PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(lambda address: "/login" not in address)
        page.goto(f"{product.url}/ui/users/profile")
        expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
        expect(page.get_by_role("main").get_by_text(f"http://localhost:{product.http_port}")).to_be_visible()
        photograph(page, f"passkeys-profile-narrow-{locale}")
        assert faults.found == []
    finally:
        context.close()


@pytest.mark.spec("S2-009")
def test_login_path_opens_the_sign_in_page(product: Product, context: BrowserContext, console: str) -> None:
    page, faults = opened(context)
    page.goto(f"{console}/login")
    expect(page).to_have_title("Sign in - Postern")
    expect(page.get_by_label("Username")).to_be_focused()
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password", exact=True).fill(ADMIN_PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda address: "/login" not in address)
    page.goto(f"{console}/login")  # signed-in users are redirected
    page.wait_for_url(lambda address: not address.endswith("/login"))
    assert faults.found == []
