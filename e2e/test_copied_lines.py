"""Lines that the console offers for copying work unchanged, and locked sign-ins are unlocked on their screen."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from browser import Faults, admit, expect_to_fit, window
from playwright.sync_api import Browser, Page, expect
from product import ADMIN_PASSWORD, Api
from world import ASSET, ZHANG_PASSWORD, World

PICTURES = os.environ.get("POSTERN_PICTURES", "")
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def picture(page: Page, name: str) -> None:
    """Save screenshots of the page in both themes if POSTERN_PICTURES names a folder."""
    if PICTURES:
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            page.screenshot(path=f"{PICTURES}/{name}-{theme}.png")


@pytest.fixture
def page_of_zhang(browser: Browser, world: World) -> Iterator[Page]:
    context = window(browser, locale="en-GB")
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=world.product.url)
    page = context.new_page()
    admit(page, world.product.url, "zhang", ZHANG_PASSWORD)
    yield page
    context.close()


def clients(world: World, folder: Path) -> dict[str, str]:
    """`ssh`, `sftp` and `scp` wrappers that add the test's options, so that the copied line stays unchanged."""
    for program in ("ssh", "sftp", "scp"):
        script = folder / program
        options = " ".join(world.ssh_options())
        script.write_text(f'#!/bin/sh\nexec /usr/bin/{program} {options} "$@"\n')
        script.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}", "HOME": str(folder)}


def test_copied_lines_reach_the_asset(page_of_zhang: Page, world: World, tmp_path: Path) -> None:
    page = page_of_zhang
    page.goto(f"{world.product.url}/ui/my-assets")
    page.get_by_role("button", name=f"Lines for your own SSH client: {ASSET}").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("ssh -p")).to_be_visible()
    picture(page, "ssh-lines")
    environ = clients(world, tmp_path)

    def copied(name: str) -> str:
        dialog.get_by_role("button", name=f"Copy: {name}", exact=True).click()
        text: str = page.evaluate("navigator.clipboard.readText()")
        return text

    shell = copied("Shell")
    assert shell == f"ssh -p {world.product.ssh_port} zhang=deploy={ASSET}@127.0.0.1"
    done = subprocess.run(
        ["sh", "-c", f"{shell} echo it-works"], env=environ, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout) == (0, "it-works\n"), done.stderr

    (tmp_path / "FILE").write_text("copied by the line")
    sent = subprocess.run(
        ["sh", "-c", copied("Copy a file to /tmp").replace(":/tmp/", f":{tmp_path}/arrived")],
        env=environ, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert sent.returncode == 0, sent.stderr
    assert (tmp_path / "arrived").read_text() == "copied by the line"

    dialog.get_by_text("For ssh_config and Ansible").click()
    config = tmp_path / "config"
    config.write_text(copied("For ~/.ssh/config") + "\n")
    options = [word for word in world.ssh_options() if word not in {"-F", "none"}]
    by_name = subprocess.run(
        ["ssh", "-F", str(config), *options, ASSET, "echo by-name"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (by_name.returncode, by_name.stdout) == (0, "by-name\n"), by_name.stderr
    picture(page, "ssh-lines-files")

    # On a phone the same lines work, and nothing is wider than the screen.
    page.set_viewport_size({"width": 320, "height": 700})
    page.reload()
    page.get_by_role("button", name=f"Lines for your own SSH client: {ASSET}").first.click()
    expect(page.get_by_role("dialog").get_by_text("ssh -p")).to_be_visible()
    expect_to_fit(page)
    picture(page, "ssh-lines-narrow")


def test_locked_name_is_unlocked_on_its_screen(browser: Browser, world: World) -> None:
    # The third wrong password locks; later ones would have to wait for seconds in between.
    world.admin.patch("/api/v1/settings/setting/?category=security", {"SECURITY_LOGIN_LIMIT_COUNT": 3})
    stranger = Api(world.product.url)
    stranger.call("GET", "/core/auth/login/")
    for number in range(3):
        answer = stranger.call(
            "POST", "/api/v1/authentication/sign-in/", {"username": "auditor", "password": f"wrong-{number}"}
        )
    assert answer.body["error"] == "block_login"
    context = window(browser, locale="en-GB")
    page, faults = context.new_page(), Faults()
    admit(page, world.product.url, "admin", ADMIN_PASSWORD)
    faults.watch(page)
    page.goto(f"{world.product.url}/ui/users/locks")
    expect(page.get_by_role("heading", name="Locked sign-ins", level=1)).to_be_visible()
    expect(page.get_by_text("Ada Auditor (auditor)")).to_be_visible()
    expect(page.get_by_text("No address is locked")).to_be_visible()
    picture(page, "locks")
    page.get_by_role("button", name="Unlock Ada Auditor (auditor)").click()
    question = page.get_by_role("alertdialog")
    picture(page, "locks-question")
    question.get_by_role("button", name="Unlock", exact=True).click()
    expect(page.get_by_text("No user is locked")).to_be_visible()
    world.auditor()
    assert faults.found == [], faults.found
    context.close()
