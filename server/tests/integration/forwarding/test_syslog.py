"""The audit log as syslog, received by Debian's rsyslog."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from rest_framework.test import APIClient

from peers.certificates import Certificate, make_certificate
from peers.ports import free_port
from peers.rsyslog import receiving
from postern.apps.audits import facade as audits
from postern.apps.audits.models import AuditEvent
from postern.apps.forwarding.models import AuditStream
from postern.apps.forwarding.streams.reading import behind
from postern.apps.forwarding.syslog import sending
from postern.apps.preferences.actions import change_settings
from postern.apps.users.models import User
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock
from postern.kernel.ids import ROOT_ORG_ID, new_id

pytestmark = pytest.mark.django_db

STATE = "/api/v1/settings/syslog/state/"
TESTING = "/api/v1/settings/syslog/testing/"
SETTINGS = "/api/v1/settings/setting/?category=syslog"
ENGLISH = {"Accept-Language": "en"}


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("syslog"))


def values_for(port: int, transport: str = "tcp", **more: Any) -> dict[str, Any]:
    return {"SYSLOG_HOST": "127.0.0.1", "SYSLOG_PORT": port, "SYSLOG_TRANSPORT": transport, **more}


def switch_on(port: int, transport: str = "tcp", **more: Any) -> None:
    change_settings(actor=SYSTEM, changes={"SYSLOG_ENABLED": True, **values_for(port, transport, **more)})


def record(count: int = 1, event: audits.Event = audits.Event.SIGN_IN_FAILED, **values: Any) -> None:
    for number in range(count):
        new = {"number": number, **values}
        audits.record(actor=SYSTEM, org_id=ROOT_ORG_ID, event=event, object_type="LoginLog", new=new)


def ids_in(received: list[dict[str, Any]]) -> list[str]:
    return [json.loads(one["msg"].lstrip("\ufeff"))["id"] for one in received]


def expected() -> list[str]:
    """Ids of all events since the log is sent, which begins with the change of the settings."""
    first = AuditEvent.objects.filter(event="settings.updated").order_by("sequence").first()
    assert first is not None
    rows = AuditEvent.objects.filter(sequence__gte=first.sequence, org_id=ROOT_ORG_ID).order_by("sequence")
    return [str(pk) for pk in rows.values_list("pk", flat=True)]


@pytest.mark.parametrize("transport", ["tcp", "tls", "udp"])
def test_every_event_arrives_once_and_in_order(transport: str, certificate: Certificate) -> None:
    record(3)
    with receiving(transport, certificate if transport == "tls" else None) as receiver:
        ca = certificate.authority.read_text() if transport == "tls" else ""
        switch_on(receiver.port, transport, SYSLOG_CA=ca)
        record(120, text='quote " bracket ] back \\ line\nend 界')
        assert sending.send_new_events() == 121
        assert sending.send_new_events() == 0
        received = receiver.wait_for(121)
        assert ids_in(received) == expected()
        record(1)
        assert sending.send_new_events() == 1
        assert ids_in(receiver.wait_for(122)) == expected()
    last = received[-1]
    event = AuditEvent.objects.get(pk=expected()[120])
    assert (last["app-name"], last["msgid"], last["pri"]) == ("postern", "sign_in.failed", str(13 * 8 + 4))
    assert f'[postern@32473 id="{event.pk}" org="{ROOT_ORG_ID}" sequence="{event.sequence}"' in last["structured-data"]
    shown = json.loads(last["msg"].lstrip("\ufeff"))
    assert (shown["event"], shown["digest"]) == ("sign_in.failed", event.digest)
    assert shown["new"]["text"] == 'quote " bracket ] back \\ line\nend 界'


def test_values_that_are_too_long_are_left_out(certificate: Certificate) -> None:
    for transport in ("tcp", "udp"):
        with receiving(transport) as receiver:
            switch_on(receiver.port, transport)
            record(1, text="界" * 5000)
            sending.send_new_events()
            until_s = clock.monotonic_s() + 20
            found: list[dict[str, Any]] = []
            while not found and clock.monotonic_s() < until_s:
                bodies = [one["msg"].lstrip("\ufeff") for one in receiver.messages()]
                found = [one for one in map(json.loads, bodies) if one.get("values_left_out")]
                time.sleep(0.05)
            assert found[0].get("new") is None
            assert "event" in found[0] or transport == "udp"


def test_events_of_every_organization_arrive() -> None:
    with receiving("tcp") as receiver:
        switch_on(receiver.port)
        org_id = new_id()
        audits.record(actor=SYSTEM, org_id=org_id, event=audits.Event.SIGN_IN_FAILED, object_type="LoginLog")
        assert sending.send_new_events() == 2
        orgs = {json.loads(one["msg"].lstrip("\ufeff"))["org_id"] for one in receiver.wait_for(2)}
        assert orgs == {str(org_id), str(ROOT_ORG_ID)}


def test_receiver_that_is_down_for_a_while_gets_everything(as_admin: APIClient) -> None:
    with receiving("tcp", is_up=False) as receiver:
        switch_on(receiver.port)
        record(5)
        assert sending.send_new_events() == 0
        assert sending.send_new_events() == 0
        state = as_admin.get(STATE, headers=ENGLISH).json()
        assert state["behind"] == 7
        assert state["reason"].startswith("127.0.0.1 does not accept a connection to port")
        assert state["failing_since"] is not None
        assert AuditEvent.objects.filter(event="syslog.failed").count() == 1, "told once, not at each try"
        assert as_admin.get("/api/v1/settings/about/").json()["syslog"]["behind"] == 7
        receiver.start()
        assert sending.send_new_events() == 7
        assert ids_in(receiver.wait_for(7)) == expected()
        state = as_admin.get(STATE).json()
        assert (state["behind"], state["failing_since"], state["reason"]) == (0, None, "")


def test_after_a_break_the_last_seconds_are_sent_again() -> None:
    """A receiver that is killed loses what it had read and not written."""
    with receiving("tcp") as receiver:
        switch_on(receiver.port)
        record(3)
        assert sending.send_new_events() == 4
        receiver.wait_for(4)
        receiver.kill()
        record(2)
        assert sending.send_new_events() == 0
        receiver.start()
        assert sending.send_new_events() >= 7
        received = ids_in(receiver.wait_for(11))
        assert set(received) == set(expected())
        assert received.count(expected()[3]) == 2, "its id tells that it is a copy"


def test_receiver_of_udp_that_is_not_there_is_noticed() -> None:
    switch_on(free_port(), "udp")
    assert sending.send_new_events() == 0
    stream = AuditStream.objects.get()
    assert stream.reason["code"] == "syslog.broken"


@contextmanager
def misbehaving(serve: Callable[[socket.socket], None]) -> Iterator[int]:
    """A TCP server that treats each connection so."""
    listener = socket.create_server(("127.0.0.1", 0))
    ended = threading.Event()

    def run() -> None:
        while not ended.is_set():
            try:
                connection, _address = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=run, daemon=True).start()
    with closing(listener):
        yield int(listener.getsockname()[1])
        ended.set()


def _never_reads(connection: socket.socket) -> None:
    time.sleep(20)
    connection.close()


def _closes_unread(connection: socket.socket) -> None:
    time.sleep(0.2)
    connection.close()  # with unread bytes: the connection is reset


def _refuses_behind_a_relay(connection: socket.socket) -> None:
    """The relay takes all bytes, and passes on that the receiver has closed."""
    connection.settimeout(0.3)
    with suppress(TimeoutError):
        while connection.recv(1 << 16):
            pass
    connection.close()


def test_receiver_that_closes_before_we_do_has_refused() -> None:
    with misbehaving(_refuses_behind_a_relay) as port:
        switch_on(port)
        record(3)
        assert sending.send_new_events() == 0
    assert AuditStream.objects.get().reason["code"] == "syslog.broken"


@pytest.mark.parametrize("transport", ["tcp", "tls"])
def test_receiver_that_never_reads_holds_the_sender_no_longer_than_its_limit(
    monkeypatch: pytest.MonkeyPatch, transport: str
) -> None:
    monkeypatch.setattr(sending, "LIMIT_S", 1.0)
    with misbehaving(_never_reads) as port:
        switch_on(port, transport)
        record(300, text="x" * 7000)
        started_s = clock.monotonic_s()
        assert sending.send_new_events() == 0
        assert clock.monotonic_s() - started_s < 8
    assert AuditStream.objects.get().reason["code"] == "syslog.timeout"


def test_receiver_that_closes_before_it_has_read_gets_everything_again() -> None:
    with misbehaving(_closes_unread) as port:
        switch_on(port)
        record(20)
        assert sending.send_new_events() == 0
    stream = AuditStream.objects.get()
    assert stream.reason["code"] == "syslog.broken"
    assert behind(stream) == 22, "the change of the settings, the events, and the record of the failure"


class TestTls:
    def failure(self, port: int, **more: Any) -> str:
        switch_on(port, "tls", **more)
        assert sending.send_new_events() == 0
        code: str = AuditStream.objects.get().reason["code"]
        return code

    def test_unknown_authority_is_refused(self, certificate: Certificate) -> None:
        with receiving("tls", certificate) as receiver:
            assert self.failure(receiver.port) == "syslog.untrusted"
            assert receiver.messages() == []

    def test_expired_certificate_is_refused(self, tmp_path: Path) -> None:
        expired = make_certificate(tmp_path, has_expired=True)
        with receiving("tls", expired) as receiver:
            assert self.failure(receiver.port, SYSLOG_CA=expired.authority.read_text()) == "syslog.untrusted"

    def test_certificate_of_another_name_is_refused(self, tmp_path: Path) -> None:
        other = make_certificate(tmp_path, name="other.example.com")
        with receiving("tls", other) as receiver:
            assert self.failure(receiver.port, SYSLOG_CA=other.authority.read_text()) == "syslog.wrong_name"

    def test_receiver_without_tls(self) -> None:
        with receiving("tcp") as receiver:
            with mock.patch.object(sending, "LIMIT_S", 1.0):
                assert self.failure(receiver.port) in {"syslog.tls", "syslog.timeout", "syslog.broken"}
            assert b"postern" not in receiver.content()


def test_only_one_process_sends_at_a_time_and_another_follows_a_killed_one() -> None:
    with receiving("tcp") as receiver:
        switch_on(receiver.port)
        record(2)
        stream = AuditStream.objects.create(
            name="syslog",
            date_started=clock.now() - timedelta(hours=1),
            holder="killed",
            held_until=clock.now() + timedelta(seconds=30),
        )
        assert sending.send_new_events() == 0
        AuditStream.objects.filter(pk=stream.pk).update(held_until=clock.now() - timedelta(seconds=1))
        assert sending.send_new_events() >= 3


def test_position_of_a_process_that_lost_the_stream_does_not_move() -> None:
    with receiving("tcp") as receiver:
        switch_on(receiver.port)
        record(2)

        def lose(*_arguments: Any, **_more: Any) -> None:
            AuditStream.objects.update(holder="other")

        with mock.patch.object(sending, "send", side_effect=lose):
            assert sending.send_new_events() == 0
        stream = AuditStream.objects.get()
        assert (stream.holder, stream.sent, behind(stream)) == ("other", 0, 3)


def test_memory_is_bounded_by_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "CHUNK", 10)
    sizes: list[int] = []
    switch_on(free_port())
    record(35)
    with mock.patch.object(sending, "send", side_effect=lambda _server, messages, **_more: sizes.append(len(messages))):
        assert sending.send_new_events() == 36
    assert sizes == [10, 10, 10, 6]


def test_switched_off_and_on_again_begins_anew() -> None:
    with receiving("tcp") as receiver:
        switch_on(receiver.port)
        sending.send_new_events()
        change_settings(actor=SYSTEM, changes={"SYSLOG_ENABLED": False})
        assert sending.send_new_events() == 0
        assert not AuditStream.objects.exists()
        record(5)
        switch_on(receiver.port)
        assert sending.send_new_events() == 1, "only the change of the settings"


class TestTesting:
    def test_unsaved_values_are_tried(self, as_admin: APIClient, certificate: Certificate) -> None:
        with receiving("tls", certificate) as receiver:
            body = values_for(receiver.port, "tls", SYSLOG_CA=certificate.authority.read_text())
            answer = as_admin.post(TESTING, body, headers=ENGLISH)
            assert answer.json() == {"msg": "The receiver has taken a test message."}
            (one,) = receiver.wait_for(1)
            assert one["msgid"] == "postern.test"
        (tested,) = AuditEvent.objects.filter(event="settings.syslog_tested")
        assert tested.new["accepted"] is True

    def test_udp_says_that_nobody_knows(self, as_admin: APIClient) -> None:
        with receiving("udp") as receiver:
            answer = as_admin.post(TESTING, values_for(receiver.port, "udp"), headers=ENGLISH)
            assert "nobody can know" in answer.json()["msg"]
            receiver.wait_for(1)

    @pytest.mark.parametrize(
        ("host", "said"), [("169.254.169.254", "metadata"), ("", "Enter the host"), ("https://x/", "without scheme")]
    )
    def test_refused_hosts(self, as_admin: APIClient, host: str, said: str) -> None:
        answer = as_admin.post(TESTING, {**values_for(6514), "SYSLOG_HOST": host}, headers=ENGLISH)
        assert answer.status_code == 400
        assert said in answer.content.decode()

    def test_own_services_are_not_dialled(self, as_admin: APIClient, settings: Any) -> None:
        answer = as_admin.post(TESTING, values_for(settings.POSTERN.http.port), headers=ENGLISH)
        assert answer.status_code == 400
        assert "own services" in answer.json()["error"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("SYSLOG_CA", "no certificate"), ("SYSLOG_APP_NAME", "a b"), ("SYSLOG_PORT", 0), ("SYSLOG_FACILITY", 1)],
)
def test_values_that_cannot_work_are_refused(as_admin: APIClient, name: str, value: Any) -> None:
    answer = as_admin.patch(SETTINGS, {name: value})
    assert answer.status_code == 400
    assert name in answer.json()


def test_others_see_nothing(client_of: Callable[[User | None], APIClient], people: dict[str, User]) -> None:
    for role in ("user", "auditor"):
        assert client_of(people[role]).get(STATE).status_code == 403
        assert client_of(people[role]).post(TESTING, {}).status_code == 403
