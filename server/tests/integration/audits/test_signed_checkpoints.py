"""Checkpoints carry signed positions of the public chain: never of an altered log, and never two that contradict."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.db import OperationalError, connection, transaction

from integration.audits.test_audit_chain import _triggers_off, _write
from postern.apps.audits import (
    checkpoint_file,
    checkpoints,
    digest,
    facade,
    public_chain,
    queries,
    reading,
    signing_key,
)
from postern.apps.audits.models import AuditChain, AuditEvent
from postern.apps.audits.queries import FaultKind
from postern.apps.audits.signed_statements import SignedStatement
from postern.entrypoints import cli
from postern.foundation.caller.actor import anonymous
from postern.kernel.errors import SettingsError
from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path) -> Path:
    settings.POSTERN = replace(settings.POSTERN, home=tmp_path)
    return tmp_path


def statements() -> list[SignedStatement]:
    return [statement for statement in checkpoint_file.signed() if statement.org_id == DEFAULT_ORG_ID]


def lines() -> list[dict[str, Any]]:
    return [json.loads(line) for line in checkpoint_file.path().read_text().splitlines()]


def store(changed: list[dict[str, Any]], *, with_mac: bool = True) -> None:
    """Write the file again, with MACs that fit, as somebody with the key of the log could."""
    for line in changed:
        if with_mac:
            line.pop("mac")
            line["mac"] = digest.of_text(json.dumps(line, sort_keys=True, separators=(",", ":")))
    checkpoint_file.path().write_text("".join(json.dumps(line) + "\n" for line in changed))


def kinds() -> set[FaultKind]:
    return {fault.kind for fault in queries.verify()}


def test_statement_is_a_hash_over_all_lines_since_the_beginning() -> None:
    _write(3)
    checkpoints.write()
    _write(2)
    checkpoints.write()
    link = bytes(32)
    for event in AuditEvent.objects.filter(org_id=DEFAULT_ORG_ID).order_by("sequence"):
        line = public_chain.line_of(event)
        assert json.loads(line)["digest"] == event.digest
        link = hashlib.sha256(link + hashlib.sha256(line).digest()).digest()
    assert [statement.position.sequence for statement in statements()] == [3, 5]
    assert statements()[-1].position.chain == link.hex()
    assert all(statement.is_signed() for statement in statements())
    assert kinds() == set()


def test_lines_of_earlier_versions_stay_valid_and_the_next_covers_everything() -> None:
    _write(3)
    checkpoints.write()
    earlier = lines()
    for line in earlier:
        del line["public"]
    store(earlier)
    assert kinds() == set()
    assert checkpoints.write()
    assert statements()[-1].position.sequence == 3
    assert kinds() == set()
    assert not checkpoints.write()


def test_large_log_is_stated_in_several_checkpoints_of_limited_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_AT_ONCE", 2)
    _write(7)
    facade.record_sign_in(actor=anonymous("192.0.2.7"), username="ann", succeeded=True)
    while checkpoints.write(most=3):
        pass
    reached: dict[str, int] = {}
    for line in lines():
        now = reached | {key: stated["sequence"] for key, stated in line["public"].items()}
        assert sum(now.values()) - sum(reached.values()) <= 3
        reached = now
    assert reached == {str(org_id): sequence for org_id, sequence in facade.heads().items()}
    assert set(lines()[0]["public"]) == set(reached), "a short backlog waits for a long one"
    assert kinds() == set()


def test_export_states_everything_although_checkpoints_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints.write, "__defaults__", (2,))
    _write(7)
    facade.sign_everything()
    assert statements()[-1].position.sequence == 7
    assert len(statements()) > 2


def test_second_process_gives_way_and_verification_goes_on() -> None:
    _write(2)
    with checkpoint_file.opened(wait=True):
        assert not checkpoints.write()
        assert kinds() == set()
    assert checkpoints.write()


def _edit() -> None:
    AuditEvent.objects.filter(org_id=DEFAULT_ORG_ID, sequence=5).update(user="somebody else")


def _delete() -> None:
    AuditEvent.objects.filter(org_id=DEFAULT_ORG_ID, sequence=5).delete()


def _delete_last() -> None:
    AuditEvent.objects.filter(org_id=DEFAULT_ORG_ID, sequence=6).delete()


def _roll_back(last: int = 2) -> None:
    AuditEvent.objects.filter(org_id=DEFAULT_ORG_ID, sequence__gt=last).delete()
    event = AuditEvent.objects.get(org_id=DEFAULT_ORG_ID, sequence=last)
    AuditChain.objects.filter(org_id=DEFAULT_ORG_ID).update(sequence=last, digest=event.digest)


def _roll_back_and_write_others() -> None:
    _roll_back()
    _write(5)


@pytest.mark.parametrize("manipulate", [_edit, _delete, _delete_last, _roll_back, _roll_back_and_write_others])
def test_altered_log_is_never_signed(manipulate: Callable[[], None]) -> None:
    _write(4)
    checkpoints.write()
    before = statements()
    _write(2)
    _triggers_off()
    manipulate()
    checkpoints.write()
    checkpoints.write()  # says which heads are lost
    assert statements() == before
    assert not checkpoints.write()
    assert kinds()


@pytest.mark.parametrize("is_earlier_version", [False, True])
def test_log_that_was_set_back_while_statements_lagged_is_never_signed(
    is_earlier_version: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(8)
    checkpoints.write(most=3)
    before = statements()
    assert before[-1].position.sequence < 8
    if is_earlier_version:
        store([{key: value for key, value in line.items() if key != "lost"} for line in lines()])
    _triggers_off()
    _roll_back(6)
    for _ in range(3):  # the lost head is remembered, also when the log is longer again
        checkpoints.write()
        assert statements() == before
        assert kinds() == {FaultKind.ROLLED_BACK}
        _write(2)
    facade.sign_everything()
    assert statements() == before
    assert cli.main(["audit", "verify"]) == 1
    output = capsys.readouterr().out
    assert f"rolled_back at {DEFAULT_ORG_ID} #8\n" in output
    assert f"the log of {DEFAULT_ORG_ID} gets no new signed checkpoint" in output


def test_log_that_has_its_lost_head_again_is_signed_again() -> None:
    _write(8)
    checkpoints.write(most=3)
    with transaction.atomic():
        _triggers_off()
        _roll_back(6)
        checkpoints.write()
        assert statements()[-1].position.sequence < 6
        transaction.set_rollback(True)
    checkpoints.write()
    assert statements()[-1].position.sequence == 8
    assert kinds() == set()


def _make_unreadable() -> None:
    """Give an event a column that no reader can decode."""
    is_postgresql = connection.vendor == "postgresql"
    values = ("infinity", DEFAULT_ORG_ID) if is_postgresql else ("2026-13-45 00:00:00", DEFAULT_ORG_ID.hex)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE audits_auditevent SET datetime = %s WHERE org_id = %s AND sequence = 5", values)
        assert cursor.rowcount == 1


def test_unreadable_event_stops_only_the_statements_of_its_organization(caplog: pytest.LogCaptureFixture) -> None:
    _write(4)
    checkpoints.write()
    _write(2)
    _triggers_off()
    _make_unreadable()
    facade.record_sign_in(actor=anonymous("192.0.2.7"), username="ann", succeeded=True)
    assert checkpoints.write()
    assert {key: tuple(head) for key, head in lines()[-1]["heads"].items()} == {
        str(chain.org_id): (chain.sequence, chain.digest) for chain in AuditChain.objects.all()
    }
    assert statements()[-1].position.sequence == 4
    assert checkpoint_file.last_statements()[ROOT_ORG_ID].position.sequence == facade.heads()[ROOT_ORG_ID]
    assert f"the audit log of {DEFAULT_ORG_ID} is not intact at #5" in caplog.text
    assert f"unreadable at {DEFAULT_ORG_ID} #5" in [str(fault) for fault in queries.verify()]


@pytest.mark.parametrize("name", ["follow", "digests_at"])
def test_whatever_a_log_provokes_stops_only_its_own_statements(
    name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    _write(2)
    checkpoints.write()
    _write(2)
    facade.record_sign_in(actor=anonymous("192.0.2.7"), username="ann", succeeded=True)
    read = getattr(public_chain, name)

    def fail(org_id: UUID, *values: Any) -> Any:
        if org_id == DEFAULT_ORG_ID:
            raise RuntimeError("the row provokes it")
        return read(org_id, *values)

    with monkeypatch.context() as patch:
        patch.setattr(public_chain, name, fail)
        assert checkpoints.write()
    assert lines()[-1]["heads"][str(DEFAULT_ORG_ID)][0] == 4
    assert statements()[-1].position.sequence == 2
    assert checkpoint_file.last_statements()[ROOT_ORG_ID].position.sequence == facade.heads()[ROOT_ORG_ID]
    assert f"the audit log of {DEFAULT_ORG_ID} cannot be read; nothing of it is signed" in caplog.text
    assert checkpoints.write(), "the log can be read again"
    assert statements()[-1].position.sequence == 4
    assert kinds() == set()


@pytest.mark.parametrize("name", ["follow", "digests_at"])
def test_database_that_fails_is_no_damage_of_a_log(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(2)
    checkpoints.write()
    _write(2)
    before = lines()

    def fail(*_values: Any) -> Any:
        raise OperationalError("database is locked")

    with monkeypatch.context() as patch:
        patch.setattr(public_chain, name, fail)
        with pytest.raises(OperationalError):
            checkpoints.write()
    assert lines() == before, "no line says that a log has lost something"
    assert checkpoints.write()
    assert statements()[-1].position.sequence == 4


def test_edit_before_the_last_checkpoint_is_reported_even_with_a_new_mac() -> None:
    _write(3)
    checkpoints.write()
    _triggers_off()
    event = AuditEvent.objects.get(org_id=DEFAULT_ORG_ID, sequence=3)
    event.user = "somebody else"
    event.digest = digest.of_event(event)
    AuditEvent.objects.filter(pk=event.pk).update(user=event.user, digest=event.digest)
    AuditChain.objects.filter(org_id=DEFAULT_ORG_ID).update(digest=event.digest)
    store([{**line, "heads": {str(DEFAULT_ORG_ID): [3, event.digest]}} for line in lines()])
    assert kinds() == {FaultKind.ROLLED_BACK}


@pytest.mark.parametrize("field", ["signature", "chain", "at", "sequence", "key_id"])
def test_altered_statement_is_reported_although_the_mac_fits(field: str) -> None:
    _write(3)
    checkpoints.write()
    changed = lines()
    stated = changed[0]["public"][str(DEFAULT_ORG_ID)]
    stated[field] = 2 if field == "sequence" else "0" * len(stated[field])
    store(changed)
    assert FaultKind.CHECKPOINT_ALTERED in kinds()


def test_only_the_first_line_of_a_day_repeats_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    today = datetime(2026, 11, 28, 12, tzinfo=UTC)
    monkeypatch.setattr("postern.kernel.clock.now", lambda: today)
    _write(1)
    facade.record_sign_in(actor=anonymous("192.0.2.7"), username="ann", succeeded=True)
    checkpoints.write()
    for _ in range(2):
        _write(1)
        checkpoints.write()
    facade.record_sign_in(actor=anonymous("192.0.2.7"), username="ann", succeeded=True)
    checkpoints.write()
    monkeypatch.setattr("postern.kernel.clock.now", lambda: today + timedelta(days=1))
    _write(1)
    checkpoints.write()
    assert [len(line["public"]) for line in lines()] == [2, 1, 1, 1, 2]
    newest = checkpoint_file.last_statements()
    assert {org_id: stated.position.sequence for org_id, stated in newest.items()} == facade.heads()
    assert not checkpoints.write()
    assert kinds() == set()


def test_statement_that_was_taken_away_is_reported() -> None:
    _write(3)
    checkpoints.write()
    changed = lines()
    del changed[0]["public"]
    store(changed, with_mac=False)
    assert kinds() == {FaultKind.CHECKPOINT_ALTERED}


def test_rest_of_a_killed_write_costs_only_its_own_line() -> None:
    _write(3)
    checkpoints.write()
    with checkpoint_file.path().open("a") as file:
        file.write('{"at": "20')
    _write(1)
    assert checkpoints.write()
    assert [statement.position.sequence for statement in statements()] == [3, 4]
    assert kinds() == {FaultKind.CHECKPOINT_ALTERED}


def test_new_key_signs_and_the_former_signatures_stay_valid(home: Path) -> None:
    _write(2)
    checkpoints.write()
    key = signing_key.SigningKey.next()
    key.install()
    _write(1)
    checkpoints.write()
    first, second = statements()
    assert (first.key_id == key.key_id, second.key_id) == (False, key.key_id)
    assert kinds() == set()
    for path in (home / "secrets").rglob("audit_*"):
        assert path.stat().st_mode & 0o077 == 0
    signing_key.trusted_keys().path_of(first.key_id).unlink()
    assert kinds() == {FaultKind.CHECKPOINT_ALTERED}


def test_damaged_key_is_a_clear_error(home: Path) -> None:
    signing_key.SigningKey.current()
    (home / "secrets" / "audit_signing_key.pem").write_text("no key")
    _write(1)
    with pytest.raises(SettingsError, match="signing key of the audit log"):
        facade.sign_everything()
    assert checkpoints.write()  # the heads are kept all the same
    assert statements() == []
    assert kinds() == set()
