"""Sign-in with WeCom, DingTalk and FeiShu in a browser: set-up, binding, sign-in with and without a second factor,
replay.

The stand-ins of the services show their pages at `localhost`, which is another site than Postern's 127.0.0.1: cookies
behave as with the real services.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pyotp
import pytest
from browser import Faults, admit, expect_to_fit, photograph, window
from playwright.sync_api import Browser, Page, expect
from product import ADMIN_PASSWORD, Api, Product

from peers.company_apps import SECRET, Service
from peers.running_company_apps import running_services, settings_of

LABELS = {"wecom": "WeCom", "dingtalk": "DingTalk", "feishu": "FeiShu"}
CALLBACK = "/qr/login/callback/"


@pytest.fixture(scope="module")
def services() -> Iterator[dict[str, Service]]:
    with running_services() as running:
        yield running


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory, services: dict[str, Service]) -> Iterator[Product]:
    """A product that may connect to this machine, with all three services."""
    with Product(tmp_path_factory.mktemp("company") / "home", POSTERN_ALLOW_LOCAL_TARGETS="yes") as running:
        yield running


def pages_elsewhere(form: dict[str, Any]) -> dict[str, Any]:
    """Move the addresses that the browser opens to another site than Postern."""
    shown = ("QR_URL", "OAUTH_URL", "AUTHORIZE_URL")
    return {
        name: value.replace("127.0.0.1", "localhost") if name.endswith(shown) else value for name, value in form.items()
    }


def set_up(product: Product, services: dict[str, Service]) -> None:
    admin = product.api()
    admin.patch("/api/v1/settings/setting/?category=basic", {"SITE_URL": product.url})
    for name, service in services.items():
        admin.patch(
            f"/api/v1/settings/setting/?category={name}",
            pages_elsewhere(settings_of(name, service)),
        )


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = window(browser)
    yield context.new_page()
    context.close()


def profile(page: Page, product: Product) -> None:
    page.goto(f"{product.url}/ui/users/profile")
    expect(page.get_by_role("heading", name="Third-party accounts")).to_be_visible()


def change(page: Page, action: str, button: str) -> None:
    page.get_by_role("button", name=action).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Password").fill(ADMIN_PASSWORD)
    dialog.get_by_role("button", name=button).click()


def sign_in_by(page: Page, product: Product, label: str) -> None:
    page.goto(f"{product.url}/ui/login")
    page.get_by_role("link", name=f"Sign in with {label}").click()


def test_administrator_sets_up_and_tests_a_provider(
    own: Product, services: dict[str, Service], browser: Browser
) -> None:
    """[S8-046] The refusal of a test is shown beside the form, without a toast."""
    context = window(browser)
    page = context.new_page()
    faults = Faults(expected_statuses=frozenset({400}))
    faults.watch(page)
    admit(page, own.url, "admin", ADMIN_PASSWORD)
    page.goto(f"{own.url}/ui/settings?activeTab=wecom")
    form = page.get_by_role("form", name="WeCom")
    form.get_by_label("corpid").fill("corp-1")
    form.get_by_label("agentid").fill("1000002")
    form.get_by_label("secret", exact=True).fill("wrong")
    form.get_by_label("Server API").fill(f"{services['wecom'].base}/cgi-bin")
    page.get_by_role("button", name="Test", exact=True).click()
    expect(page.get_by_text("WeCom refuses the secret")).to_have_count(1)
    photograph(page, "external-settings-refused")
    form.get_by_label("secret", exact=True).fill(SECRET)
    page.get_by_role("button", name="Test", exact=True).click()
    expect(page.get_by_text("has accepted the application")).to_be_visible()
    assert own.api().get("/api/v1/settings/setting/?category=wecom")["WECOM_CORPID"] == ""
    page.get_by_role("button", name=re.compile("^Save")).click()
    expect(page.get_by_text("Settings saved")).to_be_visible()
    assert own.api().get("/api/v1/settings/setting/?category=wecom")["WECOM_CORPID"] == "corp-1"
    for name in ("dingtalk", "feishu"):
        page.goto(f"{own.url}/ui/settings?activeTab={name}")
        expect(page.get_by_role("form", name=LABELS[name])).to_be_visible()
        photograph(page, f"external-settings-{name}")
    assert faults.found == []
    context.close()


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("wecom", marks=pytest.mark.spec("S1-048")),
        pytest.param("dingtalk", marks=pytest.mark.spec("S1-049")),
        pytest.param("feishu", marks=pytest.mark.spec("S1-050")),
    ],
)
def test_user_binds_an_account_and_signs_in_with_it(
    own: Product, services: dict[str, Service], page: Page, browser: Browser, name: str
) -> None:
    set_up(own, services)
    label = LABELS[name]
    faults = Faults(expected_statuses=frozenset({400, 401}))
    faults.watch(page)

    # Nobody has bound the account: a clear message, and no new user.
    sign_in_by(page, own, label)
    expect(page.get_by_text(f"This {label} account is not bound to a user.")).to_be_visible()
    expect(page.get_by_label("Username")).to_be_visible()
    photograph(page, f"external-{name}-not-bound")

    admit(page, own.url, "admin", ADMIN_PASSWORD)
    profile(page, own)
    photograph(page, f"external-{name}-profile")
    change(page, f"Bind {label}", "Continue")
    expect(page.get_by_text(f"Your {label} account is bound.")).to_be_visible()
    expect(page.get_by_role("button", name=f"Unbind {label}")).to_be_visible()
    assert "external=" not in page.url

    # Sign out, and sign in with the account.
    page.goto(f"{own.url}/core/auth/logout/")
    with page.expect_request(lambda request: CALLBACK in request.url) as back:
        sign_in_by(page, own, label)
    page.wait_for_url(lambda address: "/ui/" in address and "/login" not in address)
    row = own.api().get("/api/v1/audits/login-logs/?limit=20")["results"]
    assert any(entry["backend"] == name and entry["username"] == "admin" and entry["status"] for entry in row)

    # The state cannot be used again, in another browser or in this browser.
    thief = window(browser)
    other = thief.new_page()
    other.goto(back.value.url)
    expect(other.get_by_text("was started in another browser")).to_be_visible()
    other.goto(f"{own.url}/core/auth/{name}/qr/login/")  # a visit with its own cookie
    other.wait_for_url(lambda address: "/ui/" in address and "/login" not in address)
    thief.clear_cookies()
    other.goto(back.value.url)
    expect(other.get_by_text("was started in another browser")).to_be_visible()
    thief.close()
    page.goto(f"{own.url}/core/auth/logout/")
    page.goto(back.value.url)
    expect(page.get_by_text("was used before")).to_be_visible()

    # Unbind.
    admit(page, own.url, "admin", ADMIN_PASSWORD)
    profile(page, own)
    change(page, f"Unbind {label}", "Unbind")
    expect(page.get_by_role("button", name=f"Bind {label}", exact=True)).to_be_visible()
    assert faults.found == []


@pytest.mark.parametrize(("width", "scheme", "locale"), [(1440, "light", "zh-CN"), (320, "dark", "en-US")])
def test_sign_in_page_fits_all_providers(
    own: Product,
    services: dict[str, Service],
    browser: Browser,
    width: int,
    scheme: Any,
    locale: str,
) -> None:
    set_up(own, services)
    context = window(
        browser,
        locale=locale,
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
    )
    page = context.new_page()
    page.goto(f"{own.url}/ui/login")
    expect(page.locator("a[href*='/qr/login/']")).to_have_count(3)
    expect_to_fit(page)
    photograph(page, f"external-sign-in-{width}-{scheme}")
    context.close()


def enrolled(admin: Api) -> pyotp.TOTP:
    admin.post("/api/v1/authentication/password/verify/", {"password": ADMIN_PASSWORD}, 200)
    begun = admin.post("/api/v1/authentication/otp/enrol/start/", {}, 200)
    app = pyotp.TOTP(begun["secret"])
    admin.post(
        "/api/v1/authentication/otp/enrol/confirm/",
        {"code": app.at(datetime.now(UTC))},
        200,
    )
    return app


def test_second_factor_follows_the_provider(own: Product, services: dict[str, Service], page: Page) -> None:
    set_up(own, services)
    admit(page, own.url, "admin", ADMIN_PASSWORD)
    profile(page, own)
    change(page, "Bind WeCom", "Continue")
    expect(page.get_by_text("Your WeCom account is bound.")).to_be_visible()
    page.goto(f"{own.url}/core/auth/logout/")
    app = enrolled(own.api())
    sign_in_by(page, own, "WeCom")
    code = page.get_by_label("Code")
    expect(code).to_be_visible()
    photograph(page, "external-wecom-code")
    assert page.evaluate("() => fetch('/api/v1/users/profile/').then((answer) => answer.status)") == 401
    code.fill(app.at(datetime.now(UTC), counter_offset=1))
    code.press("Enter")
    page.wait_for_url(lambda address: "/login" not in address)
    assert page.evaluate("() => fetch('/api/v1/users/profile/').then((answer) => answer.status)") == 200
