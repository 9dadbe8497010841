"""News for other systems from the running product: webhooks and syslog are set up on the screen, and the worker sends."""

import json
from collections.abc import Iterator

import pytest
from accessibility import at_rest, settled
from browser import Faults, admit, photograph, window
from playwright.sync_api import Browser, Page, expect
from product import ADMIN_PASSWORD, Product, ask_for_no_puzzles, wait_until
from test_mail import lock_out

from peers.rsyslog import receiving as receiving_syslog
from peers.webhook_receiver import Receiver, receiving

EVENTS = "/api/v1/audits/events/"


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """A Postern that may dial this machine, where the receivers of the tests listen."""
    with Product(tmp_path_factory.mktemp("news") / "home", POSTERN_ALLOW_LOCAL_TARGETS="yes") as running:
        ask_for_no_puzzles(running.api())
        yield running


@pytest.fixture
def page(own: Product, browser: Browser) -> Iterator[Page]:
    context = window(browser)
    page = context.new_page()
    admit(page, own.url, "admin", ADMIN_PASSWORD)
    faults = Faults(expected_statuses=frozenset({400}))
    faults.watch(page)
    yield page
    context.close()
    assert faults.found == []


def pictures(page: Page, name: str) -> None:
    """Wide and narrow, light and dark, in both languages."""
    for language in ("en", "zh-hans"):
        page.context.add_cookies([{"name": "django_language", "value": language, "url": page.url}])
        settled(page, page.url)
        for width in (1440, 320):
            page.set_viewport_size({"width": width, "height": 900})
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of the two
                at_rest(page)
                photograph(page, f"{name}-{language}-{width}-{scheme}")
    page.context.add_cookies([{"name": "django_language", "value": "en", "url": page.url}])
    page.set_viewport_size({"width": 1440, "height": 900})
    page.emulate_media(color_scheme="light")
    page.reload()


def test_webhook_is_added_tested_and_gets_messages_and_events(own: Product, page: Page) -> None:
    page.goto(f"{own.url}/ui/settings?activeTab=webhooks")
    expect(page.get_by_role("heading", name="No webhooks yet")).to_be_visible()
    photograph(page, "webhooks-empty")
    with receiving(Receiver()) as receiver:
        page.get_by_role("button", name="Add a webhook").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Name").fill("SIEM")
        dialog.get_by_label("Address").fill("https://169.254.169.254/x")
        dialog.get_by_role("button", name="Send a test message").click()
        expect(dialog.get_by_text("metadata service")).to_be_visible()
        dialog.get_by_label("Address").fill(receiver.address)
        dialog.get_by_role("button", name="Send a test message").click()
        expect(dialog.get_by_text("status 204")).to_be_visible()
        dialog.get_by_role("checkbox", name="An account was locked").check()
        dialog.get_by_role("checkbox", name="Failed and refused").check()
        photograph(page, "webhooks-dialog")
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_have_count(0)
        secret = page.get_by_text("whsec_").inner_text()
        receiver.received.clear()
        receiver.secrets = [secret]

        lock_out(own, "robber")
        wait_until(lambda: "message.AccountLockedMessage" in receiver.kinds, timeout_s=60, message="the message")
        wait_until(lambda: receiver.kinds.count("audit.sign_in.failed") >= 3, timeout_s=60, message="the events")
        page.reload()
        expect(page.get_by_text("whsec_")).to_have_count(0)
        expect(page.get_by_text("An account was locked after failed sign-ins → SIEM")).to_be_visible()
        expect(page.get_by_text("Sign-in failed → SIEM").first).to_be_visible()

        # The worker is killed while the receiver is down.
        own.kill_part("worker")
    taken = {one.document["data"]["id"] for one in receiver.received if "id" in one.document["data"]}
    lock_out(own, "burglar")
    with receiving(receiver, port=receiver.port):

        def everything() -> bool:
            found = {one.document["data"]["id"] for one in receiver.received if "id" in one.document["data"]}
            return len(found - taken) >= 3

        wait_until(everything, timeout_s=180, message="the events of the outage")
    pictures(page, "webhooks")


def test_audit_log_reaches_rsyslog_and_the_screen_says_how_far_behind_it_is(own: Product, page: Page) -> None:
    page.goto(f"{own.url}/ui/settings?activeTab=syslog")
    expect(page.get_by_text("Not sent")).to_be_visible()
    with receiving_syslog("tcp") as receiver:
        page.get_by_role("textbox", name="Host", exact=True).fill("127.0.0.1")
        page.get_by_role("spinbutton", name="Port").fill(str(receiver.port))
        page.get_by_role("radio", name="TCP, not encrypted").check()
        page.get_by_role("button", name="Send a test message").click()
        expect(page.get_by_text("The receiver has taken a test message.")).to_be_visible()
        page.get_by_role("switch", name="Send the audit log").check()
        page.get_by_role("button", name="Save 4 changes").click()
        expect(page.get_by_text("Sent", exact=True)).to_be_visible()
        lock_out(own, "guess")
        receiver.wait_for(4)

        def ids() -> set[str]:
            texts = [one["msg"].lstrip("\ufeff") for one in receiver.messages() if one["msgid"] != "postern.test"]
            return {str(json.loads(text)["id"]) for text in texts}

        admin = own.api()

        def missing(*names: str) -> set[str]:
            """The refused sign-ins under these names that the receiver does not have."""
            rows = admin.get(f"{EVENTS}?limit=100&offset=0&event=sign_in.failed")["results"]
            wanted = {row["id"] for row in rows if row["resource"] in names}
            assert len(wanted) >= 3 * len(names)
            return wanted - ids()

        wait_until(lambda: not missing("guess"), timeout_s=60, message="the events")
        receiver.kill()
        own.kill_part("worker")
        lock_out(own, "other")
        expect(page.get_by_text("Not taken")).to_be_visible(timeout=120_000)
        pictures(page, "syslog-failing")
        receiver.start()
        wait_until(lambda: not missing("guess", "other"), timeout_s=120, message="the events of the outage")
        expect(page.get_by_text("Sent", exact=True)).to_be_visible(timeout=60_000)
    pictures(page, "syslog")
