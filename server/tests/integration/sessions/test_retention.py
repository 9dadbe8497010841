"""Old sessions are forgotten after the days that the settings give, with their recordings; the audit log remembers."""

from datetime import timedelta
from pathlib import Path

import pytest

from factories.proxy_client import Proxy
from postern.apps.audits.models import AuditEvent
from postern.apps.sessions.actions.retention import forget_old_sessions
from postern.apps.sessions.models import Recording, Session
from postern.apps.sessions.storage import LocalStorage
from postern.contracts import events
from postern.contracts.enums import EndReason
from postern.foundation.actor import SYSTEM
from postern.kernel import clock


@pytest.mark.spec("S9-046")
def test_sessions_are_kept_for_the_days_of_the_setting(proxy: Proxy, active: Session, replay_folder: Path) -> None:
    storage = LocalStorage(replay_folder)
    proxy.seal(active.pk, b"content")
    proxy.put(active.pk, b"content", 0, 7)
    proxy.tell(events.SessionEnded(session_id=active.pk, at=clock.now(), reason=EndReason.USER_CLOSED))
    file = replay_folder / Recording.objects.get().path

    def age(days: float) -> None:
        end = clock.now() - timedelta(days=days)
        Session.objects.update(date_end=end, date_start=end - timedelta(minutes=1))

    age(199.9)  # the default is 200 days
    assert forget_old_sessions(actor=SYSTEM, storage=storage) == 0
    assert file.exists()
    age(200.1)
    assert forget_old_sessions(actor=SYSTEM, storage=storage) == 1
    assert not Session.objects.exists()
    assert not file.exists()
    assert AuditEvent.objects.get(event="session.forgotten").resource_id == str(active.pk)


def test_live_sessions_are_never_forgotten(active: Session, replay_folder: Path) -> None:
    Session.objects.update(date_start=clock.now() - timedelta(days=900))
    assert forget_old_sessions(actor=SYSTEM, storage=LocalStorage(replay_folder)) == 0
