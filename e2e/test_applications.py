"""Remote apps, databases and Kubernetes clusters, their permissions, and what a user sees of them, with a licence."""

import re
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from accessibility import axe_findings, moved, settled
from admin_console import listed, pick, row_of, save, text
from browser import expect_to_fit, photograph
from company import Company, go, signed_in
from playwright.sync_api import Browser, Page, expect
from product import ADMIN_PASSWORD
from route_screens import route, shows_screen
from world import ZHANG_PASSWORD

SECRET = "copper-Lantern-fence-93"


@pytest.fixture(scope="module")
def page(browser: Browser, company: Company) -> Iterator[Page]:
    """The administrator, in one window for all tests. It fails on any page error."""
    yield from signed_in(browser, company, "admin", ADMIN_PASSWORD)


@pytest.fixture(scope="module")
def objects(company: Company) -> dict[str, str]:
    """One object of each kind. Their ids replace the braces in the addresses below."""
    api, mark = company.admin, uuid.uuid4().hex[:6]

    def application(category: str, kind: str, attrs: dict[str, Any]) -> str:
        body = {"name": f"{kind}-{mark}", "category": category, "type": kind, "attrs": attrs}
        return str(api.post(f"/api/v1/applications/applications/?type={kind}", body)["id"])

    def account(protocol: str, **more: str) -> str:
        body = {"name": f"{protocol}-{mark}", "username": "app", "protocol": protocol, **more}
        return str(api.post("/api/v1/assets/system-users/", body)["id"])

    host = {"hostname": f"win-{mark}", "ip": "192.0.2.20", "platform": "Windows", "protocols": ["rdp/3389"]}
    asset = str(api.post("/api/v1/assets/assets/", host)["id"])
    made = {
        "mark": mark,
        "asset": asset,
        "db": application("db", "mysql", {"host": "192.0.2.30", "port": 3306, "database": "orders"}),
        "remote_app": application("remote_app", "chrome", {"asset": asset}),
        "cloud": application("cloud", "k8s", {"cluster": "https://192.0.2.40:6443"}),
        "mysql": account("mysql", password=SECRET),
        "rdp": account("rdp", password=SECRET),
        "k8s": account("k8s", token=SECRET),
        "zhang": str(api.get("/api/v1/users/users/?username=zhang")[0]["id"]),
    }
    grant = {
        "name": f"grant-{mark}",
        "category": "db",
        "type": "mysql",
        "users": [made["zhang"]],
        "applications": [made["db"]],
        "system_users": [made["mysql"]],
    }
    return {**made, "permission": api.post("/api/v1/perms/application-permissions/", grant)["id"]}


@pytest.mark.parametrize(
    ("path", "heading"),
    [
        route("/applications/remote-apps", "Remote apps", "S2-058", "S1-015"),
        route("/applications/remote-apps/create", "Create remote app", "S2-059"),
        route("/applications/remote-apps/{remote_app}/update", "Update remote app", "S2-060"),
        route("/applications/remote-apps/{remote_app}", "chrome-", "S2-061"),
        route("/applications/databases", "Databases", "S2-062", "S1-014"),
        route("/applications/databases/create", "Create database", "S2-063"),
        route("/applications/databases/{db}/update", "Update database", "S2-064"),
        route("/applications/databases/{db}", "mysql-", "S2-065"),
        route("/applications/kubernetes", "Kubernetes", "S2-066", "S1-016"),
        route("/applications/kubernetes/create", "Create Kubernetes cluster", "S2-067"),
        route("/applications/kubernetes/{cloud}/update", "Update Kubernetes cluster", "S2-068"),
        route("/applications/kubernetes/{cloud}", "k8s-", "S2-069"),
        route("/perms/app-permissions", "Application permissions", "S2-074"),
        route("/perms/app-permissions/create", "Create application permission", "S2-075"),
        route("/perms/app-permissions/{permission}", "grant-", "S2-076"),
        route("/perms/app-permissions/{permission}/update", "Update application permission", "S2-077"),
    ],
)
def test_route_opens_its_screen(company: Company, objects: dict[str, str], page: Page, path: str, heading: str) -> None:
    go(page, company, path.format(**objects))
    if not path.endswith(("create", "update")):
        place = page.get_by_role("main").get_by_text(objects["mark"]) if "{" in path else row_of(page, objects["mark"])
        expect(place.first).to_be_visible()
    shows_screen(page, path, heading)
    photograph(page, path.strip("/").replace("/", "-").replace("{", "").replace("}", ""))
    assert axe_findings(page) == []


def create(page: Page, company: Company, path: str, button: str, kind: str) -> None:
    go(page, company, path)
    page.get_by_role("main").get_by_role("button", name=button).first.click()
    page.get_by_role("menuitem", name=kind, exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(button)


def test_an_administrator_makes_a_database_and_grants_it(company: Company, objects: dict[str, str], page: Page) -> None:
    name = f"payroll-{objects['mark']}"
    create(page, company, "/applications/databases", "Create database", "PostgreSQL")
    text(page, "Name").fill(name)
    save(page)  # the address is missing
    expect(page.get_by_role("heading", level=1)).to_have_text("Create database")
    expect(page.get_by_role("spinbutton", name="Port")).to_have_value("5432")
    text(page, "Host").fill("192.0.2.50")
    text(page, "Database").fill("payroll")
    photograph(page, "database-form")
    save(page)
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    expect(page.get_by_role("main").get_by_text("192.0.2.50")).to_be_visible()
    page.get_by_role("tab", name="Who has access").click()
    expect(page.get_by_role("main").get_by_text("nobody may use it")).to_be_visible()
    photograph(page, "database-without-permission")
    go(page, company, "/applications/databases")
    expect(row_of(page, name)).to_contain_text("192.0.2.50")
    expect(row_of(page, name)).to_contain_text("5432")
    photograph(page, "databases")
    listed(page, name).click()
    page.get_by_role("tab", name="Who has access").click()

    # A system user for MySQL cannot be chosen, because it could not sign in.
    account = {"name": f"pg-{objects['mark']}", "username": "app", "protocol": "postgresql", "password": SECRET}
    company.admin.post("/api/v1/assets/system-users/", account)
    page.get_by_role("main").get_by_role("button", name="Create application permission").first.click()
    page.get_by_role("menuitem", name="PostgreSQL").click()
    text(page, "Name").fill(f"payroll for zhang {objects['mark']}")
    pick(page, "Users", "zhang")
    field = page.get_by_role("combobox", name="System users", exact=True)
    field.fill(f"mysql-{objects['mark']}")
    expect(page.get_by_role("option", name=re.compile("mysql-"))).to_have_count(0)
    page.keyboard.press("Escape")
    pick(page, "System users", account["name"])
    impact = page.get_by_role("main").locator("section", has_text="Impact")
    expect(impact.get_by_text("Gain: 1 person → 1 application")).to_be_visible()
    photograph(page, "permission-form")
    save(page)

    permission = f"payroll for zhang {objects['mark']}"
    listed(page, permission).first.click()
    sentence = page.get_by_role("region", name="The permission as a sentence")
    for words in ("张伟", name, account["name"]):
        expect(sentence.get_by_text(words)).to_be_visible()
    pick(page, "User", "zhang")
    pick(page, "Application", name)
    pick(page, "System user", account["name"])
    expect(page.get_by_role("status").get_by_text("Access is allowed")).to_be_visible()
    photograph(page, "permission-explained")
    pick(page, "User", "admin")
    expect(page.get_by_role("status").get_by_text("Access is denied")).to_be_visible()
    nearest = page.get_by_role("main").get_by_text("Nearest permission:").locator("..")
    expect(nearest.get_by_role("link", name=permission)).to_be_visible()
    page.get_by_role("tab", name="Applications and system users").click()
    expect(page.get_by_role("main").get_by_role("link", name=re.compile(name))).to_be_visible()
    photograph(page, "permission-targets")

    # The tree narrows the list: by type, then by one application.
    go(page, company, "/perms/app-permissions")
    tree = page.get_by_role("tree", name="Application tree")
    tree.get_by_role("treeitem", name=re.compile("^PostgreSQL")).click()
    expect(row_of(page, f"grant-{objects['mark']}")).to_have_count(0)
    expect(row_of(page, permission)).to_be_visible()
    assert "type=postgresql" in page.url
    row = row_of(page, permission)
    for words in ("张伟", name, account["name"]):
        expect(row.get_by_role("link", name=words)).to_be_visible()
    photograph(page, "permissions-of-a-type")
    row.get_by_role("link", name=name).click()
    page.get_by_role("tab", name="Access in the past").click()
    # The time is a minute ago, so what is made here is not in the past yet.
    answer = page.get_by_role("tabpanel").get_by_role(
        "heading", name=re.compile("^(Nothing is known|The application did not)")
    )
    expect(answer).to_be_visible()
    photograph(page, "past-of-an-application")
    page.get_by_role("tab", name="Basic").click()  # the tab is remembered for the next page


def test_stored_passwords_are_kept_unless_typed(company: Company, objects: dict[str, str], page: Page) -> None:
    name = f"browser-{objects['mark']}"
    create(page, company, "/applications/remote-apps", "Create remote app", "Chrome")
    text(page, "Name").fill(name)
    pick(page, "Asset", f"win-{objects['mark']}")
    expect(text(page, "Application path")).to_have_value(re.compile(r"chrome\.exe$"))
    page.get_by_label("Password", exact=True).fill(SECRET)
    photograph(page, "remote-app-form")
    save(page)
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    assert SECRET not in page.content()
    page.get_by_role("main").get_by_role("link", name="Update").click()
    expect(page.get_by_label("Password", exact=True)).to_have_value("")
    expect(page.get_by_role("main").get_by_text("Leave empty to keep it")).to_be_visible()
    text(page, "Target URL").fill("https://intranet.example.invalid")
    save(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Remote apps")
    listed(page, name).first.click()
    expect(page.get_by_role("main").get_by_text("https://intranet.example.invalid")).to_be_visible()


def test_an_account_gets_a_secret_of_its_own(company: Company, objects: dict[str, str], page: Page) -> None:
    go(page, company, f"/applications/databases/{objects['db']}?activeTab=accounts")
    row = row_of(page, f"mysql-{objects['mark']}")
    expect(row.get_by_text("That of the system user")).to_be_visible()
    photograph(page, "database-accounts")
    row.get_by_role("button", name="Set own secret").click()
    page.get_by_role("dialog").get_by_label("Password", exact=True).fill(SECRET)
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(row.get_by_text("Its own")).to_be_visible()


@pytest.mark.spec("S7-079", "S7-080")
def test_users_and_groups_show_the_applications_that_are_granted_to_them(
    company: Company, objects: dict[str, str], page: Page
) -> None:
    go(page, company, f"/users/users/{objects['zhang']}?activeTab=applications")
    row = row_of(page, f"mysql-{objects['mark']}").first
    with page.expect_request(re.compile(rf"/applications/{objects['db']}/system-users/")):
        row.get_by_role("button", name="Show").click()
    expect(row.get_by_text(f"mysql-{objects['mark']}").nth(1)).to_be_visible()
    photograph(page, "user-applications")
    page.get_by_role("tab", name="Application permissions").click()
    expect(row_of(page, f"grant-{objects['mark']}")).to_be_visible()
    photograph(page, "user-application-rules")


@pytest.mark.spec("S2-143", "S2-144", "S2-145")
def test_a_user_sees_the_own_applications_also_on_a_phone(
    company: Company, objects: dict[str, str], browser: Browser
) -> None:
    name = f"mysql-{objects['mark']}"
    for narrow in signed_in(browser, company, "zhang", ZHANG_PASSWORD, width=320):
        for path, heading, shown in (
            ("/apps/remoteapp", "My remote apps", "No permission lets you use a remote app yet"),
            ("/apps/database", "My databases", name),
            ("/apps/kubernetes", "My Kubernetes", "No permission lets you use a Kubernetes cluster yet"),
        ):
            go(narrow, company, path)
            expect(narrow.get_by_role("heading", level=1)).to_have_text(heading)
            expect(narrow.get_by_role("main").get_by_text(shown).first).to_be_visible()
            expect_to_fit(narrow)
            assert axe_findings(narrow) == []
            photograph(narrow, "narrow" + path.replace("/", "-"))
        narrow.set_viewport_size({"width": 1440, "height": 900})
        go(narrow, company, "/apps/database")
        expect(narrow.get_by_role("main").get_by_text("192.0.2.30:3306")).to_be_visible()
        expect(narrow.get_by_role("main").get_by_text("cannot be opened from the console yet")).to_be_visible()
        photograph(narrow, "wide-apps-database")


def test_the_screens_in_chinese_in_the_dark_and_on_a_phone(
    company: Company, objects: dict[str, str], page: Page
) -> None:
    page.emulate_media(color_scheme="dark")
    page.context.add_cookies([{"name": "django_language", "value": "zh-hans", "url": company.product.url}])
    paths = (
        "/applications/databases",
        "/applications/databases/{db}",
        "/applications/remote-apps/{remote_app}/update",
        "/perms/app-permissions",
        "/perms/app-permissions/{permission}",
        "/perms/app-permissions/{permission}/update",
    )
    wrong: list[str] = []
    try:
        settled(page, f"{company.product.url}/ui/")  # the document in the other language
        for width in (1440, 320):
            page.set_viewport_size({"width": width, "height": 900})
            for path in paths:
                moved(page, f"{company.product.url}/ui{path.format(**objects)}")
                wrong += [f"{path} at {width}: {one}" for one in axe_findings(page)]
                if page.evaluate("document.documentElement.scrollWidth") > width:
                    wrong.append(f"{path} is wider than {width} px")
                photograph(page, f"zh-{width}" + re.sub(r"[/{}]+", "-", path))
                expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    finally:
        page.context.add_cookies([{"name": "django_language", "value": "en", "url": company.product.url}])
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 1440, "height": 900})
    assert wrong == []
