"""The sealer: a low-priority process that turns the journal into sealed session files.

    python -m postern.proxies.core.recording.sealer --state-dir DIR --key-file FILE --channel-fd N

All of its state is also in the journal and the unfinished files. So it can be killed at any moment, and the next sealer
continues from there. It exits when its channel to the proxy closes.
"""

import argparse
import base64
import contextlib
import fcntl
import logging
import os
import select
import socket
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from postern.contracts.vt import Screen
from postern.kernel.clock import monotonic_s
from postern.kernel.log import configure
from postern.proxies.core.confinement import confine
from postern.proxies.core.recording.channel import FrameDecoder, encode_frame
from postern.proxies.core.recording.journal_files import JournalFolder
from postern.proxies.core.recording.journal_sealing import JournalSealing, SealingPlace, publish
from postern.proxies.core.recording.session_sealing import NewScreen
from postern.proxies.core.recording.signing import SealingKey, SealingKeys
from postern.proxies.core.recording.spool import SealedRecording, Spool

log = logging.getLogger(__name__)

CHECKPOINT_INTERVAL_S: Final = 30.0
_IDLE_POLL_S: Final = 0.1
_HOUSEKEEPING_S: Final = 1.0
_DISK_RETRY_S: Final = 2.0
_PREDECESSOR_WAIT_S: Final = 30.0
_SNAPSHOT_WAIT_S: Final = 2.0
_MEMORY_BYTES: Final = 2 << 30


@dataclass
class _Request:
    id: int
    session_id: UUID
    at_least: int
    deadline_s: float


class Sealer:
    """Seals all journal folders, old folders first. Works without a channel in tests and repairs."""

    def __init__(
        self,
        state_dir: Path,
        key: SealingKey | SealingKeys,
        new_screen: NewScreen,
        channel: socket.socket | None = None,
        *,
        checkpoint_interval_s: float = CHECKPOINT_INTERVAL_S,
    ) -> None:
        recordings = state_dir / "recordings"
        live = recordings / "live"
        live.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.place = SealingPlace(
            live=live, damaged=recordings / "damaged", spool=Spool(recordings / "spool"), key=key, new_screen=new_screen
        )
        self._journal_dir = state_dir / "journal"
        self._journals: dict[str, JournalSealing] = {}
        self._channel = channel
        self._decoder = FrameDecoder()
        self._outgoing = bytearray()
        self._requests: list[_Request] = []
        self._checkpoint_interval_s = checkpoint_interval_s
        self._next_checkpoint_s = monotonic_s() + checkpoint_interval_s
        self._next_housekeeping_s = 0.0
        self._blocked_until_s = 0.0
        self._finish_interrupted_handover()
        for name in self.place.part_folders():
            # The journal was removed. The content of the files is still sealed as incomplete.
            (self._journal_dir / name).mkdir(mode=0o700, parents=True, exist_ok=True)

    # One turn

    def turn(self) -> bool:
        """Do some work. Returns True if there is more to do. Raises OSError only for errors that require a restart."""
        now_s = monotonic_s()
        if now_s < self._blocked_until_s:
            self._answer_requests()
            return False
        try:
            if now_s >= self._next_housekeeping_s:
                self._next_housekeeping_s = now_s + _HOUSEKEEPING_S
                self._find_journals()
                for journal in self._journals.values():
                    journal.cut_due()
                    journal.release_segments()
            busy = [journal.step() for journal in self._journals.values()]
            for journal in list(self._journals.values()):
                busy.append(journal.finish_ended())
                if journal.finished:
                    journal.close()
                    journal.folder.remove()
                    del self._journals[journal.folder.name]
        except OSError as error:
            # The disk is full or failing. Nothing is lost, because the journal keeps what is not in files yet.
            log.error("cannot write recordings, will retry: %s", error)  # noqa: TRY400 - no trace wanted
            self._blocked_until_s = now_s + _DISK_RETRY_S
            return False
        if now_s >= self._next_checkpoint_s:
            self._next_checkpoint_s = now_s + self._checkpoint_interval_s
            self._tell_checkpoints()
        self._answer_requests()
        return any(busy)

    @property
    def idle(self) -> bool:
        """Whether everything that ended is sealed and nothing of a dead proxy is left."""
        return not any(journal.sessions for journal in self._journals.values())

    def drain(self) -> None:
        """Work until nothing is left to do."""
        self._next_housekeeping_s = 0.0
        while self.turn():
            pass

    def run(self) -> None:
        """Run until the channel closes."""
        channel = self._channel
        if channel is None:
            raise RuntimeError("a sealer without a channel cannot be stopped")
        channel.setblocking(False)
        poller = select.poll()
        while True:
            more = self.turn()
            poller.register(channel, select.POLLIN | (select.POLLOUT if self._outgoing else 0))
            wait_s = 0.0 if more else _IDLE_POLL_S
            for _, flags in poller.poll(wait_s * 1000):
                if flags & select.POLLOUT:
                    self._send()
                if flags & (select.POLLIN | select.POLLHUP | select.POLLERR) and not self._receive():
                    return

    # Folders

    def _find_journals(self) -> None:
        for folder in JournalFolder.all(self._journal_dir):
            if folder.name not in self._journals:
                self._journals[folder.name] = JournalSealing(folder, self.place, self._tell_sealed)

    def _finish_interrupted_handover(self) -> None:
        self.place.spool.finish_stored()
        for path in self.place.spool.undescribed():
            with path.open("rb") as file:
                verdict = self.place.key.verify(file)
            if verdict.valid:
                for sealed in publish([(path, UUID(path.stem), verdict)], self.place.spool):
                    self._tell_sealed(sealed)
            else:
                log.error("%s in the spool failed verification: %s", path.name, verdict.detail)

    # The channel

    def _tell(self, message: dict[str, Any]) -> None:
        if self._channel is not None:
            self._outgoing += encode_frame(message)
            self._send()

    def _tell_sealed(self, sealed: SealedRecording) -> None:
        self._tell({"sealed": str(sealed.session_id)})

    def _tell_checkpoints(self) -> None:
        checkpoints = []
        for journal in self._journals.values():
            for session in journal.sessions.values():
                if session.file.blocks > session.checkpointed:
                    session.checkpointed = session.file.blocks
                    checkpoints.append(
                        {
                            "session_id": str(session.header.session_id),
                            "block": session.file.blocks,
                            "chain": session.file.chain.hex(),
                        }
                    )
        if checkpoints:
            self._tell({"checkpoints": checkpoints})

    def _answer_requests(self) -> None:
        waiting = []
        for request in self._requests:
            session = next(filter(None, (j.find(request.session_id) for j in self._journals.values())), None)
            if session is not None and session.shown_bytes >= request.at_least:
                self._tell(
                    {
                        "id": request.id,
                        "columns": session.columns,
                        "rows": session.rows,
                        "offset": session.shown_bytes,
                        "repaint": base64.b64encode(session.picture()).decode(),
                    }
                )
            elif monotonic_s() > request.deadline_s:
                self._tell({"id": request.id, "error": "late" if session is not None else "unknown"})
            else:
                waiting.append(request)
        self._requests = waiting

    def _send(self) -> None:
        if self._channel is None:
            return
        with contextlib.suppress(BlockingIOError, BrokenPipeError):
            sent = self._channel.send(self._outgoing)
            del self._outgoing[:sent]

    def _receive(self) -> bool:
        """Read requests. Returns False if the proxy is gone."""
        if self._channel is None:
            return False
        try:
            data = self._channel.recv(65_536)
        except BlockingIOError:
            return True
        except OSError:
            return False
        for message in self._decoder.feed(data):
            deadline_s = monotonic_s() + _SNAPSHOT_WAIT_S
            self._requests.append(
                _Request(int(message["id"]), UUID(message["session_id"]), int(message["at_least"]), deadline_s)
            )
        return bool(data)


def take_sealer_lock(state_dir: Path, wait_s: float) -> int | None:
    """Return the descriptor of the lock that makes this the only sealer, or None if another sealer holds it for
    `wait_s`.
    """
    state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(state_dir / "sealer.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    deadline_s = monotonic_s() + wait_s
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic_s() >= deadline_s:
                os.close(lock)
                return None
            time.sleep(_IDLE_POLL_S)
        else:
            return lock


def main() -> int:
    parser = argparse.ArgumentParser(prog="sealer")
    parser.add_argument("--state-dir", type=Path, required=True)
    parser.add_argument("--key-file", type=Path, required=True)
    parser.add_argument("--channel-fd", type=int, required=True)
    parser.add_argument("--checkpoint-interval-s", type=float, default=CHECKPOINT_INTERVAL_S)
    arguments = parser.parse_args()
    configure("sealer", os.environ.get("POSTERN_LOG_LEVEL", "INFO"))
    if take_sealer_lock(arguments.state_dir, _PREDECESSOR_WAIT_S) is None:
        log.error("another sealer is running in this folder")
        return 1
    key = SealingKeys(arguments.key_file)
    log.info("confined: %s", ", ".join(confine(_MEMORY_BYTES, is_in_background=True)) or "not at all")
    channel = socket.socket(fileno=arguments.channel_fd)
    sealer = Sealer(arguments.state_dir, key, Screen, channel, checkpoint_interval_s=arguments.checkpoint_interval_s)
    sealer.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
