"""The common part of the tests of providers: a product, redirects to the provider, and checks of screen sizes.

A provider is at `localhost`, which is another site than Postern's 127.0.0.1: cookies behave as with real providers.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyotp
import pytest
from browser import admit, expect_to_fit, first_sign_in, photograph, window
from playwright.sync_api import Browser, Locator, Page, expect
from product import ADMIN_PASSWORD, Api, Product

PROFILE = "() => fetch('/api/v1/users/profile/').then((answer) => answer.status)"
PERSON = "() => fetch('/api/v1/users/profile/').then((answer) => answer.json())"


@contextmanager
def console(folder: Path, **environment: str) -> Iterator[Product]:
    """A product with a configured address."""
    with Product(folder / "home", **environment) as running:
        running.api().patch("/api/v1/settings/setting/?category=basic", {"SITE_URL": running.url})
        yield running


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of a browser that is not signed in."""
    context = window(browser)
    yield context.new_page()
    context.close()


def database_group(api: Api) -> dict[str, Any]:
    """The rule that makes members of `dba` members of a group."""
    group = api.post("/api/v1/users/groups/", {"name": "Database people"})
    return {"claim": "groups", "value": "dba", "group": group["id"]}


def store(api: Api, path: str, form: Mapping[str, Any], changes: Mapping[str, Any]) -> None:
    """Store the provider. If the test of the form has stored it, apply only the `changes`."""
    stored = [row for row in api.get(path) if row["slug"] == form["slug"]]
    if stored:
        api.patch(f"{path}{stored[0]['id']}/", dict(changes))
    else:
        api.post(path, {**form, **changes})


def begin(page: Page, own: Product) -> None:
    page.goto(f"{own.url}/ui/login")
    page.get_by_role("link", name="Sign in with Corp").click()


def is_inside(page: Page) -> None:
    page.wait_for_url(lambda address: "/ui/" in address and "/login" not in address)
    assert page.evaluate(PROFILE) == 200


def profile(page: Page, own: Product) -> None:
    """Open the own profile page, after completing the first sign-in."""
    page.goto(f"{own.url}/ui/users/profile")
    own_factor = page.get_by_role("button", name="Enable", exact=True)
    expect(own_factor.or_(page.get_by_role("checkbox", name="I know that"))).to_be_visible()
    if "first-login" in page.url:
        first_sign_in(page)
        page.goto(f"{own.url}/ui/users/profile")


def to_provider(page: Page, name: str) -> None:
    """Press a button of the profile page that requires a confirmation, and go to the provider, which must require a new
    sign-in."""
    page.get_by_role("button", name=name, exact=True).click()
    dialog = page.get_by_role("dialog")
    link = dialog.get_by_role("link", name="Confirm with Corp")
    expect(link).to_be_visible()
    expect(dialog.get_by_label("Current password")).to_have_count(0)
    photograph(page, "confirm-at-provider")
    link.click()


def set_up_an_app(page: Page) -> None:
    """After the redirect from the provider, set up an app in the open dialog."""
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("You have confirmed who you are.")).to_be_visible()
    assert "external=" not in page.url
    photograph(page, "confirmed-at-provider")
    dialog.get_by_role("button", name="Continue").click()
    secret = dialog.locator("code").inner_text().replace(" ", "")
    dialog.get_by_label("MFA code").fill(pyotp.TOTP(secret).now())
    dialog.get_by_role("button", name="Turn on MFA").click()
    expect(dialog.get_by_role("list", name="Recovery codes").get_by_role("listitem")).to_have_count(10)
    photograph(page, "confirmed-recovery-codes")
    dialog.get_by_role("button", name="Done").click()
    expect(page.get_by_role("button", name="Change app")).to_be_visible()


def new_provider(page: Page, own: Product, kind: str, intro: str) -> Locator:
    """Check the empty list of a protocol, and open its form for a new provider."""
    admit(page, own.url, "admin", ADMIN_PASSWORD)
    page.goto(f"{own.url}/ui/settings?activeTab={kind}")
    expect(page.get_by_text(intro)).to_be_visible()
    photograph(page, f"{kind}-empty")
    page.get_by_role("link", name="Add provider").or_(page.get_by_role("button", name="Add provider")).first.click()
    return page.get_by_role("form", name="Add provider")


def save_provider(page: Page, kind: str) -> None:
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("link", name="Corp").or_(page.get_by_role("cell", name="Corp")).first).to_be_visible()
    photograph(page, f"{kind}-list")


def has_room(
    browser: Browser,
    own: Product,
    kind: str,
    visible: Collection[str],
    attached: Collection[str] = (),
    *,
    width: int,
    scheme: Any,
    locale: str,
) -> None:
    """Open the sign-in page, the form and the list of a protocol. `visible`, `attached`: selectors of the form's parts."""
    context = window(browser, locale=locale, viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    page.goto(f"{own.url}/ui/login")
    expect(page.locator(f"a[href*='/core/auth/{kind}/']")).to_have_count(1)
    _fits(page, width, f"{kind}-sign-in-{width}-{scheme}")
    admit(page, own.url, "admin", ADMIN_PASSWORD)
    stored = own.api().get(f"/api/v1/authentication/{kind}-providers/")[0]
    page.goto(f"{own.url}/ui/settings/{kind}-providers/{stored['id']}/update")
    for selector in visible:
        expect(page.locator(selector).first).to_be_visible()
    for selector in attached:
        expect(page.locator(selector)).to_be_attached()
    _fits(page, width, f"{kind}-form-{width}-{scheme}")
    page.goto(f"{own.url}/ui/settings?activeTab={kind}")
    expect(page.get_by_text("Corp").first).to_be_visible()
    _fits(page, width, f"{kind}-list-{width}-{scheme}")
    context.close()


def _fits(page: Page, width: int, name: str) -> None:
    expect_to_fit(page)
    photograph(page, name)
