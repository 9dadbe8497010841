"""Notifications by Postern itself: recipients, languages and reliable delivery."""

import base64
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from unittest import mock
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from factories.browser import Browser
from factories.grants import make_asset, make_group
from factories.licences import forget_issuers, install_licence, today
from postern.apps.assets import facade as assets
from postern.apps.audits.models import AuditEvent
from postern.apps.authn.lock_out.events import AccountLocked
from postern.apps.licence import actions as licence_actions
from postern.apps.notifications import actions, notices
from postern.apps.notifications.models import SiteMessage, SiteMessageReceipt
from postern.apps.sessions.sessions.events import RecordingFailed
from postern.apps.sessions.terminals.events import TerminalLost
from postern.apps.users.models import User
from postern.foundation.bus import events, outbox
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.models import OutboxMessage
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db

SUBSCRIPTIONS = "/api/v1/notifications/system-msg-subscription/"


@pytest.fixture
def administrators(make_user: Callable[..., User]) -> dict[str, User]:
    """An administrator who reads Chinese and one who reads English."""
    return {
        "zh": make_user("zhang", role="Admin"),
        "en": make_user("adam", role="Admin", language="en"),
    }


def messages_of(user: User) -> list[SiteMessage]:
    rows = SiteMessageReceipt.objects.filter(user=user).select_related("message").order_by("date_delivered", "id")
    return [row.message for row in rows]


def _key(fill: int) -> str:
    blob = b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20" + bytes([fill]) * 32
    return f"ssh-ed25519 {base64.b64encode(blob).decode()}"


def test_changed_host_key_is_reported_to_super_administrators_in_their_languages(
    administrators: dict[str, User], people_without_admin: User
) -> None:
    asset = make_asset("shop-1")
    for fill in (1, 2):
        assets.check_host_key(actor=SYSTEM, asset_id=asset.pk, host="192.0.2.1", port=22, via="", public_key=_key(fill))
    assert not SiteMessage.objects.exists(), "the worker sends it"
    assert outbox.drain() == 1
    (english,), (chinese,) = messages_of(administrators["en"]), messages_of(administrators["zh"])
    assert english.subject == "The host key of shop-1 has changed"
    assert chinese.subject != english.subject
    assert "shop-1" in chinese.subject
    assert "SHA256:" in english.message
    assert "192.0.2.1:22" in english.message
    assert (english.message_type, english.sender_display) == ("HostKeyChangedMessage", "System")
    assert messages_of(people_without_admin) == []
    assert AuditEvent.objects.filter(event="site_message.sent").count() == 2


@pytest.fixture
def people_without_admin(make_user: Callable[..., User]) -> User:
    return make_user("olaf", org_role="Admin")


def test_event_is_stored_with_its_transaction_and_notified_once_although_delivered_twice(
    administrators: dict[str, User],
) -> None:
    event = TerminalLost(terminal_id=uuid4(), name="proxy <b>1</b>")
    events.publish(event)
    assert OutboxMessage.objects.count() == 1
    assert outbox.drain() == 1
    notices.on_terminal_lost(event)
    (message,) = messages_of(administrators["en"])
    assert message.subject == "The terminal proxy <b>1</b> is not responding"
    assert "proxy &lt;b&gt;1&lt;/b&gt;" in message.message


def test_message_of_postern_has_its_name_in_the_language_of_the_reader(
    administrators: dict[str, User], client_of: Callable[[User | None], APIClient]
) -> None:
    events.publish(TerminalLost(terminal_id=uuid4(), name="proxy-1"))
    outbox.drain()
    for language, name in (("en", "System"), ("zh-hans", "系统")):
        client = client_of(administrators["en"])
        (row,) = client.get("/api/v1/notifications/site-message/", headers={"Accept-Language": language}).json()
        assert (row["sender"], row["sender_display"]) == (None, name)
        assert row["receivers"] == ["Subscribers of: A terminal has stopped responding"]


def test_failed_delivery_is_retried(administrators: dict[str, User]) -> None:
    events.publish(TerminalLost(terminal_id=uuid4(), name="proxy-1"))
    with mock.patch.object(actions, "clean_html", side_effect=RuntimeError):
        assert outbox.drain() == 0
    assert messages_of(administrators["en"]) == []
    OutboxMessage.objects.update(date_due=clock.now() - timedelta(seconds=1))
    assert outbox.drain() == 1
    assert len(messages_of(administrators["en"])) == 1


@pytest.mark.usefixtures("without_waits")
def test_locked_account_is_reported(administrators: dict[str, User], make_user: Callable[..., User]) -> None:
    make_user("uma")
    browser = Browser()
    for _ in range(7):
        browser.sign_in("uma", "wrong wrong wrong")
    assert outbox.drain() == 1
    (message,) = messages_of(administrators["en"])
    assert message.subject == "The account uma is locked"
    assert "192.0.2.10" in message.message


def test_attacker_who_locks_many_names_does_not_flood_mailboxes(administrators: dict[str, User]) -> None:
    for number in range(50):
        events.publish(AccountLocked(username=f"guess{number}", remote_addr="192.0.2.9", minutes=30))
    assert outbox.drain() == 50
    subjects = [message.subject for message in messages_of(administrators["en"])]
    assert len(subjects) == actions.MAX_NOTICES + 1
    assert subjects[-1].startswith("More of these")
    SiteMessage.objects.update(date_created=clock.now() - actions.QUIET - timedelta(minutes=1))
    events.publish(AccountLocked(username="guess1", remote_addr="192.0.2.9", minutes=30))
    outbox.drain()
    assert len(messages_of(administrators["en"])) == actions.MAX_NOTICES + 2


@pytest.mark.parametrize(("is_lost", "words"), [(True, "could not be recovered"), (False, "was ended")])
def test_failed_recording_is_reported(administrators: dict[str, User], words: str, *, is_lost: bool) -> None:
    events.publish(
        RecordingFailed(
            session_id=uuid4(), org_id=DEFAULT_ORG_ID, session="root@web-1", user="Uma(uma)", is_lost=is_lost
        )
    )
    outbox.drain()
    (message,) = messages_of(administrators["en"])
    assert message.subject == "The session root@web-1 could not be recorded"
    assert words in message.message


def test_end_of_the_licence_is_announced_in_time(administrators: dict[str, User]) -> None:
    install_licence(30)
    try:
        for later, subject in ((24, "The licence ends on"), (31, "The licence has ended")):
            day = today() + timedelta(days=later)
            with mock.patch.object(clock, "today", lambda day=day: day):
                assert licence_actions.warn_of_end() is True
            assert outbox.drain() == 1
            assert messages_of(administrators["en"])[-1].subject.startswith(subject)
    finally:
        forget_issuers()


# --- recipients ---


def test_subscriptions_are_grouped_and_default_to_super_administrators(
    as_admin: APIClient, people: dict[str, User]
) -> None:
    groups = as_admin.get(SUBSCRIPTIONS, headers={"Accept-Language": "en"}).json()
    assert [group["category"] for group in groups] == ["security", "terminal", "operations"]
    assert groups[0]["category_label"] == "Security"
    row = groups[0]["children"][0]
    assert (row["message_type"], row["message_type_label"]) == (
        "HostKeyChangedMessage",
        "The host key of an asset changed",
    )
    assert (row["users"], row["groups"], row["receive_backends"]) == ([str(people["admin"].pk)], [], ["site_msg"])
    assert row["receivers"] == [{"id": str(people["admin"].pk), "name": "Adam(adam)", "site_msg": True}]
    backends = as_admin.get("/api/v1/notifications/backends/", headers={"Accept-Language": "en"}).json()
    assert backends == [{"name": "site_msg", "name_display": "Site message"}]


def test_subscription_decides_who_is_notified(as_admin: APIClient, people: dict[str, User]) -> None:
    url = f"{SUBSCRIPTIONS}TerminalLostMessage/"
    group = make_group("Operations", users=[people["auditor"]])

    def lose() -> None:
        events.publish(TerminalLost(terminal_id=uuid4(), name="proxy-1"))
        outbox.drain()

    body: dict[str, Any] = {"users": [str(people["user"].pk)], "groups": [str(group.pk)]}
    subscription = as_admin.patch(url, body).json()
    assert (subscription["users"], subscription["groups"]) == (body["users"], body["groups"])
    lose()
    assert len(messages_of(people["user"])) == len(messages_of(people["auditor"])) == 1
    assert messages_of(people["admin"]) == []
    assert as_admin.put(url, {"receive_backends": []}).json()["receive_backends"] == []
    lose()
    assert len(messages_of(people["user"])) == 1
    event = AuditEvent.objects.filter(event="subscription.updated").latest("sequence")
    assert (event.old or {})["receive_backends"] == ["site_msg"]


def test_subscription_refuses_unknown_messages_channels_and_users(as_admin: APIClient, as_org_admin: APIClient) -> None:
    assert as_admin.patch(f"{SUBSCRIPTIONS}NoSuchMessage/", {}).status_code == 404
    url = f"{SUBSCRIPTIONS}TerminalLostMessage/"
    assert list(as_admin.patch(url, {"receive_backends": ["pigeon"]}).json()) == ["receive_backends"]
    assert list(as_admin.patch(url, {"users": [str(uuid4())]}).json()) == ["users"]
    assert as_org_admin.patch(url, {}).status_code == 403
    assert as_org_admin.get(SUBSCRIPTIONS).status_code == 403
