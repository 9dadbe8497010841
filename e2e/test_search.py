"""Search inside recordings: what was on a real screen is found, and the hit opens the player at its second."""

import os
import re
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlencode

import pytest
from accessibility import axe_findings
from browser import Faults, admit, expect_to_fit, photograph, window
from company import install_licence
from playwright.sync_api import Browser, Page, expect
from product import Product, wait_until
from test_ssh_story import Terminal
from world import AUDITOR_PASSWORD, ZHANG_PASSWORD, TargetHost, World, build_world

HITS: Final = "/api/v1/terminal/recording-hits/"
#: A worker looks for recordings without an index every 30 seconds.
INDEXED_S: Final = 150.0
#: The shell makes these from what is typed, so the typed lines do not contain them.
NEEDLE: Final = "needle-42-end"
CHINESE: Final = "数据库备份完成"
#: The needles appear this long after the beginning and before the end: a player that ignores the second stands elsewhere.
QUIET_S: Final = 3.0


@dataclass(frozen=True)
class Recorded:
    """A sealed and indexed session whose screen showed both needles."""

    world: World
    session: str

    def hits(self, text: str, **conditions: str) -> list[dict[str, Any]]:
        """What the auditor finds."""
        return found(self.world.auditor(), text, **conditions)


def found(api: Any, text: str, **conditions: str) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = api.get(f"{HITS}?{urlencode({'text': text, **conditions})}")["results"]
    return results


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, host: TargetHost) -> Iterator[Recorded]:
    directory: Path = tmp_path_factory.mktemp("search")
    with Product(directory / "home") as product:
        install_licence(product, directory)  # for a second organization
        world = build_world(product, directory, host)
        terminal = Terminal(world.ssh(options=("-tt",)))
        terminal.shows("$" if os.geteuid() else "#")
        time.sleep(QUIET_S)  # the recorded shell is idle
        terminal.type("echo needle-$((40+2))-end\r")
        terminal.shows(NEEDLE)
        octal = "".join(f"\\{byte:03o}" for byte in CHINESE.encode())
        terminal.type(f"printf '{octal}\\n'\r")
        terminal.shows(CHINESE)
        time.sleep(QUIET_S)
        terminal.type("exit\r")
        assert terminal.ends() == 0
        auditor = world.auditor()
        hits = wait_until(
            lambda: found(auditor, NEEDLE), INDEXED_S, every_s=1.0, message="the indexed recording of the session"
        )
        yield Recorded(world, hits[0]["session"]["id"])


@pytest.fixture
def page(browser: Browser, recorded: Recorded) -> Iterator[Page]:
    """The auditor's page. The test fails on any page error."""
    context = window(browser)
    page = context.new_page()
    faults = Faults()
    faults.watch(page)
    admit(page, recorded.world.product.url, "auditor", AUDITOR_PASSWORD)
    yield page
    context.close()
    assert faults.found == []


def clock(ms: int) -> str:
    return f"{ms // 60_000:02d}:{ms // 1000 % 60:02d}"


def stands_at(page: Page, ms: int) -> None:
    """The player shows the screen of this second."""
    expect(page.get_by_role("button", name=f"Copy link at {clock(ms)}", exact=True)).to_be_visible()
    expect(page.get_by_role("slider", name="Position")).to_have_value(re.compile(r"^\d+$"))
    assert abs(int(page.get_by_role("slider", name="Position").input_value()) - ms) < 1000


def test_auditor_finds_what_was_on_a_screen_and_opens_its_second(page: Page, recorded: Recorded) -> None:
    [hit] = [hit for hit in recorded.hits(NEEDLE) if hit["kind"] == "screen"]
    assert hit["offset_ms"] >= QUIET_S * 1000 * 0.9
    page.goto(f"{recorded.world.product.url}/ui/terminal/session")
    page.get_by_role("link", name="Search recordings", exact=True).click()
    expect(page.get_by_role("heading", name="Search inside recordings")).to_be_visible()
    field = page.get_by_role("searchbox", name="Text to find")
    field.fill("never-on-any-screen")
    field.press("Enter")
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()

    field.fill(f"  {NEEDLE.upper()} ")
    field.press("Enter")
    group = page.get_by_role("article", name="张伟(zhang) on web-1")
    expect(group.locator("mark").first).to_have_text(NEEDLE)
    expect(group).to_contain_text("deploy")
    assert axe_findings(page) == []
    photograph(page, "search-recordings")

    group.get_by_role("link", name=clock(hit["offset_ms"]), exact=True).first.click()
    page.wait_for_url(re.compile(rf"/terminal/sessions/{recorded.session}\?t=[0-9.]+&activeTab=replay$"))
    stands_at(page, hit["offset_ms"])
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()  # it waits at that second
    photograph(page, "search-player")
    page.go_back()
    expect(group.locator("mark").first).to_have_text(NEEDLE)
    page.go_back()
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()


def test_chinese_is_found_on_a_phone_by_a_link(page: Page, recorded: Recorded) -> None:
    url = recorded.world.product.url
    page.context.add_cookies([{"name": "django_language", "value": "zh-hans", "url": url}])
    page.set_viewport_size({"width": 320, "height": 720})
    page.emulate_media(color_scheme="dark")
    page.goto(f"{url}/ui/terminal/search?text={quote('备份')}&kind=screen")
    expect(page.locator("mark").first).to_have_text("备份")
    expect(page.locator("pre").first).to_contain_text(CHINESE)
    expect_to_fit(page)
    assert axe_findings(page) == []
    photograph(page, "search-recordings-phone")


def test_the_player_finds_a_text_in_its_recording(page: Page, recorded: Recorded) -> None:
    [hit] = [hit for hit in recorded.hits(CHINESE, session_id=recorded.session) if hit["kind"] == "screen"]
    page.goto(f"{recorded.world.product.url}/ui/terminal/sessions/{recorded.session}?t=0.5&activeTab=replay")
    stands_at(page, 500)
    field = page.get_by_role("searchbox", name="Find in this recording")
    field.fill(CHINESE)
    field.press("Enter")
    found_here = page.get_by_role("region", name="Find in this recording")
    found_here.get_by_role("button", name=clock(hit["offset_ms"])).first.click()
    stands_at(page, hit["offset_ms"])


def test_people_find_only_what_they_may_see(browser: Browser, recorded: Recorded) -> None:
    world = recorded.world
    assert recorded.hits(NEEDLE, user_id=world.zhang_id, asset_id=world.asset_id, session_id=recorded.session)
    assert recorded.hits(NEEDLE, asset_id=world.zhang_id) == []
    assert world.zhang().call("GET", f"{HITS}?text={NEEDLE}").status == 403
    assert world.auditor().call("GET", f"{HITS}?text=x").status == 400

    branch = str(world.admin.post("/api/v1/orgs/orgs/", {"name": f"Branch {uuid.uuid4().hex[:6]}"})["id"])
    body = {
        "name": "Bo Branch",
        "username": "bo",
        "email": "bo@example.invalid",
        "password_strategy": "custom",
        "password": AUDITOR_PASSWORD,
        "org_roles": ["Auditor"],
    }
    answer = world.admin.call("POST", "/api/v1/users/users/", body, {"X-JMS-ORG": branch})
    assert answer.status == 201, answer
    bo = world.product.api("bo", AUDITOR_PASSWORD)
    bo.patch("/api/v1/users/profile/", {"is_first_login": False})
    for query in (f"?text={NEEDLE}", f"?text={NEEDLE}&session_id={recorded.session}"):
        foreign = bo.call("GET", HITS + query, headers={"X-JMS-ORG": branch})
        assert foreign.status == 200, foreign
        assert (foreign.body["results"], foreign.body["waiting"]) == ([], 0)

    context = window(browser)
    page = context.new_page()
    admit(page, world.product.url, "zhang", ZHANG_PASSWORD)
    page.goto(f"{world.product.url}/ui/terminal/search?text={NEEDLE}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("cannot open")
    expect(page.locator("mark")).to_have_count(0)
    context.close()


def test_what_was_searched_is_in_the_audit_log(recorded: Recorded) -> None:
    recorded.hits("audited-needle", kind="command")
    rows = recorded.world.admin.get("/api/v1/audits/events/?limit=20&offset=0&event=recordings.searched")["results"]
    mine = [row for row in rows if "audited-needle" in str(row["changes"])]
    assert len(mine) == 1
    assert "Ada Auditor" in mine[0]["user_display"]
