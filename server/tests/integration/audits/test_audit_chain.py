"""The audit log is append-only in the database, and verification reports every manipulation of its chain."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.db import DatabaseError, connection, transaction

from postern.apps.audits import checkpoints, facade, queries
from postern.apps.audits.checkpoint_file import path as path_of_checkpoints
from postern.apps.audits.errors import NotInTransaction
from postern.apps.audits.models import AuditChain, AuditEvent, LoginLog
from postern.apps.audits.queries import FaultKind
from postern.foundation.caller.actor import SYSTEM, anonymous
from postern.kernel.ids import DEFAULT_ORG_ID, new_id
from postern.kernel.secret import Secret

pytestmark = pytest.mark.django_db


def _write(count: int) -> None:
    for number in range(count):
        facade.record(
            actor=SYSTEM,
            org_id=DEFAULT_ORG_ID,
            event=facade.Event.ASSET_UPDATED,
            action="update",
            object_type="Thing",
            object_id=str(number),
            object_name=f"thing {number} — 名称",
            old={"size": number, "tags": ["a"]},
            new={"size": number + 1, "tags": ["a", "b"], "ratio": 0.5, "none": None},
        )


def _triggers_off() -> None:
    """Disable the triggers, as a database administrator could. The rollback of the test restores them."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("ALTER TABLE audits_auditevent DISABLE TRIGGER USER")
            cursor.execute("ALTER TABLE audits_loginlog DISABLE TRIGGER USER")
        else:
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'audits_%'")
            for (name,) in cursor.fetchall():
                cursor.execute(f"DROP TRIGGER {name}")


def _kinds() -> set[FaultKind]:
    return {fault.kind for fault in queries.verify()}


def test_untouched_chain_is_valid() -> None:
    _write(5)
    assert list(queries.verify()) == []


def test_record_outside_a_transaction_is_refused(transactional_db: None) -> None:
    with pytest.raises(NotInTransaction):
        _write(1)


def test_record_is_rolled_back_with_its_write() -> None:
    before = AuditEvent.objects.count()
    with transaction.atomic():
        _write(1)
        transaction.set_rollback(True)
    assert AuditEvent.objects.count() == before
    _write(1)
    assert list(queries.verify()) == []


@pytest.mark.parametrize(
    ("peer", "logged"), [("fe80::1%eth0", "fe80::1"), ("2001:db8::7", "2001:db8::7"), ("192.0.2.7", "192.0.2.7")]
)
def test_sign_in_from_a_link_local_address_is_logged_too(peer: str, logged: str) -> None:
    facade.record_sign_in(actor=anonymous(peer), username="ann", succeeded=True)
    assert LoginLog.objects.get().ip == logged
    assert list(queries.verify()) == []


@pytest.mark.parametrize("statement", ["UPDATE {table} SET {column} = 'x'", "DELETE FROM {table}"])
@pytest.mark.parametrize(("table", "column"), [("audits_auditevent", "event"), ("audits_loginlog", "reason")])
def test_log_rows_changed_by_sql_are_refused(statement: str, table: str, column: str) -> None:
    _write(1)
    facade.record_sign_in(actor=anonymous("192.0.2.7"), username="ann", succeeded=False, reason="bad_credentials")
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement.format(table=table, column=column))


def _edit() -> None:
    AuditEvent.objects.filter(org_id=DEFAULT_ORG_ID, sequence=3).update(user="somebody else")


def _edit_json() -> None:
    AuditEvent.objects.filter(org_id=DEFAULT_ORG_ID, sequence=3).update(new={"size": 99})


def _delete_middle() -> None:
    AuditEvent.objects.filter(org_id=DEFAULT_ORG_ID, sequence=3).delete()


def _delete_last() -> None:
    AuditEvent.objects.filter(org_id=DEFAULT_ORG_ID).order_by("-sequence")[:1].get().delete()


def _insert() -> None:
    row = AuditEvent.objects.filter(org_id=DEFAULT_ORG_ID).order_by("-sequence")[:1].get()
    row.pk, row.sequence = new_id(), row.sequence + 1
    row.save(force_insert=True)


def _reorder() -> None:
    first, second = AuditEvent.objects.filter(org_id=DEFAULT_ORG_ID).order_by("sequence")[1:3]
    sequence, two = first.sequence, second.sequence
    AuditEvent.objects.filter(pk=first.pk).update(sequence=-1)
    AuditEvent.objects.filter(pk=second.pk).update(sequence=sequence)
    AuditEvent.objects.filter(pk=first.pk).update(sequence=two)


def _forget_head() -> None:
    AuditChain.objects.filter(org_id=DEFAULT_ORG_ID).delete()


@pytest.mark.parametrize(
    ("manipulate", "expected"),
    [
        (_edit, FaultKind.EDITED),
        (_edit_json, FaultKind.EDITED),
        (_delete_middle, FaultKind.MISSING),
        (_delete_last, FaultKind.TRUNCATED),
        (_insert, FaultKind.BROKEN_LINK),
        (_reorder, FaultKind.BROKEN_LINK),
        (_forget_head, FaultKind.UNANCHORED),
    ],
)
def test_manipulation_by_a_database_administrator_is_reported(
    manipulate: Callable[[], None], expected: FaultKind
) -> None:
    _write(5)
    _triggers_off()
    manipulate()
    assert expected in _kinds()


@pytest.fixture
def sign_in() -> LoginLog:
    facade.record_sign_in(actor=anonymous("192.0.2.7"), username="ann", succeeded=False, reason="bad_credentials")
    return LoginLog.objects.get(username="ann")


def test_edited_login_log_is_reported(sign_in: LoginLog) -> None:
    _triggers_off()
    LoginLog.objects.filter(pk=sign_in.pk).update(status=True)
    assert _kinds() == {FaultKind.LOGIN_EDITED}


def test_deleted_login_log_is_reported(sign_in: LoginLog) -> None:
    _triggers_off()
    sign_in.delete()
    assert _kinds() == {FaultKind.LOGIN_MISSING}


def test_inserted_login_log_is_reported(sign_in: LoginLog) -> None:
    LoginLog.objects.create(username="eve", type="W", status=True)
    assert _kinds() == {FaultKind.LOGIN_INSERTED}


def test_record_with_a_secret_stores_only_a_mask() -> None:
    facade.record(
        actor=SYSTEM,
        org_id=DEFAULT_ORG_ID,
        event=facade.Event.USER_UPDATED,
        object_type="X",
        new={"password": Secret("canary-1")},
    )
    row = AuditEvent.objects.get(event="user.updated")
    assert row.new == {"password": "******"}


def test_record_with_nul_and_overlong_text_is_stored() -> None:
    facade.record(
        actor=SYSTEM,
        org_id=DEFAULT_ORG_ID,
        event=facade.Event.USER_UPDATED,
        object_type="X",
        object_name="a\x00" + "b" * 999,
        new={"k": "\x00"},
    )
    assert list(queries.verify()) == []


@pytest.fixture
def checkpoint_file() -> Iterator[Path]:
    path = path_of_checkpoints()
    path.unlink(missing_ok=True)
    yield path
    path.unlink(missing_ok=True)


def _cut_and_set_back() -> None:
    """Delete the newest event and set the head of the chain back, so that the chain alone looks complete."""
    _triggers_off()
    last, before = AuditEvent.objects.filter(org_id=DEFAULT_ORG_ID).order_by("-sequence")[:2]
    last.delete()
    AuditChain.objects.filter(org_id=DEFAULT_ORG_ID).update(sequence=before.sequence, digest=before.digest)


def test_chain_cut_together_with_its_head_is_detected_by_the_checkpoint(checkpoint_file: Path) -> None:
    _write(3)
    assert checkpoints.write()
    assert not checkpoints.write()  # no new records since the checkpoint
    _cut_and_set_back()
    assert _kinds() == {FaultKind.ROLLED_BACK}


def test_checkpoint_with_later_events_is_valid(checkpoint_file: Path) -> None:
    _write(2)
    checkpoints.write()
    _write(2)
    checkpoints.write()
    assert _kinds() == set()
    assert checkpoint_file.stat().st_mode & 0o777 == 0o600


def test_altered_checkpoint_is_reported(checkpoint_file: Path) -> None:
    _write(3)
    checkpoints.write()
    checkpoint_file.write_text(checkpoint_file.read_text().replace('"at": "20', '"at": "19'))
    assert FaultKind.CHECKPOINT_ALTERED in _kinds()


def test_verification_reports_the_number_of_checked_records(checkpoint_file: Path) -> None:
    _write(3)
    report = facade.verify_log()
    assert report.checked >= 3
    assert report.faults == ()
    _triggers_off()
    _edit()
    assert [str(fault) for fault in facade.verify_log().faults] == [f"edited at {DEFAULT_ORG_ID} #3"]
