"""Import and export of files, and bulk changes: export, import with corrected errors, update by file, bulk update."""

import csv
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Self

import openpyxl
import pytest
from accessibility import axe_findings
from browser import PATIENCE_MS, Faults, expect_to_fit, first_sign_in, photograph, sign_in, window
from playwright.sync_api import Browser, Download, Locator, Page, Route, expect
from product import ADMIN_PASSWORD, Product, wait_until

GROUPS: Final = "/api/v1/users/groups/"
FORMULA: Final = "=cmd|' /C calc'!A0"
SCRIPT: Final = "<img src=x onerror=alert(1)>"
#: Rows of an import are 100 ms apart, on a machine that may be busy.
RUN_MS: Final = 2 * PATIENCE_MS


@pytest.fixture(scope="module")
def office(product: Product) -> Product:
    """Twenty groups, one of them with a comment that a spreadsheet could evaluate as a formula."""
    api = product.api()
    for number in range(1, 21):
        api.post(
            GROUPS,
            {
                "name": f"office-{number:02}",
                "comment": FORMULA if number == 1 else f"room {number}",
            },
        )
    return product


@pytest.fixture
def page(browser: Browser, office: Product) -> Iterator[Page]:
    """The administrator's list of groups. The test fails on unexpected page errors."""
    context = window(browser, accept_downloads=True)
    opened = context.new_page()
    faults = Faults(frozenset({400}))  # rows that are refused on purpose
    faults.watch(opened)
    sign_in(opened, office.url, "admin", ADMIN_PASSWORD)
    opened.get_by_role("heading", level=1).first.wait_for(state="attached")
    if "first-login" in opened.url:
        first_sign_in(opened)
    yield opened
    context.close()
    assert faults.found == []


def open_list(page: Page, office: Product, query: str = "") -> None:
    page.goto(f"{office.url}/ui/users/groups{query}")
    page.get_by_role("link", name="office-").first.wait_for()


def open_dialog(page: Page, entry: str) -> Locator:
    page.get_by_role("button", name="Import and export").click()
    page.get_by_role("menuitem", name=entry).click()
    dialog = page.get_by_role("dialog", name=f"{entry} user groups")
    dialog.wait_for()
    return dialog


def rows_of(download: Download) -> list[dict[str, str]]:
    """Return the rows of the csv file by title."""
    text = Path(download.path()).read_text(encoding="utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def export(page: Page, dialog: Locator) -> list[dict[str, str]]:
    with page.expect_download() as coming:
        dialog.get_by_role("button", name="Export", exact=True).click()
    dialog.wait_for(state="detached")
    assert coming.value.suggested_filename.endswith(".csv")
    return rows_of(coming.value)


def names(rows: list[dict[str, str]]) -> list[str]:
    return [row["*Name"] for row in rows]


def groups(office: Product, prefix: str) -> dict[str, dict[str, Any]]:
    answer = office.api().get(f"{GROUPS}?search={prefix}")
    return {group["name"]: group for group in answer if group["name"].startswith(prefix)}


def choose_file(page: Page, name: str, text: str) -> None:
    page.locator("input[type=file]").set_input_files(
        {"name": name, "mimeType": "text/csv", "buffer": text.encode("utf-8-sig")}
    )


def csv_text(*rows: tuple[str, ...]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue()


class Held:
    """Inside the block, rows that the page sends after the first `pass_on` are held. At its end they are released."""

    def __init__(self, page: Page, pass_on: int = 0) -> None:
        self._page = page
        self._pass_on = pass_on
        self._seen = 0
        self.routes: list[Route] = []

    def __enter__(self) -> Self:
        self._page.route(f"**{GROUPS}", self._take)
        return self

    def __exit__(self, *_: object) -> None:
        self._pass_on = sys.maxsize
        for route in self.routes:
            route.continue_()
        self._page.unroute(f"**{GROUPS}", self._take)

    def _take(self, route: Route) -> None:
        self._seen += route.request.method == "POST"
        if route.request.method == "POST" and self._seen > self._pass_on:
            self.routes.append(route)
        else:
            route.continue_()

    def until(self, count: int) -> None:
        """Wait until this many rows are held."""
        wait_until(lambda: self._page.evaluate("1") and len(self.routes) >= count, message=f"{count} rows on their way")


def findings_in_both_themes(page: Page) -> list[str]:
    violations = axe_findings(page)
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme)
        expect(page.locator("html")).to_have_attribute("data-theme", theme)
        violations += axe_findings(page) if theme == "dark" else []
    return violations


def change_cell(dialog: Locator, cell: str, text: str) -> None:
    dialog.get_by_role("button", name=cell).click()
    dialog.page.keyboard.press("Control+A")
    dialog.page.keyboard.type(text)
    dialog.page.keyboard.press("Enter")


def test_export_of_all_filtered_and_selected_rows(page: Page, office: Product) -> None:
    open_list(page, office)
    dialog = open_dialog(page, "Export")
    expect(dialog.get_by_role("radio", name=re.compile("^All"))).to_be_checked()
    expect(dialog.get_by_role("radio", name=re.compile("^Selected"))).to_be_disabled()
    expect(dialog.get_by_role("radio", name=re.compile("^Filtered"))).to_be_disabled()
    assert findings_in_both_themes(page) == []
    everything = export(page, dialog)
    assert {f"office-{number:02}" for number in range(1, 21)} <= set(names(everything))
    hostile = next(row for row in everything if row["*Name"] == "office-01")
    assert hostile["Comment"] == "'" + FORMULA

    open_list(page, office, "?search=office-1&order=-name")
    dialog = open_dialog(page, "Export")
    expect(dialog.get_by_role("radio", name=re.compile("^All"))).to_be_disabled()
    expect(dialog.get_by_role("radio", name=re.compile("^Filtered"))).to_be_checked()
    assert names(export(page, dialog)) == [f"office-{number}" for number in range(19, 9, -1)]

    open_list(page, office, "?order=name")
    page.get_by_role("checkbox", name="Select office-03").check()
    page.get_by_role("button", name="Next page").click()
    page.get_by_role("checkbox", name="Select office-20").check()
    dialog = open_dialog(page, "Export")
    expect(dialog.get_by_role("radio", name=re.compile("^Selected"))).to_be_checked()
    assert sorted(names(export(page, dialog))) == ["office-03", "office-20"]


def test_import_of_thirty_rows_with_two_corrected(page: Page, office: Product) -> None:
    open_list(page, office)
    dialog = open_dialog(page, "Import")
    with page.expect_download() as coming:
        dialog.get_by_role("button", name="csv", exact=True).click()
    [sample] = rows_of(coming.value)
    assert "Id" not in sample

    choose_file(page, "groups.txt", "x")
    expect(dialog.get_by_text("groups.txt is neither .csv nor .xlsx")).to_be_visible()
    choose_file(page, "groups.csv", "Colour\nred\n")
    expect(dialog.get_by_text("The file has no known column")).to_be_visible()
    assert findings_in_both_themes(page) == []

    lines = [(f"branch-{number:02}", f"floor {number}") for number in range(1, 31)]
    lines[6] = ("office-01", "its name is taken")
    lines[22] = ("b" * 200, "its name is too long")
    lines[1] = ("branch-02", FORMULA)
    lines[2] = ("branch-03", SCRIPT)
    choose_file(
        page,
        "groups.csv",
        csv_text(("*Name", "Comment", "Colour"), *((*line, "red") for line in lines)),
    )
    expect(dialog.get_by_text("left out: Colour")).to_be_visible()
    expect(dialog.get_by_role("button", name="Cannot be imported 2")).to_have_attribute("aria-pressed", "true")
    assert groups(office, "branch-") == {}, "a check wrote rows"
    dialog.get_by_role("button", name="All 30").click()
    expect(dialog.get_by_role("button", name=f"Comment, row 2: {FORMULA}")).to_have_text(FORMULA)
    expect(dialog.get_by_role("button", name=f"Comment, row 3: {SCRIPT}")).to_have_text(SCRIPT)
    expect(dialog.get_by_role("row")).to_have_count(11)
    assert findings_in_both_themes(page) == []

    with Held(page) as held:
        dialog.get_by_role("button", name="Import 28, leave out 2").click()
        held.until(1)
        expect(dialog.get_by_role("button", name="Stop")).to_be_visible()
    expect(page.get_by_text("2 rows failed to import")).to_be_visible(timeout=RUN_MS)
    expect(dialog.get_by_role("button", name="Failed and in progress 2")).to_have_attribute("aria-pressed", "true")
    expect(dialog.get_by_role("row")).to_have_count(3)
    dialog.get_by_role("button", name="Why row 7 failed").click()
    reasons = page.get_by_role("dialog", name="Why row 7 failed")
    assert reasons.get_by_role("listitem").first.inner_text().startswith("Name: ")
    assert findings_in_both_themes(page) == []
    page.keyboard.press("Escape")
    assert len(groups(office, "branch-")) == 28

    with page.expect_download() as coming:
        dialog.get_by_role("button", name="Download failed rows").click()
    assert names(rows_of(coming.value)) == ["office-01", "b" * 200]

    change_cell(dialog, "Name, row 7: office-01 (failed)", "branch-07")
    change_cell(dialog, "Name, row 23:", "branch-23")
    dialog.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("30 rows imported")).to_be_visible(timeout=RUN_MS)
    dialog.get_by_role("button", name="Finished").click()
    dialog.wait_for(state="detached")
    made = groups(office, "branch-")
    assert sorted(made) == [f"branch-{number:02}" for number in range(1, 31)]
    assert made["branch-02"]["comment"] == FORMULA
    assert made["branch-03"]["comment"] == SCRIPT


def test_check_says_what_an_import_would_do_before_anything_is_written(page: Page, office: Product) -> None:
    api = office.api()
    before = groups(office, "")
    records = api.get("/api/v1/audits/operate-logs/?limit=3")
    open_list(page, office, "?search=office")
    dialog = open_dialog(page, "Import")
    lines = [(f"check-{number:02}", f"floor {number}", "admin") for number in range(1, 13)]
    lines[2] = ("office-03", "another floor", "admin")
    lines[4] = ("check-05", "its user does not exist", "adminn")
    lines[6] = ("check-01", "the name of row 1", "admin")
    lines[8] = ("c" * 200, "its name is too long", "admin")
    choose_file(page, "check.csv", csv_text(("*Name", "Comment", "users"), *lines))
    expect(dialog.get_by_role("button", name="Cannot be imported 4")).to_have_attribute("aria-pressed", "true")
    expect(dialog.get_by_role("row", name=re.compile("^7 "))).to_contain_text("Name: row 1 has the same value")
    expect(dialog.get_by_role("row", name=re.compile("^5 ")).get_by_role("button", name="Use admin")).to_be_visible()
    photograph(page, "check-wrong")
    assert findings_in_both_themes(page) == []
    with page.expect_download() as coming:
        dialog.get_by_role("button", name="Download wrong rows").click()
    assert names(rows_of(coming.value)) == ["office-03", "check-05", "check-01", "c" * 200]

    dialog.get_by_role("button", name="Accept 2 corrections").click()
    expect(dialog.get_by_role("row", name=re.compile("^3 "))).to_contain_text("Will change: Comment, users")
    # Enter takes the text and goes to the next wrong cell.
    dialog.get_by_role("button", name="Name, row 7: check-01 (failed)").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Control+A")
    page.keyboard.type("check-07")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("button", name=re.compile(r"^Name, row 9: c+ \(failed\)"))).to_be_focused()
    expect(dialog.get_by_role("row", name=re.compile("^7 "))).to_contain_text("Will be created")
    dialog.get_by_role("button", name="Compare").click()
    comparison = page.get_by_role("dialog", name="2 values change")
    expect(comparison.get_by_role("row", name="3 Comment room 3 another floor")).to_be_visible()
    photograph(page, "check-compare")
    assert findings_in_both_themes(page) == []
    comparison.get_by_role("button", name="Close").last.click()
    assert groups(office, "") == before, "a check wrote rows"
    # With the newest records, so that a failure says which one came.
    assert api.get("/api/v1/audits/operate-logs/?limit=3") == records, "a check left records"

    page.set_viewport_size({"width": 320, "height": 720})
    expect(dialog.get_by_role("button", name="Cannot be imported 1")).to_be_visible()
    expect_to_fit(page)
    photograph(page, "check-narrow")
    assert findings_in_both_themes(page) == []
    page.set_viewport_size({"width": 1280, "height": 800})
    dialog.get_by_role("button", name="Import 11, leave out 1").click()
    expect(page.get_by_text("1 row failed to import")).to_be_visible(timeout=RUN_MS)
    after = groups(office, "")
    assert after.keys() - before.keys() == {f"check-{number:02}" for number in (1, 2, 4, 5, 6, 7, 8, 10, 11, 12)}
    assert (after["office-03"]["id"], after["office-03"]["comment"]) == (before["office-03"]["id"], "another floor")
    for name in after.keys() - before.keys():
        api.delete(f"{GROUPS}{after[name]['id']}/")


def test_wrong_rows_of_a_workbook_are_downloaded_as_a_workbook_that_can_be_imported(
    page: Page, office: Product, tmp_path: Path
) -> None:
    rows = [("*Name", "Comment"), ("office-03", FORMULA), ("office-04", "'quoted\n<b>&"), ("fine-1", "x")]
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for cell in book.active["B"]:
        cell.data_type = "s"
    book.save(tmp_path / "groups.xlsx")
    open_list(page, office, "?search=office")
    dialog = open_dialog(page, "Import")
    page.locator("input[type=file]").set_input_files(tmp_path / "groups.xlsx")
    for _again in range(2):
        expect(dialog.get_by_role("button", name="Cannot be imported 2")).to_be_visible()
        with page.expect_download() as coming:
            dialog.get_by_role("button", name="Download wrong rows").click()
        coming.value.save_as(tmp_path / "wrong.xlsx")
        sheet = openpyxl.load_workbook(tmp_path / "wrong.xlsx").active
        assert [row[0] for row in sheet.iter_rows(values_only=True)] == ["*Name", "office-03", "office-04"]
        assert all(cell.data_type != "f" for row in sheet.iter_rows() for cell in row)
        # The product's own reader reads every text back unchanged.
        dialog.get_by_role("button", name="Another file").click()
        page.locator("input[type=file]").set_input_files(tmp_path / "wrong.xlsx")
        expect(dialog.get_by_role("button", name=f"Comment, row 1: {FORMULA}")).to_have_text(FORMULA)
        expect(dialog.get_by_role("button", name="Comment, row 2: 'quoted")).to_have_text("'quoted\n<b>&")


def test_check_in_chinese_leaves_no_rows_behind_when_the_wizard_is_closed(page: Page, office: Product) -> None:
    page.context.add_cookies([{"name": "django_language", "value": "zh-hans", "url": office.url}])
    open_list(page, office, "?search=office")
    page.get_by_role("button", name="导入导出").click()
    page.get_by_role("menuitem", name="导入").click()
    dialog = page.get_by_role("dialog")
    choose_file(page, "groups.csv", csv_text(("*名称", "users"), ("中文-1", "adminn"), ("office-03", "admin")))
    expect(dialog.get_by_role("button", name="无法导入 2")).to_be_visible()
    expect(dialog.get_by_role("button", name="改为 admin")).to_be_visible()
    photograph(page, "check-zh")
    assert findings_in_both_themes(page) == []
    with page.expect_download() as coming:
        dialog.get_by_role("button", name="下载有误的行").click()
    assert list(rows_of(coming.value)[0]) == ["*名称", "users"]
    dialog.get_by_role("button", name="采纳 2 处改法").click()
    expect(dialog.get_by_role("button", name="导入", exact=True)).to_be_enabled()
    dialog.get_by_role("button", name="关闭").last.click()
    dialog.wait_for(state="detached")
    assert "中文-1" not in groups(office, "")


def test_update_by_the_file_of_selected_rows(page: Page, office: Product) -> None:
    open_list(page, office, "?search=office-0&order=name")
    before = groups(office, "office-0")
    for name in ("office-01", "office-05"):
        page.get_by_role("checkbox", name=f"Select {name}").check()
    dialog = open_dialog(page, "Import")
    dialog.get_by_role("radio", name="Update existing objects").check()
    with page.expect_download() as coming:
        dialog.get_by_role("button", name="csv", exact=True).click()
    rows = rows_of(coming.value)
    assert sorted(names(rows)) == ["office-01", "office-05"]
    rows[0]["Comment"] = f"moved to {rows[0]['*Name']}"
    titles = tuple(rows[0])
    choose_file(
        page,
        "update.csv",
        csv_text(titles, *(tuple(row[title] for title in titles) for row in rows)),
    )
    dialog.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("2 rows imported")).to_be_visible(timeout=RUN_MS)
    dialog.get_by_role("button", name="Finished").click()
    after = groups(office, "office-0")
    changed = rows[0]["*Name"]
    assert after[changed]["comment"] == f"moved to {changed}"
    for name, group in before.items():
        assert after[name]["id"] == group["id"]
        if name != changed:
            assert after[name]["comment"] == group["comment"]


def test_server_lost_during_an_import(page: Page, office: Product) -> None:
    open_list(page, office, "?search=office")
    dialog = open_dialog(page, "Import")
    choose_file(
        page,
        "groups.csv",
        csv_text(("*Name",), *((f"offline-{number:02}",) for number in range(1, 13))),
    )
    with Held(page, pass_on=3) as held:
        dialog.get_by_role("button", name="Import", exact=True).click()
        held.until(1)
        # This row reaches the server, but its answer is lost.
        assert held.routes[0].fetch().status == 201
        page.context.set_offline(True)
        held.routes.pop(0).abort("internetdisconnected")
    expect(dialog.get_by_role("alert").filter(has_text="The import stopped")).to_be_visible()
    expect(dialog.get_by_role("button", name="Continue")).to_be_visible()
    page.context.set_offline(False)
    dialog.get_by_role("button", name="Continue").click()
    # The row whose answer was lost is now refused as a duplicate. No row is missing and none exists twice.
    everyone = [f"offline-{number:02}" for number in range(1, 13)]
    wait_until(lambda: sorted(groups(office, "offline-")) == everyone, every_s=0.5, message="twelve rows")
    button = dialog.get_by_role("button", name="Finished").or_(dialog.get_by_role("button", name="Continue"))
    expect(button).to_be_visible(timeout=RUN_MS)
    assert sorted(groups(office, "offline-")) == everyone


def test_bulk_update_of_selected_users(page: Page, office: Product) -> None:
    api = office.api()
    for number in (1, 2, 3):
        api.post(
            "/api/v1/users/users/",
            {
                "name": f"Guard {number}",
                "username": f"guard{number}",
                "email": f"guard{number}@example.invalid",
                "password_strategy": "custom",
                "password": f"quiet-Watch-at-gate-{number}",
                "comment": "day",
            },
        )
    page.goto(f"{office.url}/ui/users/users?search=guard")
    for number in (1, 3):
        page.get_by_role("checkbox", name=f"Select Guard {number}").check()
    bar = page.get_by_role("region", name="Actions for the selection")
    bar.get_by_role("button", name="Update", exact=True).click()
    dialog = page.get_by_role("dialog", name="Update 2 users")
    dialog.get_by_role("checkbox", name="Change Comment").check()
    dialog.get_by_role("textbox", name="Comment").fill("night")
    assert findings_in_both_themes(page) == []
    with page.expect_request(lambda request: request.method == "PATCH") as coming:
        dialog.get_by_role("button", name="Update 2").click()
        page.get_by_role("alertdialog", name="Update 2 users?").get_by_role("button", name="Update 2").click()
    sent = coming.value.post_data_json
    assert [sorted(item) for item in sent] == [["comment", "id"], ["comment", "id"]]
    expect(page.get_by_text("2 users updated")).to_be_visible()
    people = {person["username"]: person["comment"] for person in api.get("/api/v1/users/users/?search=guard")}
    assert people == {"guard1": "night", "guard2": "day", "guard3": "night"}
