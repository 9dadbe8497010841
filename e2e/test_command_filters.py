"""Command filters in the console: screens, rules, the line that is tried, and the commands of the past."""

import re
import subprocess
import uuid
from typing import Final

import pytest
from admin_console import listed, objects, page, save, signed_in, text
from playwright.sync_api import Page, expect
from product import Product, wait_until
from world import World

__all__ = ["made", "objects", "page", "signed_in"]

FILTERS: Final = "/api/v1/assets/cmd-filters/"


@pytest.fixture(scope="module")
def made(product: Product, objects: dict[str, str]) -> dict[str, str]:
    """A filter with two rules for the system user of the other objects."""
    api = product.api()
    name = f"careful-{uuid.uuid4().hex[:6]}"
    made = api.post(FILTERS, {"name": name, "system_users": [objects["system_user"]], "unresolved": "confirm"})
    rules = f"{FILTERS}{made['id']}/rules/"
    high = api.post(rules, {"type": "command", "content": "rm -r /srv/build", "priority": 95, "action": 1})
    api.post(rules, {"type": "command", "content": "rm -rf\nshutdown\nsystemctl stop mysqld", "priority": 50})
    return {"filter": made["id"], "name": name, "rule": high["id"]}


@pytest.mark.spec("S1-022", "S2-043", "S2-044", "S2-046")
def test_filter_is_created_and_found_in_the_list(page: Page, product: Product, objects: dict[str, str]) -> None:
    name = f"no-halt-{uuid.uuid4().hex[:6]}"
    page.goto(f"{product.url}/ui/assets/cmd-filters")
    expect(page.get_by_role("heading", level=1)).to_have_text("Command filters")
    page.goto(f"{product.url}/ui/assets/cmd-filters/create")
    text(page, "Name").fill(name)
    page.get_by_role("radio", name="Deny").check()
    save(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)
    expect(page).to_have_url(re.compile(r"/assets/cmd-filters/[0-9a-f-]{36}"))
    page.goto(f"{product.url}/ui/assets/cmd-filters")
    expect(listed(page, name)).to_be_visible()


@pytest.mark.spec("S2-045")
def test_filter_is_updated(page: Page, product: Product, made: dict[str, str]) -> None:
    page.goto(f"{product.url}/ui/assets/cmd-filters/{made['filter']}/update")
    expect(text(page, "Name")).to_have_value(made["name"])
    text(page, "Comment").fill("Nobody stops production by hand")
    save(page)
    page.wait_for_url(lambda address: not address.endswith("/update"))
    page.goto(f"{product.url}/ui/assets/cmd-filters/{made['filter']}")
    expect(page.get_by_role("main")).to_contain_text("Nobody stops production by hand")


@pytest.mark.spec("S2-047", "S3-041", "S3-042", "S3-043")
def test_rule_is_tried_while_it_is_written_and_then_saved(page: Page, product: Product, made: dict[str, str]) -> None:
    page.goto(f"{product.url}/ui/assets/command-filter-rules/create?filter={made['filter']}")
    text(page, "Content").fill("poweroff\nreboot")
    page.get_by_role("main").get_by_role("spinbutton", name="Priority").fill("70")
    tried = page.get_by_role("textbox", name=re.compile("Judged with the rules"))
    tried.fill("cd /tmp; sudo re''boot now")
    expect(page.get_by_text("Decided by “reboot”, line 2 of this rule.")).to_be_visible()
    commands = page.get_by_role("list", name="Commands that the line runs").get_by_role("listitem")
    expect(commands.filter(has_text="reboot now").last).to_contain_text("Refused")
    page.get_by_role("radio", name="Confirm").check()
    expect(page.get_by_role("combobox", name="Reviewers")).to_be_visible()
    page.get_by_role("radio", name="Deny").check()
    save(page)
    table = page.get_by_role("region", name="Rules")
    expect(table.get_by_role("row")).to_have_count(4)
    expect(table.get_by_role("row").nth(2)).to_contain_text("reboot")


@pytest.mark.spec("S2-048", "S5-025")
def test_rule_is_updated_and_its_place_is_visible(page: Page, product: Product, made: dict[str, str]) -> None:
    page.goto(f"{product.url}/ui/assets/command-filter-rules/{made['rule']}/update?filter={made['filter']}")
    order = page.locator("section", has=page.get_by_role("heading", name="Order in force"))
    expect(order.get_by_role("listitem").first).to_contain_text("this rule")
    page.get_by_role("main").get_by_role("spinbutton", name="Priority").fill("3")
    expect(order.get_by_role("listitem").last).to_contain_text("this rule")
    text(page, "Content").fill("rm -r /srv/build")
    save(page)
    expect(page.get_by_role("region", name="Rules").get_by_role("row").last).to_contain_text("/srv/build")


def test_rule_is_judged_against_the_commands_of_the_past(page: Page, product: Product, world: World) -> None:
    """The commands come from a real session with a real host."""
    subprocess.run(world.ssh("echo shutdown; vi'm' --version"), check=False, capture_output=True, timeout=60)
    wait_until(
        lambda: world.admin.get("/api/v1/terminal/commands/?command_storage_id=default&search=vi%27m"),
        message="the command being reported",
    )
    row = world.admin.post(FILTERS, {"name": f"past-{uuid.uuid4().hex[:6]}", "system_users": [world.system_user_id]})
    page.goto(f"{product.url}/ui/assets/command-filter-rules/create?filter={row['id']}")
    text(page, "Content").fill("vim")
    page.get_by_role("button", name="Judge past commands").click()
    expect(page.get_by_text("These are all of the last 30 days.")).to_be_visible()
    examples = page.get_by_role("list", name="Commands that would not run freely")
    expect(examples.get_by_role("listitem").first).to_contain_text("vi'm' --version")


def test_system_user_shows_its_filters(
    page: Page, product: Product, objects: dict[str, str], made: dict[str, str]
) -> None:
    page.goto(f"{product.url}/ui/assets/system-users/{objects['system_user']}")
    expect(listed(page, made["name"])).to_be_visible()
    page.goto(f"{product.url}/ui/assets/system-users/{objects['system_user']}/update")
    expect(page.get_by_role("main")).to_contain_text(made["name"])
