"""Large pastes in the web terminal: the page, its websocket through the web service, the proxy, a real shell."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from browser import Faults, Shown, admit, window
from playwright.sync_api import Browser, Page, expect
from product import wait_until
from world import ASSET, ZHANG_PASSWORD, World

MIB: Final = 1024 * 1024
#: Keeps the websockets of terminals, so that a test can break one.
KEEP_SOCKETS: Final = """
window.openSockets = [];
window.WebSocket = class extends WebSocket {
  constructor(...given) { super(...given); if (this.url.includes('/ws/proxy/')) openSockets.push(this); }
};
"""


def text_of(size: int) -> str:
    """Return text without line ends, in which every piece differs, with multi-byte characters."""
    block = "".join(f"{number:012x}价" for number in range(size // 15 + 1))
    return block.encode()[:size].decode(errors="ignore").ljust(size)[:size]


@pytest.fixture
def terminal(browser: Browser, world: World) -> Iterator[tuple[Page, Shown]]:
    """A page with an open shell, which has the focus."""
    faults = Faults()
    context = window(browser, permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    faults.watch(page)
    page.add_init_script(KEEP_SOCKETS)
    admit(page, world.product.url, "zhang", ZHANG_PASSWORD)
    terminal_data = Shown(page)
    page.goto(f"{world.product.url}/ui/connect")
    page.get_by_role("treeitem", name=ASSET).click()
    expect(page.get_by_role("status").get_by_text("Connected")).to_be_visible()
    terminal_data.waits_for(r"[#$] ")
    page.locator(".xterm-helper-textarea").focus()
    yield page, terminal_data
    expect(page.get_by_role("status").get_by_text("Connected")).to_be_visible()
    context.close()
    assert faults.found == []


def paste(page: Page, text: str) -> None:
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.locator(".xterm-helper-textarea").focus()
    page.keyboard.press("Control+Shift+V")


def test_large_paste_into_a_file_arrives_unchanged(terminal: tuple[Page, Shown], tmp_path: Path) -> None:
    page, terminal_data = terminal
    text, file = text_of(3 * MIB), tmp_path / "pasted"
    size = len(text.encode())
    page.keyboard.type(f"stty raw -echo; echo re''ady; head -c {size} > {file}; stty sane; echo wri''tten\n")
    terminal_data.waits_for("ready")
    paste(page, text)
    terminal_data.waits_for("written")
    assert hashlib.sha256(file.read_bytes()).hexdigest() == hashlib.sha256(text.encode()).hexdigest()


def test_large_paste_into_a_program_that_echoes_it_returns_completely(
    terminal: tuple[Page, Shown],
) -> None:
    page, terminal_data = terminal
    text = text_of(2 * MIB)
    size = len(text.encode())
    page.keyboard.type(f"stty raw -echo; echo re''ady; head -c {size} | tee >(sha256sum); stty sane\n")
    terminal_data.waits_for("ready")
    paste(page, text)
    terminal_data.waits_for(hashlib.sha256(text.encode()).hexdigest())
    page.keyboard.type("echo still-$((40+2))\n")
    terminal_data.waits_for("still-42")


def test_interrupt_drops_the_rest_of_a_paste(terminal: tuple[Page, Shown], tmp_path: Path) -> None:
    page, terminal_data = terminal
    text, file = text_of(8 * MIB), tmp_path / "part"
    # The program reads at most some 400 KB a second, so most of the paste still waits in the page.
    reads_slowly = f"while head -c 4096 >> {file}; do sleep 0.01; done"
    page.keyboard.type(f"stty raw -echo isig; echo re''ady; {reads_slowly}\n")
    terminal_data.waits_for("ready")
    paste(page, text)
    wait_until(
        lambda: file.exists() and file.stat().st_size > 0,
        message="the first of the paste",
    )
    expect(page.get_by_text("Ctrl C cancels")).to_be_visible()
    page.keyboard.press("Control+C")
    expect(page.get_by_text("Ctrl C cancels")).to_have_count(0)
    page.keyboard.type("stty sane; echo back-$((40+2))\n")
    terminal_data.waits_for("back-42")
    assert file.stat().st_size < 4 * MIB
    assert text.encode().startswith(file.read_bytes())


def test_paste_continues_after_a_lost_connection(terminal: tuple[Page, Shown], tmp_path: Path) -> None:
    page, terminal_data = terminal
    text, file = text_of(4 * MIB), tmp_path / "pasted"
    size = len(text.encode())
    slowly = f"for i in $(seq 40); do head -c 65536; sleep 0.05; done; head -c {size - 40 * 65536}"
    page.keyboard.type(f"stty raw -echo; echo re''ady; ({slowly}) > {file}; stty sane; echo wri''tten\n")
    terminal_data.waits_for("ready")
    paste(page, text)
    for part in (1, 2):
        wait_until(lambda part=part: file.exists() and file.stat().st_size > part * MIB, message="a part of the paste")
        sockets: int = page.evaluate("openSockets.at(-1).close(), openSockets.length")
        page.wait_for_function("many => openSockets.length > many", arg=sockets)
        expect(page.get_by_role("status").get_by_text("Connected")).to_be_visible()
    terminal_data.waits_for("written")
    assert hashlib.sha256(file.read_bytes()).hexdigest() == hashlib.sha256(text.encode()).hexdigest()
