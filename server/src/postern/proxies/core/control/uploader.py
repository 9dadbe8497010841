"""Uploads sealed recordings to the control plane one by one, resuming where an earlier attempt stopped."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final, Protocol
from uuid import UUID

from postern.proxies.core.control.client import pause
from postern.proxies.core.control.plane import ControlPlane, ControlRefused, ControlUnavailable

log = logging.getLogger(__name__)

_PART_BYTES: Final = 1024 * 1024
_FIRST_PAUSE_S: Final = 1.0
_LONGEST_PAUSE_S: Final = 30.0
_LOOK_AGAIN_S: Final = 30.0


class Sealed(Protocol):
    """A sealed recording in the spool. `path` is None if its content is lost."""

    @property
    def session_id(self) -> UUID: ...
    @property
    def size(self) -> int: ...
    @property
    def path(self) -> Path | None: ...


class RecordingSpool(Protocol):
    """Holds sealed recordings until the control plane has them."""

    def pending(self) -> Sequence[Sealed]: ...
    def stored(self, session_id: UUID) -> None: ...


class RecordingUploader:
    """Uploads all recordings of the spool. A file stays until the control plane has all of it."""

    def __init__(
        self,
        plane: ControlPlane,
        spool: RecordingSpool,
        *,
        events_sent: Callable[[], Awaitable[object]],
    ) -> None:
        self._plane = plane
        self._spool = spool
        self._events_sent = events_sent
        self._wake = asyncio.Event()
        self._put_off: set[UUID] = set()

    def look(self) -> None:
        """Look for new recordings in the spool now."""
        self._wake.set()

    async def run(self) -> None:
        """Upload recordings until cancelled."""
        pause_s = _FIRST_PAUSE_S
        while True:
            try:
                for sealed in self._spool.pending():
                    # The control plane checks the content against its event, so the event must arrive first.
                    await self._events_sent()
                    await self._send(sealed)
                pause_s = _FIRST_PAUSE_S
                await pause(_LOOK_AGAIN_S, self._wake)
                self._wake.clear()
            except (ControlUnavailable, OSError) as error:  # no answer, or unreadable from the disk
                log.warning("cannot upload a recording, will retry: %s", error)
                await asyncio.sleep(pause_s)
                pause_s = min(_LONGEST_PAUSE_S, pause_s * 2)

    async def _send(self, sealed: Sealed) -> None:
        session_id = sealed.session_id
        if sealed.path is None:
            self._spool.stored(session_id)
            return
        try:
            if await self._send_content(sealed, sealed.path):
                self._spool.stored(session_id)
                self._put_off.discard(session_id)
        except ControlRefused as error:
            # The file stays on disk, so an operator can still submit it. It must not block the other recordings.
            if session_id not in self._put_off:
                log.error("the control plane rejected the recording of session %s: %s", session_id, error.message)  # noqa: TRY400 - a refusal is no fault of ours: no stack
            self._put_off.add(session_id)
        except OSError as error:
            # The file is missing or unreadable, or no file descriptor is free. The others continue, and this one is
            # retried.
            log.error("the recording of session %s cannot be read from the spool: %s", session_id, error)  # noqa: TRY400 - the system's error says it all: no stack

    async def _send_content(self, sealed: Sealed, path: Path) -> bool:
        """Send the missing bytes. Returns True when the control plane has the whole recording."""
        progress = await self._plane.recording_received(sealed.session_id)
        with path.open("rb") as file:
            while not progress.stored:
                file.seek(progress.received)
                part = file.read(_PART_BYTES)
                if not part:
                    log.error("the control plane does not accept the recording of session %s", sealed.session_id)
                    return False
                before = progress.received
                progress = await self._plane.send_recording(sealed.session_id, part, first=before, total=sealed.size)
                if not progress.stored and progress.received <= before:
                    raise ControlUnavailable("the upload does not advance")
        return True
