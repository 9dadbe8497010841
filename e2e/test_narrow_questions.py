"""Confirmation questions can be read and answered on a narrow phone."""

import os
from typing import Final

import pytest
from accessibility import axe_findings, settled
from browser import admit, window
from playwright.sync_api import Browser, expect
from product import ADMIN_PASSWORD
from world import World

PICTURES: Final = os.environ.get("POSTERN_PICTURES", "")
ENDING: Final = {"en": "End all access", "zh-hans": "结束全部访问"}


@pytest.mark.parametrize(("language", "scheme"), [("en", "light"), ("zh-hans", "dark")])
def test_end_everything_can_be_read_at_320_px(browser: Browser, world: World, language: str, scheme: str) -> None:
    context = window(browser, viewport={"width": 320, "height": 640}, color_scheme=scheme)
    page = context.new_page()
    admit(page, world.product.url, "admin", ADMIN_PASSWORD)
    context.add_cookies([{"name": "django_language", "value": language, "url": world.product.url}])
    (zhang,) = world.product.api().get("/api/v1/users/users/?username=zhang&limit=1")["results"]
    settled(page, f"{world.product.url}/ui/users/users/{zhang['id']}")
    button = page.get_by_role("button", name=ENDING[language])
    words = button.locator("xpath=../span[1]").bounding_box()
    assert words is not None
    assert words["width"] >= 160  # a line holds more than a word or two
    button.click()
    question = page.get_by_role("alertdialog")
    expect(question).to_be_visible()
    if PICTURES:
        page.screenshot(path=f"{PICTURES}/question-{language}-{scheme}.png", full_page=True)
    text = question.locator("p").first.bounding_box()
    assert text is not None
    assert text["width"] >= 240
    for name in question.get_by_role("button").all():
        box = name.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 320
    assert axe_findings(page) == []
    context.close()
