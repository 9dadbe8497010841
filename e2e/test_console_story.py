"""The whole demo story in a browser: from the first administrator's first sign-in to the replay of a terminated
session.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from accessibility import at_rest
from browser import Faults, Shown, first_sign_in, sign_in, window
from playwright.sync_api import Browser, Page, expect
from product import Product, free_port, wait_until
from world import TargetHost

ADMIN = "tower-Bell-harbour-93"
LI = "paper-Kite-mountain-28"
ADA = "ledger-Ink-cabinet-61"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """An unused Postern: its first password was generated and printed once."""
    running = Product(tmp_path_factory.mktemp("fresh") / "home", anew=True, POSTERN_ADMIN_PASSWORD="").start()
    try:
        yield running
    finally:
        print(running.output()[-10_000:])
        running.stop()


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TargetHost]:
    with TargetHost(tmp_path_factory.mktemp("target") / "sshd", free_port()) as running:
        yield running


def person(browser: Browser, faults: Faults) -> Page:
    page = window(browser).new_page()
    faults.watch(page)
    return page


def pick(page: Page, field: str, option: str) -> None:
    """Choose in a remote select of a form."""
    form = page.get_by_role("form")
    form.get_by_role("combobox", name=field, exact=True).click()
    page.get_by_role("option", name=option).first.click()
    page.keyboard.press("Escape")


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url(lambda address: not address.endswith("/create"))


def told(product: Product, session: str, command: str) -> None:
    """Wait until the session has ended, its recording is sealed and the command is detected."""
    api = product.api("admin", ADMIN)

    def all_of_it() -> bool:
        row = api.get(f"/api/v1/terminal/sessions/{session}/")
        commands = api.get(f"/api/v1/terminal/commands/?session_id={session}&limit=50&offset=0")["results"]
        return (
            row["recording_state"] == "sealed"
            and row["can_replay"]
            and command in [entry["input"] for entry in commands]
        )

    wait_until(all_of_it, 120, every_s=0.5, message=f"the recording and {command!r}")


def create_user(page: Page, url: str, name: str, username: str, password: str, role: str) -> None:
    page.goto(f"{url}/ui/users/users/create")
    page.get_by_role("textbox", name="Name", exact=True).fill(name)
    page.get_by_role("textbox", name="Username", exact=True).fill(username)
    page.get_by_role("textbox", name="Email", exact=True).fill(f"{username}@example.invalid")
    page.get_by_role("textbox", name="Password", exact=True).fill(password)
    page.get_by_role("radio", name=role, exact=True).check()
    save(page)


@pytest.mark.spec("S1-002")
def test_story_from_first_sign_in_to_replay(
    fresh: Product, target: TargetHost, browser: Browser, tmp_path: Path
) -> None:
    faults = Faults()
    admin = person(browser, faults)

    # The first administrator must replace the generated password before anything else.
    sign_in(admin, fresh.url, "admin", fresh.made_up_password())
    assert "change-password" in admin.url
    admin.get_by_role("textbox", name="Current password").fill(fresh.made_up_password())
    admin.get_by_role("textbox", name="New password", exact=True).fill(ADMIN)
    admin.get_by_role("textbox", name="New password again").fill(ADMIN)
    admin.get_by_role("button", name="Save and continue").click()
    admin.wait_for_url(lambda address: "change-password" not in address)
    admin.get_by_role("heading", level=1).wait_for()
    if "first-login" in admin.url:
        first_sign_in(admin)

    # A host with its account, a colleague, an auditor, a permission.
    admin.goto(f"{fresh.url}/ui/assets/system-users/create")
    admin.get_by_role("textbox", name="Name", exact=True).fill("deploy")
    admin.get_by_role("textbox", name="Username", exact=True).fill(target.login)
    admin.get_by_role("textbox", name="SSH private key", exact=True).fill(target.client_key.read_text())
    save(admin)
    admin.goto(f"{fresh.url}/ui/assets/assets/create")
    admin.get_by_role("textbox", name="Hostname", exact=True).fill("shop-1")
    admin.get_by_role("textbox", name="IP", exact=True).fill("127.0.0.1")
    admin.get_by_role("spinbutton", name="ssh port").fill(str(target.port))
    save(admin)
    create_user(admin, fresh.url, "Li Na", "li", LI, "User")
    create_user(admin, fresh.url, "Ada", "ada", ADA, "System auditor")
    admin.goto(f"{fresh.url}/ui/perms/asset-permissions/create")
    admin.get_by_role("form").get_by_role("textbox", name="Name", exact=True).fill("Li on shop-1")
    pick(admin, "Users", "Li Na")
    pick(admin, "Assets", "shop-1")
    pick(admin, "System users", "deploy")
    save(admin)

    # The colleague opens a shell from her own list without ever seeing the key.
    li = person(browser, faults)
    sign_in(li, fresh.url, "li", LI)
    first_sign_in(li)
    expect(li.get_by_text("shop-1").first).to_be_visible()
    terminal_data = Shown(li)
    li.goto(f"{fresh.url}/ui/connect")
    li.get_by_role("treeitem", name="shop-1").click()
    expect(li.get_by_role("status").get_by_text("Connected")).to_be_visible()
    terminal_data.waits_for(r"[#$] ")
    li.locator(".xterm-helper-textarea").focus()
    li.keyboard.type("echo marker-$((6*7)) 价格\n")

    # The auditor finds the session, watches it live, and can do no more.
    ada = person(browser, faults)
    sign_in(ada, fresh.url, "ada", ADA)
    first_sign_in(ada)
    ada.goto(f"{fresh.url}/ui/terminal/session")
    ada.get_by_role("button", name="Monitor").click()
    ada.get_by_role("complementary", name="Session").get_by_role("link", name="Open").click()
    ada.wait_for_url(re.compile("/terminal/sessions/[0-9a-f-]{36}"))
    expect(ada.get_by_text("Live, read-only")).to_be_visible()
    expect(ada.get_by_role("button", name="Terminate")).to_have_attribute("aria-disabled", "true")
    expect(ada.get_by_text("echo marker-").first).to_be_visible()

    # The administrator terminates it, and the colleague is told.
    admin.goto(ada.url)
    admin.get_by_role("button", name="Terminate").click()
    admin.get_by_role("alertdialog").get_by_role("button", name="Terminate").click()
    expect(li.get_by_text("terminated by").first).to_be_visible()
    expect(ada.get_by_text(re.compile("terminated", re.IGNORECASE)).first).to_be_visible()

    # The replay is sealed and verified, and the command links to its position.
    session = ada.url.split("?")[0]
    told(fresh, session.rpartition("/")[2], "echo marker-$((6*7)) 价格")
    ada.goto(session)
    expect(ada.get_by_text("Sealed").first).to_be_visible()
    commands = ada.get_by_role("region", name="Commands")
    commands.get_by_text("echo marker-$((6*7))").click()
    expect(commands.locator("[aria-current]")).to_contain_text("echo marker-")
    ada.get_by_role("button", name="Verify").click()
    expect(ada.get_by_text("Unaltered since it was sealed")).to_be_visible()
    ada.screenshot(path=str(tmp_path / "replay.png"))

    # Everything is in the log, and no page error occurred.
    admin.goto(f"{fresh.url}/ui/audits/operate-log")
    expect(admin.get_by_role("row").nth(3)).to_be_visible()
    # The browser requests the replay before it is sealed, and is told that there is none yet.
    assert [fault for fault in faults.found if "/replay/" not in fault] == []


@pytest.mark.spec("S2-183")
def test_terminal_copies_and_pastes_by_its_shortcuts(fresh: Product, target: TargetHost, browser: Browser) -> None:
    context = window(browser, permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    sign_in(page, fresh.url, "li", LI)
    terminal_data = Shown(page)
    page.goto(f"{fresh.url}/ui/connect")
    page.get_by_role("treeitem", name="shop-1").click()
    expect(page.get_by_role("status").get_by_text("Connected")).to_be_visible()
    terminal_data.waits_for(r"[#$] ")
    page.locator(".xterm-helper-textarea").focus()
    page.keyboard.type("clear; echo nee''dle\n")
    terminal_data.waits_for(r"needle\r\n")
    terminal_data.waits_for(r"[#$] ")

    def copied() -> bool:
        # Rendered shortly after it arrives: an earlier double click selects another word, or none.
        at_rest(page)
        box = page.locator(".xterm-screen").bounding_box()
        assert box is not None
        page.mouse.dblclick(box["x"] + 20, box["y"] + 8)
        page.keyboard.press("Control+Shift+C")
        at_rest(page)
        text: str = page.evaluate("navigator.clipboard.readText()")
        return text.strip() == "needle"

    wait_until(copied, message="the word in the clipboard")
    expect(page.get_by_text("Copied").first).to_be_visible()
    page.evaluate("navigator.clipboard.writeText('echo pasted-$((40+2))')")
    page.locator(".xterm-helper-textarea").focus()
    page.keyboard.press("Control+Shift+V")
    terminal_data.waits_for(r"echo pasted-\$\(\(40\+2\)\)")
    page.keyboard.press("Enter")
    terminal_data.waits_for("pasted-42")
    page.keyboard.type("exit\n")
    expect(page.get_by_role("alert")).to_be_visible()
    context.close()
    newest = fresh.api("admin", ADMIN).get("/api/v1/terminal/sessions/?limit=1&offset=0")["results"][0]
    told(fresh, newest["id"], "echo pasted-$((40+2))")
    admin = person(browser, Faults())
    sign_in(admin, fresh.url, "admin", ADMIN)
    admin.goto(f"{fresh.url}/ui/terminal/session?activeTab=offline")
    admin.get_by_role("button", name="Replay").first.click()
    expect(admin.get_by_role("region", name="Commands").get_by_text("echo pasted-$((40+2))")).to_be_visible()
