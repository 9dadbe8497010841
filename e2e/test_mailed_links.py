"""A new user gets a mail from the running product, opens its link, and signs in with the password they chose."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import photograph, window
from playwright.sync_api import Browser, expect
from product import Product, wait_until
from test_mail import DELIVERIES, SETTINGS, account

from peers.mail_server import Mailbox, serving

PASSWORD = "meadow-Copper-signal-58"


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Product]:
    """A Postern that may dial this machine: the mail server of the test listens on a port that is not one of mail."""
    with Product(tmp_path / "home", POSTERN_ALLOW_LOCAL_TARGETS="yes") as running:
        yield running


def test_new_user_sets_their_password_with_the_link_of_their_mail(own: Product, browser: Browser) -> None:
    admin, mailbox = own.api(), Mailbox()
    person = {"name": "Zoe", "username": "zoe", "email": "zoe@example.com", "password_strategy": "email"}
    with serving(mailbox) as port:
        admin.patch(SETTINGS, account(port))
        made = admin.post("/api/v1/users/users/", person)
        assert "set_password_link" not in made
        assert made["set_password_mail"]["address"] == "zoe@example.com"
        wait_until(lambda: mailbox.received, message="the mail")
        wait_until(lambda: admin.get(DELIVERIES)[0]["state"] == "accepted", message="the state")
    (received,) = mailbox.received
    path = re.search(r"/ui/set-password#\S+", received.body("plain"))
    assert path is not None

    context = window(browser)
    page = context.new_page()
    page.goto(own.url + path.group(0))
    photograph(page, "mailed-link")
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.locator("input[name=again]").fill(PASSWORD)
    page.locator("form button[type=submit]").click()
    expect(page).not_to_have_url(re.compile("set-password#"))
    context.close()
    own.api("zoe", PASSWORD)
