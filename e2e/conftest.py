from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import BROWSER_LOG, PATIENCE_MS, chromium
from playwright.sync_api import Browser, Error, Page, expect
from prepared_home import PreparedHome
from product import Product, free_port
from shared_products import SharedProducts, group
from world import TargetHost, World, build_world

pytest_plugins = ["company"]

#: Characters of a log that are shown with a failure.
SHOWN = 6_000

#: Files that take longer than a minute, the longest first (`make test` prints them). A worker runs a whole file, so a
#: long file that comes last leaves the other workers without work.
LONGEST_FIRST = (
    "test_console_crawl.py",
    "test_outgoing_news.py",
    "test_audit_events.py",
    "test_outages.py",
    "test_storages.py",
    "test_demo.py",
    "test_gallery.py",
    "test_search.py",
    "test_service_accounts.py",
    "test_refusals.py",
    "test_permissions_sessions_and_audits_routes.py",
    "test_stored_scripts.py",
)

expect.set_options(timeout=PATIENCE_MS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the files that share a product one after the other. Of them, start the longest first, then the files with the
    most tests. The tests of a file keep their order.
    """
    files: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        files[item.path.name].append(item)
    ranks = {name: rank for rank, name in enumerate(LONGEST_FIRST)}
    order = sorted(files, key=lambda name: (group(files[name]), ranks.get(name, len(ranks)), -len(files[name]), name))
    items[:] = [item for name in order for item in files[name]]


def pytest_collection_finish(session: pytest.Session) -> None:
    SharedProducts.plan(session.items)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    SharedProducts.before(item, item.session.items.index(item))


@pytest.fixture(scope="session", autouse=True)
def _products_share_one_migration(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[None]:
    folder = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):
        folder = folder.parent  # each worker has its own folder in that of the run
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Product, "prepared", PreparedHome(folder / "prepared"))
        yield


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """One running Postern for all tests that do not harm it."""
    try:
        yield SharedProducts.start("product", tmp_path_factory.mktemp("postern") / "home")
    finally:
        SharedProducts.end("product")


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TargetHost]:
    """A real host to connect to."""
    with TargetHost(tmp_path_factory.mktemp("host") / "sshd", free_port()) as running:
        yield running


@pytest.fixture(scope="session")
def world(product: Product, host: TargetHost, tmp_path_factory: pytest.TempPathFactory) -> World:
    """Everything that the administrator sets up in the demo story."""
    directory: Path = tmp_path_factory.mktemp("people")
    return build_world(product, directory, host)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Per module, because Playwright's event loop must be closed before tests with their own event loop run."""
    with chromium() as running:
        yield running


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Start collecting the output that is shown if this test fails."""
    BROWSER_LOG.clear()
    for running in Product.started:
        running.mark_log()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """For a failure, attach screenshots of the open pages, console messages, and the products' recent logs."""
    report = yield
    if report.failed:
        pictures = "\n".join(
            f"{page.url}: {picture(item, number, page)}" for number, page in enumerate(open_pages(item))
        )
        logs = [(f"log of {running.home}", running.new_log()[-SHOWN:]) for running in Product.started]
        browser_log = "\n".join(BROWSER_LOG)[-SHOWN:]
        report.sections += [
            (name, text) for name, text in (("pages", pictures), ("browser", browser_log), *logs) if text
        ]
    return report


def open_pages(item: pytest.Item) -> list[Page]:
    browser = getattr(item, "funcargs", {}).get("browser")
    return [page for context in browser.contexts for page in context.pages] if browser is not None else []


def picture(item: pytest.Item, number: int, page: Page) -> str:
    """Save a screenshot as test-results/<test>-<n>.png and return its path, or the reason why there is none."""
    folder = Path(__file__).resolve().parent.parent / "test-results"
    folder.mkdir(exist_ok=True)
    path = folder / f"{item.name.replace('/', '-')}-{number}.png"
    try:
        page.screenshot(path=str(path), timeout=15_000)
    except Error as error:
        return str(error).splitlines()[0]
    return str(path)
