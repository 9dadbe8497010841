"""All sessions of a person or on an asset are ended from its page, after a question that says how many."""

import subprocess
from collections.abc import Iterator

import pytest
from browser import Faults, admit, photograph, window
from playwright.sync_api import Browser, Page, expect
from product import ADMIN_PASSWORD, wait_until
from world import World


@pytest.fixture
def admin(browser: Browser, world: World) -> Iterator[Page]:
    """A tab of the administrator. The test fails on any page error."""
    context = window(browser)
    page, faults = context.new_page(), Faults()
    faults.watch(page)
    admit(page, world.product.url, "admin", ADMIN_PASSWORD)
    yield page
    context.close()
    assert faults.found == []


@pytest.fixture
def connections(world: World) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Two live connections of zhang to web-1."""
    wait_until(lambda: not world.sessions(is_finished="0"), message="the end of earlier sessions")
    running = [subprocess.Popen(world.ssh("sleep", "300"), stdin=subprocess.DEVNULL) for _ in range(2)]
    try:
        wait_until(lambda: len(world.sessions(is_finished="0", state="active")) == 2, message="two live sessions")
        yield running
    finally:
        for process in running:
            process.kill()
            process.wait(60)


def end_from(page: Page, title: str, name: str) -> None:
    page.get_by_role("button", name="End sessions").click()
    question = page.get_by_role("alertdialog", name=title)
    expect(question).to_contain_text("web-1")
    photograph(page, f"end-sessions-{name}")
    question.get_by_role("button", name="End 2 sessions").click()
    expect(page.get_by_text("2 sessions are being ended")).to_be_visible()


@pytest.mark.parametrize(
    ("path", "title", "none"),
    [
        ("/users/users/{person}", "End 2 sessions of 张伟?", "张伟 has no live session here"),
        ("/assets/assets/{asset}", "End 2 sessions on web-1?", "Nobody is connected to web-1"),
    ],
    ids=["person", "asset"],
)
def test_an_administrator_ends_all_sessions_at_once(
    world: World, admin: Page, connections: list[subprocess.Popen[bytes]], path: str, title: str, none: str
) -> None:
    place = path.format(person=world.zhang_id, asset=world.asset_id)
    admin.goto(f"{world.product.url}/ui{place}")
    end_from(admin, title, place.split("/")[1])
    for process in connections:
        assert process.wait(30) != 0
    wait_until(lambda: not world.sessions(is_finished="0"), message="the end of both sessions")
    reasons = {row["end_reason"] for row in world.sessions(is_finished="1")[:2]}
    assert reasons == {"terminated"}
    admin.get_by_role("button", name="End sessions").click()
    expect(admin.get_by_text(none)).to_be_visible()
    expect(admin.get_by_role("alertdialog")).to_have_count(0)
