"""Names the files of an rsync transfer in the file log, one entry each, behind the traffic.

All bytes are forwarded unchanged and immediately. They are parsed afterwards, for a limited time per turn of the loop.
So forwarding cannot wait for log space for a name. Instead the transfer itself has an entry, for which space was
reserved before it ran.
"""

import contextlib
import logging
import stat
from collections import deque
from typing import Final

from postern.contracts.enums import TransferDirection
from postern.kernel.clock import monotonic_s, thread_s
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.ssh.rsync.command import Command, read_command
from postern.proxies.ssh.rsync.contents import Content
from postern.proxies.ssh.rsync.entries import Entry
from postern.proxies.ssh.rsync.events import CHANGED_THERE, IS_NEW, NEW_RIGHTS
from postern.proxies.ssh.rsync.places import Places
from postern.proxies.ssh.rsync.reader import Reader
from postern.proxies.ssh.rsync.tape import NotFollowed
from postern.proxies.ssh.shown_path import PAIR_CHARS, shown

log = logging.getLogger(__name__)

_SLICE_BYTES: Final = 4096
#: With more unread bytes than this, both sides of the session pause.
_FULL_BYTES: Final = 1024 * 1024
#: Processor time that one session may take at its end, for unread bytes.
_CLOSE_S: Final = 0.1
#: Maximum log entries for one transfer.
_MAX_NAMED: Final = 200_000


class RsyncInspector:
    """`relay.Inspector` for one `rsync --server`. It never holds bytes back and never ends a session.

    Long file lists cost more to parse than to forward, so a session with many unread bytes is slowed down.
    """

    answers_itself = False
    holds_back = False
    backlog = 0

    def __init__(self, session: LiveSession, command: bytes) -> None:
        self._session = session
        self._waiting: deque[tuple[bytes, bool]] = deque()
        self._waiting_bytes = 0
        self._is_queued = False
        self.is_full = False
        self._named = 0
        self._reader: Reader | None = None
        self._places: Places | None = None
        self._stopped = ""
        try:
            self._begin(read_command(command))
        except NotFollowed as reason:
            self._stopped = str(reason)

    def _begin(self, command: Command) -> None:
        self._direction = TransferDirection.DOWNLOAD if command.download else TransferDirection.UPLOAD
        self._places = Places(command)
        self._reader = Reader(command, self)

    def from_person(self, data: bytes) -> bytes:
        self._put(data, from_person=True)
        return data

    def from_target(self, data: bytes) -> bytes:
        self._put(data, from_person=False)
        return data

    def released(self) -> bytes:
        return b""

    def answers(self) -> bytes:
        return b""

    def close(self) -> None:
        """Read the rest within a time limit, and report an unfinished file."""
        until_s = thread_s() + _CLOSE_S
        while self._read_slice():
            if thread_s() > until_s:
                self._stop("too much was left to be read at the end")
        if self._reader is not None:
            with contextlib.suppress(NotFollowed):  # if reporting exceeds the maximum number of entries
                self._reader.stop()

    @property
    def account(self) -> str:
        """Summary of how many files of this transfer were named, for the transfer's own entry."""
        stopped = self._stopped
        if not stopped and (self._reader is None or not self._reader.is_over):
            stopped = "the transfer ended early"
        if not stopped:
            return f"entries in this log: {self._named}"
        return (
            f"entries in this log: {self._named}, then the files are not named: {stopped}"
            if self._named
            else (f"the files are not named: {stopped}")
        )

    # Reading

    def _put(self, data: bytes, *, from_person: bool) -> None:
        if self._reader is None or self._stopped:
            return
        for start in range(0, len(data), _SLICE_BYTES):
            self._waiting.append((data[start : start + _SLICE_BYTES], from_person))
        self._waiting_bytes += len(data)
        if self._waiting_bytes > _FULL_BYTES:
            self.is_full = True
        if not self._is_queued:
            self._is_queued = True
            self._session.read_behind(self)

    def read_until(self, until_s: float) -> bool:
        """Read until this time of the monotonic clock. Returns True if nothing is left. Called after the bytes were
        forwarded.
        """
        while is_more := self._read_slice():
            if monotonic_s() > until_s:
                break
        if self.is_full and self._waiting_bytes <= _FULL_BYTES // 2:
            self.is_full = False
            self._session.caught_up()
        self._is_queued = is_more
        return not is_more

    def _read_slice(self) -> bool:
        """Read a little. Returns False if there is nothing to read."""
        reader = self._reader
        if reader is None or self._stopped:
            return False
        try:
            if reader.is_busy:
                reader.go_on()
            elif self._waiting:
                data, from_person = self._waiting.popleft()
                self._waiting_bytes -= len(data)
                reader.take(data, from_person=from_person)
            else:
                return False
        except NotFollowed as reason:
            self._stop(str(reason))
        except Exception:  # the transfer continues whatever bytes the reader meets
            log.exception("session %s: an rsync transfer could not be read", self._session.grant.session_id)
            self._stop("the reader failed")
        return not self._stopped

    def _stop(self, reason: str) -> None:
        self._stopped = reason
        self._waiting.clear()
        self._waiting_bytes = 0
        if self._reader is not None:
            self._reader.stop()
            self._reader = None

    # Events

    def sent(self, entry: Entry, content: Content, *, again: bool, whole: bool) -> None:
        carried = content.literal + content.matched
        details = ["rsync"]
        if again:
            details.append("sent again")
        if content.packed:
            carried = entry.size if whole else 0
            details.append("size as listed, sent compressed")
        else:
            if content.matched:
                details.append(f"{content.literal} bytes of it sent, the rest was there")
            if whole and carried != entry.size:
                details.append(f"listed with {entry.size} bytes")
        if not whole:
            details.append("not followed to its end")
        self._tell(
            self._direction,
            self._direction.value,
            self._place(entry),
            size=carried,
            success=whole,
            detail="; ".join(details),
        )

    def changed(self, entry: Entry, actions: int, name: bytes) -> None:
        """Log changes on the host. Changes on the client's side do not belong in the log."""
        if self._direction is not TransferDirection.UPLOAD:
            return
        is_made = bool(actions & (IS_NEW | CHANGED_THERE))
        operation, path = "", self._place(entry)
        if stat.S_ISLNK(entry.mode) and is_made:
            operation, path = "symlink", f"{self._place(entry, PAIR_CHARS)} -> {shown(entry.target, PAIR_CHARS)}"
        elif entry.is_folder and actions & IS_NEW:
            operation = "mkdir"
        elif name and is_made:
            operation, path = "hardlink", f"{self._shown(name, PAIR_CHARS)} -> {self._place(entry, PAIR_CHARS)}"
        elif is_made:
            operation = "other"
        elif actions & NEW_RIGHTS:
            operation = "setstat"
        if operation:
            self._tell(TransferDirection.OTHER, operation, path, detail="rsync")

    def deleted(self, path: bytes) -> None:
        is_folder = path.endswith(b"\0")
        self._tell(
            TransferDirection.OTHER,
            "rmdir" if is_folder else "remove",
            self._shown(path.removesuffix(b"\0")),
            detail="rsync",
        )

    def taken(self, entry: Entry) -> None:
        self._tell(TransferDirection.OTHER, "remove", self._place(entry), detail="rsync; asked for by the client")

    def _place(self, entry: Entry, limit: int | None = None) -> str:
        return self._shown(entry.path, limit)

    def _shown(self, path: bytes, limit: int | None = None) -> str:
        if self._places is not None and self._reader is not None:
            path = self._places.of(path, is_alone=self._reader.entries == 1)
        return shown(path) if limit is None else shown(path, limit)

    def _tell(
        self,
        direction: TransferDirection,
        operation: str,
        path: str,
        *,
        size: int = 0,
        success: bool = True,
        detail: str = "",
    ) -> None:
        # an entry takes only a few bytes of the transfer, but log space is shared by all sessions
        if self._named >= _MAX_NAMED:
            if self._stopped:
                return
            raise NotFollowed("too many entries")
        self._named += 1
        self._session.log.file_transferred(direction, operation, path, size=size, success=success, detail=detail)
