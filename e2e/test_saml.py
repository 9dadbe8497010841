"""Sign-in with SAML in a browser, with a provider of the tests: set up, first sign-in, cookies, signing out on both
sides.

The provider is at `localhost`, which is another site than Postern's 127.0.0.1: cookies behave as with real providers.
"""

import re
from collections.abc import Iterator
from typing import Any
from urllib.request import urlopen

import pytest
import vouching
from browser import Faults, photograph, window
from lxml import etree
from playwright.sync_api import Browser, Page, expect
from product import Product
from vouching import (
    PERSON,
    PROFILE,
    begin,
    console,
    database_group,
    has_room,
    is_inside,
    new_provider,
    profile,
    save_provider,
    set_up_an_app,
    store,
    to_provider,
)

from peers.saml_provider import SamlProviderPeer, running_saml_provider
from peers.saml_stand_in import pair

page = vouching.page  # a fixture
PROVIDERS = "/api/v1/authentication/saml-providers/"
PEOPLE = {
    "ann": {"displayName": ["Ann Li"], "email": ["ann@corp.example"], "groups": ["dba", "staff"]},
    "cai": {"displayName": ["蔡英"]},
    "bob": {"displayName": ["Bob Wang"]},
}


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with console(tmp_path_factory.mktemp("saml")) as running:
        yield running


@pytest.fixture(scope="module")
def corp(own: Product) -> Iterator[SamlProviderPeer]:
    with running_saml_provider(console=own.url, slug="corp", people=PEOPLE) as running:
        yield running


@pytest.fixture(scope="module")
def set_up(own: Product, corp: SamlProviderPeer) -> None:
    """Store the provider, unless the test of the form has saved it. Its rule gives `dba` a group."""
    form = {"name": "Corp", "slug": "corp", "metadata": corp.stand_in.metadata(), "username_claim": "uid"}
    changes = {"rules": [database_group(own.api())]}
    store(own.api(), PROVIDERS, {**form, "creates_users": True}, changes)


def at_provider(page: Page, name: str) -> None:
    page.wait_for_url(re.compile(r"^http://localhost:\d+/sso"))
    page.locator("input[name=login]").fill(name)
    page.get_by_role("button", name="Sign in").click()


def test_administrator_sets_up_and_tests_a_provider(own: Product, corp: SamlProviderPeer, browser: Browser) -> None:
    context = window(browser)
    page = context.new_page()
    faults = Faults(expected_statuses=frozenset({400}))
    faults.watch(page)
    form = new_provider(page, own, "saml", "People sign in with the SAML 2.0 provider")
    values = (
        ("name", "Corp"),
        ("slug", "corp"),
        ("idp_entity_id", corp.stand_in.entity_id),
        ("sso_url", corp.stand_in.sso_url),
        ("certificates", pair("old", days=-1).pem),
        ("username_claim", "uid"),
    )
    for name, text in values:
        form.locator(f"#field-{name}").fill(text)
    test = page.get_by_role("button", name="Test", exact=True)
    test.click()
    expect(page.get_by_text("No stored certificate of the provider is valid today")).to_be_visible()
    photograph(page, "saml-refused")
    form.locator("#field-metadata").fill(corp.stand_in.metadata())
    test.click()
    expect(page.get_by_text("The values fit together")).to_be_visible()
    assert own.api().get(PROVIDERS) == []
    expect(page.get_by_text(f"{own.url}/core/auth/saml/corp/acs/", exact=True)).to_be_visible()
    form.locator("#field-creates_users").click()
    photograph(page, "saml-form")
    form.locator("#field-decrypts").click()
    form.locator("#field-decrypts").scroll_into_view_if_needed()
    photograph(page, "saml-decrypts")
    save_provider(page, "saml")
    stored = own.api().get(PROVIDERS)[0]
    assert (stored["idp_entity_id"], stored["slo_url"]) == (corp.stand_in.entity_id, corp.stand_in.slo_url)
    assert [one["subject"] for one in stored["certificates_info"]] == ["CN=idp"]
    assert stored["decrypts"] is True
    assert stored["encryption_certificate"].startswith("-----BEGIN CERTIFICATE-----")
    assert faults.found == []
    context.close()


def test_first_sign_in_creates_a_user_with_the_group_of_the_rule(
    own: Product, corp: SamlProviderPeer, set_up: None, page: Page
) -> None:
    begin(page, own)
    at_provider(page, "ann")
    is_inside(page)
    person = page.evaluate(PERSON)
    assert (person["username"], person["name"], person["source"]) == ("ann", "Ann Li", "saml")
    row = own.api().get(f"/api/v1/users/users/{person['id']}/")
    groups = own.api().get("/api/v1/users/groups/?name=Database%20people")
    assert [str(one) for one in row["groups"]] == [groups[0]["id"]]
    assert not [one for one in page.context.cookies() if "across" in one["name"]]


def test_encrypted_assertion_signs_in(own: Product, corp: SamlProviderPeer, set_up: None, page: Page) -> None:
    """The provider reads the key in our metadata, as real providers do."""
    (row,) = own.api().get(PROVIDERS)
    own.api().patch(f"{PROVIDERS}{row['id']}/", {"decrypts": True})
    with urlopen(f"{own.url}/core/auth/saml/corp/metadata/") as answer:
        found = etree.parse(answer).findtext(".//{*}KeyDescriptor[@use='encryption']//{*}X509Certificate")
    corp.stand_in.encrypted_for = f"-----BEGIN CERTIFICATE-----\n{found}\n-----END CERTIFICATE-----\n"
    try:
        begin(page, own)
        at_provider(page, "bob")
        is_inside(page)
        assert page.evaluate(PERSON)["username"] == "bob"
    finally:
        corp.stand_in.encrypted_for = ""


def test_sign_in_opens_the_requested_page(own: Product, corp: SamlProviderPeer, set_up: None, page: Page) -> None:
    page.goto(f"{own.url}/core/auth/saml/corp/login/?next=/ui/users/profile")
    at_provider(page, "bob")
    page.wait_for_url(re.compile("/ui/"))
    is_inside(page)


def test_answer_without_the_cookie_signs_nobody_in(
    own: Product, corp: SamlProviderPeer, set_up: None, page: Page
) -> None:
    """An attacker begins a visit, and makes this browser finish it."""
    begin(page, own)
    page.wait_for_url(re.compile(r"^http://localhost:\d+/sso"))
    page.context.clear_cookies()
    at_provider(page, "ann")
    expect(page.get_by_text("was started in another browser")).to_be_visible()
    assert page.evaluate(PROFILE) == 401
    photograph(page, "saml-lapsed")


def test_mfa_is_set_up_after_confirmation_at_the_provider(
    own: Product, corp: SamlProviderPeer, set_up: None, page: Page
) -> None:
    begin(page, own)
    at_provider(page, "cai")
    is_inside(page)
    profile(page, own)
    to_provider(page, "Enable")
    at_provider(page, "bob")  # another person at an unlocked computer
    expect(page.get_by_text("Somebody else signed in at Corp")).to_be_visible()
    photograph(page, "confirm-other-person")
    assert page.evaluate(PERSON)["username"] == "cai"
    to_provider(page, "Enable")
    at_provider(page, "cai")
    set_up_an_app(page)


def test_signing_out_here_signs_out_at_the_provider(
    own: Product, corp: SamlProviderPeer, set_up: None, page: Page
) -> None:
    begin(page, own)
    at_provider(page, "bob")
    is_inside(page)
    page.goto(f"{own.url}/core/auth/logout/")
    page.wait_for_url(f"{own.url}/core/auth/login/**")
    assert corp.signed_out[-1] == "bob"
    assert page.evaluate(PROFILE) == 401


def test_signing_out_at_the_provider_signs_out_here(
    own: Product, corp: SamlProviderPeer, set_up: None, page: Page
) -> None:
    begin(page, own)
    at_provider(page, "ann")
    is_inside(page)
    there = page.context.new_page()
    there.goto(f"{corp.url}/leave")
    expect(there.get_by_text("signed out everywhere")).to_be_visible()
    page.wait_for_function(f"async () => (await ({PROFILE})()) === 401")


@pytest.mark.parametrize(("width", "scheme", "locale"), [(1440, "light", "zh-CN"), (320, "dark", "en-US")])
def test_button_and_form_fit_the_screen(
    own: Product, set_up: None, browser: Browser, width: int, scheme: Any, locale: str
) -> None:
    linked = "a[href='/core/auth/saml/corp/metadata/']"
    has_room(browser, own, "saml", ["#field-certificates"], [linked], width=width, scheme=scheme, locale=locale)
