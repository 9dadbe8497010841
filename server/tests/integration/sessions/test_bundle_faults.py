"""Exports of damaged installations: the bundle comes out, and names each fault; the verifier finds what the log shows."""

import hashlib
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from factories.proxy_client import Proxy, World
from integration.sessions.bundle_tools import faults_in, keys_of, members_of, resigned, run, sign, verified, wanted
from integration.sessions.test_bundle_exports import stored_file
from integration.sessions.test_evidence_chain import tell_rows
from postern.apps.audits import checkpoints
from postern.apps.audits.models import AuditEvent
from postern.apps.sessions.bundles.actions import Exported, export
from postern.apps.sessions.models import Command, FileTransfer, Recording, RefusedRequest, Session
from postern.apps.sessions.recordings.actions.retention import forget_old_sessions
from postern.foundation.caller.actor import SYSTEM
from postern.integrations.replay_storages.local_folder import LocalFolder
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID

#: What begins a snapshot.
BEGINS = ("BEGIN", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("bundle_home")]


def exported_to(path: Path, **more: Any) -> tuple[Exported, bytes]:
    exported = export(wanted(**more), path)
    return exported, path.read_bytes()


@pytest.mark.parametrize("is_chosen", [False, True])
def test_session_deleted_in_the_database_is_a_fault(ended: Session, tmp_path: Path, is_chosen: bool) -> None:
    key = ended.pk
    Session.objects.filter(pk=key).delete()
    exported, data = exported_to(tmp_path / "bundle.tar", session_ids=(key,) if is_chosen else ())
    assert exported.faults == (f"session_missing: session {key}",)
    own = f"FAULT: no event says why these sessions are missing: ['{key}']"
    assert faults_in(data) == [f"FAULT: 'session_missing: session {key}'", own]
    assert faults_in(resigned(members_of(data), sign, faults=[])) == [own], "the log shows it without the export"
    done = run(tmp_path / "bundle.tar", *keys_of(tmp_path))
    assert (done.returncode, done.stdout.splitlines()[-1]) == (3, "PROVEN to be what was exported, WITH 2 FAULTS")


def test_session_deleted_by_retention_is_no_fault(ended: Session, tmp_path: Path, settings: Any) -> None:
    checkpoints.write()  # a bundle of this time could end here
    end, old = clock.now(), clock.now() - timedelta(days=900)
    Session.objects.update(date_end=old, date_start=old - timedelta(minutes=1))
    forget_old_sessions(actor=SYSTEM, storage=LocalFolder(tmp_path / "replays"))
    assert not Session.objects.exists()
    exported, data = exported_to(tmp_path / "bundle.tar", end=end, org_ids=(DEFAULT_ORG_ID,))
    assert (exported.faults, exported.sessions, faults_in(data)) == ((), 0, [])
    assert b'"session.forgotten"' in data


def test_session_of_another_time_is_no_fault(ended: Session, proxy: Proxy, world: World, tmp_path: Path) -> None:
    begin = clock.now()
    proxy.authorize(world.user, "web-1")
    _, data = exported_to(tmp_path / "bundle.tar", begin=begin, org_ids=(DEFAULT_ORG_ID,))
    assert any("; 1 sessions" in line for line in verified(data))
    assert faults_in(data) == []


def _delete_row(ended: Session) -> None:
    Command.objects.filter(session=ended, number=1).delete()


def _edit_row(ended: Session) -> None:
    Command.objects.filter(session=ended, number=1).update(input="true")


def _delete_all_rows(ended: Session) -> None:
    for model in (Command, FileTransfer, RefusedRequest):
        model._default_manager.filter(session=ended).delete()


def _edit_session(ended: Session) -> None:
    Session.objects.filter(pk=ended.pk).update(user="somebody else", evidence_count=2)


def _make_row_unreadable(ended: Session) -> None:
    """Give a row a column that no reader can decode."""
    is_postgresql = connection.vendor == "postgresql"
    values = ("infinity", ended.pk) if is_postgresql else ("2026-13-45 00:00:00", ended.pk.hex)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE sessions_command SET at = %s WHERE session_id = %s", values)
        assert cursor.rowcount


@pytest.mark.parametrize(
    ("damage", "kind"),
    [
        (_delete_row, "row_missing"),
        (_edit_row, "row_edited"),
        (_delete_all_rows, "row_missing"),
        (_edit_session, "session_edited"),
        (_make_row_unreadable, "unreadable"),
    ],
)
def test_damaged_row_is_named_and_the_rest_is_proven(ended: Session, tmp_path: Path, damage: Any, kind: str) -> None:
    damage(ended)
    exported, data = exported_to(tmp_path / "bundle.tar")
    assert any(fault.startswith(f"{kind}: ") for fault in exported.faults)
    assert all(str(ended.pk) in fault for fault in exported.faults)
    assert {f"FAULT: {fault!a}" for fault in exported.faults} <= set(faults_in(data))
    assert (exported.sessions, exported.recordings) == (1, 1)


def test_recording_replaced_together_with_its_row_is_a_fault(ended: Session, tmp_path: Path) -> None:
    file = stored_file(ended)
    file.chmod(0o600)
    file.write_bytes(b"another recording")
    sha256 = hashlib.sha256(b"another recording").hexdigest()
    Recording.objects.filter(pk=ended.pk).update(size=17, sha256=sha256)
    exported, data = exported_to(tmp_path / "bundle.tar")
    assert exported.recordings == 0
    assert (
        f"recording_edited: recording of session {ended.pk}: its file is not the one that was stored" in exported.faults
    )
    assert faults_in(data)


@pytest.mark.django_db(transaction=True)
def test_what_is_written_is_what_was_checked(ended: Session, tmp_path: Path) -> None:
    with CaptureQueriesContext(connection) as captured:
        exported, data = exported_to(tmp_path / "bundle.tar")
    assert (exported.faults, faults_in(data)) == ((), [])
    statements = [query["sql"] for query in captured]
    begin = next(place for place, sql in enumerate(statements) if sql in BEGINS)
    snapshot = statements[begin : statements.index("ROLLBACK", begin)]
    assert sum('FROM "sessions_session"' in sql for sql in snapshot) == 1
    for table in ("sessions_command", "sessions_filetransfer", "sessions_refusedrequest"):
        assert sum(f'FROM "{table}"' in sql and f'"{table}"."proof"' in sql for sql in snapshot) == 1, table
        assert sum(f'FROM "{table}"' in sql and f'"{table}"."proof"' in sql for sql in statements) == 1, table


def test_log_of_one_organization_says_nothing_about_others(ended: Session, tmp_path: Path) -> None:
    exported_to(tmp_path / "bundle.tar", org_ids=(DEFAULT_ORG_ID, ROOT_ORG_ID), session_ids=(ended.pk,))
    events = {event.org_id: event for event in AuditEvent.objects.filter(event="audit.exported")}
    assert events[DEFAULT_ORG_ID].new["chosen_sessions"] == [str(ended.pk)]
    assert events[ROOT_ORG_ID].new["chosen_sessions"] == []
    assert str(DEFAULT_ORG_ID) not in str(events[ROOT_ORG_ID].new)
    assert str(ROOT_ORG_ID) not in str(events[DEFAULT_ORG_ID].new)


def test_running_session_with_late_rows_has_no_faults(proxy: Proxy, ended: Session, tmp_path: Path) -> None:
    tell_rows(proxy, ended)
    exported, data = exported_to(tmp_path / "bundle.tar")
    assert (exported.faults, faults_in(data)) == ((), [])
