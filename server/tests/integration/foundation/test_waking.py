"""Work that is stored wakes the worker through Redis, so it does not wait for the next run of its periodic task."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings
from django.db import transaction
from tests.peers.redis_server import RedisServer

from postern.apps.assets.tree.events import AssetsChanged
from postern.apps.audits import facade as audits
from postern.apps.directory import reading
from postern.apps.forwarding.streams import waking as streams
from postern.apps.forwarding.streams.models import AuditStream
from postern.apps.forwarding.streams.waking import SEND_SYSLOG, SEND_WEBHOOKS, SYSLOG
from postern.apps.notifications import deliveries, receivers
from postern.apps.notifications.models import DeliveryChannel, MessageDelivery, SiteMessage
from postern.apps.users.models import User
from postern.apps.vault.system_users.bindings import COMPARE_ACCOUNTS
from postern.entrypoints import celery
from postern.foundation.bus import events, outbox, waking
from postern.foundation.bus.prompt_tasks import PromptTasks
from postern.foundation.bus.waking import Listener
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.ids import DEFAULT_ORG_ID


class Heard:
    """The hints that arrived, with the moment to wait for."""

    def __init__(self) -> None:
        self.hints: list[str] = []
        self._arrived = threading.Condition()

    def __call__(self, hint: str) -> None:
        with self._arrived:
            self.hints.append(hint)
            self._arrived.notify_all()

    def wait_for(self, hint: str, timeout_s: float = 10.0) -> bool:
        with self._arrived:
            return self._arrived.wait_for(lambda: hint in self.hints, timeout_s)


@pytest.fixture
def heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Heard]:
    server = RedisServer(tmp_path)
    monkeypatch.setattr(settings, "POSTERN", replace(settings.POSTERN, redis_url=server.url))
    heard = Heard()
    listener = Listener(heard)
    listener.start()
    with waking._redis() as redis:
        while not redis.pubsub_numsub(waking._CHANNEL)[0][1]:
            pass
    yield heard
    listener.stop()
    server.stop()


@pytest.mark.django_db(transaction=True)
def test_each_kind_of_stored_work_wakes_its_task_after_the_commit(heard: Heard) -> None:
    li = User.objects.create(username="li", name="Li", email="li@example.com")
    with transaction.atomic():
        outbox.enqueue("t.happened", {})
        message = SiteMessage.objects.create(subject="s", message="m", message_type="t", sender_display="s")
        deliveries.enqueue(message, [li.pk])
        assert not heard.wait_for(outbox.DELIVER, 0.3)  # a task that ran now would find nothing
    assert heard.wait_for(outbox.DELIVER)
    assert heard.wait_for(deliveries.SEND_MAIL)

    with transaction.atomic():
        outbox.enqueue("t.happened", {})
        transaction.set_rollback(True)
    deliveries.retry(actor=SYSTEM, row=_failed(message, li))
    assert heard.wait_for(deliveries.SEND_COMPANY_MESSAGES)
    assert heard.hints.count(outbox.DELIVER) == 1


def _failed(message: SiteMessage, user: User) -> MessageDelivery:
    now = message.date_created
    return MessageDelivery.objects.create(
        message=message, user=user, channel=DeliveryChannel.WECOM, state="failed", mail_id="x@y", give_up_at=now
    )


def test_hint_runs_its_task_only_and_other_hints_are_ignored() -> None:
    runs: list[str] = []
    tasks = PromptTasks({"mail": lambda: runs.append("mail"), "outbox": lambda: runs.append("outbox")})
    for hint in ("outbox", "of a newer version", "outbox"):
        tasks.run(hint)
    tasks.stop()
    assert set(runs) == {"outbox"}


def test_names_of_hints_are_names_of_periodic_tasks() -> None:
    names = {entry["task"] for entry in celery.app.conf.beat_schedule.values()}
    hints = {outbox.DELIVER, deliveries.SEND_MAIL, deliveries.SEND_COMPANY_MESSAGES, receivers.WRITE, reading.READ}
    assert hints | {SEND_WEBHOOKS, SEND_SYSLOG, COMPARE_ACCOUNTS} <= names


@pytest.mark.django_db(transaction=True)
def test_audit_events_wake_who_follows_the_log_and_nobody_else(heard: Heard, monkeypatch: pytest.MonkeyPatch) -> None:
    AuditStream.objects.all().delete()
    monkeypatch.setattr(streams, "_KNOWN_S", -1.0)  # read who follows at each event
    li = User.objects.create(username="li", name="Li", email="li@example.com")
    _record(li)
    assert not heard.wait_for(SEND_SYSLOG, 0.3)

    AuditStream.objects.create(name=SYSLOG)
    _record(li)
    assert heard.wait_for(SEND_SYSLOG)
    assert SEND_WEBHOOKS not in heard.hints

    AuditStream.objects.create(name="of a webhook")
    _record(li)
    assert heard.wait_for(SEND_WEBHOOKS)


def _record(user: User) -> None:
    with transaction.atomic():
        audits.record_change(actor=SYSTEM, action="update", target=user, new={"name": user.name})


@pytest.mark.django_db(transaction=True)
def test_changed_tree_wakes_the_comparison_of_accounts(heard: Heard) -> None:
    with transaction.atomic():
        events.publish(AssetsChanged(org_id=DEFAULT_ORG_ID))
    assert heard.wait_for(COMPARE_ACCOUNTS)
