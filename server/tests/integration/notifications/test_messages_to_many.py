"""A message to many people: written in batches by the worker, so that nobody waits long, is missing or gets it twice."""

from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest
from rest_framework.test import APIClient

from factories.mail import use_mail_server
from peers.mail_server import Mailbox, serving
from postern.apps.audits.models import AuditEvent
from postern.apps.notifications import actions, receivers
from postern.apps.notifications.declarations import expiries
from postern.apps.notifications.models import MessageDelivery, ReceiverBatch, SiteMessage, SiteMessageReceipt
from postern.apps.users.models import User
from postern.foundation.caller.actor import SYSTEM

pytestmark = pytest.mark.django_db

SEND = "/api/v1/notifications/site-message/send/"
PEOPLE = 7


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receivers, "BATCH", 3)
    monkeypatch.setattr(receivers, "_PAUSE_S", 0.0)


@pytest.fixture
def crowd(make_user: Callable[..., User]) -> list[User]:
    return [make_user(f"person{number}") for number in range(PEOPLE)]


def readers() -> list[str]:
    return sorted(SiteMessageReceipt.objects.values_list("user__username", flat=True))


@pytest.mark.usefixtures("crowd")
def test_worker_gives_a_message_to_many_in_small_transactions(as_admin: APIClient) -> None:
    answer = as_admin.post(SEND, {"subject": "Hello", "message": "<p>all</p>", "is_broadcast": True})
    assert answer.status_code == 200
    everybody = sorted(User.objects.valid().people().values_list("username", flat=True))
    assert readers() == []
    sizes: list[int] = []
    write = receivers._write

    def noted(message: SiteMessage, user_ids: Any, backends: Any) -> None:
        sizes.append(len(user_ids))
        write(message, user_ids, backends)

    with mock.patch.object(receivers, "_write", noted):
        assert receivers.write_waiting() == len(sizes)
    assert max(sizes) == 3
    assert readers() == everybody
    assert receivers.write_waiting() == 0
    event = AuditEvent.objects.get(event="site_message.sent")
    assert event.new is not None
    assert event.new["receivers"] == len(everybody)


def test_crash_between_and_inside_batches_loses_nobody_and_tells_nobody_twice(crowd: list[User]) -> None:
    actions.send(actor=SYSTEM, subject="s", message="m", users=crowd)
    written = 0

    def dies(*_: object) -> None:
        nonlocal written
        written += 1
        if written in {2, 4}:
            raise SystemExit

    for _run in range(2):
        # After the receipts of a batch were written, before its transaction has ended.
        with (
            mock.patch.object(ReceiverBatch, "delete", autospec=True, side_effect=_then(dies)),
            pytest.raises(SystemExit),
        ):
            receivers.write_waiting()
    assert len(readers()) < PEOPLE
    User.objects.filter(pk=crowd[-1].pk).delete()
    receivers.write_waiting()
    assert readers() == [f"person{number}" for number in range(PEOPLE - 1)]
    assert not ReceiverBatch.objects.exists()


def _then(check: Callable[..., None]) -> Callable[..., Any]:
    delete = ReceiverBatch.delete

    def call(batch: ReceiverBatch) -> Any:
        check()
        return delete(batch)

    return call


def test_system_message_to_many_goes_by_every_method_in_batches(crowd: list[User]) -> None:
    with serving(Mailbox()) as port:
        use_mail_server(port)
        notice = expiries.ACCOUNT_EXPIRING.about(expiries.ACCOUNT_EXPIRING.examples[0])
        assert actions.tell(notice=notice, occasion="o", user_ids=[user.pk for user in crowd]) == PEOPLE
        assert not MessageDelivery.objects.exists()
        receivers.write_waiting()
    assert len(readers()) == PEOPLE
    assert MessageDelivery.objects.filter(channel="email").count() == PEOPLE
