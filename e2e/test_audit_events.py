"""The auditor's screen: every kind of event in words, with values before and after, wide and narrow, light and dark."""

import os
import re
from collections.abc import Iterator

import pytest
from accessibility import axe_findings, settled
from browser import Faults, admit, expect_to_fit, window
from company import Company
from playwright.sync_api import Browser, Page, StorageState, expect
from product import ADMIN_PASSWORD

PICTURES = os.environ.get("POSTERN_PICTURES", "")
LANGUAGES = {"en": ("All events", "Asset changed", "Before"), "zh-hans": ("全部事件", "更新资产", "之前")}


def picture(page: Page, name: str) -> None:
    """Save a screenshot if POSTERN_PICTURES names a folder."""
    if PICTURES:
        page.screenshot(path=f"{PICTURES}/{name}.png")


@pytest.fixture(scope="module")
def changed_asset(company: Company) -> str:
    """An asset that was changed, so that its event has values before and after."""
    (asset,) = company.admin.get("/api/v1/assets/assets/?hostname=web-default&limit=1")["results"]
    answer = company.admin.call(
        "PATCH", f"/api/v1/assets/assets/{asset['id']}/", {"ip": "127.0.0.2", "comment": "moved to the new rack"}
    )
    assert answer.status == 200, answer
    return str(asset["id"])


@pytest.fixture(scope="module")
def signed_in(browser: Browser, company: Company) -> Iterator[StorageState]:
    """What a browser keeps in which the administrator has signed in; signing in takes longer than showing the list."""
    context = window(browser)
    page = context.new_page()
    admit(page, company.product.url, "admin", ADMIN_PASSWORD)
    yield {"cookies": context.storage_state()["cookies"]}
    context.close()


@pytest.fixture
def screen(
    request: pytest.FixtureRequest, browser: Browser, company: Company, signed_in: StorageState
) -> Iterator[Page]:
    """The list of events as the administrator sees it in this language, width and theme, in a browser of its own."""
    language, width, scheme = request.param
    context = window(browser, viewport={"width": width, "height": 860}, color_scheme=scheme, storage_state=signed_in)
    page = context.new_page()
    faults = Faults()
    faults.watch(page)
    context.add_cookies([{"name": "django_language", "value": language, "url": company.product.url}])
    settled(page, f"{company.product.url}/ui/audits/events")
    yield page
    context.close()
    assert [fault for fault in faults.found if "audits/events" not in fault or "500" not in fault] == []


SCREENS = [
    (language, width, scheme)
    for language in LANGUAGES
    for width, scheme in ((1440, "light"), (1440, "dark"), (320, "light"), (320, "dark"))
]


@pytest.mark.parametrize("screen", SCREENS, indirect=True, ids=lambda one: "-".join(map(str, one)))
def test_events_are_shown_in_words_with_before_and_after(
    screen: Page, changed_asset: str, request: pytest.FixtureRequest
) -> None:
    name = request.node.callspec.id
    title, words, before = LANGUAGES["zh-hans" if "zh-hans" in name else "en"]
    expect(screen.get_by_role("heading", level=1, name=title)).to_be_attached()
    picture(screen, f"events-{name}")
    if "320" in name:
        row = screen.get_by_role("listitem").filter(has_text=words).first
        row.locator("summary").click()
        details = row
    else:
        row = screen.get_by_role("row").filter(has_text=words).first
        row.locator("button[aria-expanded]").click()
        details = screen.locator("tr.pt-details")
    expect(details.get_by_text("127.0.0.2", exact=True)).to_be_visible()
    expect(details.get_by_text(before).first).to_be_attached()
    details.scroll_into_view_if_needed()
    picture(screen, f"event-{name}")
    screen.evaluate("scrollTo(0, 0)")  # nothing is half hidden below the viewport
    assert axe_findings(screen) == []
    expect_to_fit(screen)


@pytest.mark.parametrize("screen", [("en", 1440, "light")], indirect=True)
def test_events_are_filtered_by_category_and_object(screen: Page, changed_asset: str) -> None:
    category = screen.get_by_role("group", name="Category")
    category.get_by_role("button", name=re.compile(r"^Assets\s*\d")).click()
    screen.wait_for_url("**category=inventory**")
    expect(screen.get_by_role("row").filter(has_text="Asset changed").first).to_be_visible()
    expect(screen.get_by_role("row").filter(has_text="Signed in")).to_have_count(0)
    screen.get_by_role("row").filter(has_text="Asset changed").first.locator("button[aria-expanded]").click()
    screen.get_by_role("link", name="All events of this object").click()
    screen.wait_for_url(f"**resource_id={changed_asset}**")
    expect(screen.get_by_role("row").filter(has_text="Asset created")).to_have_count(1)
    category.get_by_role("button", name="Messages", exact=True).click()
    expect(screen.get_by_text("No matching audit events")).to_be_visible()
    picture(screen, "events-empty")


@pytest.mark.parametrize("screen", [("en", 1440, "light")], indirect=True)
def test_events_that_cannot_be_loaded_say_so(screen: Page) -> None:
    screen.route("**/api/v1/audits/events/*", lambda route: route.fulfill(status=500, json={"detail": "broken"}))
    screen.get_by_role("button", name="Refresh").click()
    screen.reload()
    expect(screen.get_by_role("button", name="Retry")).to_be_visible()
    picture(screen, "events-failed")


VERIFYING = {
    "en": (
        re.compile("^Verify"),
        re.compile("^(Waiting to verify|Verifying)"),
        "Audit chain intact",
        "Verification finished",
    ),
    "zh-hans": (
        re.compile("校验$"),
        re.compile("^(等待校验|正在校验)"),
        "审计链完整",
        "审计链校验结束",
    ),
}


@pytest.mark.parametrize(
    "screen",
    [
        ("zh-hans", 1440, "light"),
        ("en", 1440, "dark"),
        ("zh-hans", 320, "light"),
        ("en", 320, "dark"),
    ],
    indirect=True,
    ids=lambda one: "-".join(map(str, one)),
)
def test_log_is_verified_again_by_the_worker(screen: Page, request: pytest.FixtureRequest) -> None:
    name = request.node.callspec.id
    again, under_way, whole, event = VERIFYING["zh-hans" if "zh-hans" in name else "en"]
    screen.get_by_role("button", name=again).click()
    expect(screen.get_by_role("status").filter(has_text=under_way)).to_be_visible()
    picture(screen, f"verifying-{name}")
    expect(screen.get_by_role("status").filter(has_text=whole)).to_be_visible()
    expect(screen.get_by_text(event).first).to_be_attached()  # the list shows its event without a refresh
    picture(screen, f"verified-{name}")
    assert axe_findings(screen) == []
    expect_to_fit(screen)
