"""Mails with set-password links: what they say, that the link works once, and that nothing else ever shows it."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from unittest import mock

import pytest
from django.core import serializers
from rest_framework.test import APIClient

from factories.browser import Browser
from factories.mail import use_mail_server
from peers.mail_server import Mailbox, Received, serving
from postern.apps.audits.models import AuditEvent
from postern.apps.authn.callers.identity import actor_of_user
from postern.apps.authn.models import TotpDevice
from postern.apps.notifications import deliveries, link_tokens, mailing
from postern.apps.notifications.models import DeliveryState, MessageDelivery, SiteMessage
from postern.apps.preferences.actions import change_settings
from postern.apps.rbac import facade as rbac
from postern.apps.users import facade as users
from postern.apps.users.credentials.actions import links
from postern.apps.users.models import User
from postern.apps.vault.sealed_secrets.models import SealedSecret
from postern.foundation.bus import outbox
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.caller.scope import DEFAULT
from postern.kernel import clock

pytestmark = pytest.mark.django_db

USERS = "/api/v1/users/users/"
DELIVERIES = "/api/v1/notifications/deliveries/"
SET = "/api/v1/authentication/set-password/"
NEW = "emerald harbour twenty"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDwUdw3+KEWMpiB7RLPzuLsRM8ZaEIGDTIcDYIYz1v9p laptop"
ENGLISH: dict[str, Any] = {"HTTP_ACCEPT_LANGUAGE": "en"}
TABLE = "notifications_messagedelivery"


@pytest.fixture
def mailbox() -> Mailbox:
    return Mailbox()


@pytest.fixture
def port(mailbox: Mailbox) -> Iterator[int]:
    """The port of a mail server that the settings name."""
    with serving(mailbox) as served:
        use_mail_server(served)
        yield served


@pytest.fixture
def ann(make_user: Callable[..., User]) -> User:
    return make_user("ann", language="en")


def create(client: APIClient, **more: Any) -> dict[str, Any]:
    body = {"name": "Eve <b>", "username": "eve", "email": "eve@example.com", "password_strategy": "email", **more}
    answer = client.post(USERS, body, format="json", **ENGLISH)
    assert answer.status_code == 201, answer.content
    made: dict[str, Any] = answer.json()
    return made


def reset(client: APIClient, user: User) -> dict[str, Any]:
    answer = client.patch(f"{USERS}{user.pk}/password/reset/")
    assert answer.status_code == 200, answer.content
    body: dict[str, Any] = answer.json()
    return body


def token_in(received: Received) -> str:
    found = re.search(r"https://gate\.example\.com/ui/set-password#(\S+)", received.body("plain"))
    assert found is not None
    assert f'href="{found.group(0)}"' in received.body("html")
    return found.group(1)


def works(token: str) -> bool:
    browser = Browser("203.0.113.1")
    browser.get("/api/v1/authentication/sign-in/")
    return bool(browser.post(SET, {"token": token, "new_password": NEW}).status_code == 200)


def stored_tokens() -> int:
    return SealedSecret.objects.filter(table=TABLE).count()


def reason_of(client: APIClient) -> str:
    (row,) = client.get(DELIVERIES, **ENGLISH).json()
    return str(row["reason"])


def test_new_user_gets_a_mail_with_a_link_that_works_once(port: int, mailbox: Mailbox, as_admin: APIClient) -> None:
    body = create(as_admin)
    assert "set_password_link" not in body
    assert body["set_password_mail"]["address"] == "eve@example.com"
    assert "queued" in body["set_password_mail"]["msg"]
    assert mailing.send_due() == 1
    (received,) = mailbox.received
    assert received.recipient == "eve@example.com"
    token = token_in(received)
    assert token not in json.dumps(body)
    assert "eve" in received.body("plain")
    assert "Eve &lt;b&gt;" in received.body("html")
    assert works(token)
    assert not works(token)


def test_texts_of_the_settings_make_the_mail_and_are_no_html(port: int, mailbox: Mailbox, as_admin: APIClient) -> None:
    texts = {
        "SUBJECT": "Welcome\r\nBcc: all@example.com",
        "HONORIFIC": "Dear <script>alert(1)</script>",
        "BODY": "first line\nsecond & <img src=x onerror=alert(1)>",
        "SIGNATURE": "Your <i>team</i>",
    }
    change_settings(
        actor=SYSTEM,
        changes={f"EMAIL_CUSTOM_USER_CREATED_{name}": text for name, text in texts.items() if name != "SUBJECT"},
    )
    with mock.patch("postern.apps.notifications.link_letters.preferences.get_many") as many:
        many.return_value = {f"EMAIL_CUSTOM_USER_CREATED_{name}": text for name, text in texts.items()}
        create(as_admin)
    mailing.send_due()
    (received,) = mailbox.received
    assert received.message["Bcc"] is None
    html, text = received.body("html"), received.body("plain")
    assert "<script" not in html
    assert "<img" not in html
    assert "Your &lt;i&gt;team&lt;/i&gt;" in html
    assert "Dear <script>alert(1)</script>" in text
    assert "second & <img src=x onerror=alert(1)>" in text
    assert "an account was created" not in text


def test_reset_is_mailed_in_the_language_of_the_user(
    port: int, mailbox: Mailbox, as_admin: APIClient, ann: User, make_user: Callable[..., User]
) -> None:
    assert "set_password_link" not in reset(as_admin, ann)
    reset(as_admin, make_user("zhang", language="zh-hans"))
    assert mailing.send_due() == 2
    subjects = {received.recipient: str(received.message["Subject"]) for received in mailbox.received}
    assert subjects["ann@example.test"] == "[Postern] Set a new password"
    assert "密码" in subjects["zhang@example.test"]
    assert works(token_in(next(one for one in mailbox.received if one.recipient == "ann@example.test")))


def test_without_mail_or_address_the_answer_has_the_link_once(
    as_admin: APIClient, ann: User, make_user: Callable[..., User]
) -> None:
    assert "set-password#" in reset(as_admin, ann)["set_password_link"]["url"]
    assert not MessageDelivery.objects.exists()
    with serving(Mailbox()) as port:
        use_mail_server(port)
        bob = make_user("bob")
        User.objects.filter(pk=bob.pk).update(email="")
        assert "set-password#" in reset(as_admin, bob)["set_password_link"]["url"]
        assert not MessageDelivery.objects.exists()


def test_link_is_nowhere_but_in_the_mail_and_is_deleted_after_it(
    port: int, mailbox: Mailbox, as_admin: APIClient, ann: User, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    answer = json.dumps(reset(as_admin, ann))
    assert stored_tokens() == 1
    waiting = as_admin.get(DELIVERIES).content.decode()
    mailing.send_due()
    token = token_in(mailbox.received[0])
    assert stored_tokens() == 0
    rows = [*SiteMessage.objects.all(), *MessageDelivery.objects.all(), *AuditEvent.objects.all()]
    everything = serializers.serialize("json", rows) + as_admin.get(DELIVERIES).content.decode()
    # aiosmtpd runs in this process, too, and logs every line that it reads.
    logged = "\n".join(record.getMessage() for record in caplog.records if record.name != "mail.log")
    for text in (answer, waiting, everything, logged):
        assert token not in text
    assert AuditEvent.objects.filter(event="user.set_password_link_mailed").count() == 1


_ENDS: dict[str, Callable[[User], object]] = {
    "was promoted": lambda ann: User.objects.filter(pk=ann.pk).update(role="Admin"),
    "comes from a directory": lambda ann: User.objects.filter(pk=ann.pk).update(source="ldap"),
    "has another address": lambda ann: User.objects.filter(pk=ann.pk).update(email="thief@example.com"),
    "got a newer link": lambda ann: links.issue_set_password_link(actor=SYSTEM, user=ann, void_password=False),
}


@pytest.mark.parametrize("change", _ENDS.values(), ids=_ENDS)
def test_link_that_is_over_is_not_sent(
    port: int, mailbox: Mailbox, as_admin: APIClient, ann: User, change: Callable[[User], object]
) -> None:
    reset(as_admin, ann)
    change(ann)
    assert mailing.send_due() == 0
    assert mailbox.received == []
    assert MessageDelivery.objects.get().state == DeliveryState.FAILED
    assert "Reset the password" in reason_of(as_admin)
    assert stored_tokens() == 0


def test_mail_is_not_sent_after_the_end_of_its_link(
    port: int, mailbox: Mailbox, as_admin: APIClient, ann: User
) -> None:
    reset(as_admin, ann)
    moved = clock.now() + links.LINK_LIFETIME + timedelta(seconds=1)
    with mock.patch.object(deliveries.clock, "now", return_value=moved):
        assert mailing.send_due() == 0
    assert mailbox.received == []
    assert stored_tokens() == 0


def test_failed_mail_with_a_link_is_not_tried_again_and_its_reason_hides_the_link(
    port: int, mailbox: Mailbox, as_admin: APIClient, ann: User
) -> None:
    reset(as_admin, ann)
    row = MessageDelivery.objects.get()
    token = link_tokens.get(row.pk)
    assert token is not None
    mailbox.content_answer = f"550 spam: /ui/set-password#{token.reveal()}"
    assert mailing.send_due() == 0
    row.refresh_from_db()
    assert row.state == DeliveryState.FAILED
    assert token.reveal() not in json.dumps(row.reason)
    assert "contains the link" in reason_of(as_admin)
    again = as_admin.post(f"{DELIVERIES}{row.pk}/retry/", **ENGLISH)
    assert again.status_code == 409
    assert "Reset the password" in again.json()["detail"]


def test_link_of_a_deleted_user_is_deleted(port: int, as_admin: APIClient, ann: User) -> None:
    reset(as_admin, ann)
    assert stored_tokens() == 1
    assert as_admin.delete(f"{USERS}{ann.pk}/").status_code == 204
    assert stored_tokens() == 0


def told_after(mailbox: Mailbox) -> tuple[str, str]:
    """Subject and text of the only mail to Ann, after the stored events were delivered."""
    outbox.drain()
    assert mailing.send_due() == 1
    (received,) = mailbox.received
    assert received.recipient == "ann@example.test"
    return str(received.message["Subject"]), received.body("plain")


def test_owner_is_told_by_mail_that_their_public_keys_were_removed(
    port: int, mailbox: Mailbox, as_admin: APIClient, ann: User
) -> None:
    users.set_public_keys(actor=SYSTEM, user=ann, text=KEY)
    assert as_admin.patch(f"{USERS}{ann.pk}/pubkey/reset/").status_code == 200
    subject, text = told_after(mailbox)
    assert subject == "[Postern] Your SSH public keys were removed"
    assert "removed your SSH public keys" in text


def test_nobody_is_told_of_keys_that_they_removed_themselves(port: int, mailbox: Mailbox, ann: User) -> None:
    users.set_public_keys(actor=SYSTEM, user=ann, text=KEY)
    own = actor_of_user(ann, rbac.rights_of(ann, DEFAULT), remote_addr=None, login_session=None)
    users.set_public_keys(actor=own, user=ann, text="")
    outbox.drain()
    assert mailing.send_due() == 0
    assert mailbox.received == []


def test_owner_is_told_by_mail_that_their_second_factor_was_reset(
    port: int, mailbox: Mailbox, as_admin: APIClient, ann: User
) -> None:
    TotpDevice.objects.create(user=ann, date_confirmed=clock.now())
    assert as_admin.post(f"{USERS}{ann.pk}/otp/reset/").status_code == 200
    subject, text = told_after(mailbox)
    assert subject == "[Postern] Your second factor was removed"
    assert "recovery codes" in text
