"""The gallery of messages: a development server shows each of them in every form and language, and a product has none."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from accessibility import at_rest, axe_findings
from browser import PATIENCE_MS, photograph, window
from dev_console import development_console
from playwright.sync_api import Browser, Page, expect
from product import ADMIN_PASSWORD, Api, Product

GALLERY: Final = "/api/v1/development/messages/"
CONSOLE: Final = Path(__file__).resolve().parent.parent / "console"


@dataclass(frozen=True)
class Development:
    """`make dev`: a server that reloads, and the console of Vite in front of it."""

    product: Product
    console: str


@pytest.fixture(scope="module")
def development(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Development]:
    home = tmp_path_factory.mktemp("dev") / "home"
    with (
        Product(home, "--reload") as product,
        development_console(product.url, tmp_path_factory.mktemp("vite") / "vite.log") as address,
    ):
        yield Development(product, address)


@pytest.fixture
def page(browser: Browser, development: Development) -> Iterator[Page]:
    page = window(browser).new_page()
    page.goto(f"{development.console}/ui/login")
    page.get_by_label("Username", exact=True).fill("admin")
    page.get_by_label("Password", exact=True).fill(ADMIN_PASSWORD)
    page.get_by_role("button", name=re.compile("Sign in|Log in")).first.click()
    page.wait_for_url(re.compile(r"/ui/(?!login)"))
    yield page
    page.context.close()


def show(page: Page, address: str, theme: str = "light") -> None:
    page.evaluate(f"localStorage.theme = '{theme}'")
    page.goto(f"{address}/ui/__gallery/messages")
    expect(page.get_by_role("heading", name="CommandAlertMessage 1")).to_be_visible(timeout=PATIENCE_MS)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_message_is_shown_in_every_form_and_language(page: Page, development: Development, theme: str) -> None:
    show(page, development.console, theme)
    messages = development.product.api().get(GALLERY)
    names = {message["message_type"] for message in messages}
    assert names >= {"CommandAlertMessage", "CommandExecutionAlert", "ServerPerformanceMessage", "InvitationMessage"}
    expect(page.get_by_role("heading", level=2)).to_have_count(len(messages))
    letters = sum(len(message["languages"]) for message in messages)
    expect(page.locator("iframe")).to_have_count(letters)
    card = page.locator("section.pt-card", has_text="CommandAlertMessage 1")
    for form in ("Site message", "Mail, HTML", "Mail, text", "WeCom, DingTalk, FeiShu", "Webhook"):
        expect(card.get_by_role("heading", name=form)).to_have_count(2)
    frame = card.locator("iframe").first
    frame.scroll_into_view_if_needed()
    expect(frame.content_frame.get_by_text("rm -rf /srv/shop <old")).to_be_visible()
    assert frame.get_attribute("sandbox") == "", "nothing in a letter runs"
    page.get_by_role("button", name="中文").click()
    expect(page.locator("iframe")).to_have_count(letters // 2)
    page.get_by_role("button", name="Form").click()
    page.get_by_role("option", name="Webhook").click()
    expect(page.locator("iframe")).to_have_count(0)
    assert axe_findings(page) == []


def test_page_of_the_gallery_fits_a_narrow_screen(page: Page, development: Development) -> None:
    show(page, development.console)
    photograph(page, "messages")
    for width in (1440, 390, 320):
        page.set_viewport_size({"width": width, "height": 900})
        at_rest(page)
        beyond = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert beyond <= 0, f"{beyond} px too wide at {width} px"
    photograph(page, "messages-narrow")


def test_gallery_is_for_super_administrators(development: Development) -> None:
    assert Api(development.product.url).call("GET", GALLERY).status == 401


def test_product_has_no_gallery(product: Product) -> None:
    """Neither the route, nor the page, nor a trace of it among the scripts of the console."""
    assert product.api().call("GET", GALLERY).status == 404
    scripts = [path.read_text(errors="replace") for path in (CONSOLE / "dist").rglob("*.js")]
    assert scripts
    assert not any("__gallery" in script or "development/messages" in script for script in scripts)


def test_forms_learn_their_fields_through_the_development_console(page: Page, development: Development) -> None:
    """Vite must pass OPTIONS on to the server."""
    page.goto(f"{development.console}/ui/settings?activeTab=webhooks")
    expect(page.get_by_role("heading", name="No webhooks yet")).to_be_visible(timeout=PATIENCE_MS)
