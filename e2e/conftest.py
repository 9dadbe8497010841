from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page
from product import Product, free_port
from world import TargetHost, World, build_world

pytest_plugins = ["company"]


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """One running Postern for all tests that do not harm it."""
    running = Product(tmp_path_factory.mktemp("postern") / "home").start()
    try:
        yield running
    finally:
        print(running.output()[-20_000:])
        running.stop()


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TargetHost]:
    """A real host to reach."""
    running = TargetHost(tmp_path_factory.mktemp("host") / "sshd", free_port()).start()
    try:
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="session")
def world(product: Product, host: TargetHost, tmp_path_factory: pytest.TempPathFactory) -> World:
    """Everything that the administrator of the story sets up."""
    directory: Path = tmp_path_factory.mktemp("people")
    return build_world(product, directory, host)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """A picture of every open page when a test fails: test-results/<test>-<n>.png."""
    report = yield
    if report.when == "call" and report.failed:
        folder = Path(__file__).resolve().parent.parent / "test-results"
        for number, page in enumerate(open_pages(item)):
            folder.mkdir(exist_ok=True)
            page.screenshot(path=str(folder / f"{item.name}-{number}.png"))
    return report


def open_pages(item: pytest.Item) -> list[Page]:
    browser = getattr(item, "funcargs", {}).get("browser")
    return [page for context in browser.contexts for page in context.pages] if browser is not None else []
