"""Storages on their screens: made, tested, chosen as default and by a terminal, and closed to all others."""

import re
import subprocess
import uuid
from collections.abc import Iterator

import pytest
from admin_console import page, pick, save, signed_in
from browser import admit, photograph, window
from playwright.sync_api import Browser, Page, expect
from product import Product, wait_until
from world import AUDITOR_PASSWORD, ZHANG_PASSWORD, World

from peers.s3_server import S3Server

__all__ = ["page", "signed_in"]

REPLAY = "/api/v1/terminal/replay-storages/"
COMMAND = "/api/v1/terminal/command-storages/"


@pytest.fixture(scope="module")
def bucket() -> Iterator[S3Server]:
    """An S3 server with the bucket `records`."""
    server = S3Server()
    server.make_bucket("records")
    yield server
    server.stop()


@pytest.fixture
def archive(product: Product, bucket: S3Server) -> Iterator[dict[str, str]]:
    """A storage in this bucket, which is deleted afterwards."""
    api = product.api()
    keys = {"ACCESS_KEY": "test", "SECRET_KEY": "canary-of-a-storage"}
    meta = {"BUCKET": "records", "ENDPOINT": bucket.endpoint, **keys}
    row = api.post(REPLAY, {"name": f"archive-{uuid.uuid4().hex[:6]}", "type": "s3", "meta": meta})
    yield row
    (default,) = api.get(f"{REPLAY}?name=default")
    api.patch(f"{REPLAY}{default['id']}/", {"is_default": True})
    api.call("DELETE", f"{REPLAY}{row['id']}/")


def built_in(product: Product, path: str) -> dict[str, str]:
    (row,) = product.api().get(f"{path}?name=default")
    return dict(row)


def act(page: Page, name: str, action: str) -> None:
    page.get_by_role("button", name=f"Actions of {name}").click()
    page.get_by_role("menuitem", name=action).click()


@pytest.mark.spec("S2-106")
def test_the_screen_lists_both_kinds_and_says_why_built_in_storages_stay(page: Page, product: Product) -> None:
    page.goto(f"{product.url}/ui/terminal/session")
    page.get_by_role("navigation").get_by_role("link", name="Storages").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Storages")
    row = page.get_by_role("row").filter(has=page.get_by_role("cell", name="default", exact=True)).first
    expect(row).to_contain_text("This server")
    photograph(page, "storages-replay")
    page.get_by_role("button", name="Actions of default").click()
    for action in ("Update", "Delete"):
        expect(page.get_by_role("menuitem", name=re.compile(f"^{action}"))).to_be_disabled()
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="Command storages").click()
    expect(page).to_have_url(re.compile("activeTab=command"))
    expect(row).to_be_visible()
    expect(page.get_by_role("button", name="Create command storage")).to_be_disabled()
    photograph(page, "storages-command")
    page.get_by_role("button", name="Test connection").first.click()
    dialog = page.get_by_role("dialog", name="Test of default")
    expect(dialog.get_by_role("alert")).to_be_visible()


@pytest.mark.spec("S2-107")
def test_a_storage_is_made_of_an_offered_type_and_tested(page: Page, product: Product, bucket: S3Server) -> None:
    name = f"made-{uuid.uuid4().hex[:6]}"
    page.goto(f"{product.url}/ui/terminal/storages")
    page.get_by_role("button", name="Create replay storage").click()
    offered = page.get_by_role("menuitem")
    for text in ("S3", "Ceph", "Swift", "Azure"):
        expect(offered.filter(has_text=text)).to_have_count(1)
    expect(offered.filter(has_text="This server")).to_have_count(0)
    photograph(page, "storages-types")
    offered.filter(has_text="Azure").click()
    for text in ("Container", "Account name", "Account key"):
        expect(page.get_by_label(text).first).to_be_visible()
    expect(page.get_by_role("radio", name="core.windows.net")).to_be_visible()
    photograph(page, "storage-form-azure")
    page.goto(f"{product.url}/ui/terminal/storages")
    page.get_by_role("button", name="Create replay storage", exact=True).click()
    offered.filter(has_text="S3").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Create replay storage")
    page.get_by_label("Name", exact=False).first.fill(name)
    page.get_by_label("Bucket").fill("records")
    page.get_by_label("Access key").fill("test")
    page.get_by_label("Secret key").fill("canary-of-a-storage")
    page.get_by_label("Endpoint").fill(bucket.endpoint)
    photograph(page, "storage-form")
    save(page)
    expect(page.get_by_text(f"The storage “{name}” works")).to_be_visible()
    row = page.get_by_role("row").filter(has_text=name)
    expect(row).to_contain_text("records")
    row.get_by_role("button", name="Test connection").click()
    dialog = page.get_by_role("dialog", name=f"Test of {name}")
    expect(dialog.get_by_role("alert")).to_contain_text("can be used")
    photograph(page, "storage-test")
    dialog.get_by_role("button", name="Close").last.click()
    act(page, name, "Delete")
    page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("row").filter(has_text=name)).to_have_count(0)
    assert bucket.keys("records") == []


@pytest.mark.spec("S2-108")
def test_keys_stay_when_they_are_left_empty_and_a_failed_test_says_why(
    page: Page, product: Product, archive: dict[str, str]
) -> None:
    page.goto(f"{product.url}/ui/terminal/replay-storage/{archive['id']}/update")
    expect(page.get_by_role("heading", level=1)).to_have_text("Update replay storage")
    main = page.get_by_role("main")
    expect(main.get_by_label("Secret key")).to_have_value("")
    assert "canary-of-a-storage" not in page.content()
    main.get_by_label("Bucket").fill("nowhere")
    save(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Storages")
    page.goto(f"{product.url}/ui/terminal/replay-storage/{archive['id']}/update")
    main.get_by_role("button", name="Test connection").click()
    expect(main.get_by_role("alert")).to_contain_text(re.compile("bucket", re.IGNORECASE))
    photograph(page, "storage-test-failed")
    main.get_by_label("Bucket").fill("records")
    save(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Storages")
    assert product.api().post(f"{REPLAY}{archive['id']}/test-connective/", {}, 200)["is_valid"] is True


@pytest.mark.spec("S2-110")
def test_a_built_in_command_storage_opens_its_form_and_cannot_be_changed(page: Page, product: Product) -> None:
    page.goto(f"{product.url}/ui/terminal/command-storage/{built_in(product, COMMAND)['id']}/update")
    expect(page.get_by_role("heading", level=1)).to_have_text("Update command storage")
    form = page.get_by_role("form")
    expect(form).to_contain_text("This storage is part of Postern. It cannot be changed or deleted.")
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_disabled()
    page.goto(f"{product.url}/ui/terminal/command-storage/create")
    expect(page.get_by_text("This installation keeps commands in its database only.")).to_be_visible()


def test_the_default_and_the_storage_of_a_terminal_are_chosen(
    page: Page, product: Product, archive: dict[str, str]
) -> None:
    name = archive["name"]
    page.goto(f"{product.url}/ui/terminal/storages")
    act(page, name, "Make it the default")
    page.get_by_role("alertdialog").get_by_role("button", name="Make it the default").click()
    expect(page.get_by_text(f"“{name}” is the default storage")).to_be_visible()
    assert [row["name"] for row in product.api().get(f"{REPLAY}?is_default=1")] == [name]
    (terminal,) = product.api().get("/api/v1/terminal/terminals/")
    url = f"/api/v1/terminal/terminals/{terminal['id']}/"
    page.goto(f"{product.url}/ui/terminal/terminal/{terminal['id']}/update")
    pick(page, "Replay storage", name)
    photograph(page, "terminal-form")
    save(page)
    wait_until(lambda: product.api().get(url)["replay_storage"] == name, message="the storage of the terminal")
    product.api().patch(url, {"replay_storage": "default"})


@pytest.mark.spec("S2-111", "S6-022")
@pytest.mark.parametrize(
    ("name", "password"), [("auditor", AUDITOR_PASSWORD), ("zhang", ZHANG_PASSWORD)], ids=["auditor", "user"]
)
def test_storages_are_for_super_administrators_only(world: World, browser: Browser, name: str, password: str) -> None:
    product = world.product
    replay, command = built_in(product, REPLAY)["id"], built_in(product, COMMAND)["id"]
    context = window(browser)
    tab = context.new_page()
    admit(tab, product.url, name, password)
    for path in (
        "storages",
        "replay-storage/create",
        f"replay-storage/{replay}/update",
        "command-storage/create",
        f"command-storage/{command}/update",
    ):
        tab.goto(f"{product.url}/ui/terminal/{path}")
        expect(tab.get_by_role("heading", level=1)).to_have_text(re.compile("^You cannot open"))
        expect(tab.get_by_role("navigation").get_by_role("link", name="Storages")).to_have_count(0)
    context.close()
    api = product.api(name, password)
    for url in (REPLAY, COMMAND, f"{REPLAY}{replay}/", f"{COMMAND}{command}/"):
        assert api.call("GET", url).status == 403
    assert api.call("POST", f"{REPLAY}{replay}/test-connective/", {}).status == 403


def test_recordings_move_to_another_storage_after_a_question_that_says_how_many(
    world: World, page: Page, archive: dict[str, str], bucket: S3Server
) -> None:
    api, place = world.admin, f"{REPLAY}{built_in(world.product, REPLAY)['id']}/move-recordings/"
    before = api.get(place)["recordings"]
    subprocess.run(world.ssh("echo moved"), check=True, capture_output=True, timeout=120)
    wait_until(lambda: api.get(place)["recordings"] > before, message="the stored recording")
    count, name = api.get(place)["recordings"], archive["name"]
    page.goto(f"{world.product.url}/ui/terminal/storages")
    act(page, "default", "Move recordings")
    dialog = page.get_by_role("dialog", name="Move the recordings of default")
    expect(dialog).to_contain_text(f"{count} recording")
    dialog.get_by_role("button", name=re.compile("To storage")).click()
    expect(page.get_by_role("option", name="null")).to_have_count(0)
    page.get_by_role("option", name=name).click()
    photograph(page, "storage-move")
    dialog.get_by_role("button", name=re.compile(f"^Move {count} recording")).click()
    expect(dialog.get_by_text(f"are being moved to “{name}”")).to_be_visible()
    photograph(page, "storage-moving")
    expect(dialog.get_by_text("No recording lies there.")).to_be_visible(timeout=240_000)
    assert len([key for key in bucket.keys("records") if "postern-test" not in key]) == count
    # The storage holds recordings now, so that it stays until they are moved back.
    back = f"{REPLAY}{archive['id']}/move-recordings/"
    assert api.call("DELETE", f"{REPLAY}{archive['id']}/").status == 400
    api.post(back, {"target": built_in(world.product, REPLAY)["id"]}, 202)
    wait_until(lambda: api.get(back)["recordings"] == 0, 240, message="the recordings being back")
    wait_until(lambda: api.get(back)["target"] is None, 240, message="the end of the move")
