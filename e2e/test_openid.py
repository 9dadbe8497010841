"""Sign-in with OpenID Connect against npm `oidc-provider`, in a browser: set up, first sign-in, rights, second factor,
PKCE, and signing out on both sides.

The provider is at `localhost`, which is another site than Postern's 127.0.0.1: cookies behave as with real providers.
"""

import base64
import http.client
import json
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
import vouching
from browser import Faults, admit, expect_to_fit, photograph, window
from playwright.sync_api import Browser, Page, expect
from product import ADMIN_PASSWORD, Product
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

from peers.openid_provider import CLIENT_ID, SECRET, OpenidProviderPeer, running_provider

page = vouching.page  # a fixture
PROVIDERS = "/api/v1/authentication/openid-providers/"
PEOPLE = {
    "ann": {"name": "Ann Li", "email": "ann@corp.example", "email_verified": True, "groups": ["dba"]},
    "bob": {"name": "Bob Wang", "email": "bob@corp.example", "realm_access": {"roles": ["auditors"]}},
    "cai": {"name": "蔡英", "email": "cai@corp.example"},
    "eve": {"name": "Eve", "email": "eve@corp.example"},
    "dan": {"name": "Dan", "email": "dan@corp.example"},
}


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """A product that may connect to this machine."""
    with console(tmp_path_factory.mktemp("openid"), POSTERN_ALLOW_LOCAL_TARGETS="yes") as running:
        yield running


@pytest.fixture(scope="module")
def corp(own: Product, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenidProviderPeer]:
    folder = tmp_path_factory.mktemp("provider")
    with running_provider(folder, console=own.url, slug="corp", people=PEOPLE, host="localhost") as running:
        yield running


def form_of(corp: OpenidProviderPeer, **more: Any) -> dict[str, Any]:
    return {
        "name": "Corp",
        "slug": "corp",
        "issuer": corp.issuer,
        "client_id": CLIENT_ID,
        "client_secret": SECRET,
        "creates_users": True,
        "signs_out": True,
        **more,
    }


@pytest.fixture(scope="module")
def set_up(own: Product, corp: OpenidProviderPeer) -> None:
    """Store the provider, unless the test of the form has saved it. Its rules give `dba` a group and auditors their
    role.
    """
    auditors = {"claim": "realm_access.roles", "value": "auditors", "role": "Auditor"}
    changes = {"rules": [database_group(own.api()), auditors], "signs_out": True}
    store(own.api(), PROVIDERS, form_of(corp), changes)


def at_provider(page: Page, name: str) -> None:
    """Sign in on the provider's page, and give consent."""
    page.wait_for_url(re.compile(r"^http://localhost:\d+/interaction/"))
    page.locator("input[name=login]").fill(name)
    page.locator("input[name=password]").fill("any")
    page.locator("button[type=submit]").click()
    page.get_by_role("button", name="Continue").click()


def test_administrator_sets_up_and_tests_a_provider(own: Product, corp: OpenidProviderPeer, browser: Browser) -> None:
    context = window(browser)
    page = context.new_page()
    faults = Faults(expected_statuses=frozenset({400}))
    faults.watch(page)
    form = new_provider(page, own, "openid", "People sign in with the provider of their company")
    for name, text in (("name", "Corp"), ("slug", "corp"), ("issuer", f"{corp.issuer}/"), ("client_id", CLIENT_ID)):
        form.locator(f"#field-{name}").fill(text)
    form.locator("#field-client_secret").fill("wrong")
    test = page.get_by_role("button", name="Test", exact=True)
    test.click()
    expect(page.get_by_text("The two must be equal, letter for letter")).to_be_visible()
    form.locator("#field-issuer").fill(corp.issuer)
    test.click()
    expect(page.get_by_text("refuses the client ID or the client secret")).to_be_visible()
    photograph(page, "openid-refused")
    form.locator("#field-client_secret").fill(SECRET)
    test.click()
    expect(page.get_by_text("it knows the client")).to_be_visible()
    assert own.api().get(PROVIDERS) == []
    expect(page.get_by_text(f"{own.url}/core/auth/openid/corp/callback/")).to_be_visible()
    form.locator("#field-creates_users").click()
    form.get_by_role("button", name="Add rule").click()
    rule = form.get_by_role("group", name="Rule 1", exact=True)
    rule.get_by_label("Has the value").fill("staff")
    rule.get_by_role("button", name="Then").click()
    page.get_by_role("option", name="Role User").click()
    photograph(page, "openid-form")
    save_provider(page, "openid")
    stored = own.api().get(PROVIDERS)[0]
    assert (stored["issuer"], stored["creates_users"], stored["has_secret"]) == (corp.issuer, True, True)
    assert stored["rules"] == [{"claim": "groups", "value": "staff", "role": "User", "group": None}]
    assert faults.found == []
    context.close()


def test_client_secret_is_removed_for_a_public_client(own: Product, corp: OpenidProviderPeer, browser: Browser) -> None:
    row = own.api().post(PROVIDERS, form_of(corp, slug="public", name="Corp public"))
    for width, scheme in ((320, "dark"), (1440, "light")):
        context = window(browser, viewport={"width": width, "height": 900}, color_scheme=scheme)
        page = context.new_page()
        admit(page, own.url, "admin", ADMIN_PASSWORD)
        page.goto(f"{own.url}/ui/settings/openid-providers/{row['id']}/update")
        page.get_by_role("button", name="Remove the secret").click()
        expect(page.get_by_text("Test", exact=True).first).to_be_visible()
        photograph(page, f"openid-secret-removed-{width}")
        expect_to_fit(page)
        if width == 1440:
            save_provider(page, "openid")
        context.close()
    stored = own.api().get(f"{PROVIDERS}{row['id']}/")
    assert stored["has_secret"] is False
    records = own.api().get("/api/v1/audits/events/?limit=20&offset=0&object_type=OpenidProvider")["results"]
    assert SECRET not in str(records)
    own.api().delete(f"{PROVIDERS}{row['id']}/")


def test_first_sign_in_creates_a_user_with_the_group_of_the_rule(
    own: Product, corp: OpenidProviderPeer, set_up: None, page: Page
) -> None:
    faults = Faults(expected_statuses=frozenset({401}))
    begin(page, own)
    at_provider(page, "ann")
    faults.watch(page)
    is_inside(page)
    person = page.evaluate(PERSON)
    assert (person["username"], person["name"], person["source"], person["role"]) == ("ann", "Ann Li", "openid", "User")
    api = own.api()
    groups = api.get("/api/v1/users/groups/?name=Database%20people")
    row = api.get(f"/api/v1/users/users/{person['id']}/")
    assert [str(one) for one in row["groups"]] == [groups[0]["id"]]
    logs = api.get("/api/v1/audits/login-logs/?limit=20")["results"]
    assert any(entry["backend"] == "openid:corp" and entry["username"] == "ann" and entry["status"] for entry in logs)
    assert faults.found == []


def test_sign_in_gives_the_role_of_the_rules_and_opens_the_requested_page(
    own: Product, corp: OpenidProviderPeer, set_up: None, page: Page
) -> None:
    page.goto(f"{own.url}/core/auth/openid/login/?next=/ui/users/profile")
    at_provider(page, "bob")
    is_inside(page)
    assert page.evaluate(PERSON)["role"] == "Auditor"


def test_second_factor_of_postern_is_required_after_the_provider(
    own: Product, corp: OpenidProviderPeer, set_up: None, page: Page
) -> None:
    begin(page, own)
    at_provider(page, "cai")
    is_inside(page)
    person = page.evaluate(PERSON)
    own.api().patch(f"/api/v1/users/users/{person['id']}/", {"mfa_level": 2})
    page.context.clear_cookies(domain="127.0.0.1")
    begin(page, own)  # the provider remembers the person
    page.get_by_role("button", name=re.compile("Start|Continue|Next|Set up")).first.wait_for()
    assert page.evaluate(PROFILE) == 401
    photograph(page, "openid-second-factor")


def test_mfa_is_set_up_after_confirmation_at_the_provider(
    own: Product, corp: OpenidProviderPeer, set_up: None, page: Page
) -> None:
    begin(page, own)
    at_provider(page, "eve")
    is_inside(page)
    profile(page, own)
    to_provider(page, "Enable")
    sign_in_again_at_provider(page, "eve")  # although the provider remembers the person
    set_up_an_app(page)


def sign_in_again_at_provider(page: Page, name: str) -> None:
    """Sign in on the provider's page. The person has given consent before."""
    page.wait_for_url(re.compile(r"^http://localhost:\d+/interaction/"))
    page.locator("input[name=login]").fill(name)
    page.locator("input[name=password]").fill("any")
    page.locator("button[type=submit]").click()


def test_pkce_is_required(own: Product, corp: OpenidProviderPeer, set_up: None, page: Page) -> None:
    """An attacker with the code and the client secret cannot use the code without the verifier."""
    # The redirect of another browser. The callback finds no visit in this browser, so the code stays unused.
    page.goto(started_elsewhere(own))
    with page.expect_request(lambda request: "/corp/callback/" in request.url) as back:
        at_provider(page, "dan")
    expect(page.get_by_text("was started in another browser")).to_be_visible()
    code = urllib.parse.parse_qs(urllib.parse.urlsplit(back.value.url).query)["code"][0]
    for verifier in ({}, {"code_verifier": "x" * 43}):
        status, body = exchange(corp, own, {"code": code, **verifier})
        assert (status, body["error"]) == (400, "invalid_grant"), body


def started_elsewhere(own: Product) -> str:
    address = urllib.parse.urlsplit(own.url)
    with closing(http.client.HTTPConnection(str(address.hostname), address.port, timeout=30)) as connection:
        connection.request("GET", "/core/auth/openid/corp/login/")
        return str(connection.getresponse().headers["Location"])


def exchange(corp: OpenidProviderPeer, own: Product, form: dict[str, str]) -> tuple[int, Any]:
    data = {"grant_type": "authorization_code", "redirect_uri": f"{own.url}/core/auth/openid/corp/callback/", **form}
    request = urllib.request.Request(f"{corp.issuer}/token", data=urllib.parse.urlencode(data).encode())
    request.add_header("Authorization", f"Basic {base64.b64encode(f'{CLIENT_ID}:{SECRET}'.encode()).decode()}")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


def test_signing_out_here_signs_out_at_the_provider(
    own: Product, corp: OpenidProviderPeer, set_up: None, page: Page
) -> None:
    begin(page, own)
    at_provider(page, "dan")
    is_inside(page)
    page.goto(f"{own.url}/core/auth/logout/")
    page.wait_for_url(re.compile(r"^http://localhost:\d+/session/end"))
    page.get_by_role("button", name=re.compile("Yes")).click()
    page.wait_for_url(f"{own.url}/core/auth/login/**")
    assert page.evaluate(PROFILE) == 401
    begin(page, own)  # the provider requires a new sign-in
    page.wait_for_url(re.compile(r"/interaction/"))
    expect(page.locator("input[name=login]")).to_be_visible()


def test_signing_out_at_the_provider_signs_out_here(
    own: Product, corp: OpenidProviderPeer, set_up: None, page: Page
) -> None:
    begin(page, own)
    at_provider(page, "ann")
    is_inside(page)
    there = page.context.new_page()
    there.goto(f"{corp.issuer}/session/end")
    there.get_by_role("button", name=re.compile("Yes")).click()
    there.wait_for_load_state()
    page.wait_for_function(f"async () => (await ({PROFILE})()) === 401")


@pytest.mark.parametrize(("width", "scheme", "locale"), [(1440, "light", "zh-CN"), (320, "dark", "en-US")])
def test_button_and_form_fit_the_screen(
    own: Product, set_up: None, browser: Browser, width: int, scheme: Any, locale: str
) -> None:
    shown = ("#field-issuer", "#field-rules input")
    has_room(browser, own, "openid", shown, width=width, scheme=scheme, locale=locale)
