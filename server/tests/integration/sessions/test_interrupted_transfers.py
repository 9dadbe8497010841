"""A transfer is stored when it begins and completed when it ends, so a killed proxy leaves it in the file log."""

import random
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from django.db import transaction
from rest_framework.test import APIClient

from factories.proxy_client import Proxy, World
from postern.apps.audits import facade as audits
from postern.apps.audits.facade import FaultKind
from postern.apps.audits.models import AuditEvent
from postern.apps.sessions.models import FileTransfer, Session
from postern.apps.sessions.sessions.actions import sealing
from postern.contracts import events
from postern.contracts.enums import EndReason, TransferDirection
from postern.kernel import clock

LOG = "/api/v1/audits/ftp-logs/"


def test_hash_of_a_file_is_stored_proven_and_audited(proxy: Proxy, active: Session, as_auditor: APIClient) -> None:
    digest = "ab" * 32
    whole = msgspec.structs.replace(completed(active, uuid4()), sha256=digest)
    proxy.tell(whole)
    assert logged(as_auditor)["sha256"] == digest
    (record,) = AuditEvent.objects.filter(event="session.files_transferred")
    assert record.new["files"][0]["sha256"] == digest
    assert kinds() == set()


@pytest.mark.parametrize("odd", ["", "ab", "AB" * 32, "<b>" * 30, "ab" * 32 + "\n"])
def test_hash_that_is_none_is_not_stored(proxy: Proxy, active: Session, as_auditor: APIClient, odd: str) -> None:
    proxy.tell(msgspec.structs.replace(completed(active, uuid4()), sha256=odd))
    assert logged(as_auditor)["sha256"] == ""
    assert kinds() == set()


@pytest.fixture
def as_auditor(people: dict[str, Any], client_of: Callable[[Any], APIClient]) -> APIClient:
    return client_of(people["auditor"])


def begun(session: Session, key: UUID, path: str = "/srv/report.pdf") -> events.TransferBegun:
    return events.TransferBegun(
        id=key, session_id=session.pk, at=clock.now(), direction=TransferDirection.UPLOAD, operation="upload", path=path
    )


def completed(
    session: Session, key: UUID, path: str = "/srv/report.pdf", *, success: bool = True
) -> events.FileTransferred:
    return events.FileTransferred(
        id=key, session_id=session.pk, at=clock.now(), direction=TransferDirection.UPLOAD, operation="upload", path=path,
        size=4096, success=success, detail="" if success else "not closed",
    )  # fmt: skip


def ended(session: Session) -> events.SessionEnded:
    return events.SessionEnded(session_id=session.pk, at=clock.now(), reason=EndReason.INTERRUPTED)


def kinds() -> set[FaultKind]:
    return {fault.kind for fault in audits.verify_log().faults}


def logged(client: APIClient) -> dict[str, Any]:
    (row,) = client.get(LOG, headers={"accept-language": "en"}).json()
    assert isinstance(row, dict)
    return row


def test_transfer_is_listed_from_its_beginning_to_its_end(proxy: Proxy, active: Session, as_auditor: APIClient) -> None:
    key = uuid4()
    proxy.tell(begun(active, key))
    row = logged(as_auditor)
    assert (row["state"], row["size"], row["is_success"], row["detail"]) == ("under_way", None, False, "under way")
    assert row["filename"] == "/srv/report.pdf"

    proxy.tell(completed(active, key))
    row = logged(as_auditor)
    assert (row["state"], row["size"], row["is_success"], row["detail"]) == ("finished", 4096, True, "")
    assert kinds() == set()


def test_transfer_without_an_end_is_listed_as_interrupted(proxy: Proxy, active: Session, as_auditor: APIClient) -> None:
    proxy.tell(begun(active, uuid4()))
    proxy.tell(ended(active))
    row = logged(as_auditor)
    assert (row["state"], row["size"], row["is_success"]) == ("interrupted", None, False)
    assert "interrupted" in row["detail"]
    assert kinds() == set()


def test_end_that_arrives_after_the_session_ended_completes_the_row(
    proxy: Proxy, active: Session, as_auditor: APIClient
) -> None:
    """The network was down and the session was presumed dead."""
    key = uuid4()
    proxy.tell(begun(active, key))
    proxy.tell(ended(active))
    proxy.tell(completed(active, key))
    assert logged(as_auditor)["state"] == "finished"
    assert kinds() == set()


def test_beginning_and_end_in_one_batch_make_one_row_with_one_proof(proxy: Proxy, active: Session) -> None:
    key = uuid4()
    proxy.tell(begun(active, key), completed(active, key))
    row = FileTransfer.objects.get()
    assert (row.begun_number, row.begun_proof, row.size) == (None, "", 4096)
    active.refresh_from_db()
    assert active.evidence_count == 1


def test_beginning_and_end_are_both_audited(
    proxy: Proxy, active: Session, audit_events: Callable[[], list[str]]
) -> None:
    key = uuid4()
    proxy.tell(begun(active, key))
    proxy.tell(completed(active, key))
    assert audit_events().count("session.files_transferred") == 2


def test_any_order_and_repetition_give_the_same_rows(proxy: Proxy, active: Session) -> None:
    source = random.Random(7)
    keys = [uuid4() for _ in range(6)]
    reported: list[Any] = [begun(active, key, f"/f{n}") for n, key in enumerate(keys)]
    reported += [completed(active, key, f"/f{n}", success=n % 2 == 0) for n, key in enumerate(keys[:4])]
    for _ in range(12):
        proxy.tell(*source.sample(reported, source.randrange(1, len(reported))))
    proxy.tell(*reported)
    proxy.tell(*reported)

    rows = {row.filename: row for row in FileTransfer.objects.all()}
    assert {name: (row.is_finished, row.size, row.is_success) for name, row in rows.items()} == {
        **{f"/f{n}": (True, 4096, n % 2 == 0) for n in range(4)},
        "/f4": (False, 0, False),
        "/f5": (False, 0, False),
    }
    assert kinds() == set()


def test_end_does_not_complete_a_row_of_another_session(proxy: Proxy, world: World, active: Session) -> None:
    grant = proxy.authorize(world.user, "web-1").grant
    assert grant is not None
    other = Session.objects.get(pk=grant.session_id)
    key = uuid4()
    proxy.tell(begun(active, key))
    proxy.tell(completed(other, key))
    assert FileTransfer.objects.get().is_finished is False
    assert kinds() == set()


@pytest.fixture
def interrupted(proxy: Proxy, active: Session) -> Session:
    """An ended session with one transfer that a later batch completed and one that was never completed."""
    key = uuid4()
    proxy.tell(begun(active, key, "/done"))
    proxy.tell(completed(active, key, "/done"))
    proxy.tell(begun(active, uuid4(), "/open"))
    sealing.anchor_running()
    proxy.tell(ended(active))
    assert kinds() == set()
    return active


@pytest.mark.parametrize(
    "changes",
    [
        {"filename": "/other"},
        {"user": "Eve"},
        {"size": 1},
        {"is_success": True},
        {"detail": "fine"},
        {"sha256": "cd" * 32},
        {"begun_number": None},
        {"begun_number": None, "begun_proof": ""},
        {"begun_proof": "0:00"},
    ],
)
@pytest.mark.parametrize("name", ["/open", "/done"])
def test_edited_transfer_in_two_steps_is_reported(interrupted: Session, name: str, changes: dict[str, Any]) -> None:
    row = FileTransfer.objects.get(filename=name)
    if changes == {"is_success": True} and row.is_success:
        changes = {"is_success": False}
    with transaction.atomic():
        FileTransfer.objects.filter(pk=row.pk).update(**changes)
    assert kinds() & {FaultKind.ROW_EDITED, FaultKind.ROW_MISSING, FaultKind.ROW_INSERTED}


@pytest.mark.parametrize("name", ["/open", "/done"])
def test_deleted_transfer_in_two_steps_is_reported(interrupted: Session, name: str) -> None:
    FileTransfer.objects.get(filename=name).delete()
    assert FaultKind.ROW_MISSING in kinds()


def test_completed_transfer_set_back_to_unfinished_is_reported(interrupted: Session) -> None:
    FileTransfer.objects.filter(filename="/done").update(number=None, proof="", size=0, is_success=False, detail="")
    assert FaultKind.ROW_MISSING in kinds()
