"""The estate in the administrator's console: assets and their tree, domains, platforms, labels, each on its route."""

import re
import uuid
from collections.abc import Iterator

import admin_console
import pytest
from admin_console import PASSWORD, choose_rows, listed, row_of, save, text
from browser import Faults, admit, expect_to_fit, window
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect
from product import Api, Product

# Pytest looks for fixtures among the names of the module.
signed_in, page = admin_console.signed_in, admin_console.page


@pytest.fixture
def refused_page(signed_in: BrowserContext) -> Iterator[Page]:
    """As `page`, for tests in which the server refuses something."""
    tab = signed_in.new_page()
    faults = Faults(expected_statuses=frozenset({400, 404}))
    faults.watch(tab)
    yield tab
    tab.close()
    assert faults.found == []


@pytest.fixture
def api(product: Product) -> Api:
    return product.api()


@pytest.fixture
def mark() -> str:
    """A word that only the objects of this test have in their names."""
    return uuid.uuid4().hex[:6]


@pytest.fixture
def estate(api: Api, mark: str) -> Iterator[dict[str, str]]:
    """Two branches with two assets in the first; ids by name. The branches are emptied after the test.

    Tests name it before their page, which is then closed before the assets are deleted: a page that still loads one
    would get 404.
    """
    ids: dict[str, str] = {}
    for name in ("east", "west"):
        ids[name] = api.post("/api/v1/assets/nodes/", {"value": f"{name}-{mark}"})["id"]
    for name in ("alpha", "beta"):
        ids[name] = api.post(
            "/api/v1/assets/assets/",
            {"hostname": f"{name}-{mark}", "ip": "192.0.2.7", "platform": "Linux", "nodes": [ids["east"]]},
        )["id"]
    yield ids
    for name in ("alpha", "beta"):
        api.call("DELETE", f"/api/v1/assets/assets/{ids[name]}/")
    for name in ("east", "west", "east"):
        api.call("DELETE", f"/api/v1/assets/nodes/{ids[name]}/")


def opened(page: Page, product: Product, path: str, heading: str) -> None:
    page.goto(f"{product.url}/ui{path}")
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(f"^{heading}"))


def item(page: Page, name: str) -> Locator:
    """An item of the tree; its number of assets is part of its name."""
    return page.get_by_role("treeitem", name=re.compile(f"^{name}"))


def path_of(api: Api, node: str) -> str:
    return str(api.get(f"/api/v1/assets/nodes/{node}/")["full_value"])


def question(page: Page) -> Locator:
    return page.get_by_role("alertdialog")


def toast(page: Page, words: str) -> None:
    expect(page.get_by_text(words).first).to_be_visible()


@pytest.mark.spec("S2-027", "S1-013", "S1-017", "S5-044")
def test_assets_are_listed_and_nodes_are_dragged_after_a_question(
    product: Product, api: Api, estate: dict[str, str], page: Page, mark: str
) -> None:
    opened(page, product, "/assets/assets", "Assets")
    item(page, f"east-{mark}").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(f"^east-{mark}"))
    expect(listed(page, f"alpha-{mark}")).to_be_visible()
    item(page, f"east-{mark}").drag_to(item(page, f"west-{mark}"))
    expect(question(page)).to_contain_text(f"Move “east-{mark}” into “west-{mark}”?")
    expect(question(page)).to_contain_text("2 assets")
    question(page).get_by_role("button", name="Cancel").click()
    assert path_of(api, estate["east"]) == f"/Default/east-{mark}"
    item(page, f"east-{mark}").drag_to(item(page, f"west-{mark}"))
    question(page).get_by_role("button", name="Move node").click()
    toast(page, f"“east-{mark}” is now in “west-{mark}”")
    expect(item(page, f"east-{mark}")).to_have_attribute("aria-level", "3")
    expect(item(page, f"west-{mark}")).to_contain_text("2")
    assert path_of(api, estate["east"]) == f"/Default/west-{mark}/east-{mark}"
    expect(listed(page, f"alpha-{mark}")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(f"^east-{mark}"))


def test_node_is_not_moved_below_itself_and_a_removed_node_is_reported(
    product: Product, api: Api, estate: dict[str, str], refused_page: Page, mark: str
) -> None:
    page = refused_page
    inner = api.post(f"/api/v1/assets/nodes/{estate['east']}/children/", {"value": f"inner-{mark}"})["id"]
    opened(page, product, f"/assets/assets?node={inner}", f"inner-{mark}")
    # The place of the chosen node is open after loading the page by its address.
    item(page, f"east-{mark}").drag_to(item(page, f"inner-{mark}"))
    expect(question(page)).to_have_count(0)
    assert path_of(api, estate["east"]) == f"/Default/east-{mark}"
    api.call("DELETE", f"/api/v1/assets/nodes/{estate['west']}/")
    item(page, f"east-{mark}").drag_to(item(page, f"west-{mark}"))
    question(page).get_by_role("button", name="Move node").click()
    toast(page, "One of the two nodes no longer exists")
    expect(item(page, f"west-{mark}")).to_have_count(0)
    assert path_of(api, estate["east"]) == f"/Default/east-{mark}"
    api.call("DELETE", f"/api/v1/assets/nodes/{inner}/")


@pytest.mark.spec("S5-044")
def test_node_is_moved_with_the_keyboard_alone(
    product: Product, api: Api, estate: dict[str, str], page: Page, mark: str
) -> None:
    opened(page, product, "/assets/assets", "Assets")
    item(page, f"west-{mark}").wait_for()
    tree = page.get_by_role("tree")
    tree.focus()

    def go_to(name: str) -> None:
        """Press the arrow key until the tree says that this item is active."""
        page.keyboard.press("Home")
        for _ in range(200):
            active = tree.evaluate(
                "tree => document.getElementById(tree.getAttribute('aria-activedescendant'))?.textContent"
            )
            if str(active).startswith(name):
                return
            page.keyboard.press("ArrowDown")
        raise AssertionError(f"{name} is not in the tree")

    go_to(f"east-{mark}")
    page.keyboard.press("Control+x")
    expect(page.get_by_role("status").filter(has_text=f"“east-{mark}” is cut")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("is cut")).to_have_count(0)
    page.keyboard.press("Control+x")
    go_to(f"west-{mark}")
    page.keyboard.press("Control+v")
    expect(question(page)).to_contain_text("2 assets")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    toast(page, f"“east-{mark}” is now in “west-{mark}”")
    expect(page.get_by_text("is cut")).to_have_count(0)
    assert path_of(api, estate["east"]) == f"/Default/west-{mark}/east-{mark}"


def test_menu_moves_a_node_on_a_narrow_window_and_shows_its_ids(
    product: Product, api: Api, estate: dict[str, str], page: Page, mark: str
) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(f"{product.url}/ui/assets/assets?node={estate['east']}")
    page.get_by_role("button", name=f"east-{mark}").click()
    page.get_by_role("button", name="Node actions").click()
    page.get_by_role("menuitem", name="Node information").click()
    dialog = page.get_by_role("dialog", name="Node information")
    expect(dialog).to_contain_text(estate["east"])
    expect(dialog).to_contain_text(f"/Default/east-{mark}")
    expect(dialog).to_contain_text(str(api.get(f"/api/v1/assets/nodes/{estate['east']}/")["key"]))
    dialog.get_by_role("button", name="Close").last.click()
    page.get_by_role("button", name="Node actions").click()
    page.get_by_role("menuitem", name="Move to…").click()
    dialog = page.get_by_role("dialog", name=f"Move node “east-{mark}”")
    admin_console.pick(dialog, "New place", f"west-{mark}")
    dialog.get_by_role("button", name="Continue").click()
    question(page).get_by_role("button", name="Move node").click()
    toast(page, f"“east-{mark}” is now in “west-{mark}”")
    assert path_of(api, estate["east"]) == f"/Default/west-{mark}/east-{mark}"
    expect_to_fit(page)


@pytest.mark.spec("S2-027")
def test_assets_are_dragged_from_the_table_onto_a_node(
    product: Product, api: Api, estate: dict[str, str], page: Page, mark: str
) -> None:
    opened(page, product, f"/assets/assets?node={estate['east']}", f"east-{mark}")
    choose_rows(page, f"alpha-{mark}", f"beta-{mark}")
    row_of(page, f"beta-{mark}").get_by_role("cell").nth(2).drag_to(item(page, f"west-{mark}"))
    dialog = page.get_by_role("dialog", name=f"Put 2 assets into “west-{mark}”")
    dialog.get_by_role("radio", name="Keep them (add)").check()
    dialog.get_by_role("button", name="Add", exact=True).click()
    toast(page, "2 assets placed")
    expect(item(page, f"west-{mark}")).to_contain_text("2")
    assert set(api.get(f"/api/v1/assets/assets/{estate['alpha']}/")["nodes"]) == {estate["east"], estate["west"]}
    # One row that is not selected is dragged alone, and by default it is moved.
    listed(page, f"alpha-{mark}").drag_to(item(page, f"west-{mark}"))
    dialog = page.get_by_role("dialog", name=f"Put 1 asset into “west-{mark}”")
    dialog.get_by_role("button", name="Move", exact=True).click()
    expect(listed(page, f"alpha-{mark}")).to_have_count(0)
    expect(listed(page, f"beta-{mark}")).to_be_visible()
    assert api.get(f"/api/v1/assets/assets/{estate['alpha']}/")["nodes"] == [estate["west"]]
    choose_rows(page, f"beta-{mark}").get_by_role("button", name="Remove from node").click()
    question(page).get_by_role("button", name="Remove").click()
    expect(listed(page, f"beta-{mark}")).to_have_count(0)
    assert api.get(f"/api/v1/assets/assets/{estate['beta']}/")["nodes"] == [estate["west"]]


@pytest.mark.spec("S2-028", "S2-029", "S2-030", "S1-013")
def test_asset_is_created_seen_and_changed(
    product: Product, api: Api, estate: dict[str, str], page: Page, mark: str
) -> None:
    opened(page, product, f"/assets/assets/create?node={estate['west']}", "Create asset")
    text(page, "Hostname").fill(f"gamma-{mark}")
    text(page, "IP").fill("192.0.2.70")
    save(page)
    page.wait_for_url(re.compile(r"/ui/assets/assets/[0-9a-f-]{36}$"))
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(f"^gamma-{mark}"))
    expect(page.get_by_role("main")).to_contain_text("192.0.2.70")
    asset = page.url.rpartition("/")[2]
    assert api.get(f"/api/v1/assets/assets/{asset}/")["nodes"] == [estate["west"]]
    opened(page, product, f"/assets/assets/{asset}/update", "Update asset")
    expect(text(page, "Hostname")).to_have_value(f"gamma-{mark}")
    text(page, "IP").fill("192.0.2.71")
    save(page)
    page.wait_for_url(lambda address: "/update" not in address)
    assert api.get(f"/api/v1/assets/assets/{asset}/")["ip"] == "192.0.2.71"
    api.call("DELETE", f"/api/v1/assets/assets/{asset}/")


@pytest.mark.spec("S2-031")
def test_more_information_changes_hardware_and_nothing_else(
    product: Product, api: Api, estate: dict[str, str], page: Page, mark: str
) -> None:
    url = f"/api/v1/assets/assets/{estate['alpha']}/"
    before = api.get(url)
    opened(page, product, f"/assets/assets/detail/{estate['alpha']}/update", "Edit more information")
    text(page, "Vendor").fill("Stonewall")
    text(page, "Serial number").fill(f"SN-{mark}")
    save(page)
    page.wait_for_url(lambda address: "/detail/" not in address)
    after = api.get(url)
    assert (after["vendor"], after["sn"]) == ("Stonewall", f"SN-{mark}")
    # A blank field of a form is sent as an empty text, also if it had no value before.
    changed = {name for name in after if (after[name] or None) != (before[name] or None)}
    # Dates are shown in seconds, and all of this may take less than one.
    assert changed - {"date_updated"} == {"vendor", "sn", "hardware_info"}


@pytest.mark.spec("S2-032", "S2-034")
def test_domain_is_listed_and_changed(product: Product, page: Page, api: Api, mark: str) -> None:
    domain = api.post("/api/v1/assets/domains/", {"name": f"branch-{mark}"})["id"]
    opened(page, product, "/assets/domains", "Domains")
    more_or_update(page, f"branch-{mark}")
    page.wait_for_url(re.compile(f"/assets/domains/{domain}/update"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Update domain")
    text(page, "Comment").fill("behind the river")
    save(page)
    page.wait_for_url(re.compile("/assets/domains$"))
    expect(row_of(page, f"branch-{mark}")).to_contain_text("behind the river")
    assert api.get(f"/api/v1/assets/domains/{domain}/")["comment"] == "behind the river"
    api.call("DELETE", f"/api/v1/assets/domains/{domain}/")


def more_or_update(page: Page, name: str) -> None:
    """Open the form of a row by its first action."""
    page.get_by_role("button", name=f"Update {name}").click()


@pytest.mark.spec("S2-049", "S2-050", "S2-051", "S2-052", "S1-019")
def test_platform_is_created_seen_changed_and_kept_while_used(
    product: Product, refused_page: Page, api: Api, mark: str
) -> None:
    page = refused_page
    opened(page, product, "/assets/platforms", "Platforms")
    expect(row_of(page, "Windows2016")).to_contain_text("Built in")
    page.get_by_role("link", name="Create platform").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Create platform")
    main = page.get_by_role("main")
    expect(main.get_by_role("switch", name="Console session")).to_have_count(0)
    text(page, "Name").fill(f"Win-{mark}")
    admin_console.pick(main, "Base", "Windows") if main.get_by_role("combobox", name="Base").count() else None
    main.get_by_role("radio", name="nla").check()
    main.get_by_role("switch", name="Console session").check()
    save(page)
    page.wait_for_url(re.compile(r"/ui/assets/platforms/\d+$"))
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(f"^Win-{mark}"))
    expect(main).to_contain_text("NLA")
    number = page.url.rpartition("/")[2]
    assert api.get(f"/api/v1/assets/platforms/{number}/")["meta"] == {"security": "nla", "console": "true"}
    opened(page, product, f"/assets/platforms/{number}/update", "Update platform")
    expect(main.get_by_role("switch", name="Console session")).to_be_checked()
    main.get_by_role("radio", name="GBK").check()
    save(page)
    page.wait_for_url(re.compile("/assets/platforms$"))
    expect(row_of(page, f"Win-{mark}")).to_contain_text("GBK")
    body = {"hostname": f"uses-{mark}", "ip": "192.0.2.8", "platform": f"Win-{mark}", "protocols": ["rdp/3389"]}
    asset = api.post("/api/v1/assets/assets/", body)["id"]
    opened(page, product, f"/assets/platforms/{number}", f"Win-{mark}")
    page.get_by_role("tab", name="Assets of this organization").click()
    expect(listed(page, f"uses-{mark}")).to_be_visible()
    page.get_by_role("button", name="Delete", exact=True).click()
    question(page).get_by_role("button", name="Delete").click()
    toast(page, f"uses-{mark} (Default)")
    question(page).get_by_role("button", name="Cancel").click()
    api.call("DELETE", f"/api/v1/assets/assets/{asset}/")
    page.get_by_role("button", name="Delete", exact=True).click()
    question(page).get_by_role("button", name="Delete").click()
    page.wait_for_url(re.compile("/assets/platforms$"))
    expect(row_of(page, f"Win-{mark}")).to_have_count(0)
    opened(page, product, "/assets/platforms/1?activeTab=basic", "Linux")
    expect(main).to_contain_text("Linux is built in: it cannot be changed or deleted.")
    assert page.get_by_role("button", name="Delete", exact=True).get_attribute("aria-disabled") == "true"


@pytest.fixture
def organization_admin(api: Api, mark: str) -> Iterator[str]:
    """The username of an administrator of the organization, only for one test: users are told to ask administrators."""
    person = {
        "name": f"Org {mark}",
        "username": f"org-{mark}",
        "email": f"org-{mark}@example.invalid",
        "password_strategy": "custom",
        "password": PASSWORD,
        "org_roles": ["Admin"],
    }
    made = api.post("/api/v1/users/users/", person)
    yield f"org-{mark}"
    api.delete(f"/api/v1/users/users/{made['id']}/")


@pytest.mark.spec("S2-053", "S6-020")
def test_platforms_are_closed_to_administrators_of_an_organization(
    product: Product, browser: Browser, organization_admin: str
) -> None:
    context = window(browser)
    page = context.new_page()
    faults = Faults()
    faults.watch(page)
    admit(page, product.url, organization_admin, PASSWORD)
    opened(page, product, "/assets/assets", "Assets")
    menu = page.get_by_role("navigation").first
    expect(menu.get_by_role("link", name="Labels")).to_be_visible()
    expect(menu.get_by_role("link", name="Platforms")).to_have_count(0)
    for path in ("", "/create", "/1/update", "/1"):
        page.goto(f"{product.url}/ui/assets/platforms{path}")
        expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("^You cannot open"))
        expect(page.get_by_role("form")).to_have_count(0)
    context.close()
    assert faults.found == []


@pytest.mark.spec("S2-054", "S2-055", "S2-056", "S1-023")
def test_label_is_created_listed_and_changed(product: Product, page: Page, api: Api, mark: str) -> None:
    opened(page, product, "/assets/labels", "Labels")
    page.get_by_role("link", name="Create label").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Create label")
    text(page, "Name").fill(f"stage-{mark}")
    text(page, "Value").fill("test")
    save(page)
    page.wait_for_url(re.compile("/assets/labels$"))
    more_or_update(page, f"stage-{mark}:test")
    page.wait_for_url(re.compile("/assets/labels/[^/]+/update"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Update label")
    text(page, "Value").fill("live")
    save(page)
    page.wait_for_url(re.compile("/assets/labels$"))
    expect(row_of(page, f"stage-{mark}")).to_contain_text("live")
    rows = api.get(f"/api/v1/assets/labels/?name=stage-{mark}")
    assert [row["value"] for row in rows] == ["live"]
    api.call("DELETE", f"/api/v1/assets/labels/{rows[0]['id']}/")
