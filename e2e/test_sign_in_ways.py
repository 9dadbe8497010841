"""The order of the ways of signing in, in the whole product: set with the keyboard, applied by the page, the API and
ssh, and reset on the server.
"""

import json
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Faults, first_sign_in, photograph, sign_in, window
from playwright.sync_api import Browser, Page, Route, expect
from product import ADMIN_PASSWORD, POSTERN, Product, wait_until

NAME = "SECURITY_SIGN_IN_WAYS"
#: The controls that moved according to Chromium (Layout Instability API). Smaller lines are caused by the web font.
MOVED = """() => new Promise((resolve) => {
    const moved = [];
    const isControl = ({ node }) => node?.nodeType === 1 && node.matches('button, input, a, :has(button, input, a)');
    const isFar = ({ previousRect: was, currentRect: is }) => Math.abs(is.top - was.top) > 8;
    const take = (entries) => {
        for (const source of entries.flatMap((entry) => entry.sources)) {
            if (isControl(source) && isFar(source)) moved.push(source.node.outerHTML.slice(0, 200));
        }
    };
    const observer = new PerformanceObserver((list) => { take(list.getEntries()); resolve(moved); });
    observer.observe({ type: 'layout-shift', buffered: true });
    setTimeout(() => resolve(moved), 200);
})"""
TOKENS, FORM = "/api/v1/authentication/tokens/", "/api/v1/settings/setting/?category=security"


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with Product(tmp_path_factory.mktemp("ways") / "home") as running:
        yield running


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = window(browser)
    yield context.new_page()
    context.close()


def call(own: Product, method: str, path: str, body: object, token: str = "") -> tuple[int, dict[str, object]]:
    head = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    request = urllib.request.Request(own.url + path, json.dumps(body).encode(), head, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def ssh_says(own: Product, folder: Path) -> str:
    """The output of real ssh when the administrator signs in with the right password."""
    program = folder / "askpass"
    program.write_text(f"#!/bin/sh\necho '{ADMIN_PASSWORD}'\n")
    program.chmod(0o700)
    done = subprocess.run(
        [
            "ssh", "-F", "none", "-o", f"UserKnownHostsFile={folder / 'known'}", "-o", "StrictHostKeyChecking=no",
            "-o", "PubkeyAuthentication=no", "-o", "NumberOfPasswordPrompts=1", "-p", str(own.ssh_port),
            "-l", "admin", "127.0.0.1", "true",
        ],
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "SSH_ASKPASS": str(program),
             "SSH_ASKPASS_REQUIRE": "force", "DISPLAY": ":none"},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90, check=False,
    )  # fmt: skip
    return done.stderr


def test_buttons_do_not_move_after_they_are_enabled(own: Product, page: Page) -> None:
    page.goto(f"{own.url}/ui/login")
    button, passkey = (page.get_by_role("button", name=name) for name in ("Sign in", "Use a passkey"))
    expect(button).to_be_visible()
    expect(passkey).to_be_visible(timeout=1)  # together with the form
    assert page.evaluate(MOVED) == []

    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/PasskeySignIn*.js", hold)
    page.reload()
    expect(button).to_be_visible()
    page.evaluate("() => document.fonts.ready.then(() => null)")
    place = button.bounding_box()
    photograph(page, "sign-in-before-the-passkey")
    expect(passkey).to_have_count(0)
    held[0].continue_()
    expect(passkey).to_be_visible()
    assert button.bounding_box() == place
    assert page.evaluate(MOVED) == []
    photograph(page, "sign-in-after-the-passkey")


def test_form_works_without_a_missing_part(own: Product, page: Page) -> None:
    page.route("**/PasskeySignIn*.js", lambda route: route.abort())
    page.goto(f"{own.url}/ui/login")
    expect(page.get_by_text("Some ways of signing in could not be loaded.")).to_be_visible()
    photograph(page, "sign-in-part-lost")
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password", exact=True).fill(ADMIN_PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda address: "/login" not in address)


def test_administrator_orders_the_ways_with_the_keyboard(own: Product, page: Page) -> None:
    faults = Faults(expected_statuses=frozenset({400}))
    faults.watch(page)
    sign_in(page, own.url, "admin", ADMIN_PASSWORD)
    if "first-login" in page.url:
        first_sign_in(page)
    page.goto(f"{own.url}/ui/settings?activeTab=security")
    ways = page.get_by_role("list", name="Ways of signing in")
    up = ways.get_by_role("button", name="Move Passkey without a password up")
    up.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(ways.get_by_role("checkbox").first).to_have_accessible_name("Passkey without a password")
    ways.get_by_role("checkbox", name="SAML 2.0").uncheck()
    photograph(page, "sign-in-ways")
    page.get_by_role("button", name="Save 1 change").click()
    expect(page.get_by_role("button", name="No changes")).to_be_visible()
    ways.get_by_role("checkbox", name="Password of a local user").uncheck()
    page.get_by_role("button", name="Save 1 change").click()
    expect(page.get_by_text("You are signed in by this way: Password of a local user.")).to_be_visible()
    photograph(page, "sign-in-ways-refused")
    assert faults.found == []


def test_page_uses_the_configured_order(own: Product, page: Page) -> None:
    page.goto(f"{own.url}/ui/login")
    passkey = page.get_by_role("button", name="Use a passkey")
    expect(passkey).to_be_visible()
    above, below = passkey.bounding_box(), page.get_by_label("Username").bounding_box()
    assert above is not None
    assert below is not None
    assert above["y"] < below["y"]
    photograph(page, "sign-in-ways-page")


def test_disabled_ways_are_refused_until_the_command_line_enables_them(
    own: Product, page: Page, tmp_path: Path
) -> None:
    credentials = {"username": "admin", "password": ADMIN_PASSWORD}
    _status, made = call(own, "POST", TOKENS, credentials)
    status, body = call(own, "PATCH", FORM, {NAME: ["saml"]}, str(made["token"]))
    assert (status, body[NAME]) == (200, ["saml"])
    wait_until(lambda: call(own, "POST", TOKENS, credentials)[0] == 400, 2.0, message="refusal in every process")
    for _ in range(8):  # every web process
        assert call(own, "POST", TOKENS, credentials)[1]["error"] == "backend_not_match"
    page.goto(f"{own.url}/ui/login")
    expect(page.get_by_text("postern user ways")).to_be_visible()
    expect(page.get_by_label("Username")).to_have_count(0)
    photograph(page, "sign-in-ways-none")
    assert "Permission denied" in ssh_says(own, tmp_path)
    done = subprocess.run(
        [str(POSTERN), "user", "ways"], env=own._environ, capture_output=True, text=True, timeout=120, check=True
    )
    assert "all ways of signing in are switched on" in done.stdout
    assert "Permission denied" not in ssh_says(own, tmp_path)
    sign_in(page, own.url, "admin", ADMIN_PASSWORD)
