"""Batch commands in Chromium: chosen from the tree, watched live, stopped, saved, and read by an auditor."""

import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import Faults, admit, window
from playwright.sync_api import Browser, Page, expect
from product import ADMIN_PASSWORD, wait_until
from world import AUDITOR_PASSWORD, ZHANG_PASSWORD, TargetHost, World

from peers.ports import free_port

SETTINGS = "/api/v1/settings/setting/?category=security"


def person(browser: Browser, world: World, name: str, password: str) -> Iterator[Page]:
    """A tab of this person. The test fails on any page error."""
    context = window(browser, locale="en-GB")
    page = context.new_page()
    faults = Faults(expected_statuses=frozenset({403}))  # a filter refuses one command
    faults.watch(page)
    admit(page, world.product.url, name, password)
    yield page
    context.close()
    assert faults.found == []


@pytest.fixture
def zhang(browser: Browser, world: World) -> Iterator[Page]:
    yield from person(browser, world, "zhang", ZHANG_PASSWORD)


@pytest.fixture
def auditor(browser: Browser, world: World) -> Iterator[Page]:
    yield from person(browser, world, "auditor", AUDITOR_PASSWORD)


@pytest.fixture
def admin(browser: Browser, world: World) -> Iterator[Page]:
    yield from person(browser, world, "admin", ADMIN_PASSWORD)


@pytest.fixture(scope="module")
def rack(world: World) -> Iterator[dict[str, Any]]:
    """A node with three hosts of which one does not answer, granted to a colleague with an account of its own."""
    mark = uuid.uuid4().hex[:6]
    node = world.admin.post("/api/v1/assets/nodes/", {"value": f"rack-{mark}"})
    gone_port = free_port()
    for name, port in (
        ("one", world.host.port),
        ("two", world.host.port),
        ("gone", gone_port),
    ):
        body = {
            "hostname": f"{name}-{mark}",
            "ip": "127.0.0.1",
            "platform": "Linux",
            "protocols": [f"ssh/{port}"],
            "nodes": [node["id"]],
        }
        world.admin.post("/api/v1/assets/assets/", body)
    run_as = world.admin.post(
        "/api/v1/assets/system-users/",
        {
            "name": f"batch-{mark}",
            "username": world.host.login,
            "protocol": "ssh",
            "login_mode": "auto",
            "private_key": world.host.client_key.read_text(),
        },
    )
    permission = {
        "name": f"batch {mark}",
        "users": [world.zhang_id],
        "nodes": [node["id"]],
        "system_users": [run_as["id"]],
    }
    made = world.admin.post("/api/v1/perms/asset-permissions/", permission)
    yield {
        "mark": mark,
        "node": node["value"],
        "run_as": run_as,
        "gone_port": gone_port,
    }
    world.admin.delete(f"/api/v1/perms/asset-permissions/{made['id']}/")


@pytest.fixture(scope="module")
def ran(world: World, rack: dict[str, Any]) -> str:
    """A command that the colleague has run on the rack."""
    zhang = world.zhang()
    hosts = [row["id"] for row in zhang.get(f"/api/v1/perms/users/assets/?search={rack['mark']}")]
    command = f"echo it works on $((40+2)) hosts of {rack['mark']}"
    body = {"command": command, "hosts": hosts, "run_as": rack["run_as"]["id"]}
    key = zhang.post("/api/v1/ops/command-executions/", body)["id"]
    wait_until(
        lambda: zhang.get(f"/api/v1/ops/command-executions/{key}/")["is_finished"],
        message="the end of the command",
    )
    return command


def compose(page: Page, rack: dict[str, Any], command: str) -> None:
    """Choose the account and all hosts of the rack, and type a command."""
    page.get_by_role("button", name="As whom").click()
    page.get_by_role("option", name=re.compile(rack["run_as"]["name"])).click()
    page.get_by_role("button", name="Choose hosts").click()
    dialog = page.get_by_role("dialog", name="Choose hosts")
    dialog.get_by_role("treeitem", name=re.compile(rack["node"])).get_by_text(rack["node"]).click()
    expect(dialog.get_by_text("3 hosts chosen")).to_be_visible()
    expect(dialog.get_by_role("treeitem", name=re.compile(rack["node"]))).to_have_attribute("aria-checked", "true")
    dialog.get_by_role("button", name="Done").click()
    write(page, command)


def write(page: Page, command: str) -> None:
    editor = page.get_by_role("textbox", name="Command")
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.type(command)


@pytest.mark.spec("S2-146")
def test_person_runs_a_command_and_sees_what_each_host_said(zhang: Page, world: World, rack: dict[str, Any]) -> None:
    page = zhang
    page.goto(f"{world.product.url}/ui/command-executions")
    compose(page, rack, "echo it works on $((40+2)) hosts")
    page.get_by_role("button", name="Run", exact=True).click()
    failed = page.get_by_role("region", name="Failed")
    expect(failed.get_by_text("Unreachable")).to_be_visible()
    page.get_by_role("region", name="Done").get_by_role("button").click()
    hosts = page.get_by_role("region", name="Hosts with this output")
    expect(hosts.get_by_text("2 hosts", exact=True)).to_be_visible()
    expect(hosts.get_by_text("it works on 42 hosts")).to_be_visible()
    # The address names the command: it is still there after a reload.
    page.reload()
    expect(page.get_by_role("region", name="Failed").get_by_text("Unreachable")).to_be_visible()
    # What failed is chosen for the next command in one click.
    page.get_by_role("region", name="Failed").get_by_role("button").click()
    page.get_by_role("button", name="Choose these hosts").click()
    expect(page.get_by_role("button", name="1 host chosen")).to_be_visible()


def test_command_runs_again_on_the_host_that_failed_once_it_can_be_reached(
    zhang: Page, world: World, rack: dict[str, Any], tmp_path: Path
) -> None:
    page = zhang
    page.goto(f"{world.product.url}/ui/command-executions")
    ran_on = tmp_path / "ran-on"
    # Each run leaves a line at the host: the command must not run a second time where it has worked.
    compose(page, rack, f"echo $SSH_CONNECTION >> {ran_on}")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("region", name="Failed").get_by_text("Unreachable")).to_be_visible()
    again = page.get_by_role("button", name="Run again on 1 failed host")
    expect(again).to_be_visible()
    first = re.search("run=([^&]+)", page.url)
    assert len(ran_on.read_text().splitlines()) == 2

    late = TargetHost(tmp_path / "sshd", rack["gone_port"])
    late.client_key = world.host.client_key
    with late:
        again.click()
        page.wait_for_url(lambda address: first is not None and first[1] not in address)
        progress = page.get_by_role("region", name="Progress of the command")
        expect(progress.get_by_text(f"1 host as {rack['run_as']['name']}")).to_be_visible()
        expect(progress.get_by_text("Succeeded")).to_be_visible()
        expect(page.get_by_role("region", name="Done").get_by_role("button")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("Run again on"))).to_have_count(0)
    # `SSH_CONNECTION` ends with the port of the server.
    assert [line.split()[-1] for line in ran_on.read_text().splitlines()] == [
        *[str(world.host.port)] * 2,
        str(rack["gone_port"]),
    ]


def test_output_is_seen_live_and_the_command_is_stopped(zhang: Page, world: World, rack: dict[str, Any]) -> None:
    page = zhang
    page.goto(f"{world.product.url}/ui/command-executions")
    compose(page, rack, "echo has begun; sleep 300; echo never")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("region", name="Still to come").get_by_text("has begun")).to_be_visible()
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_text("Cancelled", exact=True)).to_be_visible()
    expect(page.get_by_role("region", name="Failed").get_by_text("Stopped")).to_be_visible()


def test_command_that_a_filter_denies_is_refused_with_its_name(zhang: Page, world: World, rack: dict[str, Any]) -> None:
    name = f"no touching {rack['mark']}"
    made = world.admin.post(
        "/api/v1/assets/cmd-filters/",
        {"name": name, "system_users": [rack["run_as"]["id"]]},
    )
    world.admin.post(
        f"/api/v1/assets/cmd-filters/{made['id']}/rules/",
        {
            "filter": made["id"],
            "type": "command",
            "content": "touch",
            "action": 0,
            "priority": 50,
        },
    )
    try:
        page = zhang
        page.goto(f"{world.product.url}/ui/command-executions")
        compose(page, rack, "cd /tmp && touch here")
        with page.expect_response(lambda answer: answer.status == 403):
            page.get_by_role("button", name="Run", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text(f"The command filter “{name}” does not allow this command.")
        told = wait_until(
            lambda: [
                row
                for row in world.admin.get("/api/v1/notifications/site-message/?limit=100&offset=0")["results"]
                if row["message_type"] == "CommandExecutionAlert"
            ],
            message="the message to the administrator",
        )
        assert "cd /tmp &amp;&amp; touch here" in told[0]["message"]
    finally:
        world.admin.delete(f"/api/v1/assets/cmd-filters/{made['id']}/")


def test_command_is_saved_used_again_and_found_in_the_history(
    zhang: Page, world: World, rack: dict[str, Any], ran: str
) -> None:
    page = zhang
    page.goto(f"{world.product.url}/ui/command-executions")
    write(page, "uptime")
    page.get_by_role("button", name="Saved commands").click()
    dialog = page.get_by_role("dialog", name="Saved commands")
    dialog.get_by_label("Save the command in the editor as").fill(f"up {rack['mark']}")
    dialog.get_by_role("button", name="Save", exact=True).click()
    expect(dialog.get_by_text(f"up {rack['mark']}", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    write(page, "something else")
    page.get_by_role("button", name="Saved commands").click()
    dialog.get_by_role("listitem").filter(has_text=f"up {rack['mark']}").get_by_role("button", name="Use").click()
    expect(page.get_by_role("textbox", name="Command")).to_have_text("uptime")
    page.get_by_role("button", name="History").click()
    history = page.get_by_role("dialog", name="History")
    history.get_by_role("searchbox").fill(rack["mark"])
    history.get_by_role("button", name=re.compile(re.escape(ran))).click()
    expect(page.get_by_role("textbox", name="Command")).to_have_text(ran)
    expect(page.get_by_role("region", name="Failed").get_by_text("Unreachable")).to_be_visible()


@pytest.mark.spec("S2-134", "S2-176")
def test_auditor_reads_the_command_and_its_outputs(auditor: Page, world: World, ran: str) -> None:
    page = auditor
    page.goto(f"{world.product.url}/ui/audits/command-execution-log")
    page.get_by_role("link", name=ran).click()
    expect(page.get_by_text("张伟(zhang)").first).to_be_visible()
    page.get_by_role("tab", name=re.compile("Outputs")).click()
    page.get_by_role("region", name="Done").get_by_role("button").click()
    expect(page.get_by_label("Hosts with this output").get_by_text("it works on 42 hosts")).to_be_visible()
    expect(page.get_by_role("button", name="Choose these hosts")).to_have_count(0)


@pytest.mark.spec("S2-116", "S2-117")
def test_screen_of_the_job_center_is_hidden_without_the_setting(admin: Page, world: World) -> None:
    page = admin
    address = f"{world.product.url}/ui/ops/command-executions/create"
    page.goto(address)
    expect(page.get_by_role("heading", name="Batch command", level=1, exact=True)).to_be_visible()
    menu = page.get_by_role("navigation", name="Main menu").get_by_role("link", name="Batch command")
    expect(menu).to_be_visible()
    world.admin.patch(SETTINGS, {"SECURITY_COMMAND_EXECUTION": False})
    try:
        page.goto(address)
        expect(page.get_by_role("heading", name="Batch command", level=1, exact=True)).to_have_count(0)
        expect(page.get_by_text("An administrator has switched this feature off.")).to_be_visible()
        expect(menu).to_have_count(0)
    finally:
        world.admin.patch(SETTINGS, {"SECURITY_COMMAND_EXECUTION": True})
    page.goto(address)
    expect(page.get_by_role("heading", name="Batch command", level=1, exact=True)).to_be_visible()
