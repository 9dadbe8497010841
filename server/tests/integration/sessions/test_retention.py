"""Old sessions and their recordings are deleted after the days of the setting; the audit log keeps a record."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from factories.proxy_client import Proxy
from postern.apps.audits import facade as audits
from postern.apps.audits.models import AuditEvent
from postern.apps.sessions.models import DoomedFile, Recording, Session
from postern.apps.sessions.recordings.actions.retention import forget_old_sessions
from postern.contracts import events
from postern.contracts.enums import EndReason
from postern.foundation.caller.actor import SYSTEM
from postern.integrations.replay_storages.local_folder import LocalFolder, LocalIncoming
from postern.kernel import clock


@pytest.mark.spec("S9-046")
def test_sessions_are_kept_for_the_days_of_the_setting(proxy: Proxy, active: Session, replay_folder: Path) -> None:
    store = LocalFolder(replay_folder)
    proxy.seal(active.pk, b"content")
    proxy.put(active.pk, b"content", 0, 7)
    proxy.tell(events.SessionEnded(session_id=active.pk, at=clock.now(), reason=EndReason.USER_CLOSED))
    file = replay_folder / Recording.objects.get().path

    def age(days: float) -> None:
        end = clock.now() - timedelta(days=days)
        Session.objects.update(date_end=end, date_start=end - timedelta(minutes=1))

    age(199.9)  # the default is 200 days
    assert forget_old_sessions(actor=SYSTEM, storage=store) == 0
    assert file.exists()
    age(200.1)
    assert forget_old_sessions(actor=SYSTEM, storage=store) == 1
    assert not Session.objects.exists()
    assert not file.exists()
    assert AuditEvent.objects.get(event="session.forgotten").resource_id == str(active.pk)


def test_live_sessions_are_never_deleted(active: Session, replay_folder: Path) -> None:
    Session.objects.update(date_start=clock.now() - timedelta(days=900))
    assert forget_old_sessions(actor=SYSTEM, storage=LocalFolder(replay_folder)) == 0


class KilledError(BaseException):
    """Simulates the death of the process: nothing after this point runs."""


@pytest.fixture
def old_session(proxy: Proxy, active: Session, replay_folder: Path) -> Path:
    """The recording file of a session that is due for deletion."""
    proxy.seal(active.pk, b"content")
    proxy.put(active.pk, b"content", 0, 7)
    proxy.tell(events.SessionEnded(session_id=active.pk, at=clock.now(), reason=EndReason.USER_CLOSED))
    end = clock.now() - timedelta(days=900)
    Session.objects.update(date_end=end, date_start=end - timedelta(minutes=1))
    return replay_folder / Recording.objects.get().path


def _dies(*_: object, **__: object) -> None:
    raise KilledError


def test_retention_killed_before_the_rows_go_leaves_rows_and_file(
    old_session: Path, replay_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audits, "record", _dies)
    with pytest.raises(KilledError):
        forget_old_sessions(actor=SYSTEM, storage=LocalFolder(replay_folder))
    assert old_session.exists()
    assert Recording.objects.get().path
    assert not DoomedFile.objects.exists()


@pytest.mark.parametrize("step", ["discard_incoming", "delete"])
def test_retention_killed_between_rows_and_file_deletes_the_file_in_the_next_round(
    old_session: Path, replay_folder: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    with monkeypatch.context() as killed:
        killed.setattr(LocalFolder, step, _dies)
        with pytest.raises(KilledError):
            forget_old_sessions(actor=SYSTEM, storage=LocalFolder(replay_folder))
    assert not Session.objects.exists()
    assert old_session.exists()
    assert forget_old_sessions(actor=SYSTEM, storage=LocalFolder(replay_folder)) == 0
    assert not old_session.exists()
    assert not DoomedFile.objects.exists()


def test_retention_killed_between_file_and_its_row_continues_in_the_next_round(
    old_session: Path, replay_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as killed:
        killed.setattr(DoomedFile, "delete", _dies)
        with pytest.raises(KilledError):
            forget_old_sessions(actor=SYSTEM, storage=LocalFolder(replay_folder))
    assert not old_session.exists()
    forget_old_sessions(actor=SYSTEM, storage=LocalFolder(replay_folder))
    assert not DoomedFile.objects.exists()


def test_file_that_cannot_be_deleted_is_retried(
    old_session: Path, replay_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: object) -> None:
        raise PermissionError

    with monkeypatch.context() as failing:
        failing.setattr(LocalFolder, "delete", refuses)
        assert forget_old_sessions(actor=SYSTEM, storage=LocalFolder(replay_folder)) == 1
    assert DoomedFile.objects.count() == 1
    forget_old_sessions(actor=SYSTEM, storage=LocalFolder(replay_folder))
    assert not old_session.exists()


def test_upload_that_ends_after_its_session_was_deleted_leaves_no_file(
    proxy: Proxy, active: Session, replay_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy.seal(active.pk, b"content")
    keep = LocalIncoming.keep

    def forgotten_meanwhile(incoming: LocalIncoming, at: datetime) -> str:
        Session.objects.all().delete()
        return keep(incoming, at)

    monkeypatch.setattr(LocalIncoming, "keep", forgotten_meanwhile)
    assert proxy.put(active.pk, b"content", 0, 7).status_code == 404
    assert list(replay_folder.rglob("*.postern")) == []
