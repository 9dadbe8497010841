"""Stored recordings of sessions that have ended, for tests of what is found in them."""

import hashlib
import tempfile
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from postern.apps.sessions.models import Command, FileTransfer, Recording, Session
from postern.apps.sessions.search import actions as search
from postern.contracts.enums import EndReason, RecordingState, SessionState
from postern.contracts.recording.format import OUTPUT
from postern.foundation.caller.scope import DEFAULT_ORG_ID
from postern.kernel import clock
from unit.contracts.recording.golden import Step, write_recording


def recorded(
    folder: Path,
    steps: Sequence[Step] | str | bytes,
    *,
    org_id: UUID = DEFAULT_ORG_ID,
    started: datetime | None = None,
    commands: Iterable[tuple[int, str]] = (),
    files: Iterable[str] = (),
    form: dict[str, Any] | None = None,
    content: bytes = b"",
    **columns: Any,
) -> Session:
    """A session with a recording in the folder, which waits for the index. A text is the output of its first moment.

    `content`: the file of the recording, instead of steps.
    """
    if isinstance(steps, str | bytes):
        steps = [(100, OUTPUT, steps.encode() if isinstance(steps, str) else steps)]
    started = started or clock.now() - timedelta(hours=1)
    session = Session.objects.create(
        org_id=org_id,
        user_id=columns.pop("user_id", uuid4()),
        user="Ann(ann)",
        username="ann",
        asset_id=columns.pop("asset_id", uuid4()),
        asset="web-01",
        system_user_id=uuid4(),
        system_user="root(root)",
        state=SessionState.ENDED.value,
        end_reason=EndReason.USER_CLOSED.value,
        date_start=started,
        date_end=started + timedelta(minutes=30),
        **columns,
    )
    for offset_ms, text in commands:
        _command(session, offset_ms, text)
    for name in files:
        FileTransfer.objects.create(
            session=session,
            org_id=org_id,
            user=session.user,
            asset=session.asset,
            system_user=session.system_user,
            direction="upload",
            operate="Upload",
            filename=name,
            date_start=started + timedelta(seconds=5),
        )
    if content:
        store(folder, session, content)
        return session
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "recording"
        write_recording(path, list(steps), **(form or {}))
        content = path.read_bytes()
    store(folder, session, content)
    return session


def _command(session: Session, offset_ms: int, text: str) -> None:
    Command.objects.create(
        session=session,
        org_id=session.org_id,
        user=session.user,
        asset_id=session.asset_id,
        asset=session.asset,
        system_user=session.system_user,
        input=text,
        at=session.date_start + timedelta(milliseconds=offset_ms),
        offset_ms=offset_ms,
    )


def store(folder: Path, session: Session, content: bytes) -> Recording:
    """The content as the recording of a session."""
    name = f"{session.date_start:%Y/%m/%d}/{session.pk}.postern"
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    recording = Recording.objects.create(
        session=session,
        state=RecordingState.SEALED.value,
        size=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        path=name,
        date_sealed=clock.now(),
        date_stored=clock.now(),
    )
    search.queue(session)
    return recording
