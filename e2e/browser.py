"""Chromium as the tests start it, and what every page is held to."""

import re
import shutil
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, Response, sync_playwright
from product import wait_until

ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
#: What a loaded machine may need for anything that is waited for. An idle one needs no more for it.
PATIENCE_MS: Final = 60_000
#: What the browser told lately, of all windows; shown with a test that fails.
TOLD: Final[deque[str]] = deque(maxlen=80)


def executable(playwright: Playwright) -> str | None:
    """The system's Chromium, or the one that Playwright has fetched; None: Playwright says how it is fetched."""
    fetched = Path(playwright.chromium.executable_path)
    return shutil.which("chromium") or (str(fetched) if fetched.exists() else None)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable(playwright), args=ARGUMENTS.split(), timeout=PATIENCE_MS * 2
        )
        try:
            yield browser
        finally:
            browser.close()


def window(browser: Browser, **options: Any) -> BrowserContext:
    """A person's browser with a memory of its own; options as of `Browser.new_context`.

    Nothing fades in or slides, as for a person who asked for less motion: a page that is half way there is neither what
    is tested nor what the rules of contrast are about.
    """
    usual = {"locale": "en-US", "viewport": {"width": 1440, "height": 900}, "reduced_motion": "reduce"}
    context = browser.new_context(**{**usual, **options})
    context.set_default_timeout(PATIENCE_MS)
    context.on("console", lambda said: TOLD.append(f"console {said.type}: {said.text[:300]}"))
    context.on("weberror", lambda error: TOLD.append(f"error: {str(error.error)[:500]}"))
    context.on("requestfailed", lambda one: TOLD.append(f"not answered: {one.method} {one.url} ({one.failure})"))
    context.on("response", _told)
    return context


def _told(response: Response) -> None:
    if response.status >= 400 or "/ui/bundle/" not in response.url:
        TOLD.append(f"{response.status} {response.request.method} {response.url[:200]}")


@dataclass
class Faults:
    """What went wrong on a page: console errors (among them violations of the content policy) and failed requests."""

    expected_statuses: frozenset[int] = frozenset()
    found: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.found.append(f"{page.url}: {error}"))
        page.on("response", self._response)

    def _console(self, message: ConsoleMessage) -> None:
        # A failed request is judged by its status, below.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.found.append(f"{message.location.get('url')}: {message.text}")

    def _response(self, response: Response) -> None:
        if response.status >= 400 and response.status not in self.expected_statuses:
            self.found.append(f"{response.request.method} {response.url}: {response.status}")


def sign_in(page: Page, url: str, username: str, password: str) -> None:
    """Through the sign-in page, in English."""
    page.goto(f"{url}/ui/login")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda address: "/login" not in address)


def first_sign_in(page: Page) -> None:
    """The page that a person sees once."""
    page.get_by_role("checkbox", name="I know that").check()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("link", name="Start", exact=True).click()
    page.wait_for_url(lambda address: "first-login" not in address)


class Shown:
    """What the terminal of a page is given to draw, however it draws it."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._frames: list[bytes] = []
        page.on("websocket", lambda socket: socket.on("framereceived", self._take))

    def _take(self, frame: str | bytes) -> None:
        if isinstance(frame, bytes):
            self._frames.append(frame)

    def waits_for(self, pattern: str) -> None:
        """Until something matches that came after what was waited for last."""

        def came() -> bool:
            self._page.evaluate("1")  # lets the frames in
            found = re.search(pattern.encode(), b"".join(self._frames))
            if found:
                self._frames = [b"".join(self._frames)[found.end() :]]
            return found is not None

        wait_until(came, message=f"{pattern} in the terminal")
