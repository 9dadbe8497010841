"""Webhooks against a real receiver that verifies each request with the reference library."""

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from unittest import mock
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from peers.ports import free_port
from peers.webhook_receiver import Receiver, receiving
from postern.apps.audits import facade as audits
from postern.apps.audits.models import AuditEvent
from postern.apps.forwarding.models import AuditPosition, AuditStream, Webhook, WebhookDelivery
from postern.apps.forwarding.webhooks import actions, deliveries, queueing, sending
from postern.apps.notifications import notices
from postern.apps.sessions.terminals.events import TerminalLost
from postern.apps.users.models import User
from postern.apps.vault.models import SealedSecret
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock
from postern.kernel.ids import ROOT_ORG_ID, new_id

pytestmark = pytest.mark.django_db

HOOKS = "/api/v1/notifications/webhooks/"
DELIVERIES = "/api/v1/notifications/webhook-deliveries/"
ENGLISH = {"Accept-Language": "en"}


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving(Receiver()) as running:
        yield running


def add(admin: APIClient, receiver: Receiver, **values: Any) -> dict[str, Any]:
    """An endpoint at the receiver, which then knows its secret."""
    body = {"name": "siem", "address": receiver.address, "message_types": ["TerminalLostMessage"], **values}
    answer = admin.post(HOOKS, body)
    assert answer.status_code == 201, answer.content
    made: dict[str, Any] = answer.json()
    receiver.secrets = [made["secret"]]
    return made


def lose_terminal(name: str = "proxy-1") -> None:
    notices.on_terminal_lost(TerminalLost(terminal_id=uuid4(), name=name))


def record(event: audits.Event = audits.Event.SIGN_IN_FAILED, **values: Any) -> None:
    audits.record(actor=SYSTEM, org_id=ROOT_ORG_ID, event=event, object_type="LoginLog", object_name="ann", new=values)


def run() -> int:
    queueing.queue_audit_events()
    return sending.send_due()


def later(**delta: float) -> Any:
    return mock.patch.object(deliveries.clock, "now", return_value=clock.now() + timedelta(**delta))


def test_secret_is_shown_once_and_sealed(as_admin: APIClient, receiver: Receiver) -> None:
    made = add(as_admin, receiver)
    assert made["secret"].startswith("whsec_")
    assert as_admin.get(f"{HOOKS}{made['id']}/").json()["secret"] == "******"
    assert as_admin.patch(f"{HOOKS}{made['id']}/", {"name": "other"}).json()["secret"] == "******"
    assert SealedSecret.objects.filter(table="forwarding_webhook", row_id=made["id"]).count() == 1
    (created,) = AuditEvent.objects.filter(event="webhook.created")
    assert created.new["secret"] == "******"


def test_system_message_arrives_signed(as_admin: APIClient, receiver: Receiver, make_user: Callable[..., User]) -> None:
    add(as_admin, receiver)
    lose_terminal("proxy <b>1</b>")
    assert run() == 1
    assert run() == 0
    (one,) = receiver.received
    assert one.document["type"] == "message.TerminalLostMessage"
    assert "proxy <b>1</b>" in one.document["data"]["subject"]
    assert "<p>" not in one.document["data"]["text"]
    assert abs(time.time() - int(one.timestamp)) < 60
    assert receiver.paths == ["/hook?token=a%2Fb"]
    (row,) = as_admin.get(DELIVERIES, headers=ENGLISH).json()
    assert (row["state"], row["status"], row["tries"], row["message_id"]) == ("accepted", 204, 1, one.message_id)
    assert row["kind_display"] == "A terminal has stopped responding"
    assert "body" not in row


def test_messages_that_were_not_chosen_are_not_sent(as_admin: APIClient, receiver: Receiver) -> None:
    add(as_admin, receiver, message_types=["LicenceExpiringMessage"])
    add(as_admin, receiver, name="off", is_active=False)
    lose_terminal()
    assert run() == 0


def test_same_occasion_is_sent_once_also_when_nobody_else_gets_it(as_admin: APIClient, receiver: Receiver) -> None:
    add(as_admin, receiver)
    url = "/api/v1/notifications/system-msg-subscription/TerminalLostMessage/"
    assert as_admin.patch(url, {"receive_backends": []}).status_code == 200
    event = TerminalLost(terminal_id=uuid4(), name="proxy-1")
    for _time in range(3):
        notices.on_terminal_lost(event)
    assert run() == 1


class TestAuditEvents:
    def test_every_event_of_the_chosen_categories_arrives_once_and_in_order(
        self, as_admin: APIClient, receiver: Receiver
    ) -> None:
        record(number=-1)
        add(as_admin, receiver, message_types=[], audit_categories=["refusals"])
        for number in range(30):
            record(number=number)
            record(audits.Event.SITE_MESSAGE_READ)
        assert run() == 30
        assert run() == 0
        assert [one.document["data"]["new"]["number"] for one in receiver.received] == list(range(30))
        assert set(receiver.kinds) == {"audit.sign_in.failed"}
        stored = AuditEvent.objects.filter(event="sign_in.failed").order_by("sequence").last()
        assert stored is not None
        last = receiver.received[-1].document["data"]
        assert (last["id"], last["digest"], last["org_id"]) == (str(stored.pk), stored.digest, str(ROOT_ORG_ID))

    def test_events_of_every_organization_arrive(self, as_admin: APIClient, receiver: Receiver) -> None:
        add(as_admin, receiver, message_types=[], audit_categories=["refusals"])
        record(number=1)
        org_id = new_id()
        audits.record(actor=SYSTEM, org_id=org_id, event=audits.Event.SIGN_IN_FAILED, object_type="LoginLog")
        assert run() == 2
        assert {one.document["data"]["org_id"] for one in receiver.received} == {str(org_id), str(ROOT_ORG_ID)}

    def test_dead_receiver_stops_the_reading_of_the_log_and_nothing_is_lost(
        self, as_admin: APIClient, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(queueing, "MOST_WAITING", 20)
        monkeypatch.setattr(queueing, "_CHUNK", 10)
        add(as_admin, receiver, message_types=[], audit_categories=["refusals"])
        receiver.status = 503
        for number in range(50):
            record(number=number)
        for _time in range(4):
            assert run() == 0
        assert 15 <= WebhookDelivery.objects.count() <= 20
        receiver.received.clear()
        receiver.status = 200
        receiver.secrets = []  # it would refuse requests of another hour
        moment = clock.now()
        for _time in range(8):
            moment += timedelta(minutes=10)
            with mock.patch.object(deliveries.clock, "now", return_value=moment):
                run()
        numbers = [one.document["data"]["new"]["number"] for one in receiver.received]
        assert sorted(numbers) == list(range(50))

    def test_process_that_dies_while_it_queues_leaves_position_and_deliveries_as_they_were(
        self, as_admin: APIClient, receiver: Receiver
    ) -> None:
        add(as_admin, receiver, message_types=[], audit_categories=["refusals"])
        record(number=1)
        with mock.patch.object(queueing.reading, "store", side_effect=SystemExit), pytest.raises(SystemExit):
            queueing.queue_audit_events()
        assert not WebhookDelivery.objects.exists()
        assert not AuditPosition.objects.exists()
        assert run() == 1

    def test_values_that_are_too_large_are_left_out(self, as_admin: APIClient, receiver: Receiver) -> None:
        add(as_admin, receiver, message_types=[], audit_categories=["refusals"])
        record(text="界" * 40_000)
        assert run() == 1
        data = receiver.received[0].document["data"]
        assert (data["new"], data["values_left_out"], data["user"]) == (None, True, "System")

    def test_failing_deliveries_cause_no_further_ones(self, as_admin: APIClient, receiver: Receiver) -> None:
        add(as_admin, receiver, message_types=[], audit_categories=["refusals", "messages"])
        run()
        receiver.status = 400
        record(number=1)
        with mock.patch.object(deliveries, "PAUSES", ()):
            run()
            assert AuditEvent.objects.filter(event="webhook.delivery_failed").count() == 1
            run()
        assert AuditEvent.objects.filter(event="webhook.delivery_failed").count() == 1

    def test_without_events_the_log_is_not_followed(self, as_admin: APIClient, receiver: Receiver) -> None:
        made = add(as_admin, receiver, audit_categories=["refusals"])
        assert AuditStream.objects.count() == 1
        as_admin.patch(f"{HOOKS}{made['id']}/", {"audit_categories": []})
        assert AuditStream.objects.count() == 0


class TestFailures:
    @pytest.mark.parametrize("manner", ["silent", "drip", "close"])
    def test_receiver_without_an_answer_gets_the_same_message_again(
        self, as_admin: APIClient, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, manner: str
    ) -> None:
        monkeypatch.setattr(sending, "LIMIT_S", 0.7)
        add(as_admin, receiver)
        lose_terminal()
        receiver.manner = manner
        started_s = clock.monotonic_s()
        assert run() == 0
        assert clock.monotonic_s() - started_s < 5
        assert WebhookDelivery.objects.get().state == "waiting"
        receiver.manner = ""
        with later(minutes=2):
            assert run() == 1
        first, second = receiver.received
        assert first.message_id == second.message_id
        assert first.document == second.document

    def test_each_try_is_signed_anew(self, as_admin: APIClient, receiver: Receiver) -> None:
        add(as_admin, receiver)
        lose_terminal()
        receiver.answers.append(500)
        assert run() == 0
        row = WebhookDelivery.objects.get()
        assert (row.status, row.reason["code"]) == (500, "webhook.status")
        with mock.patch(
            "postern.integrations.webhooks.client.clock.now", return_value=clock.now() + timedelta(seconds=9)
        ):
            WebhookDelivery.objects.update(next_try=clock.now())
            assert run() == 1
        first, second = receiver.received
        assert int(second.timestamp) >= int(first.timestamp) + 8
        assert first.signature != second.signature

    def test_pauses_grow_and_then_it_has_failed(self, as_admin: APIClient, receiver: Receiver) -> None:
        add(as_admin, receiver)
        lose_terminal()
        receiver.status = 500
        receiver.secrets = []  # it would refuse requests of another day
        moment, pauses = clock.now(), []
        while WebhookDelivery.objects.get().state == "waiting":
            moment = max(moment, WebhookDelivery.objects.get().next_try) + timedelta(seconds=1)
            with mock.patch.object(deliveries.clock, "now", return_value=moment):
                run()
            row = WebhookDelivery.objects.get()
            if row.state == "waiting":
                pauses.append(round((row.next_try - moment).total_seconds()))
        assert pauses == [5, 300, 1800, 7200, 18000, 36000, 50400, 72000]
        assert len({one.message_id for one in receiver.received}) == 1
        (shown,) = as_admin.get(f"{DELIVERIES}?state=failed", headers=ENGLISH).json()
        assert shown["reason"] == (
            "Not accepted in 9 tries. Last reason: The receiver answered with the HTTP status 500."
        )
        (failed,) = AuditEvent.objects.filter(event="webhook.delivery_failed")
        assert failed.new["webhook"] == "siem"

    def test_dead_receiver_costs_one_connection(self, as_admin: APIClient, receiver: Receiver) -> None:
        made = add(as_admin, receiver)
        Webhook.objects.filter(pk=made["id"]).update(address=f"http://127.0.0.1:{free_port()}/x")
        for number in range(5):
            lose_terminal(f"proxy-{number}")
        assert run() == 0
        assert sorted(WebhookDelivery.objects.values_list("tries", flat=True)) == [0, 0, 0, 0, 1]
        assert not WebhookDelivery.objects.filter(next_try__lte=clock.now()).exists()

    def test_redirect_to_the_metadata_service_is_not_followed(self, as_admin: APIClient, receiver: Receiver) -> None:
        add(as_admin, receiver)
        for location in ("http://169.254.169.254/latest/meta-data/", f"http://127.0.0.1:{receiver.port}/other"):
            WebhookDelivery.objects.all().delete()
            lose_terminal(location)
            receiver.manner, receiver.location = "redirect", location
            assert run() == 0
            assert WebhookDelivery.objects.get().reason["code"] == "webhook.redirect"
        assert set(receiver.paths) == {"/hook?token=a%2Fb"}

    def test_410_switches_the_webhook_off(self, as_admin: APIClient, receiver: Receiver) -> None:
        made = add(as_admin, receiver)
        lose_terminal("proxy-1")
        lose_terminal("proxy-2")
        receiver.status = 410
        assert run() == 0
        assert len(receiver.received) == 1
        shown = as_admin.get(f"{HOOKS}{made['id']}/", headers=ENGLISH).json()
        assert shown["is_active"] is False
        assert "wants no more messages" in shown["off_reason"]
        assert set(WebhookDelivery.objects.values_list("state", flat=True)) == {"failed"}
        assert AuditEvent.objects.filter(event="webhook.switched_off").count() == 1
        assert not AuditStream.objects.exists(), "events of the time between are not sent later"
        lose_terminal("proxy-3")
        assert WebhookDelivery.objects.count() == 2
        receiver.status = 204
        row = WebhookDelivery.objects.first()
        assert row is not None
        assert as_admin.post(f"{DELIVERIES}{row.pk}/retry/").status_code == 409, "switched off"
        shown = as_admin.patch(f"{HOOKS}{made['id']}/", {"is_active": True}).json()
        assert (shown["is_active"], shown["off_reason"]) == (True, "")
        assert as_admin.post(f"{DELIVERIES}{row.pk}/retry/").status_code == 200
        assert run() == 1

    def test_answer_without_end_is_not_read(self, as_admin: APIClient, receiver: Receiver) -> None:
        add(as_admin, receiver)
        lose_terminal()
        receiver.manner = "huge"
        started_s = clock.monotonic_s()
        assert run() == 1
        assert clock.monotonic_s() - started_s < 5

    def test_hanging_receiver_does_not_stop_the_others(
        self, as_admin: APIClient, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sending, "LIMIT_S", 1.5)
        add(as_admin, receiver)
        with receiving(Receiver(manner="silent")) as hanging:
            as_admin.post(HOOKS, {"name": "slow", "address": hanging.address, "message_types": ["TerminalLostMessage"]})
            for number in range(3):
                lose_terminal(f"proxy-{number}")
            started_s = clock.monotonic_s()
            assert run() == 3
            assert clock.monotonic_s() - started_s < 6
            assert len(hanging.received) == 1

    def test_killed_sender_sends_again_under_the_same_id(self, as_admin: APIClient, receiver: Receiver) -> None:
        add(as_admin, receiver)
        lose_terminal()
        with mock.patch.object(sending, "_settle", side_effect=SystemExit), pytest.raises(SystemExit):
            run()
        assert run() == 0, "the claim is not over"
        with later(minutes=3):
            assert run() == 1
        assert len({one.message_id for one in receiver.received}) == 1

    def test_message_that_waited_too_long_is_not_sent(self, as_admin: APIClient, receiver: Receiver) -> None:
        made = add(as_admin, receiver)
        lose_terminal()
        as_admin.patch(f"{HOOKS}{made['id']}/", {"is_active": False})
        assert run() == 0
        with later(days=8):
            assert run() == 0
        assert WebhookDelivery.objects.get().reason["code"] == "webhook.too_old"

    def test_message_that_was_tried_in_vain_keeps_the_reason_of_its_last_try(
        self, as_admin: APIClient, receiver: Receiver
    ) -> None:
        add(as_admin, receiver)
        lose_terminal()
        receiver.answers.append(500)
        assert run() == 0
        tried = WebhookDelivery.objects.get()
        assert tried.reason
        with later(days=8):
            assert run() == 0
        ended = WebhookDelivery.objects.get()
        assert (ended.state, ended.reason) == ("failed", tried.reason)


def test_former_secret_signs_too_for_a_day(as_admin: APIClient, receiver: Receiver) -> None:
    made = add(as_admin, receiver)
    answer = as_admin.post(f"{HOOKS}{made['id']}/secret/").json()
    assert answer["secret"] != made["secret"]
    assert answer["former_until"] is not None
    receiver.secrets = [made["secret"], answer["secret"]]
    lose_terminal("proxy-1")
    assert run() == 1
    assert len(receiver.received[0].signature.split(" ")) == 2
    receiver.secrets = [answer["secret"]]
    Webhook.objects.update(former_until=clock.now() - timedelta(seconds=1))
    lose_terminal("proxy-2")
    assert run() == 1
    assert len(receiver.received[1].signature.split(" ")) == 1
    (replaced,) = AuditEvent.objects.filter(event="webhook.secret_replaced")
    assert made["secret"] not in str(replaced.new)


class TestAddresses:
    @pytest.mark.parametrize(
        "address",
        [
            "http://example.com/x",
            "ftp://example.com/x",
            "https://user:pass@example.com/",
            "https://example.com/#x",
            "https:///x",
            "https://exa mple.com/",
            "javascript:alert(1)",
            "https://169.254.169.254/latest",
            "https://metadata.google.internal/x",
        ],
    )
    def test_refused(self, as_admin: APIClient, address: str) -> None:
        answer = as_admin.post(HOOKS, {"name": "x", "address": address})
        if address == "https://metadata.google.internal/x" and answer.status_code == 201:
            return  # its name does not resolve here: it is refused when it is dialled
        assert answer.status_code == 400, answer.content
        assert "address" in answer.json()

    def test_own_services_are_refused_when_saved_and_when_dialled(
        self, as_admin: APIClient, receiver: Receiver, settings: Any
    ) -> None:
        own = f"http://127.0.0.1:{settings.POSTERN.http.port}/x"
        assert as_admin.post(HOOKS, {"name": "x", "address": own}).status_code == 400
        made = add(as_admin, receiver)
        Webhook.objects.filter(pk=made["id"]).update(address=own)
        lose_terminal()
        assert run() == 0
        assert WebhookDelivery.objects.get().reason["code"] == "dialling.own_service"

    def test_names_are_unique(self, as_admin: APIClient, receiver: Receiver) -> None:
        add(as_admin, receiver)
        answer = as_admin.post(HOOKS, {"name": "siem", "address": receiver.address})
        assert answer.status_code == 400
        assert "name" in answer.json()


class TestTesting:
    URL = f"{HOOKS}testing/"

    def test_stored_webhook_signs_a_test_of_an_unsaved_address(self, as_admin: APIClient, receiver: Receiver) -> None:
        with receiving(Receiver()) as saved:
            made = add(as_admin, saved)
        receiver.secrets = saved.secrets
        answer = as_admin.post(self.URL, {"id": made["id"], "address": receiver.address}, headers=ENGLISH)
        assert answer.json() == {"msg": "The receiver answered with the HTTP status 204."}
        assert receiver.kinds == ["postern.test"]
        (tested,) = AuditEvent.objects.filter(event="webhook.tested")
        assert tested.new == {"address": receiver.address, "accepted": True, "reason": ""}

    def test_unsaved_endpoint(self, as_admin: APIClient, receiver: Receiver) -> None:
        answer = as_admin.post(self.URL, {"address": receiver.address}, headers=ENGLISH)
        assert "gets its secret when it is saved" in answer.json()["msg"]

    @pytest.mark.parametrize("status", [302, 401, 410, 500])
    def test_other_answers_are_failures(self, as_admin: APIClient, receiver: Receiver, status: int) -> None:
        made = add(as_admin, receiver)
        receiver.status = status
        answer = as_admin.post(self.URL, {"id": made["id"], "address": receiver.address}, headers=ENGLISH)
        assert answer.status_code == 400
        assert str(status) in answer.json()["error"]
        assert as_admin.get(f"{HOOKS}{made['id']}/").json()["is_active"] is True, "a test changes nothing"

    def test_metadata_service_is_not_dialled(self, as_admin: APIClient) -> None:
        answer = as_admin.post(self.URL, {"address": "https://169.254.169.254/"}, headers=ENGLISH)
        assert answer.status_code == 400
        assert "never allowed" in answer.json()["error"]


def test_failed_delivery_is_tried_again_on_request(as_admin: APIClient, receiver: Receiver) -> None:
    add(as_admin, receiver)
    lose_terminal()
    receiver.status = 400
    with mock.patch.object(deliveries, "PAUSES", ()):
        assert run() == 0
    (row,) = as_admin.get(DELIVERIES).json()
    receiver.status = 200
    answer = as_admin.post(f"{DELIVERIES}{row['id']}/retry/")
    assert (answer.status_code, answer.json()["state"], answer.json()["tries"]) == (200, "waiting", 0)
    assert as_admin.post(f"{DELIVERIES}{row['id']}/retry/").status_code == 409
    assert run() == 1
    assert AuditEvent.objects.filter(event="webhook.delivery_retried").count() == 1


def test_deleting_removes_secrets_deliveries_and_position(as_admin: APIClient, receiver: Receiver) -> None:
    made = add(as_admin, receiver, audit_categories=["refusals"])
    record(number=1)
    run()
    as_admin.post(f"{HOOKS}{made['id']}/secret/")
    assert as_admin.delete(f"{HOOKS}{made['id']}/").status_code == 204
    assert not SealedSecret.objects.filter(table="forwarding_webhook").exists()
    assert not WebhookDelivery.objects.exists()
    assert not AuditStream.objects.exists()
    assert AuditEvent.objects.filter(event="webhook.deleted").count() == 1


def test_old_deliveries_are_deleted(as_admin: APIClient, receiver: Receiver) -> None:
    add(as_admin, receiver)
    lose_terminal()
    run()
    assert deliveries.forget_old(clock.now() + timedelta(days=6)) == 0
    assert deliveries.forget_old(clock.now() + timedelta(days=8)) == 1


def test_others_see_nothing(
    as_admin: APIClient,
    receiver: Receiver,
    client_of: Callable[[User | None], APIClient],
    people: dict[str, User],
) -> None:
    made = add(as_admin, receiver)
    for role in ("user", "auditor"):
        client = client_of(people[role])
        assert client.get(HOOKS).status_code == 403
        assert client.get(DELIVERIES).status_code == 403
        assert client.post(f"{HOOKS}testing/", {"address": receiver.address}).status_code == 403
        assert client.post(f"{HOOKS}{made['id']}/secret/").status_code == 403
    assert receiver.received == []


def test_number_is_limited(as_admin: APIClient, receiver: Receiver) -> None:
    with mock.patch.object(actions, "MOST", 1):
        add(as_admin, receiver)
        answer = as_admin.post(HOOKS, {"name": "second", "address": receiver.address})
    assert answer.status_code == 400
