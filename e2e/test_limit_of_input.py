"""A page that sends too much input: its session ends, and the user reads why, in their language and on a phone too."""

import os
from typing import Final

import pytest
from accessibility import axe_findings
from browser import Shown, admit, expect_to_fit, window
from playwright.sync_api import Browser, expect
from test_paste import KEEP_SOCKETS
from world import ASSET, ZHANG_PASSWORD, World

PICTURES: Final = os.environ.get("POSTERN_PICTURES", "")
MESSAGES: Final = {
    "en": "The page sent input faster than the target takes it",
    "zh-hans": "页面发送输入的速度超过目标主机的接收速度",
}
ASSETS: Final = {"en": "Show assets", "zh-hans": "显示资产"}
#: Like a page of another vendor, which ignores the credit.
SEND: Final = """() => {
  const socket = openSockets.at(-1);
  for (let piece = 0; piece < 32; piece++) socket.send(new Uint8Array(256 * 1024));
}"""


@pytest.mark.parametrize(
    ("language", "width", "scheme"),
    [("en", 1440, "light"), ("zh-hans", 1440, "dark"), ("en", 320, "dark"), ("zh-hans", 320, "light")],
)
def test_session_ended_by_its_input_limit_says_why(
    browser: Browser, world: World, language: str, width: int, scheme: str
) -> None:
    context = window(browser, viewport={"width": width, "height": 860}, color_scheme=scheme)
    page = context.new_page()
    page.add_init_script(KEEP_SOCKETS)
    admit(page, world.product.url, "zhang", ZHANG_PASSWORD)
    context.add_cookies([{"name": "django_language", "value": language, "url": world.product.url}])
    terminal_data = Shown(page)
    page.goto(f"{world.product.url}/ui/connect")
    if width < 640:
        page.get_by_role("button", name=ASSETS[language]).last.click()
    page.get_by_role("treeitem", name=ASSET).click()
    terminal_data.waits_for(r"[#$] ")
    page.locator(".xterm-helper-textarea").focus()
    page.keyboard.type("stty raw -echo; echo re''ady; sleep 600\n")
    terminal_data.waits_for("ready")
    page.evaluate(SEND)
    notice = page.get_by_role("alert").filter(has_text=MESSAGES[language])
    expect(notice).to_be_visible()
    if PICTURES:
        page.screenshot(path=f"{PICTURES}/limit-{language}-{width}-{scheme}.png")
    assert axe_findings(page, notice) == []
    expect_to_fit(page)
    context.close()
