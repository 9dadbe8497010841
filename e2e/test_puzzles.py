"""After a failed sign-in the browser solves a puzzle: in a worker, over https (localhost) and plain http."""

import uuid
from collections.abc import Iterator
from typing import Final

import pytest
from browser import Faults, chromium, photograph, window
from playwright.sync_api import Browser, Page, Request, expect
from product import ADMIN_PASSWORD, Api, Product

SIGN_IN: Final = "/api/v1/authentication/sign-in/"
#: A host name that the browser does not treat as this machine, so its pages have no WebCrypto.
FAR_HOST: Final = "gate.example"


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """A product without failed sign-ins."""
    with Product(tmp_path_factory.mktemp("puzzles") / "home") as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser that can also reach the product with `FAR_HOST`."""
    with chromium(f"--host-resolver-rules=MAP {FAR_HOST} 127.0.0.1") as running:
        yield running


class Watched:
    """Records the sign-in requests and the workers of a page."""

    def __init__(self, page: Page) -> None:
        self.sent: list[Request] = []
        self.workers: list[str] = []
        page.on(
            "request",
            lambda request: self.sent.append(request) if request.method == "POST" and SIGN_IN in request.url else None,
        )
        page.on("worker", lambda worker: self.workers.append(worker.url))

    def posts(self) -> list[tuple[int, bool]]:
        """Status of each sign-in, and whether it was sent with a solution."""
        pairs = [(request.response(), "puzzle" in request.post_data_json) for request in self.sent]
        return [(answer.status, is_solved) for answer, is_solved in pairs if answer is not None]


def enter(page: Page, url: str, password: str) -> None:
    """Fill the form for the administrator and press Enter."""
    page.goto(f"{url}/ui/login")
    page.locator("input[name=username]").fill("admin")
    page.locator("input[name=password]").fill(password)
    page.locator("input[name=password]").press("Enter")


def fail(product: Product) -> None:
    """Make a failed sign-in from this address, with a new name, because consecutive failures would have to wait."""
    body = {"username": f"nobody-{uuid.uuid4().hex}", "password": "wrong"}
    assert Api(product.url).call("POST", "/api/v1/authentication/auth/", body).body["error"] == "password_failed"


def test_puzzle_is_solved_after_a_failure(own: Product, browser: Browser) -> None:
    page, faults = window(browser).new_page(), Faults(expected_statuses=frozenset({400, 401}))
    faults.watch(page)
    watched = Watched(page)
    enter(page, own.url, "wrong")
    expect(page.get_by_text("The username or password you entered is incorrect")).to_be_visible()
    assert (watched.posts(), watched.workers) == ([(400, False)], [])
    page.locator("input[name=password]").fill(ADMIN_PASSWORD)
    page.locator("input[name=password]").press("Enter")
    page.wait_for_url(lambda address: "/login" not in address)
    assert watched.posts() == [(400, False), (400, False), (200, True)]
    assert len(watched.workers) == 1
    assert watched.workers[0].startswith(f"{own.url}/ui/bundle/")
    assert faults.found == [], "nor does the content security policy object"


def test_known_browser_signs_in_without_a_puzzle(own: Product, browser: Browser) -> None:
    fail(own)
    context = window(browser)
    page = context.new_page()
    enter(page, own.url, ADMIN_PASSWORD)
    page.wait_for_url(lambda address: "/login" not in address)
    context.clear_cookies(name="sessionid")
    known = {cookie["name"] for cookie in context.cookies() if "postern_device" in cookie["name"]}
    assert known
    watched = Watched(page)
    enter(page, own.url, ADMIN_PASSWORD)
    page.wait_for_url(lambda address: "/login" not in address)
    assert (watched.posts(), watched.workers) == ([(200, False)], [])


@pytest.mark.parametrize(("locale", "checking"), [("en-US", "Checking your browser…"), ("zh-CN", "正在检查浏览器…")])
def test_page_reports_the_longer_time_over_plain_http(
    own: Product, browser: Browser, locale: str, checking: str
) -> None:
    fail(own)
    page = window(browser, locale=locale, viewport={"width": 320, "height": 700}).new_page()
    watched = Watched(page)
    url = own.url.replace("127.0.0.1", FAR_HOST)
    page.goto(f"{url}/ui/login")
    assert page.evaluate("[isSecureContext, crypto.subtle === undefined]") == [False, True]
    enter(page, url, ADMIN_PASSWORD)
    expect(page.get_by_role("button", name=checking)).to_be_visible()
    expect(page.get_by_role("status").filter(has_text=checking)).to_have_count(1)
    photograph(page, f"puzzle-checking-{locale}")
    page.wait_for_url(lambda address: "/login" not in address)
    assert watched.posts() == [(400, False), (200, True)]
    assert watched.workers


def test_unsupported_browser_gets_instructions(own: Product, browser: Browser) -> None:
    fail(own)
    page = window(browser).new_page()
    page.add_init_script("delete window.Worker")
    enter(page, own.url, ADMIN_PASSWORD)
    expect(page.get_by_text("Use a current browser.")).to_be_visible()
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_enabled()
    photograph(page, "puzzle-unsupported")


def test_worker_that_fails_to_load_is_reported_and_can_be_retried(own: Product, browser: Browser) -> None:
    fail(own)
    context = window(browser)
    page = context.new_page()
    context.route("**/solver.worker*", lambda route: route.abort())
    enter(page, own.url, ADMIN_PASSWORD)
    expect(page.get_by_text("The check of your browser did not finish.")).to_be_visible()
    context.unroute("**/solver.worker*")
    page.locator("input[name=password]").fill(ADMIN_PASSWORD)
    page.locator("input[name=password]").press("Enter")
    page.wait_for_url(lambda address: "/login" not in address)


def test_forgotten_password_always_solves_a_puzzle(own: Product, browser: Browser) -> None:
    admin = Api(own.url)
    admin.sign_in("admin", ADMIN_PASSWORD)
    admin.patch(
        "/api/v1/settings/setting/?category=email",
        {"EMAIL_HOST": "127.0.0.1", "EMAIL_PORT": "9", "EMAIL_FROM": "gate@example.com"},
    )
    page = window(browser).new_page()
    answers: list[int] = []
    page.on("response", lambda answer: answers.append(answer.status) if "password/forgot/" in answer.url else None)
    page.goto(f"{own.url}/ui/set-password?forgot=1")
    page.get_by_label("Username or mail address").fill("nobody")
    page.get_by_label("Username or mail address").press("Enter")
    expect(page.get_by_text("If the account exists, a mail is on its way.")).to_be_visible()
    assert answers == [400, 200]
