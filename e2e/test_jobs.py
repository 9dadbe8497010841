"""Jobs in the running product: a job started in Chromium, its log, and a worker that is killed."""

import re
import uuid

import admin_console
import pytest
from playwright.sync_api import BrowserContext, Page, expect
from product import Product, wait_until

# Pytest looks for fixtures among the names of the module.
signed_in, page = admin_console.signed_in, admin_console.page

CHECK = "/api/v1/assets/nodes/check_assets_amount_task/"


def state_of(product: Product, job: str) -> str:
    return str(product.api().get(f"/api/v1/ops/celery/task/{job}/result/")["state"])


@pytest.mark.spec("S2-140", "S2-141")
def test_check_of_the_tree_is_started_beside_it_and_its_log_opens(product: Product, page: Page) -> None:
    page.goto(f"{product.url}/ui/assets/assets")
    page.get_by_role("button", name="Node actions").click()
    page.get_by_role("menuitem", name="Check the numbers of assets").click()
    dialog = page.get_by_role("dialog", name="Check the numbers of the node tree")
    expect(dialog.get_by_text("The tree is in order.")).to_be_visible()
    expect(dialog.get_by_text("Succeeded")).to_be_visible()
    expect(dialog.locator(".xterm-rows, .xterm-accessibility")).to_contain_text(["Nodes checked"])
    with page.expect_download() as saved:
        dialog.get_by_role("button", name="Download log").click()
    log = saved.value.path().read_text()
    assert re.search(r"Nodes checked: \d+, assets: \d+", log)
    job = re.fullmatch(r"job-([0-9a-f-]{36})\.log", saved.value.suggested_filename)
    assert job is not None
    page.keyboard.press("Escape")
    expect(dialog).not_to_be_visible()
    for address in ("celery/task", "task/task"):
        page.goto(f"{product.url}/ui/ops/{address}/{job[1]}/log/")
        expect(page.get_by_role("heading", level=1)).to_have_text("Check the numbers of the node tree")
        expect(page.get_by_text("The tree is in order.")).to_be_visible()
        expect(page.locator(".xterm-rows, .xterm-accessibility")).to_contain_text(["Nodes checked"])
    # The address of earlier installations leads there, too.
    page.goto(f"{product.url}/core/ops/celery/task/{job[1]}/log/")
    expect(page).to_have_url(re.compile(f"/ui/ops/celery/task/{job[1]}/log"))


def test_page_of_a_job_that_does_not_exist_says_so(product: Product, signed_in: BrowserContext) -> None:
    page = signed_in.new_page()
    page.goto(f"{product.url}/ui/ops/celery/task/{uuid.uuid4()}/log")
    expect(page.get_by_text("The job did not load")).to_be_visible()
    page.close()


def test_jobs_reach_their_end_although_the_worker_is_killed(product: Product) -> None:
    """Whatever was accepted while the worker is dead, or claimed when it died, is done by the next one."""
    api = product.api()
    for _ in range(3):
        job = api.post(CHECK, {}, 200)["task"]
        product.kill_part("worker")
        after = api.post(CHECK, {}, 200)["task"]
        for each in (job, after):
            wait_until(lambda each=each: state_of(product, each) == "succeeded", message="the job is done")
