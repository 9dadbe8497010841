"""Mails with links from the running product: new users, and users who forgot their password, set their own password."""

import re
from collections.abc import Iterator

import pytest
from browser import photograph, window
from playwright.sync_api import Browser, expect
from product import Product, wait_until
from test_mail import DELIVERIES, SETTINGS, account

from peers.mail_server import Mailbox, Received, serving

PASSWORD = "meadow-Copper-signal-58"


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """A product that may connect to this machine. The mail servers of the tests do not use mail ports."""
    with Product(tmp_path_factory.mktemp("links") / "home", POSTERN_ALLOW_LOCAL_TARGETS="yes") as running:
        yield running


def mails_to(mailbox: Mailbox, *names: str) -> list[Received]:
    """The mails of these people on the server. It may also have received a delayed mail of another test."""
    return [mail for mail in mailbox.received if mail.recipient.partition("@")[0] in names]


def test_new_user_sets_their_password_with_the_link_of_their_mail(own: Product, browser: Browser) -> None:
    admin, mailbox = own.api(), Mailbox()
    person = {"name": "Zoe", "username": "zoe", "email": "zoe@example.com", "password_strategy": "email"}
    with serving(mailbox) as port:
        admin.patch(SETTINGS, account(port))
        made = admin.post("/api/v1/users/users/", person)
        assert "set_password_link" not in made
        assert made["set_password_mail"]["address"] == "zoe@example.com"
        wait_until(lambda: mails_to(mailbox, "zoe"), message="the mail")
        wait_until(
            lambda: (
                [row["state"] for row in admin.get(DELIVERIES) if row["address"] == "zoe@example.com"] == ["accepted"]
            ),
            message="the state",
        )
        # Events wake the worker: three mails do not take three periods of 5 s.
        for number in range(3):
            name = f"zoe{number}"
            admin.post("/api/v1/users/users/", {**person, "username": name, "email": f"{name}@example.com"})
            wait_until(lambda name=name: mails_to(mailbox, name), timeout_s=4, message="a mail at once")
    (received,) = mails_to(mailbox, "zoe")
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


NEWER = "harbour-Violet-thunder-23"


def test_forgotten_password_is_replaced_from_the_sign_in_page(own: Product, browser: Browser) -> None:
    admin, mailbox = own.api(), Mailbox()
    person = {"name": "Yan", "username": "yan", "email": "yan@example.com", "password": PASSWORD}
    admin.post("/api/v1/users/users/", {**person, "password_strategy": "custom"})
    context = window(browser)
    page = context.new_page()
    with serving(mailbox) as port:
        admin.patch(SETTINGS, account(port))
        page.goto(own.url + "/ui/login")
        page.get_by_role("link", name="Forgot password?").click()
        expect(page).to_have_url(own.url + "/ui/set-password?forgot=1")
        expect(page.locator("input[name=username]")).to_be_visible()
        photograph(page, "forgot-password")
        page.locator("input[name=username]").fill("yan@example.com")
        page.locator("form button[type=submit]").click()
        expect(page.get_by_text("a mail is on its way")).to_be_visible()
        photograph(page, "forgot-password-answer")
        wait_until(lambda: mails_to(mailbox, "yan"), message="the mail")
    path = re.search(r"/ui/set-password#\S+", mails_to(mailbox, "yan")[0].body("plain"))
    assert path is not None
    own.api("yan", PASSWORD)  # valid until the link is used
    page.goto(own.url + path.group(0))
    page.get_by_label("New password", exact=True).fill(NEWER)
    page.locator("input[name=again]").fill(NEWER)
    page.locator("form button[type=submit]").click()
    expect(page).not_to_have_url(re.compile("set-password#"))
    context.close()
    own.api("yan", NEWER)
