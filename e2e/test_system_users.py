"""System users and admin users in Chromium: each protocol's form, updates with and without a new secret, bindings."""

import uuid
from collections.abc import Iterator
from typing import Any

import admin_console
import pytest
from admin_console import choose_rows, listed, more, pick, row_of, save, text
from browser import Faults, photograph
from playwright.sync_api import BrowserContext, Page, expect
from product import Product

# Pytest looks for fixtures among the names of the module.
signed_in, page = admin_console.signed_in, admin_console.page

LIST = "/ui/assets/system-users"
API = "/api/v1/assets/system-users/"
EVENTS = "/api/v1/audits/events/"


@pytest.fixture
def mark() -> str:
    return uuid.uuid4().hex[:6]


@pytest.fixture
def refused_page(signed_in: BrowserContext) -> Iterator[Page]:
    """As `page`, for a test in which the server refuses something."""
    tab = signed_in.new_page()
    faults = Faults(expected_statuses=frozenset({400}))
    faults.watch(tab)
    yield tab
    tab.close()
    assert faults.found == []


def stored(product: Product, name: str) -> dict[str, Any]:
    rows: list[dict[str, Any]] = product.api().get(f"{API}?name={name}")
    assert len(rows) == 1, rows
    return rows[0]


def create(page: Page, product: Product, protocol: str, name: str) -> None:
    """Open the form from the menu of the list, and type the name."""
    page.goto(f"{product.url}{LIST}")
    page.get_by_role("main").get_by_role("button", name="Create system user").click()
    page.get_by_role("menuitem", name=protocol, exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Create system user")
    text(page, "Name").fill(name)


@pytest.mark.spec("S2-039", "S2-040", "S1-020")
def test_ssh_system_user_with_a_generated_key_is_created(product: Product, page: Page, mark: str) -> None:
    name = f"ssh-{mark}"
    create(page, product, "SSH", name)
    text(page, "Username").fill(name)
    expect(text(page, "Home")).to_have_value(f"/home/{name}")
    page.get_by_role("switch", name="Auto generate key").check()
    expect(text(page, "Password")).to_have_count(0)
    save(page)
    expect(listed(page, name)).to_be_visible()
    made = stored(product, name)
    assert (made["ssh_key_fingerprint"][:7], made["home"], made["auto_push"]) == ("SHA256:", f"/home/{name}", True)


@pytest.mark.spec("S2-040")
def test_rdp_and_kubernetes_system_users_are_created(product: Product, page: Page, mark: str) -> None:
    create(page, product, "RDP", f"rdp-{mark}")
    text(page, "Username").fill("Administrator")
    text(page, "Password").fill("canary-rdp")
    text(page, "AD domain").fill("corp.example")
    save(page)
    expect(listed(page, f"rdp-{mark}")).to_be_visible()
    assert stored(product, f"rdp-{mark}")["ad_domain"] == "corp.example"
    create(page, product, "Kubernetes", f"k8s-{mark}")
    save(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Create system user")  # the token is missing
    text(page, "Token").fill("canary-token")
    save(page)
    expect(listed(page, f"k8s-{mark}")).to_be_visible()
    assert stored(product, f"k8s-{mark}")["protocol"] == "k8s"


@pytest.mark.spec("S2-175", "S1-021")
def test_admin_user_is_created_on_its_tab_and_chosen_for_an_asset(product: Product, page: Page, mark: str) -> None:
    name = f"admin-{mark}"
    page.goto(f"{product.url}{LIST}")
    page.get_by_role("tab", name="Admin users").click()
    page.get_by_role("main").get_by_role("link", name="Create admin user").first.click()
    text(page, "Name").fill(name)
    text(page, "Username").fill("root")
    text(page, "Password").fill("canary-admin")
    save(page)
    # Back on the tab, and not among the common ones.
    expect(page.get_by_role("tab", name="Admin users")).to_have_attribute("aria-selected", "true")
    expect(listed(page, name)).to_be_visible()
    page.get_by_role("tab", name="Common users").click()
    expect(page.get_by_role("main").get_by_role("table")).to_be_visible()
    expect(listed(page, name)).to_have_count(0)
    made = stored(product, name)
    assert (made["type"], made["protocol"], made["login_mode"], made["auto_push"]) == ("admin", "ssh", "auto", False)
    page.goto(f"{product.url}/ui/assets/assets/create")
    text(page, "Hostname").fill(f"host-{mark}")
    text(page, "IP").fill("192.0.2.7")
    pick(page, "Admin user", name)
    save(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"host-{mark}")
    assert product.api().get(f"/api/v1/assets/assets/?hostname=host-{mark}")[0]["admin_user"] == made["id"]


@pytest.mark.spec("S2-041")
def test_update_keeps_the_secret_unless_it_is_to_change(product: Product, page: Page, mark: str) -> None:
    name = f"update-{mark}"
    body = {"name": name, "username": "deploy", "protocol": "ssh", "auto_generate_key": True}
    made = product.api().post(API, body)
    fingerprint = made["ssh_key_fingerprint"]
    for change in (False, True):
        page.goto(f"{product.url}{LIST}/{made['id']}/update")
        expect(text(page, "Username")).to_have_value("deploy")
        expect(text(page, "SSH private key")).to_have_count(0)
        text(page, "Comment").fill(f"changed {change}")
        if change:
            page.get_by_role("switch", name="Update password").check()
            text(page, "Password").fill("canary-fresh")
        save(page)
        expect(listed(page, name)).to_be_visible()
        row = stored(product, name)
        assert (row["comment"], row["ssh_key_fingerprint"]) == (f"changed {change}", fingerprint)
        told = product.api().get(f"{EVENTS}?resource_id={made['id']}&event=systemuser.updated")
        assert ["******" in str(event["changes"]) for event in told] == ([True, False] if change else [False])


@pytest.mark.spec("S2-042")
def test_detail_binds_assets_and_nodes_and_switches_auto_push(product: Product, page: Page, mark: str) -> None:
    api = product.api()
    made = api.post(API, {"name": f"bound-{mark}", "username": f"bound-{mark}", "password": "canary"})
    asset = {"hostname": f"bound-{mark}", "ip": "192.0.2.8", "platform": "Linux"}
    api.post("/api/v1/assets/assets/", asset)
    node = api.post("/api/v1/assets/nodes/", {"value": f"rack {mark}"})
    page.goto(f"{product.url}{LIST}/{made['id']}?activeTab=basic")
    switch = page.get_by_role("switch", name="Auto push")
    expect(switch).to_be_checked()
    switch.click()
    expect(page.get_by_text("Accounts are created only when you push them")).to_be_visible()
    assert stored(product, made["name"])["auto_push"] is False
    page.get_by_role("tab", name="Assets").click()
    main = page.get_by_role("main")
    for number, (field, option) in enumerate((("Add an asset", asset["hostname"]), ("Add a node", node["value"]))):
        pick(page, field, option)
        main.get_by_role("button", name="Add", exact=True).nth(number).click()
    expect(row_of(page, asset["hostname"])).to_contain_text("Not tested")
    expect(main.get_by_role("button", name=f"Remove {node['full_value']}")).to_be_visible()
    more(page, asset["hostname"], "Delete")
    page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
    expect(row_of(page, asset["hostname"])).to_have_count(0)


def test_system_user_in_use_is_deleted_only_when_nothing_uses_it(
    product: Product, refused_page: Page, mark: str
) -> None:
    page, api, name = refused_page, product.api(), f"gone-{mark}"
    admin = api.post("/api/v1/assets/admin-users/", {"name": name, "username": "root", "password": "canary"})
    asset = {"hostname": name, "ip": "192.0.2.9", "platform": "Linux", "admin_user": admin["id"]}
    made = api.post("/api/v1/assets/assets/", asset)
    page.goto(f"{product.url}{LIST}/{admin['id']}")
    page.get_by_role("main").get_by_role("button", name="Delete").click()
    question = page.get_by_role("alertdialog")
    question.get_by_role("button", name="Delete").click()
    reason = question.get_by_role("alert")
    expect(reason).to_contain_text(f"Assets whose admin user it is: 1 ({name})")
    photograph(page, "refused-deletion")
    # It is gone with its question, and comes with the next refusal: of the selected rows in the list, too.
    question.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Assets whose admin user it is")).to_have_count(0)
    page.goto(f"{product.url}{LIST}?activeTab=admin")
    choose_rows(page, name).get_by_role("button", name="Delete").click()
    question.get_by_role("button", name="Delete 1").click()
    expect(reason).to_contain_text("Assets whose admin user it is")
    photograph(page, "refused-bulk-deletion")
    question.get_by_role("button", name="Cancel").click()
    page.goto(f"{product.url}{LIST}/{admin['id']}")
    page.get_by_role("main").get_by_role("button", name="Delete").click()
    question.get_by_role("button", name="Delete").click()
    expect(reason).to_be_visible()
    assert api.get(f"/api/v1/assets/assets/{made['id']}/")["admin_user"] == admin["id"]
    api.patch(f"/api/v1/assets/assets/{made['id']}/", {"admin_user": None})
    question.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("tab", name="Admin users")).to_have_attribute("aria-selected", "true")
    expect(listed(page, name)).to_have_count(0)
