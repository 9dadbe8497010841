"""The outbox loses no message and retries failed deliveries."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from postern.foundation.bus import events, outbox
from postern.foundation.models import OutboxMessage
from postern.kernel import clock


@pytest.mark.django_db
def test_message_is_delivered_once_and_deleted() -> None:
    seen: list[Mapping[str, Any]] = []
    outbox.enqueue("t.happened", {"n": 1})
    with outbox.RECEIVERS.replaced({"t.happened": seen.append}):
        assert outbox.drain() == 1
        assert outbox.drain() == 0
    assert seen == [{"n": 1}]
    assert not OutboxMessage.objects.exists()


@pytest.mark.django_db
def test_message_rolled_back_is_never_delivered() -> None:
    with transaction.atomic():
        outbox.enqueue("t.happened", {})
        transaction.set_rollback(True)
    assert outbox.drain() == 0


@pytest.mark.django_db(transaction=True)
def test_message_outside_a_transaction_is_refused() -> None:
    with pytest.raises(outbox.OutsideTransaction):
        outbox.enqueue("t.happened", {})


@pytest.mark.django_db
def test_message_whose_receiver_fails_is_retried_later() -> None:
    attempts: list[int] = []

    def receive(_: Mapping[str, Any]) -> None:
        attempts.append(1)
        if len(attempts) == 1:
            raise RuntimeError

    outbox.enqueue("t.happened", {})
    with outbox.RECEIVERS.replaced({"t.happened": receive}):
        assert outbox.drain() == 0
        waiting = OutboxMessage.objects.get()
        assert waiting.date_due > clock.now()
        assert outbox.drain() == 0
        assert attempts == [1]
        OutboxMessage.objects.update(date_due=clock.now() - timedelta(seconds=1))
        assert outbox.drain() == 1
    assert attempts == [1, 1]


@pytest.mark.django_db
def test_message_without_a_receiver_waits() -> None:
    outbox.enqueue("t.unknown", {})
    assert outbox.drain() == 0
    assert OutboxMessage.objects.count() == 1


@pytest.mark.django_db
def test_message_of_a_dead_worker_is_delivered_after_the_lease() -> None:
    seen: list[Mapping[str, Any]] = []
    outbox.enqueue("t.happened", {})
    with outbox.RECEIVERS.replaced({"t.happened": seen.append}):
        assert outbox._claim() is not None  # the worker dies after claiming the message
        assert outbox.drain() == 0
        OutboxMessage.objects.update(date_due=clock.now())
        assert outbox.drain() == 1


class Happened:
    """An event of the tests."""


@pytest.mark.django_db(transaction=True)
def test_event_is_published_after_the_commit_and_a_failing_subscriber_does_not_stop_others() -> None:
    seen: list[object] = []

    def fail(_: Happened) -> None:
        raise RuntimeError

    bus = events.Bus([events.after_commit(Happened, fail), events.after_commit(Happened, seen.append)])
    with events.BUS.replaced(bus):
        with transaction.atomic():
            events.publish_after_commit(Happened())
            assert seen == []
        assert len(seen) == 1
        with transaction.atomic():
            events.publish_after_commit(Happened())
            transaction.set_rollback(True)
        assert len(seen) == 1


def test_messages_of_earlier_releases_still_have_a_receiver() -> None:
    """The topic is stored, so this release must deliver messages that an earlier release stored."""
    released = {
        "assets.events.HostKeyChanged",
        "authn.events.AccountLocked",
        "authn.events.AccountUnlocked",
        "licence.events.LicenceExpiring",
        "sessions.events.ProxyAlarm",
        "sessions.events.RecordingFailed",
        "sessions.events.TerminalLost",
        "sessions.events.TerminalWaiting",
        "users.events.InvitationAccepted",
        "users.events.InvitationSent",
    }
    assert released <= set(outbox.RECEIVERS.value)


def test_topic_does_not_change_when_an_event_moves_within_its_app() -> None:
    flat = type("Happened", (), {"__module__": "postern.apps.shop.events"})
    moved = type("Happened", (), {"__module__": "postern.apps.shop.orders.events"})
    assert outbox.topic_of(flat) == outbox.topic_of(moved) == "shop.events.Happened"


def test_two_receivers_of_one_topic_prevent_the_start() -> None:
    first, second = outbox.kept(Happened, print), outbox.kept(Happened, print)
    assert list(outbox.receivers_of([first, events.after_commit(Happened, print)])) == [first.topic]
    with pytest.raises(ValueError, match="Happened"):
        outbox.receivers_of([first, second])
