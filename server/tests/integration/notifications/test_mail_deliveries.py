"""Messages by mail: who gets them, in which language, and what happens when the mail server does not take them."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from unittest import mock
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from factories.mail import use_mail_server
from peers import mail_server as peer
from peers.mail_server import Mailbox, misbehaving, serving
from peers.ports import free_port
from postern.apps.audits.models import AuditEvent
from postern.apps.authn.lock_out.events import AccountLocked, AccountUnlocked
from postern.apps.notifications import actions, deliveries, mailing, notices, own_notices
from postern.apps.notifications.models import DeliveryState, MessageDelivery, SiteMessage, SiteMessageReceipt
from postern.apps.preferences.actions import change_settings
from postern.apps.sessions.terminals.events import TerminalLost
from postern.apps.users.models import User
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock

pytestmark = pytest.mark.django_db

BACKENDS = "/api/v1/notifications/backends/"
DELIVERIES = "/api/v1/notifications/deliveries/"
SUBSCRIPTIONS = "/api/v1/notifications/system-msg-subscription/"


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
def english(make_user: Callable[..., User]) -> User:
    return make_user("adam", role="Admin", language="en")


def lose_terminal(name: str = "proxy-1") -> None:
    notices.on_terminal_lost(TerminalLost(terminal_id=uuid4(), name=name))


def only_row() -> MessageDelivery:
    return MessageDelivery.objects.get()


def later(**delta: float) -> Any:
    """The clock of the deliveries, moved ahead."""
    moved = clock.now() + timedelta(**delta)
    return mock.patch.object(deliveries.clock, "now", return_value=moved)


def test_system_message_goes_to_each_subscriber_in_their_language(
    port: int, mailbox: Mailbox, english: User, make_user: Callable[..., User]
) -> None:
    make_user("zhang", role="Admin", language="zh-hans")
    make_user("olaf", org_role="Admin")
    lose_terminal("proxy <b>1</b> & Söhne")
    assert mailing.send_due() == 2
    assert mailing.send_due() == 0
    by_recipient = {received.recipient: received for received in mailbox.received}
    assert set(by_recipient) == {"adam@example.test", "zhang@example.test"}
    received = by_recipient["adam@example.test"]
    assert received.message["Subject"] == "[Postern] The terminal proxy <b>1</b> & Söhne is not responding"
    assert received.message["From"] == "Gate <gate@example.com>"
    assert received.message["To"] == "Adam <adam@example.test>"
    assert "The terminal proxy <b>1</b> & Söhne has sent no heartbeat" in received.body("plain")
    assert "proxy &lt;b&gt;1&lt;/b&gt; &amp; Söhne" in received.body("html")
    assert "<b>1</b>" not in received.body("html")
    for kind in ("plain", "html"):
        assert "Sent by Postern" in received.body(kind)
        assert "https://gate.example.com" in received.body(kind)
    chinese = by_recipient["zhang@example.test"]
    assert "由 Postern 发送" in chinese.body("plain")
    assert "Subject" in chinese.message
    assert "is not responding" not in chinese.message["Subject"]
    assert received.message["Message-ID"] != chinese.message["Message-ID"]
    assert received.message["Message-ID"].endswith("@gate.example.com>")
    assert SiteMessageReceipt.objects.count() == 2, "site messages are sent as before"
    assert set(MessageDelivery.objects.values_list("state", "tries")) == {("accepted", 1)}


def test_without_account_nothing_is_stored_for_mail(as_admin: APIClient) -> None:
    lose_terminal()
    assert not MessageDelivery.objects.exists()
    assert mailing.send_due() == 0
    assert [row["name"] for row in as_admin.get(BACKENDS).json()] == ["site_msg"]


def test_backend_is_listed_while_an_account_is_configured(port: int, as_admin: APIClient) -> None:
    listed = as_admin.get(BACKENDS, headers={"Accept-Language": "en"}).json()
    assert listed == [
        {"name": "site_msg", "name_display": "Site message"},
        {"name": "email", "name_display": "Email"},
    ]
    row = as_admin.get(SUBSCRIPTIONS).json()[0]["children"][0]
    assert row["receive_backends"] == ["site_msg", "email"]
    assert (row["receivers"][0]["site_msg"], row["receivers"][0]["email"]) == (True, True)
    change_settings(actor=SYSTEM, changes={"EMAIL_FROM": "", "EMAIL_HOST_USER": "apikey", "EMAIL_HOST_PASSWORD": "k"})
    assert [row["name"] for row in as_admin.get(BACKENDS).json()] == ["site_msg"], "no usable sender"


@pytest.mark.parametrize("chosen", [["email"], ["site_msg"], []])
def test_chosen_methods_are_used_and_no_others(
    port: int, mailbox: Mailbox, as_admin: APIClient, people: dict[str, User], chosen: list[str]
) -> None:
    url = f"{SUBSCRIPTIONS}TerminalLostMessage/"
    answer = as_admin.patch(url, {"users": [str(people["user"].pk)], "receive_backends": chosen})
    assert answer.json()["receive_backends"] == chosen
    lose_terminal()
    mailing.send_due()
    assert [received.recipient for received in mailbox.received] == [people["user"].email] * ("email" in chosen)
    assert SiteMessageReceipt.objects.count() == ("site_msg" in chosen)


def test_same_occasion_is_mailed_once(port: int, mailbox: Mailbox, english: User) -> None:
    event = TerminalLost(terminal_id=uuid4(), name="proxy-1")
    for _time in range(2):
        notices.on_terminal_lost(event)
        mailing.send_due()
    assert len(mailbox.received) == 1


def test_personal_messages_go_by_mail_too(port: int, mailbox: Mailbox, make_user: Callable[..., User]) -> None:
    uma = make_user("uma", language="en")
    own_notices.on_account_unlocked(AccountUnlocked(user_id=uma.pk, username="uma", by="Adam(adam)", at=clock.now()))
    notices.on_account_locked(AccountLocked(username="uma", remote_addr="192.0.2.9", minutes=30, user_id=uma.pk))
    assert mailing.send_due() == 2
    assert {received.message["Subject"] for received in mailbox.received} == {
        "[Postern] Your account was unlocked",
        "[Postern] Sign-ins to your account are locked",
    }
    assert {received.recipient for received in mailbox.received} == {"uma@example.test"}


class TestFailures:
    def test_dead_server_is_tried_again_with_growing_pauses_and_then_given_up(self, as_admin: APIClient) -> None:
        use_mail_server(free_port())
        lose_terminal()
        started, pauses, tries_before = clock.now(), [], 0
        moment = started
        while only_row().state == DeliveryState.WAITING:
            moment = max(moment, only_row().next_try) + timedelta(seconds=1)
            with mock.patch.object(deliveries.clock, "now", return_value=moment):
                assert mailing.send_due() == 0
            row = only_row()
            if row.state == DeliveryState.WAITING:
                assert row.tries == tries_before + 1
                tries_before = row.tries
                pauses.append(round((row.next_try - moment).total_seconds() / 60))
            assert moment - started < timedelta(hours=25)
        assert pauses[:6] == [1, 5, 30, 120, 240, 360]
        assert set(pauses[6:]) <= {360}
        (shown,) = as_admin.get(DELIVERIES, headers={"Accept-Language": "en"}).json()
        assert shown["state"] == "failed"
        assert shown["reason"].startswith("Not delivered within 24 hours. Last reason: 127.0.0.1 refuses connections")
        (record,) = AuditEvent.objects.filter(event="delivery.failed")
        assert record.new["user"] == "Adam(adam)"

    def test_server_that_comes_back_gets_the_message_once(self, mailbox: Mailbox, english: User) -> None:
        at = free_port()
        use_mail_server(at)
        lose_terminal()
        assert mailing.send_due() == 0
        first = only_row()
        assert (first.state, first.tries) == ("waiting", 1)
        with serving(mailbox, port=at):
            assert mailing.send_due() == 0, "its pause is not over"
            with later(minutes=2):
                assert mailing.send_due() == 1
                assert mailing.send_due() == 0
        assert len(mailbox.received) == 1
        assert mailbox.received[0].message["Message-ID"] == f"<{first.mail_id}>"
        row = only_row()
        assert (row.state, row.tries, row.reason) == ("accepted", 2, None)
        assert row.date_accepted is not None

    def test_silent_server_holds_a_run_for_one_message_only(
        self, make_user: Callable[..., User], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for number in range(5):
            make_user(f"admin{number}", role="Admin", language="en")
        monkeypatch.setattr(mailing, "LIMIT_S", 1.0)
        with misbehaving(peer.silent) as at:
            use_mail_server(at)
            lose_terminal()
            started_s = clock.monotonic_s()
            assert mailing.send_due() == 0
            assert clock.monotonic_s() - started_s < 4
            assert sorted(MessageDelivery.objects.values_list("tries", flat=True)) == [0, 0, 0, 0, 1]
            assert not MessageDelivery.objects.filter(next_try__lte=clock.now()).exists()
            assert not MessageDelivery.objects.filter(reason=None).exists(), "administrators see why all of them wait"

    def test_refused_recipient_fails_at_once_and_others_get_theirs(
        self, port: int, mailbox: Mailbox, english: User, make_user: Callable[..., User]
    ) -> None:
        make_user("unknown", role="Admin")
        make_user("full", role="Admin")
        lose_terminal()
        assert mailing.send_due() == 1
        assert [received.recipient for received in mailbox.received] == ["adam@example.test"]
        states = dict(MessageDelivery.objects.values_list("user__username", "state"))
        assert states == {"adam": "accepted", "unknown": "failed", "full": "waiting"}

    def test_user_without_address_and_disabled_user_get_nothing(
        self, port: int, mailbox: Mailbox, english: User, make_user: Callable[..., User]
    ) -> None:
        make_user("leaver", role="Admin")
        User.objects.filter(pk=make_user("bare", role="Admin").pk).update(email="")
        lose_terminal()
        User.objects.filter(username="leaver").update(is_active=False)
        assert mailing.send_due() == 1
        reasons = dict(MessageDelivery.objects.filter(state="failed").values_list("user__username", "reason__code"))
        assert reasons == {"leaver": "delivery.user_not_valid", "bare": "delivery.no_address"}

    def test_message_that_waited_too_long_is_not_sent(self, port: int, mailbox: Mailbox, english: User) -> None:
        lose_terminal()
        with later(hours=25):
            assert mailing.send_due() == 0
        assert mailbox.received == []
        assert only_row().state == "failed"

    def test_claimed_row_belongs_to_one_sender_until_its_lease_ends(self, port: int, english: User) -> None:
        lose_terminal()
        first = deliveries.claim()
        assert first is not None
        assert deliveries.claim() is None
        with later(seconds=deliveries.LEASE.total_seconds() + 1):
            second = deliveries.claim()
        assert second is not None
        assert (first.tries, second.tries) == (1, 2)
        deliveries.refused(first, "", deliveries._NOT_VALID.say(), is_final=True)
        assert only_row().state == "waiting", "the first claim is over"
        deliveries.accepted(first, "adam@example.test")
        assert only_row().state == "accepted", "what the server accepted is accepted"

    def test_one_run_at_a_time_in_a_process(self, port: int, mailbox: Mailbox, english: User) -> None:
        lose_terminal()
        found: list[int] = []
        mailbox.before_answer = lambda: found.append(mailing.send_due())
        assert mailing.send_due() == 1
        assert found == [0]


class TestList:
    def fail(self, make_user: Callable[..., User]) -> MessageDelivery:
        make_user("unknown", role="Admin", language="en")
        lose_terminal()
        mailing.send_due()
        return MessageDelivery.objects.get(user__username="unknown")

    @pytest.mark.usefixtures("port")
    def test_reason_is_in_the_language_of_the_reader(self, as_admin: APIClient, make_user: Callable[..., User]) -> None:
        self.fail(make_user)
        found = {}
        for language in ("en", "zh-hans"):
            (row,) = as_admin.get(f"{DELIVERIES}?state=failed", headers={"Accept-Language": language}).json()
            found[language] = row
        english = found["en"]
        assert english["reason"].startswith("127.0.0.1 does not accept mail for unknown@example.test.")
        assert "550" in found["zh-hans"]["reason"]
        assert "does not accept" not in found["zh-hans"]["reason"]
        assert (english["state_display"], english["channel_display"], english["channel"]) == (
            "Failed",
            "Email",
            "email",
        )
        assert english["user_display"] == "Unknown(unknown)"
        assert english["subject"] == "The terminal proxy-1 is not responding"
        assert english["tries"] == 1

    @pytest.mark.usefixtures("port")
    def test_filters(self, as_admin: APIClient, make_user: Callable[..., User]) -> None:
        self.fail(make_user)
        assert len(as_admin.get(DELIVERIES).json()) == 2
        assert len(as_admin.get(f"{DELIVERIES}?state=accepted&channel=email").json()) == 1
        assert as_admin.get(f"{DELIVERIES}?channel=site_msg").json() == []
        assert len(as_admin.get(f"{DELIVERIES}?search=unknown@example").json()) == 1

    @pytest.mark.usefixtures("port")
    def test_retry_tries_again_for_another_day(
        self, as_admin: APIClient, mailbox: Mailbox, make_user: Callable[..., User]
    ) -> None:
        row = self.fail(make_user)
        User.objects.filter(username="unknown").update(email="found@example.test")
        answer = as_admin.post(f"{DELIVERIES}{row.pk}/retry/")
        assert answer.status_code == 200, answer.content
        assert (answer.json()["state"], answer.json()["tries"], answer.json()["reason"]) == ("waiting", 0, "")
        assert as_admin.post(f"{DELIVERIES}{row.pk}/retry/").status_code == 409
        assert mailing.send_due() == 1
        assert mailbox.received[-1].recipient == "found@example.test"
        assert mailbox.received[-1].message["Message-ID"] == f"<{row.mail_id}>"
        assert as_admin.post(f"{DELIVERIES}{row.pk}/retry/").status_code == 409, "an accepted one is not sent again"
        (record,) = AuditEvent.objects.filter(event="delivery.retried")
        assert record.old == {"state": "failed"}

    @pytest.mark.usefixtures("port")
    def test_others_see_nothing(
        self, client_of: Callable[[User | None], APIClient], people: dict[str, User], make_user: Callable[..., User]
    ) -> None:
        row = self.fail(make_user)
        for role in ("user", "auditor"):
            assert client_of(people[role]).get(DELIVERIES).status_code == 403
            assert client_of(people[role]).post(f"{DELIVERIES}{row.pk}/retry/").status_code == 403

    @pytest.mark.usefixtures("port")
    def test_deliveries_are_deleted_with_their_message(self, make_user: Callable[..., User]) -> None:
        self.fail(make_user)
        SiteMessage.objects.update(date_created=clock.now() - actions.KEPT - timedelta(days=1))
        actions.forget_old(actor=SYSTEM, now=clock.now())
        assert not MessageDelivery.objects.exists()
