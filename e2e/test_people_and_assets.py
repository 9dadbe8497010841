"""Typical administration on the screens of users, groups, assets and labels, in a browser."""

import re
import uuid

import admin_console
import pytest
from admin_console import PASSWORD, choose_rows, listed, more, pick, row_of, save, text
from playwright.sync_api import Page, expect
from product import Product, wait_until

# Pytest looks for fixtures among the names of the module.
signed_in, page, objects = admin_console.signed_in, admin_console.page, admin_console.objects


def test_labels_are_assigned_singly_and_in_bulk_and_assets_are_found_by_them(product: Product, page: Page) -> None:
    mark = uuid.uuid4().hex[:6]
    url, first, second = f"{product.url}/ui", f"stage-{mark}-1", f"stage-{mark}-2"
    label_text = f"stage {mark}"

    # Create a label, then an asset that carries it.
    page.goto(f"{url}/assets/labels/create")
    text(page, "Name").fill("stage")
    text(page, "Value").fill(mark)
    save(page)
    page.wait_for_url(lambda address: address.endswith("/assets/labels"))
    expect(row_of(page, mark)).to_be_visible()
    page.goto(f"{url}/assets/assets/create")
    text(page, "Hostname").fill(first)
    text(page, "IP").fill("192.0.2.21")
    pick(page.get_by_role("form"), "Labels", mark)
    save(page)
    page.wait_for_url(lambda address: "/create" not in address)
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{first} (192.0.2.21)")
    expect(page.get_by_role("main").get_by_title(f"stage:{mark}").first).to_be_visible()
    product.api().post(
        "/api/v1/assets/assets/",
        {"hostname": second, "ip": "192.0.2.22", "platform": "Linux"},
    )

    # Change both at once: only the ticked fields are written.
    page.goto(f"{url}/assets/assets?search=stage-{mark}")
    bar = choose_rows(page, first, second)
    bar.get_by_role("button", name="Update").click()
    dialog = page.get_by_role("dialog", name="Update 2 assets")
    dialog.get_by_role("checkbox", name="Change Labels").check()
    pick(dialog, "Labels", mark)
    dialog.get_by_role("checkbox", name="Change Comment").check()
    dialog.get_by_role("textbox", name="Comment").fill(f"moved {mark}")
    dialog.get_by_role("button", name="Update 2").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Update 2").click()
    expect(page.get_by_text("2 assets updated")).to_be_visible()
    expect(row_of(page, second)).to_contain_text(label_text)
    rows = product.api().get(f"/api/v1/assets/assets/?label=stage:{mark}")
    assert {(row["hostname"], row["comment"], row["ip"]) for row in rows} == {
        (first, f"moved {mark}", "192.0.2.21"),
        (second, f"moved {mark}", "192.0.2.22"),
    }

    # Filter the list by the label: typed as a condition, or from the label's own count.
    page.goto(f"{url}/assets/assets")
    box = page.get_by_role("combobox", name="Search")
    box.fill(f"stage:{mark}")
    page.get_by_role("option", name=re.compile("^Label")).click()
    expect(page).to_have_url(re.compile(f"label=stage%3A{mark}"))
    expect(listed(page, f"stage-{mark}")).to_have_count(2)
    page.goto(f"{url}/assets/labels?value={mark}")
    row_of(page, mark).get_by_role("link", name="2", exact=True).click()
    expect(listed(page, f"stage-{mark}")).to_have_count(2)

    # Remove it from one asset on that asset's page.
    listed(page, second, exact=True).click()
    page.get_by_role("button", name=f"Remove stage:{mark}").click()
    expect(page.get_by_text("No labels")).to_be_visible()
    left = product.api()
    wait_until(lambda: len(left.get(f"/api/v1/assets/assets/?label=stage:{mark}")) == 1, message="one with the label")


def test_assets_move_between_nodes_and_an_asset_is_deleted_from_its_page(product: Product, page: Page) -> None:
    mark, api = uuid.uuid4().hex[:6], product.api()
    url, names = f"{product.url}/ui", [f"move-{mark}-1", f"move-{mark}-2"]
    for name in names:
        api.post(
            "/api/v1/assets/assets/",
            {"hostname": name, "ip": "192.0.2.31", "platform": "Linux"},
        )
    node = api.post("/api/v1/assets/nodes/", {"value": f"room-{mark}"})
    page.goto(f"{url}/assets/assets?search=move-{mark}")
    choose_rows(page, *names).get_by_role("button", name="Move to node").click()
    dialog = page.get_by_role("dialog", name="Put 2 assets into a node")
    pick(dialog, "Node", f"room-{mark}")
    dialog.get_by_role("button", name="Move", exact=True).click()
    expect(page.get_by_text("2 assets placed")).to_be_visible()
    held = api.get(f"/api/v1/assets/assets/?node_id={node['id']}&show_current_asset=1")
    assert {(row["hostname"], len(row["nodes"])) for row in held} == {(name, 1) for name in names}

    # Inside the node, remove one asset again.
    page.goto(f"{url}/assets/assets?node={node['id']}")
    choose_rows(page, names[0]).get_by_role("button", name="Remove from node").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Remove", exact=True).click()
    expect(listed(page, names[0], exact=True)).to_have_count(0)
    expect(listed(page, names[1], exact=True)).to_be_visible()

    # Delete the other on its detail page; the list is shown.
    listed(page, names[1], exact=True).click()
    expect(page.get_by_role("button", name=re.compile(f"^Remove .*room-{mark}"))).to_have_attribute(
        "aria-disabled", "true"
    )
    page.get_by_role("button", name="Delete", exact=True).click()
    question = page.get_by_role("alertdialog", name=re.compile(re.escape(names[1])))
    question.get_by_role("button", name="Delete").click()
    page.wait_for_url(lambda address: "/ui/assets/assets" in address and "activeTab" not in address)
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("^Assets"))
    wait_until(
        lambda: [row["hostname"] for row in api.get(f"/api/v1/assets/assets/?search=move-{mark}")] == [names[0]],
        message="the other asset alone",
    )


@pytest.mark.spec("S3-032", "S3-033")
def test_more_information_is_saved_separately_and_shown_on_the_assets_page(
    product: Product, objects: dict[str, str], page: Page
) -> None:
    page.goto(f"{product.url}/ui/assets/assets/detail/{objects['asset']}/update")
    text(page, "Vendor").fill("Dell")
    text(page, "Serial number").fill("7QK2N94")
    with page.expect_request(lambda request: request.method == "PATCH") as sent:
        save(page)
    assert sent.value.url.endswith(f"/api/v1/assets/assets/{objects['asset']}/")
    page.wait_for_url(lambda address: "/detail/" not in address)
    facts = page.get_by_role("main")
    for label, value in {
        "Vendor": "Dell",
        "Serial number": "7QK2N94",
        "Asset number": "A-7",
        "Charset": "utf8",
        "Protocols": "ssh/22",
        "Created by": "admin",
        "Date created": "",
        "Date updated": "",
    }.items():
        entry = facts.locator("dl > div").filter(has=page.get_by_text(label, exact=True))
        expect(entry.locator("dd")).to_contain_text(value or re.compile(r"\w"))


def create_user(page: Page, name: str, username: str) -> None:
    text(page, "Name").fill(name)
    text(page, "Username").fill(username)
    text(page, "Email").fill(f"{username}@example.invalid")
    text(page, "Password").fill(PASSWORD)
    save(page)
    page.wait_for_url(lambda address: address.split("?")[0].endswith("/users/users"))


@pytest.mark.spec("S2-004", "S7-050", "S2-220")
def test_user_is_created_cloned_and_deactivated_in_bulk(product: Product, page: Page) -> None:
    mark, api = uuid.uuid4().hex[:6], product.api()
    url, first, second = f"{product.url}/ui", f"crew-{mark}-a", f"crew-{mark}-b"
    page.goto(f"{url}/users/users/create")
    text(page, "Comment").fill(f"night shift {mark}")
    create_user(page, "Crew A", first)

    # The clone copies what is not personal, and asks for the rest.
    original = api.get(f"/api/v1/users/users/?username={first}")[0]["id"]
    page.goto(f"{url}/users/users?search=crew-{mark}")
    with page.expect_request(
        lambda request: request.method == "GET" and f"/api/v1/users/users/{original}/" in request.url
    ):
        more(page, f"Crew A ({first})", "Clone")
    page.wait_for_url(lambda address: f"clone_from={original}" in address)
    expect(text(page, "Comment")).to_have_value(f"night shift {mark}")
    expect(text(page, "Username")).to_have_value("")
    create_user(page, "Crew B", second)

    page.goto(f"{url}/users/users?search=crew-{mark}")
    choose_rows(page, f"Crew A ({first})", f"Crew B ({second})").get_by_role("button", name="Deactivate").click()
    question = page.get_by_role("alertdialog")
    expect(question.get_by_text("Nobody gains or loses access.")).to_be_visible()
    question.get_by_role("button", name="Deactivate").click()
    expect(page.get_by_text("2 users deactivated")).to_be_visible()
    expect(row_of(page, first)).to_contain_text("Inactive")
    rows = api.get(f"/api/v1/users/users/?search=crew-{mark}")
    assert [(row["username"], row["is_active"], row["comment"]) for row in rows] == [
        (first, False, f"night shift {mark}"),
        (second, False, f"night shift {mark}"),
    ]


@pytest.mark.spec("S2-223", "S2-224")
def test_groups_are_saved_one_after_another_and_members_change_on_the_groups_page(
    product: Product, objects: dict[str, str], page: Page
) -> None:
    mark, api = uuid.uuid4().hex[:6], product.api()
    person = api.get(f"/api/v1/users/users/{objects['user']}/")
    page.goto(f"{product.url}/ui/users/groups/create")
    text(page, "Name").fill(f"team-{mark}-1")
    page.get_by_role("button", name="Save and add another").click()
    expect(page.get_by_text(f"team-{mark}-1 created")).to_be_visible()
    expect(text(page, "Name")).to_have_value("")
    assert page.url.endswith("/users/groups/create")
    text(page, "Name").fill(f"team-{mark}-2")
    save(page)
    page.wait_for_url(lambda address: address.endswith("/users/groups"))

    # The members' card.
    page.goto(f"{product.url}/ui/users/groups?search=team-{mark}")
    listed(page, f"team-{mark}-2", exact=True).click()
    pick(page, "Add a member", person["name"])
    page.get_by_role("button", name="Add", exact=True).click()
    member = listed(page, re.compile(re.escape(person["username"])))
    expect(member).to_be_visible()
    group = api.get(f"/api/v1/users/groups/?name=team-{mark}-2")[0]

    def members() -> list[str]:
        found: list[str] = api.get(f"/api/v1/users/groups/{group['id']}/")["users"]
        return found

    wait_until(lambda: members() == [person["id"]], message="the member")
    page.get_by_role("button", name=re.compile(rf"^Remove .*{re.escape(person['username'])}")).click()
    page.get_by_role("alertdialog").get_by_role("button", name="Remove", exact=True).click()
    expect(member).to_have_count(0)
    wait_until(lambda: members() == [], message="the member's leaving")

    # The same relation from the user's side.
    page.goto(f"{product.url}/ui/users/users/{person['id']}?activeTab=basic")
    pick(page, "Add to a user group", f"team-{mark}-1")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(listed(page, f"team-{mark}-1", exact=True)).to_be_visible()
    wait_until(
        lambda: api.get(f"/api/v1/users/groups/?name=team-{mark}-1")[0]["users"] == [person["id"]],
        message="the member of the other group",
    )


@pytest.mark.spec("S1-017")
def test_nodes_are_created_renamed_and_deleted_beside_the_assets(product: Product, page: Page) -> None:
    mark, api = uuid.uuid4().hex[:6], product.api()
    page.goto(f"{product.url}/ui/assets/assets")
    tree = page.get_by_role("tree")
    tree.get_by_role("treeitem", name=re.compile("Default")).first.click()

    def menu(entry: str) -> None:
        page.get_by_role("button", name="Node actions").click()
        page.get_by_role("menuitem", name=entry).click()

    menu("New node")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Node name").fill(f"floor-{mark}")
    dialog.get_by_role("button", name="Save").click()
    made = tree.get_by_role("treeitem", name=re.compile(f"floor-{mark}"))
    made.click()
    menu("Rename")
    dialog.get_by_role("textbox", name="Node name").fill(f"cellar-{mark}")
    dialog.get_by_role("button", name="Save").click()
    expect(tree.get_by_role("treeitem", name=re.compile(f"cellar-{mark}"))).to_be_visible()
    wait_until(
        lambda: [node["value"] for node in api.get(f"/api/v1/assets/nodes/?search={mark}")] == [f"cellar-{mark}"],
        message="the new name",
    )
    menu("Delete node")
    page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
    expect(tree.get_by_role("treeitem", name=re.compile(mark))).to_have_count(0)
    wait_until(lambda: api.get(f"/api/v1/assets/nodes/?search={mark}") == [], message="no such node")
