"""A licensed installation with two organizations and a signed-in administrator, for tests of the console's frame."""

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from accessibility import at_rest, settled
from browser import Faults, admit, window
from playwright.sync_api import Browser, Locator, Page
from product import ADMIN_PASSWORD, POSTERN, Api, Product, ask_for_no_puzzles, mute_load_messages
from shared_products import SharedProducts
from world import ZHANG_PASSWORD

DEFAULT_ORG = "00000000-0000-0000-0000-000000000002"


@dataclass(frozen=True)
class Company:
    """A licensed installation with two organizations, an asset in each, and an ordinary user."""

    product: Product
    admin: Api
    shanghai: str


@pytest.fixture(scope="session")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    directory = tmp_path_factory.mktemp("company")
    try:
        product = SharedProducts.start("company", directory / "home")
        install_licence(product, directory)
        admin = product.api()
        mute_load_messages(admin)
        ask_for_no_puzzles(admin)
        shanghai = str(admin.post("/api/v1/orgs/orgs/", {"name": "Shanghai"})["id"])
        for organization, name in (
            (DEFAULT_ORG, "web-default"),
            (shanghai, "web-shanghai"),
        ):
            body = {
                "hostname": name,
                "ip": "127.0.0.1",
                "platform": "Linux",
                "protocols": ["ssh/22"],
            }
            answer = admin.call("POST", "/api/v1/assets/assets/", body, {"X-JMS-ORG": organization})
            assert answer.status == 201, answer
        admin.post(
            "/api/v1/users/users/",
            {
                "name": "张伟",
                "username": "zhang",
                "email": "zhang@example.invalid",
                "password_strategy": "custom",
                "password": ZHANG_PASSWORD,
            },
        )
        yield Company(product, admin, shanghai)
    finally:
        SharedProducts.end("company")


def install_licence(product: Product, directory: Path) -> None:
    """Install a licence as an operator does: issue, trust, install."""
    environ = {**os.environ, "POSTERN_HOME": str(product.home)}
    key, licence = directory / "issuing.key", directory / "company.licence"
    for command in (
        ["issue", "--corporation", "Company", "--key", str(key), "--out", str(licence)],
        ["trust", f"{key}.pub"],
        ["install", str(licence)],
    ):
        subprocess.run(
            [str(POSTERN), "licence", *command],
            env=environ,
            check=True,
            capture_output=True,
            timeout=180,
        )


@pytest.fixture
def page(browser: Browser, company: Company) -> Iterator[Page]:
    """The administrator on a wide screen. The test fails on any page error."""
    yield from signed_in(browser, company, "admin", ADMIN_PASSWORD)


def signed_in(browser: Browser, company: Company, username: str, password: str, width: int = 1440) -> Iterator[Page]:
    context = window(browser, viewport={"width": width, "height": 900})
    page = context.new_page()
    faults = Faults()
    faults.watch(page)
    admit(page, company.product.url, username, password)
    page.goto(f"{company.product.url}/ui/")
    page.get_by_role("heading", level=1).first.wait_for(state="attached")
    at_rest(page)
    yield page
    context.close()
    assert faults.found == []


def cookie(page: Page, name: str) -> str | None:
    return next(
        (str(one["value"]) for one in page.context.cookies() if one["name"] == name),
        None,
    )


def stored(page: Page, key: str) -> Any:
    return page.evaluate("key => localStorage.getItem(key)", key)


def account(page: Page) -> Locator:
    return page.get_by_role("banner").get_by_role("button", name="Administrator")


def go(page: Page, company: Company, path: str) -> None:
    """Open a screen and wait until it has loaded."""
    settled(page, f"{company.product.url}/ui{path}")
