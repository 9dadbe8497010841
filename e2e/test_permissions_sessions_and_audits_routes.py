"""Every built route of permissions, sessions, terminals and audits, who may open it, and the own assets of a user."""

import os
import re
import subprocess
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from accessibility import axe_findings
from admin_console import pick
from browser import Faults, admit, photograph, window
from playwright.sync_api import Browser, Page, expect
from product import ADMIN_PASSWORD, wait_until
from test_ssh_story import Terminal
from world import AUDITOR_PASSWORD, ZHANG_PASSWORD, World


def tab_of(browser: Browser, world: World, name: str, password: str) -> Iterator[Page]:
    """A tab of this person. The test fails on any page error."""
    context = window(browser, locale="en-GB")
    page, faults = context.new_page(), Faults()
    faults.watch(page)
    admit(page, world.product.url, name, password)
    yield page
    context.close()
    assert faults.found == []


@pytest.fixture(scope="module")
def admin(browser: Browser, world: World) -> Iterator[Page]:
    yield from tab_of(browser, world, "admin", ADMIN_PASSWORD)


@pytest.fixture(scope="module")
def auditor(browser: Browser, world: World) -> Iterator[Page]:
    yield from tab_of(browser, world, "auditor", AUDITOR_PASSWORD)


@pytest.fixture(scope="module")
def zhang(browser: Browser, world: World) -> Iterator[Page]:
    yield from tab_of(browser, world, "zhang", ZHANG_PASSWORD)


@pytest.fixture(scope="module")
def named(world: World) -> dict[str, str]:
    """Ids for the braces in the addresses below. There is one ended session."""
    mark = f"routes {uuid.uuid4().hex[:6]}"
    subprocess.run(world.ssh(f"echo {mark}"), check=True, capture_output=True, timeout=120)
    (session,) = wait_until(lambda: world.sessions(is_finished="1", search="zhang")[:1], message="the ended session")
    (terminal,) = world.admin.get("/api/v1/terminal/terminals/")
    # The newest change in the log, whatever other tests of this product have changed since.
    world.admin.patch(f"/api/v1/perms/asset-permissions/{world.permission_id}/", {"comment": mark})
    return {"permission": world.permission_id, "session": str(session["id"]), "terminal": terminal["id"]}


def route(path: str, heading: str, shows: str, *ids: str) -> Any:
    return pytest.param(path, heading, shows, marks=pytest.mark.spec(*ids), id=path)


@pytest.mark.parametrize(
    ("path", "heading", "shows"),
    [
        route("/perms/asset-permissions", "Asset permissions", "zhang on web-1", "S2-070", "S1-025"),
        route("/perms/asset-permissions/create", "Create asset permission", "", "S2-071"),
        route("/perms/asset-permissions/{permission}/update", "Update asset permission", "", "S2-072"),
        route("/perms/asset-permissions/{permission}", "zhang on web-1", "web-1", "S2-073"),
        route("/terminal/session?activeTab=offline", "Sessions", "web-1", "S2-097", "S2-178"),
        route("/terminal/command", "Commands", "echo routes", "S2-098"),
        route("/terminal/sessions/{session}", ".*", "zhang", "S2-099", "S2-179", "S1-026"),
        route("/terminal/terminal", "Terminals", "127.0.0.1", "S2-102", "S2-180"),
        route("/terminal/terminal/{terminal}", ".*", "Fingerprint", "S2-103"),
        route("/terminal/terminal/{terminal}/update", "Update terminal", "", "S2-104"),
        route("/audits/login-log", "Login log", "zhang", "S2-130", "S1-028"),
        route("/audits/ftp-log", "File transfers", "Filename|File name", "S2-131"),
        route("/audits/operate-log", "Operation log", "zhang on web-1", "S2-132"),
        route("/audits/password-change-log", "Password changes", "Change by|Changed by|Modified by", "S2-133"),
    ],
)
def test_route_opens_its_screen(
    world: World, named: dict[str, str], admin: Page, path: str, heading: str, shows: str
) -> None:
    admin.goto(f"{world.product.url}/ui{path.format(**named)}")
    expect(admin.get_by_role("heading", level=1)).to_have_text(re.compile(f"^{heading}"))
    main = admin.get_by_role("main")
    if path.endswith(("create", "update")):
        expect(main.get_by_role("form").get_by_role("textbox").first).to_be_visible()
    else:
        expect(main.get_by_text(re.compile(shows)).first).to_be_visible()
    expect(main.get_by_role("button", name="Retry")).to_have_count(0)


@pytest.mark.spec("S6-064")
def test_clipboard_is_named_for_rdp_and_vnc_and_not_granted_with_ssh(
    world: World, named: dict[str, str], admin: Page
) -> None:
    place = f"{world.product.url}/ui/perms/asset-permissions/{named['permission']}"
    admin.goto(f"{place}/update")
    actions = admin.get_by_role("group", name="Allow")
    expect(actions.get_by_role("checkbox", name="Copy")).to_be_checked()
    expect(actions).to_have_accessible_description(re.compile("^Copy and paste exist with RDP and VNC only"))
    admin.goto(place)
    for field, option in (("User", "zhang"), ("Asset", "web-1"), ("System user", "deploy")):
        pick(admin, field, option)
    answer = admin.get_by_role("status").filter(has_text="Access is allowed").locator("..")
    expect(answer.get_by_text("Upload", exact=True)).to_be_visible()
    for action in ("Copy", "Paste"):
        expect(answer.get_by_text(action, exact=True)).to_have_count(0)


AUDITS = ("login-log", "ftp-log", "operate-log", "password-change-log", "command-execution-log", "events")


@pytest.mark.spec("S2-129", "S2-096")
def test_audits_and_sessions_are_open_to_auditors_and_closed_to_users(
    world: World, named: dict[str, str], auditor: Page, zhang: Page
) -> None:
    paths = [*(f"/audits/{name}" for name in AUDITS), "/terminal/session", f"/terminal/sessions/{named['session']}"]
    for path in paths:
        auditor.goto(f"{world.product.url}/ui{path}")
        title = auditor.get_by_role("heading", level=1)
        expect(title).to_be_visible()
        expect(title).not_to_have_text(re.compile("^You cannot open"))
        zhang.goto(f"{world.product.url}/ui{path}")
        expect(zhang.get_by_role("heading", level=1)).to_have_text(re.compile("^You cannot open"))
    colleague, reader = world.zhang(), world.auditor()
    for path in ("audits/login-logs/", "audits/ftp-logs/", "audits/operate-logs/", "audits/events/"):
        assert colleague.call("GET", f"/api/v1/{path}").status == 403
        assert reader.call("GET", f"/api/v1/{path}?limit=1").status == 200


@pytest.mark.spec("S2-135", "S2-136", "S2-137", "S2-173", "S6-028")
def test_root_is_the_dashboard_for_administrators_and_auditors_and_it_is_closed_to_users(
    world: World, named: dict[str, str], admin: Page, auditor: Page, zhang: Page
) -> None:
    figures = world.admin.get("/api/v1/index/?total_count=1")
    # An administrator begins with the first steps, until they are closed.
    admin.goto(f"{world.product.url}/ui/start")
    admin.get_by_role("button", name="Close this list").click()
    for tab in (admin, auditor):
        tab.goto(f"{world.product.url}/ui/")
        tab.wait_for_url("**/ui/dashboard")
        expect(tab.get_by_role("heading", level=1)).to_have_text("Dashboard")
        main = tab.get_by_role("main")
        expect(main.get_by_role("img", name=re.compile("^Sessions, used assets"))).to_be_visible()
        expect(main.get_by_role("link", name=re.compile("zhang")).first).to_be_visible()
        expect(main.get_by_role("button", name="Retry")).to_have_count(0)
    admin.get_by_role("link", name=str(figures["total_count_assets"]), exact=True).last.click()
    admin.wait_for_url("**/ui/assets/assets*")
    # The console sends a user to their own pages, and the API refuses.
    zhang.goto(f"{world.product.url}/ui/dashboard")
    expect(zhang.get_by_role("heading", level=1)).to_have_text(re.compile("^You cannot open"))
    assert world.zhang().call("GET", "/api/v1/index/?total_count=1").status == 403


@pytest.mark.spec("S2-105", "S6-021")
def test_terminals_are_open_to_super_administrators_only(
    world: World, named: dict[str, str], auditor: Page, zhang: Page
) -> None:
    for path in ("", f"/{named['terminal']}", f"/{named['terminal']}/update"):
        for tab in (auditor, zhang):
            tab.goto(f"{world.product.url}/ui/terminal/terminal{path}")
            expect(tab.get_by_role("heading", level=1)).to_have_text(re.compile("^You cannot open"))
    for caller in (world.zhang(), world.auditor()):
        assert caller.call("GET", "/api/v1/terminal/terminals/").status == 403


@pytest.mark.spec("S2-142")
def test_root_of_the_user_page_is_the_own_assets(world: World, zhang: Page) -> None:
    zhang.goto(f"{world.product.url}/ui/")
    expect(zhang.get_by_role("heading", level=1)).to_have_text("My assets")
    expect(zhang.get_by_role("main").get_by_text("web-1").first).to_be_visible()


@pytest.mark.spec("S2-100", "S2-101", "S2-149", "S2-150")
def test_menus_of_both_pages_open_web_terminal_and_file_manager_in_tabs_of_their_own(
    world: World, admin: Page, zhang: Page
) -> None:
    for tab, start in ((admin, "/terminal/session"), (zhang, "/my-assets")):
        tab.goto(f"{world.product.url}/ui{start}")
        menu = tab.get_by_role("navigation", name="Main menu")
        for name, address in (("Web terminal", "/ui/connect"), ("File manager", "/ui/files/")):
            with tab.context.expect_page() as opened:
                menu.get_by_role("link", name=name).click()
            page = opened.value
            page.wait_for_url(f"{world.product.url}{address}")
            panel = page.get_by_role("navigation", name="My assets")
            # Nothing is granted to the administrator, so their panel says what to do.
            panel.get_by_role("treeitem").or_(panel.get_by_role("link", name="Create permission")).first.wait_for()
            page.close()
        assert tab.url == f"{world.product.url}/ui{start}"


@pytest.mark.spec("S2-177", "S4-042")
def test_online_sessions_show_the_end_of_a_terminated_session_without_a_reload(world: World, admin: Page) -> None:
    shell = Terminal(world.ssh(options=("-tt",)))
    shell.shows("$" if os.geteuid() else "#")
    admin.goto(f"{world.product.url}/ui/terminal/session")
    admin.evaluate("window.isTheSamePage = true")
    expect(admin.get_by_role("tab", name="Online")).to_have_attribute("aria-selected", "true")
    row = admin.get_by_role("row").filter(has_text="张伟(zhang)")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("web-1")
    row.get_by_role("button", name="Actions of").click()
    admin.get_by_role("menuitem", name="Terminate").click()
    question = admin.get_by_role("alertdialog")
    expect(question).to_contain_text("张伟(zhang) → web-1")
    question.get_by_role("button", name="Terminate 1 session").click()
    expect(admin.get_by_text("1 session is being terminated")).to_be_visible()
    expect(row).to_have_count(0, timeout=15_000)
    admin.get_by_role("tab", name="Offline").click()
    expect(admin.get_by_role("row").filter(has_text="Terminated by an administrator").first).to_contain_text("zhang")
    assert admin.evaluate("window.isTheSamePage")
    shell.ends()


def test_an_administrator_puts_a_session_on_hold_and_sees_what_would_be_deleted(
    admin: Page, world: World, named: dict[str, str]
) -> None:
    admin.goto(f"{world.product.url}/ui/terminal/sessions/{named['session']}")
    admin.get_by_role("tab", name="Details").click()
    admin.get_by_role("button", name="Put on hold").click()
    dialog = admin.get_by_role("dialog", name=re.compile("on hold"))
    dialog.get_by_role("textbox", name=re.compile("Reason")).fill("matter 7")
    dialog.get_by_role("button", name="Put on hold").click()
    expect(dialog).to_have_count(0)
    expect(admin.get_by_text("On hold", exact=True).first).to_be_visible()
    expect(admin.get_by_text("matter 7")).to_be_visible()
    photograph(admin, "session-on-hold")
    assert axe_findings(admin) == []
    held = world.admin.get("/api/v1/terminal/sessions/?is_on_hold=1")
    assert [session["id"] for session in held] == [named["session"]]

    admin.get_by_role("button", name="Remove hold").click()
    dialog = admin.get_by_role("dialog", name=re.compile("Remove the hold"))
    dialog.get_by_role("textbox", name=re.compile("Reason")).fill("closed")
    dialog.get_by_role("button", name="Remove hold").click()
    expect(dialog).to_have_count(0)
    expect(admin.get_by_text("Not on hold. The rules of retention say when the session is deleted.")).to_be_visible()
    assert world.admin.get("/api/v1/terminal/holds/") == []

    admin.goto(f"{world.product.url}/ui/terminal/session?activeTab=retention")
    expect(admin.get_by_role("heading", name="What would be deleted now")).to_be_visible()
    expect(admin.get_by_text("Nothing is due.")).to_be_visible()
    photograph(admin, "retention")
    assert axe_findings(admin) == []
