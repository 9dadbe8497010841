"""Users, groups, assets and labels in a browser: every route, and the work of a morning on their screens."""

import re
import uuid
from collections.abc import Iterator
from typing import Any, Final

import pytest
from browser import Faults, chromium, first_sign_in, sign_in
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect
from product import ADMIN_PASSWORD, Product

PASSWORD: Final = "meadow-Copper-signal-58"
WAIT_MS: Final = 20_000
expect.set_options(timeout=WAIT_MS)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def signed_in(product: Product, browser: Browser) -> Iterator[BrowserContext]:
    """A browser in which the administrator has signed in."""
    context = browser.new_context(
        locale="en-US", viewport={"width": 1440, "height": 900}
    )
    context.set_default_timeout(WAIT_MS)
    page = context.new_page()
    sign_in(page, product.url, "admin", ADMIN_PASSWORD)
    page.get_by_role("heading", level=1).first.wait_for()
    if "first-login" in page.url:
        first_sign_in(page)
    page.close()
    yield context
    context.close()


@pytest.fixture
def page(signed_in: BrowserContext) -> Iterator[Page]:
    """A tab of the administrator's; nothing may go wrong on it."""
    tab = signed_in.new_page()
    faults = Faults()
    faults.watch(tab)
    yield tab
    tab.close()
    assert faults.found == []


@pytest.fixture(scope="module")
def objects(product: Product) -> dict[str, str]:
    """One object of each kind, made through the API; what stands in braces in the addresses below."""
    api, mark = product.api(), uuid.uuid4().hex[:6]
    user = {
        "name": f"Routes {mark}",
        "username": f"routes-{mark}",
        "email": f"routes-{mark}@example.invalid",
    }
    asset = {
        "hostname": f"routes-{mark}",
        "ip": "192.0.2.9",
        "platform": "Linux",
        "number": "A-7",
    }
    return {
        "user": api.post(
            "/api/v1/users/users/",
            {**user, "password_strategy": "custom", "password": PASSWORD},
        )["id"],
        "group": api.post("/api/v1/users/groups/", {"name": f"routes-{mark}"})["id"],
        "asset": api.post("/api/v1/assets/assets/", asset)["id"],
        "label": api.post("/api/v1/assets/labels/", {"name": "routes", "value": mark})[
            "id"
        ],
    }


def route(path: str, heading: str, *ids: str) -> Any:
    return pytest.param(path, heading, marks=pytest.mark.spec(*ids), id=path)


@pytest.mark.parametrize(
    ("path", "heading"),
    [
        route("/users/users", "Users", "S2-011", "S1-011"),
        route("/users/users/create", "Create user", "S2-012"),
        route("/users/users/{user}/update", "Update user", "S2-013"),
        route("/users/users/{user}", "Routes .*", "S2-014"),
        route("/users/groups", "User groups", "S2-015", "S1-012"),
        route("/users/groups/create", "Create user group", "S2-016"),
        route("/users/groups/{group}/update", "Update user group", "S2-017"),
        route("/users/groups/{group}", "routes-.*", "S2-018"),
        route("/users/profile", "Profile", "S2-023"),
        route(
            "/users/first-login/personal-information-improvement/",
            "Complete your profile",
            "S2-024",
        ),
        route("/users/first-login/guide/", "User guide", "S2-025"),
        route("/assets/assets", "Assets", "S2-027"),
        route("/assets/assets/create", "Create asset", "S2-028"),
        route("/assets/assets/{asset}", "routes-.*", "S2-029"),
        route("/assets/assets/{asset}/update", "Update asset", "S2-030"),
        route(
            "/assets/assets/detail/{asset}/update", "Edit more information", "S2-031"
        ),
        route("/assets/labels", "Labels", "S2-054", "S1-023"),
        route("/assets/labels/create", "Create label", "S2-055"),
        route("/assets/labels/{label}/update", "Update label", "S2-056"),
    ],
)
def test_route_opens_its_screen(
    product: Product, objects: dict[str, str], page: Page, path: str, heading: str
) -> None:
    page.goto(f"{product.url}/ui{path.format(**objects)}")
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(f"^{heading}"))
    main = page.get_by_role("main")
    if path.endswith(("create", "update")):
        expect(main.get_by_role("form").get_by_role("textbox").first).to_be_visible()
    elif path in {"/users/users", "/users/groups", "/assets/assets", "/assets/labels"}:
        expect(
            main.get_by_role("table")
            .get_by_role("columnheader", name=re.compile("^(Name|Hostname)"))
            .first
        ).to_be_visible()
    expect(main.get_by_role("button", name="Retry")).to_have_count(0)


def text(page: Page, label: str) -> Locator:
    """A text field of the form."""
    return page.get_by_role("main").get_by_role("textbox", name=label, exact=True)


def pick(scope: Page | Locator, field: str, option: str) -> None:
    """Choose in a remote select."""
    scope.get_by_role("combobox", name=field, exact=True).fill(option)
    page = scope if isinstance(scope, Page) else scope.page
    page.get_by_role("option", name=re.compile(re.escape(option))).first.click()
    if page.get_by_role("listbox").count() > 0:  # a choice of several stays open
        page.keyboard.press("Escape")


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()


def row_of(page: Page, name: str) -> Locator:
    return page.get_by_role("row").filter(has_text=name)


def choose_rows(page: Page, *names: str) -> Locator:
    """Mark rows; gives the bar of what can be done with them."""
    for name in names:
        page.get_by_role("checkbox", name=f"Select {name}").check()
    bar = page.get_by_role("region", name="Actions for the selection")
    expect(bar.get_by_role("status")).to_contain_text(f"{len(names)} selected")
    return bar


def more(page: Page, name: str, action: str) -> None:
    """An entry of a row's menu."""
    page.get_by_role("button", name=f"Actions of {name}").click()
    page.get_by_role("menuitem", name=action).click()


@pytest.mark.spec("S3-029")
def test_labels_are_put_on_assets_singly_and_in_bulk_and_assets_are_found_by_them(
    product: Product, page: Page
) -> None:
    mark = uuid.uuid4().hex[:6]
    url, first, second = f"{product.url}/ui", f"stage-{mark}-1", f"stage-{mark}-2"
    shown = f"stage {mark}"

    # A label, then an asset that carries it.
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

    # Both at once: only the ticked fields are written.
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
    expect(row_of(page, second)).to_contain_text(shown)
    rows = product.api().get(f"/api/v1/assets/assets/?label=stage:{mark}")
    assert {(row["hostname"], row["comment"], row["ip"]) for row in rows} == {
        (first, f"moved {mark}", "192.0.2.21"),
        (second, f"moved {mark}", "192.0.2.22"),
    }

    # The list is narrowed by the label: typed as a condition, or from the label's own number.
    page.goto(f"{url}/assets/assets")
    box = page.get_by_role("combobox", name="Search")
    box.fill(f"stage:{mark}")
    page.get_by_role("option", name=re.compile("^Label")).click()
    expect(page.get_by_role("link", name=f"stage-{mark}")).to_have_count(2)
    assert f"label=stage%3A{mark}" in page.url
    page.goto(f"{url}/assets/labels?value={mark}")
    row_of(page, mark).get_by_role("link", name="2", exact=True).click()
    expect(page.get_by_role("link", name=f"stage-{mark}")).to_have_count(2)

    # One loses it on its own page.
    page.get_by_role("link", name=second, exact=True).click()
    page.get_by_role("button", name=f"Remove stage:{mark}").click()
    expect(page.get_by_text("No labels")).to_be_visible()
    assert len(product.api().get(f"/api/v1/assets/assets/?label=stage:{mark}")) == 1


def test_assets_move_between_nodes_and_an_asset_is_deleted_from_its_page(
    product: Product, page: Page
) -> None:
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
    assert {(row["hostname"], len(row["nodes"])) for row in held} == {
        (name, 1) for name in names
    }

    # Inside the node, one is taken out again.
    page.goto(f"{url}/assets/assets?node={node['id']}")
    choose_rows(page, names[0]).get_by_role("button", name="Remove from node").click()
    page.get_by_role("alertdialog").get_by_role(
        "button", name="Remove", exact=True
    ).click()
    expect(page.get_by_role("link", name=names[0], exact=True)).to_have_count(0)
    expect(page.get_by_role("link", name=names[1], exact=True)).to_be_visible()

    # The other is deleted where it is described, and the list is shown.
    page.get_by_role("link", name=names[1], exact=True).click()
    expect(
        page.get_by_role("button", name=re.compile(f"^Remove .*room-{mark}"))
    ).to_have_attribute("aria-disabled", "true")
    page.get_by_role("button", name="Delete", exact=True).click()
    question = page.get_by_role("alertdialog", name=re.compile(re.escape(names[1])))
    question.get_by_role("button", name="Delete").click()
    page.wait_for_url(
        lambda address: "/ui/assets/assets" in address and "activeTab" not in address
    )
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("^Assets"))
    assert [
        row["hostname"] for row in api.get(f"/api/v1/assets/assets/?search=move-{mark}")
    ] == [names[0]]


@pytest.mark.spec("S3-032", "S3-033")
def test_more_information_is_written_alone_and_shown_on_the_assets_page(
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
        entry = facts.locator("dl > div").filter(
            has=page.get_by_text(label, exact=True)
        )
        expect(entry.locator("dd")).to_contain_text(value or re.compile(r"\w"))


def create_user(page: Page, name: str, username: str) -> None:
    text(page, "Name").fill(name)
    text(page, "Username").fill(username)
    text(page, "Email").fill(f"{username}@example.invalid")
    text(page, "Password").fill(PASSWORD)
    save(page)
    page.wait_for_url(lambda address: address.split("?")[0].endswith("/users/users"))


@pytest.mark.spec("S2-004", "S7-050", "S2-220")
def test_a_user_is_created_cloned_and_deactivated_in_bulk(
    product: Product, page: Page
) -> None:
    mark, api = uuid.uuid4().hex[:6], product.api()
    url, first, second = f"{product.url}/ui", f"crew-{mark}-a", f"crew-{mark}-b"
    page.goto(f"{url}/users/users/create")
    text(page, "Comment").fill(f"night shift {mark}")
    create_user(page, "Crew A", first)

    # The clone has what is not personal, and asks for the rest.
    page.goto(f"{url}/users/users?search=crew-{mark}")
    with page.expect_request(
        lambda request: request.method == "GET" and "/users/users/" in request.url
    ) as loaded:
        more(page, f"Crew A ({first})", "Clone")
    page.wait_for_url(lambda address: "clone_from=" in address)
    expect(text(page, "Comment")).to_have_value(f"night shift {mark}")
    expect(text(page, "Username")).to_have_value("")
    original = api.get(f"/api/v1/users/users/?username={first}")[0]
    assert f"clone_from={original['id']}" in page.url
    assert loaded.value.url
    create_user(page, "Crew B", second)

    page.goto(f"{url}/users/users?search=crew-{mark}")
    choose_rows(page, f"Crew A ({first})", f"Crew B ({second})").get_by_role(
        "button", name="Deactivate"
    ).click()
    expect(page.get_by_text("2 users deactivated")).to_be_visible()
    expect(row_of(page, first)).to_contain_text("Inactive")
    rows = api.get(f"/api/v1/users/users/?search=crew-{mark}")
    assert [(row["username"], row["is_active"], row["comment"]) for row in rows] == [
        (first, False, f"night shift {mark}"),
        (second, False, f"night shift {mark}"),
    ]


@pytest.mark.spec("S2-223", "S2-224")
def test_groups_are_saved_one_after_another_and_members_come_and_go_on_the_groups_page(
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
    page.get_by_role("link", name=f"team-{mark}-2", exact=True).click()
    pick(page, "Add a member", person["name"])
    page.get_by_role("button", name="Add", exact=True).click()
    member = page.get_by_role("link", name=re.compile(re.escape(person["username"])))
    expect(member).to_be_visible()
    group = api.get(f"/api/v1/users/groups/?name=team-{mark}-2")[0]
    assert group["users"] == [person["id"]]
    page.get_by_role(
        "button", name=re.compile(rf"^Remove .*{re.escape(person['username'])}")
    ).click()
    expect(member).to_have_count(0)
    assert api.get(f"/api/v1/users/groups/{group['id']}/")["users"] == []

    # The same relation from the person's side.
    page.goto(f"{product.url}/ui/users/users/{person['id']}?activeTab=basic")
    pick(page, "Add to a user group", f"team-{mark}-1")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("link", name=f"team-{mark}-1", exact=True)).to_be_visible()
    assert api.get(f"/api/v1/users/groups/?name=team-{mark}-1")[0]["users"] == [
        person["id"]
    ]


@pytest.mark.spec("S2-026", "S2-024", "S2-025")
def test_a_first_sign_in_leads_over_the_own_data_to_the_guide(
    product: Product, browser: Browser
) -> None:
    username = f"first-{uuid.uuid4().hex[:6]}"
    body = {
        "name": "First",
        "username": username,
        "email": f"{username}@example.invalid",
    }
    product.api().post(
        "/api/v1/users/users/",
        {**body, "password_strategy": "custom", "password": PASSWORD},
    )
    context = browser.new_context(
        locale="en-US", viewport={"width": 1440, "height": 900}
    )
    page = context.new_page()
    page.set_default_timeout(WAIT_MS)
    faults = Faults()
    faults.watch(page)
    sign_in(page, product.url, username, PASSWORD)
    page.wait_for_url(
        lambda address: "/users/first-login/personal-information-improvement" in address
    )
    expect(page.get_by_role("textbox", name="Username")).to_have_value(username)
    page.get_by_role("textbox", name="Phone").fill("12345")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("This field is required")).to_be_visible()
    page.get_by_role("checkbox", name="I know that").check()
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url(lambda address: "/users/first-login/guide" in address)
    page.get_by_role("link", name="Start", exact=True).click()
    page.wait_for_url(lambda address: "first-login" not in address)
    page.goto(f"{product.url}/ui/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert "first-login" not in page.url
    profile = product.api(username, PASSWORD).get("/api/v1/users/profile/")
    assert (profile["is_first_login"], profile["phone"]) == (False, "12345")
    context.close()
    assert faults.found == []
