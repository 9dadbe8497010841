"""Jobs on hosts, started in Chromium: a connectivity test, and the hardware of a host."""

import uuid

import admin_console
import pytest
from playwright.sync_api import Page, expect
from product import Product
from world import TargetHost

from peers.ports import free_port

# Pytest looks for fixtures among the names of the module.
signed_in, page = admin_console.signed_in, admin_console.page


@pytest.fixture(scope="module")
def assets(product: Product, host: TargetHost) -> dict[str, str]:
    """A host that can be reached, and one that cannot, below a node: name → id."""
    api, mark = product.api(), uuid.uuid4().hex[:6]
    node = api.post("/api/v1/assets/nodes/", {"value": f"rack {mark}"})
    admin_user = api.post(
        "/api/v1/assets/admin-users/",
        {"name": f"jobs-{mark}", "username": host.login, "private_key": host.client_key.read_text()},
    )
    made = {"node": node["value"]}
    for name, port in (("up", host.port), ("down", free_port())):
        body = {
            "hostname": f"{name}-{mark}",
            "ip": "127.0.0.1",
            "platform": "Linux",
            "protocols": [f"ssh/{port}"],
            "admin_user": admin_user["id"],
            "nodes": [node["id"]],
        }
        made[name] = api.post("/api/v1/assets/assets/", body)["id"]
    return made


def start(page: Page, action: str) -> None:
    """Press the button of a quick action of the page."""
    page.locator("li", has_text=action).get_by_role("button", name="Start").click()


def test_hardware_of_a_host_is_read_and_shown_on_its_page(product: Product, page: Page, assets: dict[str, str]) -> None:
    page.goto(f"{product.url}/ui/assets/assets/{assets['up']}")
    start(page, "Refresh hardware")
    dialog = page.get_by_role("dialog", name="Refresh hardware")
    expect(dialog.get_by_text("Succeeded", exact=True)).to_be_visible()
    expect(dialog.locator(".xterm-rows, .xterm-accessibility")).to_contain_text(["Done"])
    page.keyboard.press("Escape")
    expect(dialog).not_to_be_visible()
    # Nobody loads the page again.
    expect(page.get_by_text("Reachable").first).to_be_visible()
    expect(page.get_by_text("GiB").first).to_be_visible()


def test_test_of_a_node_shows_which_hosts_cannot_be_reached_and_why(
    product: Product, page: Page, assets: dict[str, str]
) -> None:
    page.goto(f"{product.url}/ui/assets/assets")
    page.get_by_role("treeitem", name=assets["node"]).get_by_text(assets["node"]).click()
    page.get_by_role("button", name="Node actions").click()
    page.get_by_role("menuitem", name="Test connectivity").click()
    dialog = page.get_by_role("dialog", name="Test connectivity")
    expect(dialog.get_by_text("Assets: 2, succeeded: 1, failed: 1.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).not_to_be_visible()
    expect(page.get_by_role("row", name="up-").get_by_text("Reachable")).to_be_visible()
    unreachable = page.get_by_role("row", name="down-").get_by_text("Unreachable")
    expect(unreachable).to_be_visible()
    page.goto(f"{product.url}/ui/assets/assets/{assets['down']}")
    expect(page.get_by_text("Unreachable").first).to_be_visible()
    expect(page.get_by_text("127.0.0.1").last).to_be_visible()
