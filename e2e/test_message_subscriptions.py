"""The tab of system messages: administrators choose receivers and methods, and try failed deliveries again."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Faults, admit, photograph, window
from playwright.sync_api import Browser, Page, expect
from product import ADMIN_PASSWORD, Api, Product, wait_until
from test_mail import DELIVERIES, SETTINGS, account, lock_out

from peers.mail_server import Mailbox, serving
from peers.ports import free_port

LOCKED = "An account was locked after failed sign-ins"


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Product]:
    """A Postern that may dial this machine: the mail server of the test listens on a port that is not one of mail."""
    with Product(tmp_path / "home", POSTERN_ALLOW_LOCAL_TARGETS="yes") as running:
        yield running


@pytest.fixture
def page(own: Product, browser: Browser) -> Iterator[Page]:
    context = window(browser)
    page = context.new_page()
    admit(page, own.url, "admin", ADMIN_PASSWORD)
    faults = Faults()
    faults.watch(page)
    yield page
    context.close()
    assert faults.found == []


def person(api: Api, name: str, email: str) -> None:
    body = {"name": name.title(), "username": name, "email": email, "password_strategy": "email"}
    api.post("/api/v1/users/users/", body)


@pytest.mark.spec("S1-031")
def test_chosen_receivers_get_a_message_by_mail_and_a_refused_one_is_tried_again(own: Product, page: Page) -> None:
    admin, mailbox = own.api(), Mailbox()
    person(admin, "zoe", "zoe@example.com")
    person(admin, "yan", "unknown-yan@example.com")
    page.goto(f"{own.url}/ui/settings?activeTab=messages")
    expect(page.get_by_role("button", name=f"Receivers of: {LOCKED}")).to_be_visible()
    # Without a mail account there is no box for mail.
    expect(page.get_by_role("checkbox", name=f"{LOCKED}: Site message")).to_be_checked()
    expect(page.get_by_role("checkbox", name=f"{LOCKED}: Email")).to_have_count(0)
    photograph(page, "subscriptions-without-mail")

    with serving(mailbox, port=free_port()) as port:
        admin.patch(SETTINGS, account(port))
        page.reload()
        page.get_by_role("button", name=f"Receivers of: {LOCKED}").click()
        dialog = page.get_by_role("dialog")
        for name in ("zoe", "yan"):
            dialog.get_by_role("combobox", name="People").fill(name)
            page.get_by_role("option", name=name.title()).click()
        photograph(page, "subscriptions-receivers")
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_have_count(0)
        expect(page.get_by_text("Zoe(zoe)")).to_be_visible()
        by_mail = page.get_by_role("checkbox", name=f"{LOCKED}: Email")
        if not by_mail.is_checked():
            by_mail.check()
        expect(by_mail).to_be_checked()

        lock_out(own, "guess")
        both = {("zoe", "accepted"), ("unknown-yan", "failed")}
        wait_until(lambda: _states(admin) >= both, timeout_s=60, message="both deliveries")
        assert "guess" in mailbox.received[0].message["Subject"]

        page.reload()
        failed = page.get_by_role("listitem").filter(has_text="unknown-yan@example.com")
        expect(failed).to_be_visible()
        photograph(page, "subscriptions-failed")
        page.set_viewport_size({"width": 320, "height": 720})
        photograph(page, "subscriptions-narrow")
        failed.get_by_role("button", name="Try again").click()
        expect(failed).to_have_count(0)
        wait_until(lambda: ("unknown-yan", "failed") in _states(admin), timeout_s=60, message="the second refusal")


def _states(api: Api) -> set[tuple[str, str]]:
    """Deliveries: the name in the address, and the state."""
    return {(row["address"].partition("@")[0], row["state"]) for row in api.get(DELIVERIES)}
