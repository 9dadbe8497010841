"""The evidence chain: `postern audit verify` reports each row that was edited, deleted or inserted in the database."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, models, transaction

from factories.proxy_client import Proxy, World
from postern.apps.audits import facade as audits
from postern.apps.audits.facade import FaultKind
from postern.apps.audits.models import AuditEvent
from postern.apps.sessions.commands.evidence import COMMANDS
from postern.apps.sessions.evidence.actions import adopt_earlier
from postern.apps.sessions.evidence.rows import ROWS
from postern.apps.sessions.forwards.evidence import FORWARDS
from postern.apps.sessions.models import (
    Command,
    FileTransfer,
    ForwardedConnection,
    Recording,
    RefusedRequest,
    Session,
)
from postern.apps.sessions.recordings.actions.retention import forget_old_sessions
from postern.apps.sessions.sessions import evidence
from postern.apps.sessions.sessions.actions import sealing
from postern.apps.sessions.sessions.models import ChainedRow
from postern.apps.sessions.transfers.evidence import TRANSFERS
from postern.contracts import events
from postern.contracts.enums import CommandKind, EndReason, RiskLevel, TransferDirection
from postern.foundation.caller.actor import SYSTEM
from postern.integrations.replay_storages.local_folder import LocalFolder
from postern.kernel import clock

ROW_TABLES: tuple[Any, ...] = (Command, FileTransfer, RefusedRequest, ForwardedConnection)
COVERED = {
    Session: evidence.SESSION_FINAL,
    Command: COMMANDS,
    FileTransfer: TRANSFERS,
    RefusedRequest: evidence.REFUSALS,
    ForwardedConnection: FORWARDS,
}


def kinds() -> set[FaultKind]:
    return {fault.kind for fault in audits.verify_log().faults}


def tell_rows(proxy: Proxy, session: Session, risk: RiskLevel = RiskLevel.ORDINARY) -> None:
    """Report a command, a transfer, a forwarded connection and a refused request, as a proxy does."""
    now, forward = clock.now(), uuid4()
    proxy.tell(
        events.CommandSeen(
            id=uuid4(),
            session_id=session.pk,
            at=now,
            offset_ms=1,
            kind=CommandKind.ECHO,
            input="ls 中文 \x1b",
            output="a\nb",
            risk_level=risk,
        ),
        events.FileTransferred(
            id=uuid4(),
            session_id=session.pk,
            at=now,
            direction=TransferDirection.UPLOAD,
            operation="upload",
            path="/etc/名",
        ),
        events.ForwardOpened(
            id=forward,
            session_id=session.pk,
            at=now,
            asked="localhost:8080",
            opened="127.0.0.1:8080",
            originator="::1:1",
        ),
        events.ForwardClosed(id=forward, session_id=session.pk, at=now, bytes_in=1, reason="closed by the host"),
        events.RequestRefused(id=uuid4(), session_id=session.pk, at=now, request="forward", detail="no"),
    )


def end(proxy: Proxy, session: Session) -> None:
    proxy.tell(events.SessionEnded(session_id=session.pk, at=clock.now(), reason=EndReason.USER_CLOSED))


@pytest.fixture
def running(proxy: Proxy, active: Session) -> Session:
    """A running session with two rows of each kind, anchored in the audit log."""
    tell_rows(proxy, active)
    tell_rows(proxy, active)
    sealing.anchor_running()
    return active


@pytest.fixture
def ended_session(proxy: Proxy, running: Session) -> Session:
    """The same session after its end, with its recording stored."""
    proxy.seal(running.pk, b"content")
    proxy.put(running.pk, b"content", 0, 7)
    end(proxy, running)
    return running


def test_untouched_evidence_verifies_at_every_stage(proxy: Proxy, world: World, ended_session: Session) -> None:
    grant = proxy.authorize(world.user, "web-1").grant  # a session in state `opening`
    assert grant is not None
    assert audits.verify_log().faults == ()
    assert audits.verify_log().checked > AuditEvent.objects.count()
    tell_rows(proxy, ended_session, RiskLevel.DANGEROUS)  # rows that arrive after the end of the session
    assert audits.verify_log().faults == ()


def _other(field: Any, value: Any) -> Any:
    """A different value for the column."""
    if isinstance(field, models.BooleanField):
        return not value
    if isinstance(field, models.UUIDField):
        return uuid4()
    if isinstance(field, models.DateTimeField):
        return (value or datetime(2030, 1, 1, tzinfo=UTC)) + timedelta(microseconds=1)
    if isinstance(field, models.IntegerField):
        return (value or 0) + 1
    return {
        "state": value,
        "login_from": "RT",
        "protocol": "vnc",
        "kind": "exec",
        "end_reason": "idle",
        "decision": "deny",
    }.get(field.name, {"direction": "download", "operate": "Delete"}.get(field.name, f"{value}x"))


@pytest.mark.parametrize(
    ("model", "column"),
    [
        (model, column)
        for model, covered in COVERED.items()
        for column in covered.versions[-1]
        if column not in {"id", "session_id", "state"}
    ],
)
def test_edited_column_of_evidence_is_reported(ended_session: Session, model: Any, column: str) -> None:
    row = model.objects.first()
    field = model._meta.get_field(column)
    changed = _other(field, getattr(row, column))
    if column == "kind" and model is Command:
        changed = "exec"
    assert changed != getattr(row, column)
    with transaction.atomic():
        model.objects.filter(pk=row.pk).update(**{column: changed})
    assert kinds() & {FaultKind.SESSION_EDITED, FaultKind.ROW_EDITED, FaultKind.ROW_MISSING, FaultKind.ROW_INSERTED}


@pytest.mark.parametrize("model", ROW_TABLES)
@pytest.mark.parametrize("place", ["first", "last"])
@pytest.mark.parametrize("stage", ["running", "ended_session"])
def test_deleted_row_is_reported(request: pytest.FixtureRequest, model: Any, place: str, stage: str) -> None:
    request.getfixturevalue(stage)
    getattr(model.objects.order_by("number"), place)().delete()
    assert FaultKind.ROW_MISSING in kinds()


def test_deleted_newest_rows_are_reported_although_the_session_was_set_back(ended_session: Session) -> None:
    cut = RefusedRequest.objects.order_by("-number")[:1].get()
    before = FileTransfer.objects.order_by("-number")[:1].get()
    cut.delete()
    Session.objects.update(evidence_count=before.number, evidence_head=before.proof)
    assert FaultKind.SESSION_EDITED in kinds()


def test_anchor_reveals_deleted_newest_rows_of_a_running_session(running: Session) -> None:
    cut = RefusedRequest.objects.order_by("-number")[:1].get()
    before = FileTransfer.objects.order_by("-number")[:1].get()
    cut.delete()
    Session.objects.update(evidence_count=before.number, evidence_head=before.proof)
    assert kinds() == {FaultKind.ROW_MISSING}


@pytest.mark.parametrize("model", ROW_TABLES)
@pytest.mark.parametrize("numbered", [True, False])
def test_inserted_row_is_reported(ended_session: Session, model: Any, numbered: bool) -> None:
    row = model.objects.first()
    row.pk = uuid4()
    row.number = Session.objects.get().evidence_count + 1 if numbered else None
    if model is ForwardedConnection:
        row.begun_number, row.begun_proof = None, ""
    row.save(force_insert=True)
    assert FaultKind.ROW_INSERTED in kinds()


def test_row_moved_to_another_session_is_reported(proxy: Proxy, world: World, ended_session: Session) -> None:
    grant = proxy.authorize(world.user, "web-1").grant
    assert grant is not None
    Command.objects.filter(number=1).update(session_id=grant.session_id)
    assert FaultKind.ROW_MISSING in kinds()
    assert FaultKind.ROW_EDITED in kinds() or FaultKind.ROW_INSERTED in kinds()


def test_deleted_session_is_reported(ended_session: Session) -> None:
    Session.objects.all().delete()
    assert kinds() == {FaultKind.SESSION_MISSING}


def test_inserted_session_is_reported(ended_session: Session) -> None:
    session = Session.objects.get()
    session.pk = uuid4()
    session.evidence_count, session.evidence_head = 0, ""
    session.save(force_insert=True)
    assert FaultKind.SESSION_INSERTED in kinds()


def test_edited_fixed_column_of_a_running_session_is_reported(running: Session) -> None:
    Session.objects.update(remote_addr="203.0.113.9")
    assert kinds() == {FaultKind.SESSION_EDITED}


def test_ended_session_set_back_to_running_is_reported(ended_session: Session) -> None:
    Session.objects.update(state="active", end_reason="", date_end=None)
    assert kinds() == {FaultKind.SESSION_EDITED}


@pytest.mark.parametrize("change", [{"sha256": "0" * 64}, {"size": 6}])
def test_edited_recording_is_reported(ended_session: Session, change: dict[str, Any]) -> None:
    Recording.objects.update(**change)
    assert kinds() == {FaultKind.RECORDING_EDITED}


def test_deleted_recording_is_reported(ended_session: Session) -> None:
    Recording.objects.all().delete()
    assert kinds() == {FaultKind.RECORDING_MISSING}


@pytest.mark.parametrize("column", ["username", "ip", "status", "reason", "datetime"])
def test_edited_sign_in_is_reported(db: None, column: str, without_triggers: Callable[[], None]) -> None:
    from postern.apps.audits.models import LoginLog  # noqa: PLC0415 - only here

    audits.record_sign_in(actor=SYSTEM, username="ann", succeeded=True)
    without_triggers()
    row = LoginLog.objects.get()
    value = "192.0.2.200" if column == "ip" else _other(LoginLog._meta.get_field(column), getattr(row, column))
    LoginLog.objects.update(**{column: value})
    assert kinds() == {FaultKind.LOGIN_EDITED}


def test_edited_and_deleted_password_changes_are_reported(db: None, without_triggers: Callable[[], None]) -> None:
    from postern.apps.audits.models import PasswordChangeLog  # noqa: PLC0415 - only here

    audits.record_password_change(actor=SYSTEM, user_label="Ann(ann)")
    without_triggers()
    PasswordChangeLog.objects.update(change_by="Ann(ann)")
    assert kinds() == {FaultKind.PASSWORD_EDITED}
    PasswordChangeLog.objects.all().delete()
    assert kinds() == {FaultKind.PASSWORD_MISSING}


@pytest.fixture
def without_triggers() -> Callable[[], None]:
    """A function that disables the triggers, as a database administrator could. The rollback of the test
    restores them.
    """

    def drop() -> None:
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                for table in ("audits_loginlog", "audits_passwordchangelog"):
                    cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
                return
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'audits_%'")
            for (name,) in cursor.fetchall():
                cursor.execute(f"DROP TRIGGER {name}")

    return drop


def test_retention_leaves_an_audit_record_and_no_fault(ended_session: Session, replay_folder: Any) -> None:
    old = clock.now() - timedelta(days=900)
    Session.objects.update(date_end=old, date_start=old - timedelta(minutes=1))
    assert forget_old_sessions(actor=SYSTEM, storage=LocalFolder(replay_folder)) == 1
    assert audits.verify_log().faults == ()
    stated = AuditEvent.objects.get(event="session.forgotten").old or {}
    assert (stated["rows"], stated["recording_sha256"] != "") == (10, True)


def test_row_that_arrives_twice_is_chained_once(proxy: Proxy, active: Session) -> None:
    seen = events.CommandSeen(
        id=uuid4(), session_id=active.pk, at=clock.now(), offset_ms=1, kind=CommandKind.ECHO, input="ls"
    )
    proxy.tell(seen, seen)
    proxy.tell(seen)
    assert Session.objects.get().evidence_count == 1
    assert audits.verify_log().faults == ()


def test_crash_between_row_and_chain_leaves_neither(
    proxy: Proxy, active: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(_session: Session) -> None:
        raise SystemExit

    monkeypatch.setattr(sealing, "store_head", dies)
    with pytest.raises(SystemExit):
        tell_rows(proxy, active)
    assert not Command.objects.exists()
    assert audits.verify_log().faults == ()


def test_sessions_of_an_earlier_release_are_adopted_into_the_chain_once(
    proxy: Proxy, world: World, ended_session: Session
) -> None:
    """An upgraded installation: its rows have no proofs, and its log has no records about evidence."""
    grant = proxy.authorize(world.user, "web-1").grant
    assert grant is not None
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("ALTER TABLE audits_auditevent DISABLE TRIGGER USER")
        else:
            cursor.execute("DROP TRIGGER audits_auditevent_no_delete")
    ForwardedConnection.objects.all().delete()  # it had none
    for model in ROW_TABLES:
        model.objects.update(number=None, proof="")
    Session.objects.update(evidence_count=0, evidence_head="", evidence_anchored=0)
    AuditEvent.objects.filter(event__in=("session.sealed", "session.anchored")).delete()
    adopt_earlier()
    log_is_cut = {FaultKind.MISSING, FaultKind.BROKEN_LINK, FaultKind.UNANCHORED}
    assert kinds() - log_is_cut == set()
    assert AuditEvent.objects.get(event="evidence.adopted").new == {"sessions": 2, "rows": 6}
    before = AuditEvent.objects.count()
    Command.objects.filter(number=1).update(number=None, proof="")
    adopt_earlier()  # never a second time, or an inserted row would be adopted as genuine
    assert AuditEvent.objects.count() == before
    assert FaultKind.ROW_INSERTED in kinds()


def test_every_table_with_chained_rows_is_verified() -> None:
    assert {covered.model for covered in ROWS} == set(ChainedRow.__subclasses__())


@pytest.mark.parametrize("model", list(COVERED))
def test_every_column_of_evidence_is_covered_or_left_out_for_a_reason(model: Any) -> None:
    covered = COVERED[model]
    columns = {field.attname for field in model._meta.concrete_fields}
    assert columns - set(covered.versions[-1]) - set(covered.left_out) == set(), (
        "cover it: see `evidence.py` of its room"
    )
    assert all(covered.left_out.values())


def test_proof_of_the_first_version_uses_the_first_list_of_columns(ended_session: Session) -> None:
    first = ("id", "user")
    released = evidence.Covered(Session, (first,), {})
    extended = evidence.Covered(Session, (first, (*first, "asset")), {})
    stored = evidence.proof_of(released, ended_session)
    assert evidence.proof_of(extended, ended_session, evidence.version_of(stored)) == stored
    assert evidence.version_of(evidence.proof_of(extended, ended_session)) == 1
