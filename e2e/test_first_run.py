"""From an empty installation to the first connection by the checklist of first steps, and a template that imports
unchanged.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from accessibility import axe_findings
from browser import Faults, expect_to_fit, first_sign_in, photograph, sign_in, window
from playwright.sync_api import Browser, Page, expect
from product import ADMIN_PASSWORD, Product, free_port, wait_until
from world import TargetHost


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """A product without any objects."""
    with Product(tmp_path_factory.mktemp("first-run") / "home", anew=True) as running:
        yield running


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TargetHost]:
    with TargetHost(tmp_path_factory.mktemp("target") / "sshd", free_port()) as running:
        yield running


@pytest.fixture
def page(browser: Browser, fresh: Product) -> Iterator[Page]:
    context = window(browser, accept_downloads=True)
    opened = context.new_page()
    faults = Faults(frozenset({400}))  # the test causes refused requests
    faults.watch(opened)
    sign_in(opened, fresh.url, "admin", ADMIN_PASSWORD)
    opened.get_by_role("heading", level=1).first.wait_for(state="attached")
    if "first-login" in opened.url:
        first_sign_in(opened)
    yield opened
    context.close()
    assert faults.found == []


def steps(fresh: Product) -> dict[str, bool]:
    answer: dict[str, Any] = fresh.api().get("/api/v1/first-run/")
    found: dict[str, bool] = answer["steps"]
    return found


def test_checklist_of_first_steps_leads_to_the_first_connection(page: Page, fresh: Product, target: TargetHost) -> None:
    expect(page.get_by_role("heading", level=1, name="Start here")).to_be_visible()
    expect(page.get_by_text("6 steps to the first connection")).to_be_visible()
    assert axe_findings(page) == []

    page.get_by_role("textbox", name="Address of this console").fill("https://postern.example.com")
    page.get_by_role("button", name="Save address").click()
    expect(page.get_by_text("5 steps to the first connection")).to_be_visible()
    expect(page.get_by_text("https://postern.example.com")).to_be_visible()

    page.get_by_role("button", name="Add a host").click()
    form = page.get_by_role("form", name="Add a host")
    form.get_by_role("button", name="Add host").click()
    expect(form.get_by_role("textbox", name="Address")).to_be_focused()
    form.get_by_role("textbox", name="Address").fill("300.1.1.1")
    form.get_by_role("textbox", name="SSH port").fill(str(target.port))
    form.get_by_role("textbox", name="Name", exact=True).fill("shop-1")
    form.get_by_role("textbox", name="Username").fill(target.login)
    form.get_by_role("radio", name="With a private key").check()
    form.get_by_role("textbox", name="Private key").fill(target.client_key.read_text())
    form.get_by_role("button", name="Add host").click()
    expect(form.get_by_text("Enter an IP address or a host name.")).to_be_visible()
    assert axe_findings(page) == []
    assert not steps(fresh)["account"], "a part of a refused host was stored"
    form.get_by_role("textbox", name="Address").fill("127.0.0.1")
    form.get_by_role("textbox", name="SSH port").fill(str(free_port()))
    form.get_by_role("textbox", name="Username").fill("nobody-here")
    form.get_by_role("button", name="Add and test").click()

    # The host is stored but cannot be reached; the form keeps the values.
    test = form.get_by_role("region", name="Test of shop-1")
    expect(test.get_by_text("Not reached")).to_be_visible()
    expect(test.get_by_text("Check the address and the port")).to_be_visible()
    expect(form.get_by_role("textbox", name="Address")).to_have_value("127.0.0.1")
    assert axe_findings(page) == []
    photograph(page, "host-not-reached")
    form.get_by_role("textbox", name="SSH port").fill(str(target.port))
    form.get_by_role("button", name="Save and test again").click()

    # The host can be reached, but refuses the account.
    expect(test.get_by_text("Sign-in failed")).to_be_visible()
    expect(test.get_by_role("listitem").filter(has_text="Host key seen")).to_contain_text("SHA256:")
    page.set_viewport_size({"width": 320, "height": 720})
    expect_to_fit(page)
    photograph(page, "host-narrow")
    page.set_viewport_size({"width": 1440, "height": 900})
    form.get_by_role("textbox", name="Username").fill(target.login)
    form.get_by_role("button", name="Save and test again").click()
    expect(test.get_by_role("listitem").filter(has_text="Signed in as")).to_contain_text(target.login)
    assert axe_findings(page) == []
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    photograph(page, "host-ready-dark")
    assert axe_findings(page) == []
    page.emulate_media(color_scheme="light")
    form.get_by_role("button", name="Go on").click()

    expect(page.get_by_text("shop-1 was reached")).to_be_visible()
    photograph(page, "host-step-done")
    expect(page.get_by_text("2 steps to the first connection")).to_be_visible()
    assert steps(fresh) == {
        "site_url": True,
        "account": True,
        "host": True,
        "permission": True,
        "person": False,
        "connect": False,
    }
    page.goto(f"{fresh.url}/ui/assets/new-host")
    form = page.get_by_role("form", name="Add a host")
    expect(form.get_by_role("radio", name="Existing account")).to_be_checked()
    expect(form.get_by_role("combobox", name="System user")).to_have_value(target.login)
    page.goto(f"{fresh.url}/ui/start")
    page.get_by_role("link", name="Create a user").click()
    page.get_by_role("textbox", name="Name", exact=True).fill("Li Na")
    page.get_by_role("textbox", name="Username", exact=True).fill("li")
    page.get_by_role("textbox", name="Email", exact=True).fill("li@example.invalid")
    page.get_by_role("textbox", name="Password", exact=True).fill("paper-Kite-mountain-28")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url(lambda address: not address.endswith("/create"))

    asset = fresh.api().get("/api/v1/assets/assets/?hostname=shop-1")[0]["id"]
    page.goto(f"{fresh.url}/ui/connect?asset={asset}")
    wait_until(
        lambda: page.evaluate("1") and steps(fresh)["connect"],
        message="the first connection",
    )

    page.goto(f"{fresh.url}/ui/start?show=1")
    expect(page.get_by_text("Everything is ready")).to_be_visible()
    page.get_by_role("button", name="Close this list").click()
    page.wait_for_url(re.compile(r"/dashboard$"))
    page.goto(f"{fresh.url}/ui/")
    page.wait_for_url(re.compile(r"/dashboard$"))


def test_downloaded_template_of_assets_can_be_imported_unchanged(page: Page, fresh: Product) -> None:
    page.goto(f"{fresh.url}/ui/assets/assets")
    page.get_by_role("button", name="Import and export").click()
    page.get_by_role("menuitem", name="Import", exact=True).click()
    dialog = page.get_by_role("dialog", name="Import assets")
    with page.expect_download() as coming:
        dialog.get_by_role("group", name="Template").get_by_role("button", name="csv").click()
    page.locator("input[type=file]").set_input_files(
        {
            "name": "assets.csv",
            "mimeType": "text/csv",
            "buffer": Path(coming.value.path()).read_bytes(),
        }
    )
    cell = dialog.get_by_role("button", name=re.compile(r"^Protocols, row 1: "))
    expect(cell).to_have_text("ssh/22")
    cell.click()
    page.keyboard.press("Control+A")
    page.keyboard.type("ssh/22, sftp/2222")
    page.keyboard.press("Enter")
    expect(dialog.get_by_text("Enter a protocol and a port, for example ssh/22").first).to_be_visible()
    cell = dialog.get_by_role("button", name=re.compile(r"^Protocols, row 1: "))
    cell.click()
    page.keyboard.press("Control+A")
    page.keyboard.type("ssh/22, rdp/3389")
    page.keyboard.press("Enter")
    dialog.get_by_role("button", name="Import", exact=True).click()
    expect(dialog.get_by_role("button", name="Succeeded 1")).to_be_visible()
    made = fresh.api().get("/api/v1/assets/assets/?hostname=web-example")
    assert [(row["ip"], row["protocols"]) for row in made] == [("192.0.2.10", ["ssh/22", "rdp/3389"])]
