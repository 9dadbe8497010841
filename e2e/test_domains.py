"""Domains and gateways in the administrator's console."""

import re
import uuid
from typing import Any

import admin_console
import pytest
from admin_console import listed, pick, save, text
from playwright.sync_api import Page, expect
from product import Product

# Pytest looks for fixtures among the names of the module.
signed_in, page, objects = admin_console.signed_in, admin_console.page, admin_console.objects
SECRET = "copper-Lantern-fence-93"


@pytest.fixture(scope="module")
def zone(product: Product) -> dict[str, str]:
    """A domain with a gateway, and the ids for the braces in the addresses below."""
    api, mark = product.api(), uuid.uuid4().hex[:6]
    domain = api.post("/api/v1/assets/domains/", {"name": f"routes-{mark}"})["id"]
    body = {"name": f"routes-gate-{mark}", "ip": "192.0.2.9", "username": "forward", "password": SECRET}
    return {
        "domain": domain,
        "gateway": api.post("/api/v1/assets/gateways/", {**body, "domain": domain})["id"],
    }


def route(path: str, heading: str, *ids: str) -> Any:
    return pytest.param(path, heading, marks=pytest.mark.spec(*ids), id=path)


@pytest.mark.parametrize(
    ("path", "heading"),
    [
        route("/assets/domains", "Domains", "S2-032", "S1-018"),
        route("/assets/domains/create", "Create domain", "S2-033"),
        route("/assets/domains/{domain}/update", "Update domain", "S2-034"),
        route("/assets/domains/{domain}", "routes-.*", "S2-035"),
        route("/assets/gateways/create?domain={domain}", "Create gateway", "S2-036"),
        route("/assets/gateways/{gateway}/update", "Update gateway", "S2-037"),
        route("/assets/gateways/{gateway}", "routes-gate-.*"),
    ],
)
def test_route_opens_its_screen(product: Product, zone: dict[str, str], page: Page, path: str, heading: str) -> None:
    page.goto(f"{product.url}/ui{path.format(**zone)}")
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(f"^{heading}"))
    main = page.get_by_role("main")
    if "create" in path or path.endswith("update"):
        expect(main.get_by_role("form").get_by_role("textbox").first).to_be_visible()
    expect(main.get_by_role("button", name="Retry")).to_have_count(0)


@pytest.mark.spec("S2-038")
def test_no_menu_shows_the_screens_of_gateways(product: Product, zone: dict[str, str], page: Page) -> None:
    page.goto(f"{product.url}/ui/assets/domains/{zone['domain']}")
    menu = page.get_by_role("navigation").first
    expect(menu.get_by_role("link", name="Domains")).to_be_visible()
    expect(menu.get_by_role("link", name=re.compile("gateway", re.IGNORECASE))).to_have_count(0)


@pytest.mark.spec("S1-018", "S3-029", "S2-033", "S2-036", "S2-037", "S5-039")
def test_administrator_sets_up_a_domain_and_puts_an_asset_into_it(
    product: Product, objects: dict[str, str], page: Page
) -> None:
    mark = uuid.uuid4().hex[:6]
    page.goto(f"{product.url}/ui/assets/domains/create")
    text(page, "Name").fill(f"branch-{mark}")
    save(page)
    expect(page.get_by_role("heading", level=1)).to_have_text(f"branch-{mark}")

    page.get_by_role("tab", name="Gateways").click()
    page.get_by_role("main").get_by_role("link", name="Create gateway").first.click()
    expect(page.get_by_role("combobox", name="Domain", exact=True)).to_be_disabled()
    text(page, "Name").fill(f"gate-{mark}")
    text(page, "IP").fill("192.0.2.40")
    expect(page.get_by_text("Behind NAT")).to_be_visible()
    page.get_by_label("Port", exact=True).fill("2222")
    text(page, "Username").fill("forward")
    page.get_by_label("Password", exact=True).fill(SECRET)
    save(page)
    page.wait_for_url(re.compile("activeTab=gateways"))
    row = page.get_by_role("row").filter(has_text=f"gate-{mark}")
    expect(row).to_contain_text("2222")

    listed(page, f"gate-{mark}").click()
    page.get_by_role("link", name="Update", exact=True).click()
    text(page, "Comment").fill("moved to the new rack")
    save(page)
    page.wait_for_url(re.compile("activeTab=gateways"))
    expect(row).to_contain_text("moved to the new rack")

    page.goto(f"{product.url}/ui/assets/assets/{objects['asset']}/update")
    pick(page, "Domain", f"branch-{mark}")
    save(page)
    page.wait_for_url(re.compile("/assets/assets$"))
    page.goto(f"{product.url}/ui/assets/assets/{objects['asset']}")
    page.get_by_role("main").get_by_role("link", name=f"branch-{mark}").click()
    expect(page.get_by_role("tab", name=re.compile("Assets"))).to_contain_text("1")
