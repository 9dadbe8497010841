"""The task monitor in the running product: Flower in Chromium, who gets there, and what happens when it hangs or ends."""

import re
import signal

import admin_console
import psutil
import pytest
from browser import admit, window
from playwright.sync_api import Browser, BrowserContext, Page, expect
from product import Api, Product, wait_until
from world import ZHANG_PASSWORD, World

# Pytest looks for fixtures among the names of the module.
signed_in, page = admin_console.signed_in, admin_console.page


def monitor_of(product: Product) -> psutil.Process | None:
    for process in product.family():
        try:
            if not is_over(process) and "postern.entrypoints monitor" in " ".join(process.cmdline()):
                return process
        except psutil.NoSuchProcess:
            continue
    return None


def is_over(process: psutil.Process) -> bool:
    """Whether it has ended; the web process that has started it looks after it at its next request."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def openings(product: Product) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = product.api().get(
        "/api/v1/audits/events/?event=taskmonitor.opened&limit=20&offset=0"
    )["results"]
    return rows


@pytest.mark.spec("S2-118", "S2-119", "S6-024", "S7-087")
def test_menu_leads_to_the_task_monitor_which_shows_workers_and_tasks(product: Product, page: Page) -> None:
    assert monitor_of(product) is None, "nobody has looked, so nothing runs"
    page.goto(f"{product.url}/ui/ops/tasks")
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Task monitor").click()
    monitor = opened.value
    expect(monitor).to_have_url(f"{product.url}/flower/")
    expect(monitor.locator("#workers-table").get_by_role("link", name=re.compile("postern@"))).to_be_visible()
    expect(monitor.locator("#workers-table").get_by_text("Online")).to_be_visible()
    expect(monitor.locator("#workers-online")).to_have_text("1")
    # The schedule sends a task every few seconds.
    expect(monitor.locator("#workers-succeeded")).not_to_have_text("0")
    monitor.get_by_role("link", name="Tasks", exact=True).click()
    expect(monitor.locator("#tasks-table tbody tr").filter(has_text="postern.").first).to_be_visible()
    monitor.go_back()
    monitor.get_by_role("link", name=re.compile("postern@")).click()
    expect(monitor.get_by_role("tab", name="Pool")).to_be_visible()
    expect(monitor.get_by_text("Shut Down")).to_have_count(0)
    monitor.close()
    # Each path of earlier installations leads there, too.
    for old in ("core/flower/", "core/flower", "core/flower/workers?_=1", "flower"):
        page.goto(f"{product.url}/{old}")
        expect(page).to_have_url(f"{product.url}/flower/")
    assert [row["user"] for row in openings(product)] == ["Administrator(admin)"]


@pytest.mark.spec("S2-119", "S6-024")
def test_only_system_administrators_reach_the_task_monitor(product: Product, world: World, browser: Browser) -> None:
    stranger = Api(product.url)
    assert stranger.call("GET", "/flower/").status == 401
    for person in (world.zhang(), world.auditor()):
        assert person.call("GET", "/flower/").status == 403
        assert person.call("GET", "/flower/static/js/flower.js").status == 403
    context = window(browser)
    page = context.new_page()
    page.goto(f"{product.url}/flower/")
    expect(page).to_have_url(re.compile("/login"))
    admit(page, product.url, "zhang", ZHANG_PASSWORD)
    page.goto(f"{product.url}/flower/")
    expect(page.get_by_role("heading", name="No access to the task monitor")).to_be_visible()
    context.close()


def test_nothing_that_could_change_workers_is_passed_on(product: Product) -> None:
    admin = product.api()
    for path in ("api/worker/shutdown/x", "api/task/revoke/x", "api/worker/pool/grow/x", "api/task/async-apply/x"):
        assert admin.call("POST", f"/flower/{path}", {}).status == 405
    for path in ("api/workers", "metrics", "healthcheck", "login", "static/../app.py", "worker/a/b"):
        assert admin.call("GET", f"/flower/{path}").status == 404
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    other = {**form, "Origin": "https://elsewhere.example", "X-CSRFToken": "", "Sec-Fetch-Site": "cross-site"}
    assert admin.call("POST", "/flower/tasks/datatable", "draw=1", other).status == 403


def test_monitor_that_hangs_or_dies_gives_a_page_and_starts_again(product: Product, signed_in: BrowserContext) -> None:
    page = signed_in.new_page()
    page.goto(f"{product.url}/flower/")
    expect(page.locator("#workers-table")).to_be_visible()
    hanging = monitor_of(product)
    assert hanging is not None
    hanging.send_signal(signal.SIGSTOP)
    page.goto(f"{product.url}/flower/tasks")
    expect(page.get_by_role("heading", name="The task monitor does not answer")).to_be_visible()
    wait_until(lambda: is_over(hanging), message="the hanging monitor is ended")
    page.get_by_role("link", name="Try again").click()
    expect(page.locator("#tasks-table")).to_be_visible()
    dying = monitor_of(product)
    assert dying is not None
    dying.kill()
    wait_until(lambda: is_over(dying), message="the end of the monitor")
    page.goto(f"{product.url}/flower/")
    expect(page.locator("#workers-table")).to_be_visible()
    page.close()
    # It ends with the web process that has started it.
    last = monitor_of(product)
    assert last is not None
    product.kill_part("web")
    wait_until(lambda: is_over(last), message="the monitor ends with the web part")
    wait_until(product.healthy, message="health")
