"""Jobs on hosts, started in Chromium: a connectivity test, and the hardware of a host."""

import uuid

import admin_console
import pytest
from playwright.sync_api import Page, expect
from product import Product, wait_until
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
    # It comes due while the other tests run.
    task = {"name": f"each minute {mark}", "kind": "assets.test", "assets": [made["up"]]}
    schedule = {"crontab": "* * * * *", "is_periodic": True}
    made["each minute"] = api.post("/api/v1/ops/tasks/", {**task, **schedule})["id"]
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


@pytest.mark.spec("S1-030", "S2-112", "S2-113", "S2-115")
def test_task_is_created_and_run_and_shows_what_happened_on_each_host(
    product: Product, page: Page, assets: dict[str, str]
) -> None:
    name = f"nightly {assets['node']}"
    page.goto(f"{product.url}/ui/ops/tasks")
    page.get_by_role("main").get_by_role("link", name="Create task").first.click()
    page.get_by_role("textbox", name="Name", exact=True).fill(name)
    page.get_by_role("radio", name="Test connectivity").check()
    page.get_by_role("combobox", name="Node", exact=True).fill(assets["node"])
    page.get_by_role("option", name=assets["node"]).first.click()
    crontab = page.get_by_role("textbox", name="Regular execution (crontab)")
    crontab.fill("30 3 * *")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("A crontab has 5 fields")).to_be_visible()
    crontab.fill("30 3 * * 1-5")
    page.get_by_role("button", name="Save", exact=True).click()

    expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()
    page.locator("li", has_text="Runs on the hosts").get_by_role("button", name="Run").click()
    dialog = page.get_by_role("dialog", name="Test connectivity")
    expect(dialog.get_by_text("Assets: 2, succeeded: 1, failed: 1.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("Failed hosts (1)")).to_be_visible()
    page.get_by_role("tab", name="Executions").click()
    page.get_by_role("row", name="Failed").get_by_role("link").first.click()
    page.get_by_role("tab", name="Hosts").click()
    expect(page.get_by_role("row", name="up-").get_by_text("Done")).to_be_visible()
    expect(page.get_by_role("row", name="down-").get_by_text("Unreachable")).to_be_visible()
    page.get_by_role("tab", name="Log").click()
    expect(page.locator(".xterm-rows, .xterm-accessibility")).to_contain_text(["Unreachable"])


@pytest.mark.spec("S2-114")
def test_version_of_a_task_names_its_steps_and_executions(product: Product, page: Page, assets: dict[str, str]) -> None:
    [version, *_] = product.api().get("/api/v1/ops/adhoc/")
    page.goto(f"{product.url}/ui/ops/adhoc/{version['id']}")
    expect(page.get_by_text(version["tasks"][0]["name"]).first).to_be_visible()
    page.get_by_role("tab", name="Executions").click()
    expect(page.get_by_role("row").nth(1)).to_be_visible()


def test_crontab_fires(product: Product, assets: dict[str, str]) -> None:
    api = product.api()

    def ran() -> list[dict[str, object]]:
        runs: list[dict[str, object]] = api.get(f"/api/v1/ops/adhoc-executions/?task={assets['each minute']}")
        return [run for run in runs if run["is_finished"]]

    [first, *_] = wait_until(ran, timeout_s=120, message="the first run of a task that runs each minute")
    assert (first["is_success"], first["created_by"]) == (True, "System")
    assert api.get(f"/api/v1/ops/tasks/{assets['each minute']}/")["date_due"] > first["date_start"]
