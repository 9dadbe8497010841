"""Events of proxies: started, ended, commands, transfers, seals; repeated, late, or sent by the wrong proxy."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import msgspec
from rest_framework.test import APIClient

from factories.proxy_client import Proxy, World
from postern.apps.audits import facade as audits
from postern.apps.audits import queries as audit_queries
from postern.apps.audits.facade import FaultKind
from postern.apps.audits.models import AuditEvent
from postern.apps.preferences.actions import change_settings
from postern.apps.sessions.models import (
    Command,
    FileTransfer,
    ForwardedConnection,
    ProxyOrder,
    Recording,
    RecordingCheckpoint,
    RefusedRequest,
    Session,
)
from postern.contracts import events
from postern.contracts.enums import CommandKind, EndReason, RecordingState, RiskLevel, TransferDirection
from postern.contracts.terminals import TerminateSession
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock


def ended(session_id: UUID, reason: EndReason = EndReason.USER_CLOSED, **more: Any) -> events.SessionEnded:
    return events.SessionEnded(session_id=session_id, at=clock.now(), reason=reason, **more)


def command(session_id: UUID, text: str = "ls -l", **more: Any) -> events.CommandSeen:
    values: dict[str, Any] = {"id": uuid4(), "kind": CommandKind.ECHO, "offset_ms": 1500, "output": "total 0", **more}
    return events.CommandSeen(session_id=session_id, at=clock.now(), input=text, **values)


def transfer(session_id: UUID, **more: Any) -> events.FileTransferred:
    values: dict[str, Any] = {
        "id": uuid4(),
        "direction": TransferDirection.UPLOAD,
        "operation": "upload",
        "path": "/srv/report.pdf",
        "size": 4096,
        **more,
    }
    return events.FileTransferred(session_id=session_id, at=clock.now(), **values)


def forward(session_id: UUID) -> tuple[events.ForwardOpened, events.ForwardClosed]:
    opened = events.ForwardOpened(
        id=uuid4(),
        session_id=session_id,
        at=clock.now(),
        asked="localhost:8080",
        opened="127.0.0.1:8080",
        originator="127.0.0.1:50000",
    )
    closed = events.ForwardClosed(
        id=opened.id,
        session_id=session_id,
        at=clock.now(),
        bytes_in=5,
        bytes_out=700,
        duration_ms=1200,
        reason="closed by the client",
    )
    return opened, closed


def test_session_started_activates_the_session_once(
    proxy: Proxy, opened: Session, audit_events: Callable[[], list[str]]
) -> None:
    for _ in range(3):
        proxy.start(opened.pk, recording=True)
    opened.refresh_from_db()
    assert (opened.state, opened.kind, opened.ever_active) == ("active", "shell", True)
    assert audit_events().count("session.started") == 1
    assert Recording.objects.get().state == RecordingState.RECORDING


def test_session_ended_is_final(proxy: Proxy, active: Session, audit_events: Callable[[], list[str]]) -> None:
    proxy.tell(ended(active.pk, EndReason.IDLE, detail="30 minutes", exit_status=3, bytes_in=5, bytes_out=700))
    proxy.tell(ended(active.pk, EndReason.ERROR))
    proxy.start(active.pk)
    active.refresh_from_db()
    assert (active.state, active.end_reason, active.end_detail) == ("ended", "idle", "30 minutes")
    assert (active.exit_status, active.bytes_in, active.bytes_out) == (3, 5, 700)
    assert active.date_end is not None
    assert active.date_end >= active.date_start
    assert audit_events().count("session.ended") == 1


def test_session_that_never_opened_is_not_successful(proxy: Proxy, opened: Session) -> None:
    proxy.tell(ended(opened.pk, EndReason.UNREACHABLE, ever_active=False, detail="connection refused"))
    opened.refresh_from_db()
    assert not opened.is_success
    assert opened.is_finished


def test_events_in_one_batch_keep_their_order(proxy: Proxy, opened: Session) -> None:
    start = events.SessionStarted(session_id=opened.pk, at=clock.now(), kind="exec")
    answer = proxy.tell(start, command(opened.pk, "id", kind=CommandKind.EXEC), ended(opened.pk))
    assert answer == events.EventBatchAnswer(accepted=3)
    opened.refresh_from_db()
    assert (opened.state, opened.kind, opened.ever_active) == ("ended", "exec", True)
    assert Command.objects.get().input == "id"


def test_events_of_sessions_of_another_proxy_are_rejected(proxy: Proxy, other_proxy: Proxy, active: Session) -> None:
    answer = other_proxy.tell(ended(active.pk), command(active.pk), ended(uuid4()))
    assert answer == events.EventBatchAnswer(accepted=0, rejected=(0, 1, 2))
    active.refresh_from_db()
    assert active.state == "active"
    mixed = proxy.tell(ended(uuid4()), command(active.pk))
    assert mixed == events.EventBatchAnswer(accepted=1, rejected=(0,))


def test_repeated_batch_changes_nothing(proxy: Proxy, active: Session) -> None:
    refused = events.RequestRefused(
        id=uuid4(), session_id=active.pk, at=clock.now(), request="direct-tcpip", detail="no rule names it"
    )
    head = events.RecordingCheckpoint(session_id=active.pk, at=clock.now(), block=3, chain="a" * 64)
    opened, closed = forward(active.pk)
    batch = (command(active.pk), transfer(active.pk), refused, opened, closed, head, ended(active.pk))
    proxy.tell(*batch)
    rows = AuditEvent.objects.count()
    assert proxy.tell(*batch) == events.EventBatchAnswer(accepted=7)
    assert AuditEvent.objects.count() == rows
    for model in (Command, FileTransfer, RefusedRequest, ForwardedConnection, RecordingCheckpoint):
        assert model.objects.count() == 1, model  # type: ignore[attr-defined]  # models have it


def test_event_repeated_in_a_batch_is_stored_once(proxy: Proxy, active: Session) -> None:
    event, moved = command(active.pk), transfer(active.pk)
    proxy.tell(event, event, moved, moved)
    assert Command.objects.count() == 1
    assert FileTransfer.objects.count() == 1


def test_command_raises_the_risk_of_its_session(proxy: Proxy, active: Session) -> None:
    proxy.tell(command(active.pk, "rm -rf /", risk_level=RiskLevel.DANGEROUS), command(active.pk))
    active.refresh_from_db()
    assert active.risk_level == RiskLevel.DANGEROUS


def test_command_with_hostile_text_is_stored(proxy: Proxy, active: Session) -> None:
    proxy.tell(command(active.pk, "a\x00b\x1b[2J<script>", output="\x00" * 9 + "é" * 100_000))
    row = Command.objects.get()
    assert row.input == "ab\x1b[2J<script>"
    assert len(row.output) == 16384


def test_forwarded_connection_is_logged_at_its_beginning_and_at_its_end(
    proxy: Proxy, active: Session, as_org_admin: APIClient
) -> None:
    opened, closed = forward(active.pk)
    proxy.tell(opened)
    url = "/api/v1/audits/forwarded-connections/"
    [row] = as_org_admin.get(url, {"session": str(active.pk)}).json()
    assert (row["asked"], row["opened"], row["originator"]) == ("localhost:8080", "127.0.0.1:8080", "127.0.0.1:50000")
    assert (row["state"], row["bytes_in"], row["user"], row["asset"]) == ("under_way", 0, "Uma(uma)", "web-1")
    proxy.tell(closed, ended(active.pk))
    [row] = as_org_admin.get(url).json()
    assert (row["state"], row["bytes_in"], row["bytes_out"]) == ("finished", 5, 700)
    assert (row["duration_ms"], row["reason"]) == (1200, "closed by the client")
    told = AuditEvent.objects.filter(event="session.connections_forwarded").order_by("sequence")
    assert [sorted(record.new) for record in told] == [["forwards_opened"], ["forwards_closed"]]
    assert told[1].new["forwards_closed"][0]["bytes_out"] == 700
    assert audits.verify_log().faults == ()


def test_forwarded_connection_of_a_killed_proxy_is_interrupted(
    proxy: Proxy, active: Session, as_org_admin: APIClient
) -> None:
    proxy.tell(forward(active.pk)[0], ended(active.pk))
    proxy.tell(forward(active.pk)[1])  # an end without its beginning
    [row] = as_org_admin.get("/api/v1/audits/forwarded-connections/").json()
    assert (row["state"], row["reason"]) == ("interrupted", "")
    ForwardedConnection.objects.update(bytes_out=7)
    assert {fault.kind for fault in audits.verify_log().faults} == {FaultKind.ROW_INSERTED}


def test_file_transfer_is_logged_and_chained(proxy: Proxy, active: Session) -> None:
    proxy.tell(transfer(active.pk), transfer(active.pk, operation="remove", path="/etc/x", success=False))
    rows = {row.operate: row for row in FileTransfer.objects.all()}
    assert set(rows) == {"Upload", "Delete"}
    assert rows["Upload"].user == "Uma(uma)"
    assert not rows["Delete"].is_success
    files = AuditEvent.objects.get(event="session.files_transferred").new["files"]
    assert [row["file"] for row in files] == ["/srv/report.pdf", "/etc/x"]


def test_checkpoint_goes_into_the_audit_log(proxy: Proxy, active: Session) -> None:
    proxy.tell(events.RecordingCheckpoint(session_id=active.pk, at=clock.now(), block=7, chain="b" * 64))
    assert AuditEvent.objects.get(event="recording.checkpoint").new == {"block": 7, "chain": "b" * 64}


def test_times_of_a_wrong_clock_are_limited_to_the_time_of_the_session(proxy: Proxy, opened: Session) -> None:
    future = clock.now() + timedelta(days=400)
    past = datetime(1999, 1, 1)  # noqa: DTZ001 - without a zone, as a careless proxy might send it
    proxy.tell(events.SessionStarted(session_id=opened.pk, at=future, kind="shell"))
    proxy.tell(events.SessionEnded(session_id=opened.pk, at=past, reason=EndReason.USER_CLOSED))
    opened.refresh_from_db()
    assert opened.date_active is not None
    assert opened.date_end is not None
    assert opened.date_start <= opened.date_active <= opened.date_end <= clock.now()


def test_more_than_500_events_are_refused(proxy: Proxy, active: Session) -> None:
    batch = events.EventBatch(events=tuple(command(active.pk) for _ in range(501)))
    assert proxy.post(events.SESSION_EVENTS, msgspec.json.encode(batch)).status_code == 400


# Heartbeats


def test_heartbeat_ends_sessions_that_the_proxy_does_not_list(proxy: Proxy, active: Session) -> None:
    proxy.beat()  # too young to count as missing
    active.refresh_from_db()
    assert active.state == "active"
    Session.objects.update(date_start=clock.now() - timedelta(minutes=5))
    proxy.beat(unsent_events=2)  # the event of its end may still be unsent
    active.refresh_from_db()
    assert active.state == "active"
    proxy.beat(boot_id=uuid4())
    active.refresh_from_db()
    assert (active.state, active.end_reason) == ("ended", "interrupted")


def test_heartbeat_of_another_proxy_changes_nothing(proxy: Proxy, other_proxy: Proxy, active: Session) -> None:
    Session.objects.update(date_start=clock.now() - timedelta(minutes=5))
    other_proxy.beat()
    active.refresh_from_db()
    assert active.state == "active"


def test_session_presumed_interrupted_continues_when_the_proxy_lists_it_again(
    proxy: Proxy, active: Session, audit_events: Callable[[], list[str]]
) -> None:
    Session.objects.update(date_start=clock.now() - timedelta(minutes=5))
    proxy.beat()
    proxy.beat(active.pk)
    active.refresh_from_db()
    assert (active.state, active.end_reason, active.date_end) == ("active", "", None)
    assert "session.found_alive" in audit_events()


def test_termination_is_ordered_again_when_a_session_presumed_dead_is_alive(
    proxy: Proxy, active: Session, as_org_admin: APIClient
) -> None:
    Session.objects.update(date_start=clock.now() - timedelta(minutes=5))
    as_org_admin.post("/api/v1/terminal/tasks/kill-session/", [str(active.pk)], format="json")
    proxy.beat()
    assert not ProxyOrder.objects.filter(date_finished__isnull=True).exists()
    orders = proxy.beat(active.pk).orders
    assert [order.session_id for order in orders if isinstance(order, TerminateSession)] == [active.pk]
    assert ProxyOrder.objects.count() == 1


def test_presumed_end_is_corrected_by_the_end_that_the_proxy_reports(proxy: Proxy, active: Session) -> None:
    Session.objects.update(date_start=clock.now() - timedelta(minutes=5))
    proxy.beat()
    proxy.tell(ended(active.pk, EndReason.TARGET_CLOSED, exit_status=0))
    active.refresh_from_db()
    assert (active.end_reason, active.exit_status) == ("target_closed", 0)
    old = AuditEvent.objects.get(event="session.end_corrected").old
    assert old == {"reason": "interrupted"}


def test_heartbeat_is_answered_with_the_shared_settings(proxy: Proxy) -> None:
    change_settings(actor=SYSTEM, changes={"SECURITY_PROXY_CREDENTIALS_PER_MINUTE": 90})
    answer = proxy.beat()
    assert answer.settings.password_auth is True
    assert answer.settings.max_idle_minutes == 30
    assert answer.settings.credentials_a_minute == 90


# Recordings


def upload(proxy: Proxy, session: Session, content: bytes, part: int = 1000) -> Any:
    response = None
    for first in range(0, len(content), part):
        response = proxy.put(session.pk, content[first : first + part], first, len(content))
        assert response.status_code == 200, response.content
    return response


def test_recording_is_playable_after_size_and_hash_were_checked(
    proxy: Proxy, active: Session, audit_events: Callable[[], list[str]]
) -> None:
    content = bytes(range(256)) * 20
    proxy.seal(active.pk, content)
    assert not Recording.objects.get().is_playable
    response = upload(proxy, active, content)
    assert response.json() == {"received": len(content), "stored": True}
    row = Recording.objects.get()
    assert row.is_playable
    assert row.path.endswith(f"{active.pk}.postern")
    assert audit_events()[-2:] == ["recording.sealed", "recording.stored"]


def test_recording_upload_continues_where_it_stopped(proxy: Proxy, active: Session) -> None:
    content = b"x" * 3000
    proxy.seal(active.pk, content)
    assert proxy.put(active.pk, content[:1000], 0, 3000).json() == {"received": 1000, "stored": False}
    again = proxy.put(active.pk, content[:1000], 0, 3000)
    assert again.status_code == 409
    assert again.json()["received"] == 1000
    gap = proxy.put(active.pk, content[2000:], 2000, 3000)
    assert gap.status_code == 409
    where = proxy.http.get(f"/api/internal/v1/recordings/{active.pk}/content/", headers=proxy.headers)
    assert where.json() == {"received": 1000, "stored": False}
    assert proxy.put(active.pk, content[1000:], 1000, 3000).json()["stored"] is True
    # The recording is stored now: further parts are acknowledged and not written.
    assert proxy.put(active.pk, b"y" * 1000, 0, 3000).json() == {"received": 3000, "stored": True}


def test_recording_with_other_content_is_refused(
    proxy: Proxy, active: Session, audit_events: Callable[[], list[str]]
) -> None:
    content = b"x" * 3000
    proxy.seal(active.pk, content)
    forged = proxy.put(active.pk, b"y" * 3000, 0, 3000)
    assert forged.status_code == 409
    assert forged.json()["code"] == "recording_mismatch"
    assert not Recording.objects.get().is_playable
    assert "recording.mismatch" in audit_events()
    assert upload(proxy, active, content).json()["stored"] is True


def test_recording_that_was_not_announced_is_refused(proxy: Proxy, other_proxy: Proxy, active: Session) -> None:
    assert proxy.put(active.pk, b"x", 0, 1).status_code == 404
    proxy.seal(active.pk, b"x")
    assert other_proxy.put(active.pk, b"x", 0, 1).status_code == 404
    assert proxy.put(active.pk, b"xx", 0, 2).status_code == 409
    assert proxy.put(uuid4(), b"x", 0, 1).status_code == 404


def test_recording_part_must_be_as_long_as_its_range_says(proxy: Proxy, active: Session) -> None:
    proxy.seal(active.pk, b"x" * 3000)
    url = f"/api/internal/v1/recordings/{active.pk}/content/"
    for length in (500, 1500):
        headers = {**proxy.headers, "Content-Range": "bytes 0-999/3000"}
        response = proxy.http.put(url, b"x" * length, content_type="application/octet-stream", headers=headers)
        assert response.status_code == 400
    assert proxy.http.get(url, headers=proxy.headers).json()["received"] == 0


def test_stored_recording_is_never_replaced(
    proxy: Proxy, active: Session, audit_events: Callable[[], list[str]]
) -> None:
    proxy.seal(active.pk, b"first")
    upload(proxy, active, b"first")
    before = Recording.objects.get()
    proxy.seal(active.pk, b"second")
    proxy.seal(active.pk, b"", state=RecordingState.LOST)
    after = Recording.objects.get()
    assert (after.sha256, after.state, after.path) == (before.sha256, before.state, before.path)
    assert audit_events().count("recording.second_seal_ignored") == 2


def test_lost_recording_is_marked_and_audited(
    proxy: Proxy, active: Session, audit_events: Callable[[], list[str]]
) -> None:
    proxy.seal(active.pk, b"", state=RecordingState.LOST, sha256="", size=0)
    assert Recording.objects.get().state == "lost"
    assert "recording.lost" in audit_events()


def test_audit_chain_holds_after_a_whole_session(proxy: Proxy, active: Session, world: World) -> None:
    proxy.credential(active.pk)
    proxy.tell(command(active.pk), transfer(active.pk), ended(active.pk))
    assert list(audit_queries.verify()) == []


def test_command_session_gets_the_protocol_seen_on_the_wire_as_its_kind(proxy: Proxy, opened: Session) -> None:
    proxy.tell(events.SessionStarted(session_id=opened.pk, at=clock.now(), kind="exec", recording=True))
    proxy.tell(ended(opened.pk, EndReason.TARGET_CLOSED, protocol="git"))
    opened.refresh_from_db()
    assert opened.kind == "git"
    assert Recording.objects.get(session=opened).state == RecordingState.RECORDING


def test_protocol_seen_on_the_wire_changes_only_command_sessions(proxy: Proxy, opened: Session) -> None:
    proxy.start(opened.pk)
    proxy.tell(ended(opened.pk, EndReason.TARGET_CLOSED, protocol="git"))
    opened.refresh_from_db()
    assert opened.kind == "shell"
