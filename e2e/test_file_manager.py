"""The file manager in the browser: the page, its requests through the web service, the proxy, a real sshd."""

import hashlib
import os
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from accessibility import axe_findings
from browser import Faults, admit, expect_to_fit, photograph, window
from playwright.sync_api import Browser, Locator, Page, Route, expect
from product import wait_until
from world import ASSET, ZHANG_PASSWORD, World

MIB: Final = 1024 * 1024
#: Keeps the websockets of sessions, so that a test can break one.
KEEP_SOCKETS: Final = """
window.openSockets = [];
window.WebSocket = class extends WebSocket {
  constructor(...given) { super(...given); if (this.url.includes('/ws/proxy/')) openSockets.push(this); }
};
"""


class Manager:
    """The file manager of zhang, with the files of the host."""

    def __init__(self, page: Page, world: World) -> None:
        self.page = page
        self.world = world

    @property
    def grid(self) -> Locator:
        return self.page.get_by_role("grid", name=f"Files of {ASSET}")

    def open(self) -> None:
        self.page.goto(f"{self.world.product.url}/ui/files/")
        self.page.get_by_role("treeitem", name=ASSET).click()
        expect(self.grid).to_have_attribute("aria-busy", "false")

    def row(self, name: str) -> Locator:
        return self.grid.get_by_role("row").filter(has=self.page.get_by_text(name, exact=True))

    def go(self, folder: Path) -> None:
        """Walk from the root of the host to a folder."""
        crumbs = self.page.get_by_role("navigation", name="Path")
        root = crumbs.get_by_title("Root of the host")
        if root.count():
            root.click()
        for name in folder.parts[1:]:
            self.page.get_by_role("searchbox", name="Filter by name").fill(name)
            self.row(name).dblclick()
            expect(crumbs.locator("[aria-current=location]")).to_have_text(name)
            expect(self.grid).to_have_attribute("aria-busy", "false")

    def upload(self, *files: Path, what: str = "Files") -> None:
        with self.page.expect_file_chooser() as asked:
            self.page.get_by_role("button", name="Upload", exact=True).click()
            self.page.get_by_role("menuitem", name=what).click()
        asked.value.set_files([str(file) for file in files])

    def more(self, name: str, action: str) -> None:
        self.row(name).click()
        self.page.get_by_role("button", name="More", exact=True).click()
        self.page.get_by_role("menuitem", name=action).click()


@pytest.fixture
def manager(browser: Browser, world: World) -> Iterator[Manager]:
    faults = Faults(expected_statuses=frozenset({409, 412}))
    context = window(browser)
    page = context.new_page()
    faults.watch(page)
    page.add_init_script(KEEP_SOCKETS)
    admit(page, world.product.url, "zhang", ZHANG_PASSWORD)
    running = Manager(page, world)
    running.open()
    yield running
    context.close()
    assert faults.found == []


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """A folder of the host."""
    folder = tmp_path / "there"
    folder.mkdir()
    return folder


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.mark.spec("S2-184")
def test_files_and_folders_are_listed_changed_and_deleted(manager: Manager, there: Path) -> None:
    page = manager.page
    for name in ("报告 1.txt", ".hidden", "evil\u202egpj.exe"):
        (there / name).write_text("text")
    (there / "full" / "below").mkdir(parents=True)
    (there / "full" / "below" / "file").write_text("x")
    manager.go(there)
    expect(manager.row("报告 1.txt")).to_be_visible()
    expect(manager.row(".hidden")).to_have_count(0)
    expect(manager.grid.get_by_role("row").filter(has_text="gpj.exe")).not_to_contain_text("\u202e")
    assert axe_findings(page) == []
    photograph(page, "file-manager")

    page.get_by_role("button", name="New folder").click()
    page.get_by_role("textbox", name="Name").fill("新 folder")
    page.keyboard.press("Enter")
    expect(manager.row("新 folder")).to_be_visible()
    assert (there / "新 folder").is_dir()
    expect(page.get_by_role("button", name="New folder")).to_be_focused()

    manager.more("报告 1.txt", "Rename")
    page.get_by_role("textbox", name="Name").fill("report.txt")
    page.get_by_role("button", name="Rename").click()
    expect(manager.row("report.txt")).to_be_visible()
    assert (there / "report.txt").read_text() == "text"

    manager.more("report.txt", "Permissions")
    page.get_by_role("textbox", name="Octal number").fill("600")
    page.get_by_role("button", name="Set permissions").click()
    expect(manager.row("report.txt")).to_contain_text("-rw-------")
    assert (there / "report.txt").stat().st_mode & 0o777 == 0o600

    manager.row("full").click()
    manager.grid.focus()
    page.keyboard.press("Delete")
    page.get_by_role("button", name="Delete 1 item").click()
    expect(manager.row("full")).to_have_count(0)
    assert not (there / "full").exists()


def test_upload_arrives_unchanged_and_is_logged_and_a_download_returns_it(manager: Manager, there: Path) -> None:
    page = manager.page
    source = there.parent / "build 数据.bin"
    source.write_bytes(os.urandom(9 * MIB + 5))  # two slices
    manager.go(there)
    manager.upload(source)
    expect(page.get_by_text("1 file uploaded")).to_be_attached()
    expect(page.get_by_text(sha256(source.read_bytes()))).to_be_visible()
    assert (there / source.name).read_bytes() == source.read_bytes()
    assert [path.name for path in there.iterdir()] == [source.name]  # no part is left
    expect(manager.row(source.name)).to_be_visible()

    manager.row(source.name).click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == source.name
    assert Path(download.value.path()).read_bytes() == source.read_bytes()

    def logged() -> bool:
        rows = manager.world.admin.get("/api/v1/audits/ftp-logs/?limit=100&offset=0")["results"]
        entries = {(row["operate"], row["is_success"]) for row in rows if row["filename"] == str(there / source.name)}
        return {("Upload", True), ("Download", True)} <= entries

    wait_until(logged, message="both transfers in the log")


def test_folder_is_uploaded_with_everything_in_it_and_comes_back_in_an_archive(manager: Manager, there: Path) -> None:
    page = manager.page
    site = there.parent / "site"
    (site / "css" / "深").mkdir(parents=True)
    (site / "index.html").write_text("<p>")
    (site / "css" / "深" / "all.css").write_text("p {}")
    manager.go(there)
    manager.upload(site, what="A folder")
    expect(page.get_by_text("2 files uploaded")).to_be_attached()
    assert (there / "site" / "css" / "深" / "all.css").read_text() == "p {}"
    manager.row("site").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download", exact=True).click()
        page.get_by_role("menuitem", name="As a zip archive").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist() if not name.endswith("/")}
    assert texts == {"site/index.html": "<p>", "site/css/深/all.css": "p {}"}


def test_files_that_exist_are_replaced_kept_or_skipped_as_the_person_answers(manager: Manager, there: Path) -> None:
    page, local = manager.page, there.parent
    for name in ("a.txt", "b.txt"):
        (there / name).write_text("old")
        (local / name).write_text("new")
    manager.go(there)
    manager.upload(local / "a.txt", local / "b.txt")
    expect(page.get_by_text("2 files exist on the host already.")).to_be_visible()
    assert axe_findings(page) == []
    page.get_by_role("button", name="Skip: a.txt").click()
    page.get_by_role("button", name="Keep both: b.txt").click()
    expect(manager.row("b (2).txt")).to_be_visible()
    texts = {path.name: path.read_text() for path in there.iterdir()}
    assert texts == {"a.txt": "old", "b.txt": "old", "b (2).txt": "new"}


def test_upload_continues_after_a_lost_connection(manager: Manager, there: Path) -> None:
    page = manager.page
    source = there.parent / "long.bin"
    source.write_bytes(os.urandom(40 * MIB))
    manager.go(there)
    broken: list[str] = []

    def break_one(route: Route) -> None:
        if "offset=8388608" in route.request.url and not broken:
            broken.append(route.request.url)
            route.abort()
        else:
            route.continue_()

    page.route(re.compile(r"/files/.*/upload/.*offset="), break_one)
    manager.upload(source)
    wait_until(lambda: page.evaluate("1") and broken, message="the second slice")
    sockets: int = page.evaluate("openSockets.at(-1).close(), openSockets.length")
    page.wait_for_function("many => openSockets.length > many", arg=sockets)
    expect(page.get_by_text("1 file uploaded")).to_be_attached()
    assert sha256((there / "long.bin").read_bytes()) == sha256(source.read_bytes())


def test_text_that_was_changed_meanwhile_is_overwritten_only_when_the_person_says_so(
    manager: Manager, there: Path
) -> None:
    page = manager.page
    file = there / "app.conf"
    file.write_text("port = 1\n")
    manager.go(there)
    manager.more("app.conf", "View or edit as text")
    text = page.get_by_role("textbox", name="Text of app.conf")
    expect(text).to_have_value("port = 1\n")
    text.fill("port = 2\n")
    file.write_text("port = 3, by somebody else\n")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The file has changed on the host")).to_be_visible()
    assert file.read_text() == "port = 3, by somebody else\n"
    page.get_by_role("button", name="Overwrite with my text").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert file.read_text() == "port = 2\n"


@pytest.mark.spec("S7-086")
def test_old_address_of_the_file_manager_leads_to_the_page_and_opens_the_asset(manager: Manager) -> None:
    page, world = manager.page, manager.world
    page.goto(f"{world.product.url}/koko/elfinder/sftp/?asset={world.asset_id}")
    page.wait_for_url(re.compile(r"/ui/files/$"))
    expect(manager.grid.get_by_role("row").nth(1)).to_be_visible()


def test_narrow_page_shows_two_panes_one_after_the_other(manager: Manager) -> None:
    page = manager.page
    page.set_viewport_size({"width": 320, "height": 640})
    page.get_by_role("button", name="Hide assets").click()
    page.get_by_role("button", name="Two panes").click()
    expect(manager.grid).to_have_count(1)
    page.get_by_role("button", name="Right pane").click()
    expect(manager.grid).to_have_count(0)
    expect_to_fit(page)
    assert axe_findings(page) == []
