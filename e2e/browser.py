"""Chromium as the tests start it, and what every page is held to."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Browser, ConsoleMessage, Page, Response, sync_playwright

ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS.split())
        try:
            yield browser
        finally:
            browser.close()


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
