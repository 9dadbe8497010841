"""A code from the console as the password of real `ssh`, for users whose password is not in Postern or who have none."""

import subprocess
import time
from collections.abc import Iterator

import pytest
from browser import admit, expect_to_fit, photograph, window
from playwright.sync_api import Browser, Page, expect
from world import ZHANG_PASSWORD, World

#: Seconds until every proxy applies a changed setting. Before that, a proxy may show another prompt.
OBEYED_S = 2.0
TERMINAL = "/api/v1/settings/setting/?category=terminal"


@pytest.fixture
def page(browser: Browser, world: World) -> Iterator[Page]:
    context = window(browser)
    page = context.new_page()
    admit(page, world.product.url, "zhang", ZHANG_PASSWORD)
    yield page
    context.close()


def a_code(page: Page, world: World) -> str:
    page.goto(f"{world.product.url}/ui/users/profile")
    page.get_by_role("tab", name="SSH", exact=True).click()
    page.get_by_role("button", name="Get a code").click()
    code = page.get_by_text("ssh-", exact=False).filter(has_text="-").first
    expect(code).to_be_visible()
    expect(page.get_by_text("Expires in")).to_be_visible()
    return code.inner_text()


def enter(world: World, text: str, *, prompt: str, options: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """Run `ssh` without a key, with the text as the answer to its prompt."""
    ssh = world.ssh(
        "echo", "in", options=("-o", "PubkeyAuthentication=no", "-o", "NumberOfPasswordPrompts=1", *options)
    )
    return subprocess.run(
        ["sshpass", "-p", text, "-P", prompt, *(word.replace("LogLevel=ERROR", "LogLevel=INFO") for word in ssh)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_code_from_the_profile_signs_in_once(world: World, page: Page) -> None:
    code = a_code(page, world)
    photograph(page, "ssh-code")
    answer = enter(world, code, prompt="assword:")
    assert (answer.returncode, answer.stdout) == (0, "in\n"), answer.stderr
    again = enter(world, code, prompt="assword:")
    world.forgive()
    assert again.returncode != 0
    assert again.stdout == ""
    logs = world.admin.get("/api/v1/audits/login-logs/?limit=5&offset=0&username=zhang")["results"]
    assert {row["backend"] for row in logs} >= {"ssh_code"}


def test_ssh_prompts_for_the_code_while_passwords_are_off(world: World, page: Page) -> None:
    assert world.admin.call("PATCH", TERMINAL, {"TERMINAL_PASSWORD_AUTH": False}).status == 200
    try:
        code = a_code(page, world)
        answer = enter(world, code, prompt="SSH")
        assert (answer.returncode, answer.stdout) == (0, "in\n"), answer.stderr
    finally:
        assert world.admin.call("PATCH", TERMINAL, {"TERMINAL_PASSWORD_AUTH": True}).status == 200
        time.sleep(OBEYED_S)


def test_ssh_names_the_disabled_way_and_the_console(world: World) -> None:
    address = world.admin.get("/api/v1/settings/setting/?category=basic")["SITE_URL"]
    off = {"TERMINAL_PASSWORD_AUTH": False, "TERMINAL_CODE_AUTH": False}
    assert world.admin.call("PATCH", TERMINAL, off).status == 200
    time.sleep(OBEYED_S)
    try:
        answer = enter(world, "anything", prompt="assword:")
        assert answer.returncode != 0
        assert address in answer.stderr
    finally:
        assert world.admin.call("PATCH", TERMINAL, dict.fromkeys(off, True)).status == 200
        time.sleep(OBEYED_S)
    wrong = enter(world, "wrong", prompt="assword:")
    world.forgive()
    assert address in wrong.stderr, "the way of those who have no password"


@pytest.mark.parametrize("width", [1440, 320])
def test_code_fits_beside_the_ssh_lines(world: World, browser: Browser, width: int) -> None:
    context = window(browser, viewport={"width": width, "height": 900})
    page = context.new_page()
    admit(page, world.product.url, "zhang", ZHANG_PASSWORD)
    page.goto(f"{world.product.url}/ui/my-assets")
    page.get_by_role("button", name="Lines for your own SSH client").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("Code for SSH").click()
    dialog.get_by_role("button", name="Get a code").click()
    expect(dialog.get_by_role("button", name="Copy: Code for SSH")).to_be_visible()
    photograph(page, f"ssh-code-dialog-{width}")
    expect_to_fit(page)
    context.close()
