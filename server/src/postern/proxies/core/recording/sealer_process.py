"""The proxy's side of the sealer: starts it, restarts it after a crash, and requests snapshots of screens."""

import asyncio
import base64
import contextlib
import logging
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from postern.kernel.clock import monotonic_s
from postern.proxies.core.recording.channel import FrameDecoder, encode_frame
from postern.proxies.core.recording.errors import SnapshotUnavailable

log = logging.getLogger(__name__)

_FIRST_PAUSE_S: Final = 0.2
_LONGEST_PAUSE_S: Final = 15.0
_STEADY_S: Final = 30.0
_STOP_WAIT_S: Final = 5.0
_REAP_POLL_S: Final = 0.02
_READ_BYTES: Final = 65_536
#: The only environment variables that the sealer receives: no token, address or password.
_INHERITED: Final = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "PYTHONPATH", "LD_LIBRARY_PATH", "POSTERN_LOG_LEVEL")


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """The screen of a live session after `offset` output bytes. `repaint` redraws it on a reset terminal of this
    size.
    """

    columns: int
    rows: int
    offset: int
    repaint: bytes


class SnapshotClient:
    """Requests the present screen of a session from the sealer."""

    def __init__(self) -> None:
        self._writer: asyncio.StreamWriter | None = None
        self._waiting: dict[int, asyncio.Future[Snapshot]] = {}
        self._next_id = 1
        #: Requests wait for a sealer that is just (re)starting, within the caller's time limit.
        self._connected = asyncio.Event()

    async def snapshot(self, session_id: UUID, at_least: int = 0, timeout_s: float = 10.0) -> Snapshot:
        """Return a snapshot that includes at least `at_least` output bytes. Raises `SnapshotUnavailable`."""
        try:
            async with asyncio.timeout(timeout_s):
                return await self._ask(session_id, at_least)
        except TimeoutError as error:
            raise SnapshotUnavailable("the sealer did not answer in time") from error

    async def _ask(self, session_id: UUID, at_least: int) -> Snapshot:
        await self._connected.wait()
        if self._writer is None:
            raise SnapshotUnavailable("the sealer is not running")
        number = self._next_id
        self._next_id += 1
        answer: asyncio.Future[Snapshot] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            self._writer.write(encode_frame({"id": number, "session_id": str(session_id), "at_least": at_least}))
            return await answer
        finally:
            del self._waiting[number]

    def connect(self, writer: asyncio.StreamWriter) -> None:
        """Send requests to this sealer from now on."""
        self._writer = writer
        self._connected.set()

    def disconnect(self) -> None:
        """Fail all open requests, because the sealer is gone."""
        self._writer = None
        self._connected.clear()
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(SnapshotUnavailable("the sealer went away"))

    def receive(self, message: dict[str, Any]) -> None:
        """Process an answer of the sealer."""
        answer = self._waiting.get(message["id"])
        if answer is None or answer.done():
            return
        if "error" in message:
            answer.set_exception(SnapshotUnavailable(f"no picture of this session: {message['error']}"))
            return
        answer.set_result(
            Snapshot(
                columns=message["columns"],
                rows=message["rows"],
                offset=message["offset"],
                repaint=base64.b64decode(message["repaint"]),
            )
        )


class SealerProcess:
    """Keeps one sealer running. `on_message` gets its messages other than answers (see `channel`)."""

    def __init__(
        self,
        state_dir: Path,
        key_file: Path,
        snapshots: SnapshotClient,
        on_message: Callable[[dict[str, Any]], None],
        *,
        checkpoint_interval_s: float = 30.0,
    ) -> None:
        self._command = (
            *(sys.executable, "-m", "postern.proxies.core.recording.sealer"),
            *("--state-dir", str(state_dir), "--key-file", str(key_file)),
            *("--checkpoint-interval-s", str(checkpoint_interval_s)),
        )
        self._snapshots = snapshots
        self._on_message = on_message
        self._task: asyncio.Task[None] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._end_limit_s = _STOP_WAIT_S

    @property
    def pid(self) -> int | None:
        """Process id of the running sealer."""
        return self._process.pid if self._process is not None else None

    def start(self) -> None:
        self._task = asyncio.create_task(self._keep_running(), name="sealer")

    async def stop(self, limit_s: float = 5.0) -> None:
        """Stop the sealer by closing its channel. It may be killed at any moment without loss."""
        self._end_limit_s = limit_s
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def _keep_running(self) -> None:
        pause_s = _FIRST_PAUSE_S
        while True:
            started_s = monotonic_s()
            try:
                await self._run_once()
            except OSError as error:
                log.error("the sealer cannot be started: %s", error)  # noqa: TRY400 - no trace wanted
            if monotonic_s() - started_s > _STEADY_S:
                pause_s = _FIRST_PAUSE_S
            log.warning("the sealer exited; restarting in %.1f s", pause_s)
            await asyncio.sleep(pause_s)
            pause_s = min(_LONGEST_PAUSE_S, pause_s * 2)

    async def _run_once(self) -> None:
        ours, child_end = socket.socketpair()
        # Not asyncio's subprocess: cancelling it in the middle of a start never returns (CPython 3.11).
        try:
            process = subprocess.Popen(  # noqa: S603, ASYNC220 - our own program; starting it takes a few milliseconds
                [*self._command, "--channel-fd", str(child_end.fileno())],
                pass_fds=(child_end.fileno(),),
                stdin=subprocess.DEVNULL,
                env={name: os.environ[name] for name in _INHERITED if name in os.environ},
                start_new_session=True,  # Ctrl-C at the terminal is meant for the proxy, which then stops the sealer
            )
        except OSError:
            ours.close()
            raise
        finally:
            child_end.close()
        self._process = process
        reader, writer = await asyncio.open_connection(sock=ours)
        self._snapshots.connect(writer)
        try:
            await self._listen(reader)
        finally:
            self._snapshots.disconnect()
            writer.close()
            await self._end_process(process)
            self._process = None

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        decoder = FrameDecoder()
        while data := await reader.read(_READ_BYTES):
            for message in decoder.feed(data):
                if "id" in message:
                    self._snapshots.receive(message)
                else:
                    self._on_message(message)

    async def _end_process(self, process: subprocess.Popen[bytes]) -> None:
        deadline_s = monotonic_s() + self._end_limit_s
        while process.poll() is None:
            if monotonic_s() > deadline_s:
                process.kill()
            await asyncio.sleep(_REAP_POLL_S)
