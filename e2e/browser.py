"""Chromium as started by the tests, and the checks that apply to every page."""

import os
import re
import shutil
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, Response, sync_playwright
from playwright.sync_api import TimeoutError as TooLate
from product import Api, wait_until

ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
#: Time limit of waits on a loaded machine. Waits end as soon as their condition holds, so an idle machine loses no
#: time.
PATIENCE_MS: Final = 60_000
#: Recent console messages of all windows, shown with a failing test.
BROWSER_LOG: Final[deque[str]] = deque(maxlen=80)


def executable(playwright: Playwright) -> str | None:
    """Return the system's Chromium, or the one that Playwright has installed. None: Playwright explains how to install
    it.

    The shell without a window system is preferred: it renders pages in the same way with two fifths less CPU time.
    """
    fetched = Path(playwright.chromium.executable_path)
    found = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    return found or (str(fetched) if fetched.exists() else None)


@contextmanager
def chromium(*more: str) -> Iterator[Browser]:
    """A headless browser, with more arguments of its command line."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable(playwright), args=[*ARGUMENTS.split(), *more], timeout=PATIENCE_MS * 2
        )
        try:
            yield browser
        finally:
            browser.close()


def window(browser: Browser, **options: Any) -> BrowserContext:
    """Return a separate browser context for one person. Options as for `Browser.new_context`.

    Motion is reduced, so nothing fades or slides. A page in the middle of a transition is not what the tests or the
    contrast rules are about.
    """
    usual = {"locale": "en-US", "viewport": {"width": 1440, "height": 900}, "reduced_motion": "reduce"}
    context = browser.new_context(**{**usual, **options})
    context.set_default_timeout(PATIENCE_MS)
    context.on("console", lambda message: BROWSER_LOG.append(f"console {message.type}: {message.text[:300]}"))
    context.on("weberror", lambda error: BROWSER_LOG.append(f"error: {str(error.error)[:500]}"))
    context.on(
        "requestfailed",
        lambda request: BROWSER_LOG.append(f"not answered: {request.method} {request.url} ({request.failure})"),
    )
    context.on("response", _log_response)
    return context


def _log_response(response: Response) -> None:
    if response.status >= 400 or "/ui/bundle/" not in response.url:
        BROWSER_LOG.append(f"{response.status} {response.request.method} {response.url[:200]}")


def expect_to_fit(page: Page) -> None:
    """Wait until the page is no wider than its window. After a change of its size it is laid out again."""
    try:
        page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
    except TooLate:
        width = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        raise AssertionError(f"the page has {width[0]} pixels in a window of {width[1]}") from None


def photograph(page: Page, name: str) -> None:
    """Save a picture for people who want to look, where POSTERN_PICTURES names a folder."""
    folder = os.environ.get("POSTERN_PICTURES")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png")


#: Its 400 asks for a proof of work while another test has just failed to sign in. A refusal leaves the test where it is.
SIGN_IN: Final = "/api/v1/authentication/sign-in/"


@dataclass
class Faults:
    """Errors of a page: console errors (including violations of the content security policy) and failed requests."""

    expected_statuses: frozenset[int] = frozenset()
    found: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.found.append(f"{page.url}: {error}"))
        page.on("response", self._response)

    def _console(self, message: ConsoleMessage) -> None:
        # A failed request is judged by its status below.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.found.append(f"{message.location.get('url')}: {message.text}")

    def _response(self, response: Response) -> None:
        if response.status == 400 and response.url.endswith(SIGN_IN):
            return
        if response.status >= 400 and response.status not in self.expected_statuses:
            self.found.append(f"{response.request.method} {response.url}: {response.status}")


def sign_in(page: Page, url: str, username: str, password: str) -> None:
    """Sign in through the sign-in page in English. Where the page is not what is tested, `admit` is much quicker."""
    page.goto(f"{url}/ui/login")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda address: "/login" not in address)


def admit(page: Page, url: str, username: str, password: str) -> None:
    """Sign somebody in who has completed the page of the first sign-in; the page stays where it is.

    For tests of other pages: the browser gets the cookies of a sign-in with the API, in a sixth of the CPU time.
    """
    api = Api(url)
    api.sign_in(username, password)
    if api.get("/api/v1/users/profile/")["is_first_login"]:
        api.patch("/api/v1/users/profile/", {"is_first_login": False})
    page.context.add_cookies(
        [
            {
                "name": cookie.name,
                "value": cookie.value or "",
                "url": url,
                "httpOnly": cookie.has_nonstandard_attr("HttpOnly"),
                "sameSite": "Lax",
            }
            for cookie in api.cookies
        ]
    )


def first_sign_in(page: Page) -> None:
    """Complete the page that is shown at a person's first sign-in."""
    page.get_by_role("checkbox", name="I know that").check()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("link", name="Start", exact=True).click()
    page.wait_for_url(lambda address: "first-login" not in address)


class Shown:
    """The data that the page's terminal receives, however it renders it."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._frames: list[bytes] = []
        page.on("websocket", lambda socket: socket.on("framereceived", self._take))

    def _take(self, frame: str | bytes) -> None:
        if isinstance(frame, bytes):
            self._frames.append(frame)

    def waits_for(self, pattern: str) -> None:
        """Wait for a match after the previous match."""

        def came() -> bool:
            self._page.evaluate("1")  # lets the frames arrive
            match = re.search(pattern.encode(), b"".join(self._frames))
            if match:
                self._frames = [b"".join(self._frames)[match.end() :]]
            return match is not None

        wait_until(came, message=f"{pattern} in the terminal")
