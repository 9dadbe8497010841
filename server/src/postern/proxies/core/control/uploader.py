"""Sends sealed recordings to the control plane, one after the other, going on where an earlier try stopped."""

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
    """A sealed recording in the spool; `path` is None when its content is lost."""

    @property
    def session_id(self) -> UUID: ...
    @property
    def size(self) -> int: ...
    @property
    def path(self) -> Path | None: ...


class RecordingSpool(Protocol):
    """Where sealed recordings wait until the control plane has them."""

    def pending(self) -> Sequence[Sealed]: ...
    def stored(self, session_id: UUID) -> None: ...


class RecordingUploader:
    """Empties the spool. The file stays until the control plane has all of it."""

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
        """There is something new in the spool."""
        self._wake.set()

    async def run(self) -> None:
        """Until cancelled."""
        pause_s = _FIRST_PAUSE_S
        while True:
            try:
                for sealed in self._spool.pending():
                    # The control plane checks the content against the event, so the event must be there first.
                    await self._events_sent()
                    await self._send(sealed)
                pause_s = _FIRST_PAUSE_S
                await pause(_LOOK_AGAIN_S, self._wake)
                self._wake.clear()
            except (ControlUnavailable, OSError) as error:  # not answered, or not read from the disk
                log.warning("a recording waits: %s", error)
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
            # Kept on disk: an operator can still hand it in. Not a reason to hold up the others.
            if session_id not in self._put_off:
                log.error("the recording of session %s is not accepted: %s", session_id, error.message)  # noqa: TRY400 - a refusal is no fault of ours: no stack
            self._put_off.add(session_id)
        except OSError as error:
            # Missing, not readable, or no file descriptor is free. The other recordings go on; this one is tried again.
            log.error("the recording of session %s cannot be read from the spool: %s", session_id, error)  # noqa: TRY400 - the system's error says it all: no stack

    async def _send_content(self, sealed: Sealed, path: Path) -> bool:
        """Send what is missing. True when the control plane has everything."""
        progress = await self._plane.recording_received(sealed.session_id)
        with path.open("rb") as file:
            while not progress.stored:
                file.seek(progress.received)
                part = file.read(_PART_BYTES)
                if not part:
                    log.error("the control plane does not take the recording of session %s", sealed.session_id)
                    return False
                before = progress.received
                progress = await self._plane.send_recording(sealed.session_id, part, first=before, total=sealed.size)
                if not progress.stored and progress.received <= before:
                    raise ControlUnavailable("the upload does not advance")
        return True
