"""An administrator sets up a Windows host for jobs over WinRM from the screens alone, in Chromium."""

import asyncio
import threading
import uuid
from collections.abc import Iterator

import admin_console
import pytest
from admin_console import listed, pick, row_of, save, text
from browser import photograph
from playwright.sync_api import Page, expect
from product import Product

from peers.windows_host import WinrmServer

# Pytest looks for fixtures among the names of the module.
signed_in, page = admin_console.signed_in, admin_console.page
USERS = "/ui/assets/system-users"


@pytest.fixture(scope="module")
def winrm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WinrmServer]:
    """A server of WinRM over HTTPS with an administrator and an account `deploy`, in a thread of its own."""
    server = WinrmServer(tmp_path_factory.mktemp("windows"))
    server.accounts["deploy"] = "N3w password"
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    asyncio.run_coroutine_threadsafe(server.start(), loop).result(60)
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result(60)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(60)
        loop.close()


def succeeds(page: Page, action: str) -> None:
    """Start a job with the button of a quick action, wait for its success, and close it."""
    page.locator("li", has_text=action).get_by_role("button", name="Start").click()
    dialog = page.get_by_role("dialog", name=action)
    expect(dialog.get_by_text("Succeeded", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).not_to_be_visible()


def create_users(page: Page, product: Product, winrm: WinrmServer, mark: str) -> None:
    """The admin user of the host, and a system user with RDP."""
    page.goto(f"{product.url}{USERS}/create?type=admin&protocol=ssh")
    text(page, "Name").fill(f"boss-{mark}")
    text(page, "Username").fill(winrm.login)
    text(page, "Password").fill(winrm.password)
    save(page)
    expect(listed(page, f"boss-{mark}")).to_be_visible()
    page.goto(f"{product.url}{USERS}")
    page.get_by_role("main").get_by_role("button", name="Create system user").first.click()
    page.get_by_role("menuitem", name="RDP", exact=True).click()
    text(page, "Name").fill(f"deploy-{mark}")
    text(page, "Username").fill("deploy")
    text(page, "Password").fill(winrm.accounts["deploy"])
    page.get_by_role("switch", name="Auto push").uncheck()
    save(page)
    expect(listed(page, f"deploy-{mark}")).to_be_visible()


@pytest.mark.spec("S2-040", "S2-042")
def test_windows_host_is_set_up_for_jobs_from_the_screens(product: Product, page: Page, winrm: WinrmServer) -> None:
    mark = uuid.uuid4().hex[:6]
    host = f"win-{mark}"
    create_users(page, product, winrm, mark)

    page.goto(f"{product.url}/ui/assets/assets/create")
    text(page, "Hostname").fill(host)
    text(page, "IP").fill("127.0.0.1")
    pick(page, "Platform", "Windows")
    pick(page, "Admin user", f"boss-{mark}")
    page.get_by_role("button", name="Protocol 1").click()
    page.get_by_role("option", name="winrm", exact=True).click()
    page.get_by_role("spinbutton", name="winrm port").fill(str(winrm.port))
    for _ in range(2):  # the second protocol is SSH, until another is chosen
        page.get_by_role("button", name="Add protocol").click()
    page.get_by_role("button", name="Remove ssh").click()
    expect(page.get_by_role("spinbutton", name="rdp port")).to_have_value("3389")
    expect(page.get_by_text("WinRM is for jobs on Windows hosts")).to_be_visible()
    photograph(page, "windows-asset")
    save(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text(host)
    succeeds(page, "Test connectivity")
    expect(page.get_by_text("Reachable").first).to_be_visible()

    page.goto(f"{product.url}{USERS}")
    listed(page, f"deploy-{mark}").click()
    page.get_by_role("tab", name="Assets").click()
    pick(page, "Add an asset", host)
    page.get_by_role("main").get_by_role("button", name="Add", exact=True).first.click()
    expect(row_of(page, host)).to_contain_text("Not tested")
    page.get_by_role("tab", name="Basic").click()
    succeeds(page, "Test accounts")
    photograph(page, "windows-system-user")
    page.get_by_role("tab", name="Assets").click()
    expect(row_of(page, host)).to_contain_text("Works")
    assert winrm.actions == ["Identify", "Identify"]  # as the admin user, and as the account
