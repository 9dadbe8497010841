"""The parent of the web processes: accepts connections, passes each to the least busy process, and restarts processes.

The parent loads the application and forks. It serves no requests and opens no database. Only the parent holds the
listening sockets, so a process that ends cannot lose connections that are not accepted yet.

    SIGTERM, SIGINT   end
    SIGHUP            replace the processes one by one without losing a request; end, if the terminal was closed
"""

import itertools
import logging
import os
import selectors
import signal
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from postern.entrypoints.supervisor import EXIT_CONFIG, STABLE_AFTER_S, end_with_parent, next_pause_s
from postern.entrypoints.web.process import READY
from postern.entrypoints.web.table import Row, Table
from postern.entrypoints.web.terminal import Terminal
from postern.kernel.clock import monotonic_ms, monotonic_s

log = logging.getLogger(__name__)

#: Additional rows: for a process that starts and for a process that leaves during a replacement.
_SPARE: Final = 4
#: Weights of a running request, an open connection and a websocket in the load. The last two are idle most of the time.
_REQUEST_WEIGHT: Final = 8
_CONNECTION_WEIGHT: Final = 2
_WEBSOCKET_WEIGHT: Final = 1
_MOST_AT_ONCE: Final = 64
_LOOK_INTERVAL_S: Final = 1.0
_FULL_PAUSE_S: Final = 0.05
#: The kernel may send SIGHUP shortly before it removes the terminal.
_HANG_UP_S: Final = 5.0
#: A process whose event loop has made no progress for this long is killed.
_HANGS_AFTER_MS: Final = 60_000
#: Time to end for a process that is being replaced, and for a process that is being stopped.
_LEAVE_S: Final = 45.0
_STOP_S: Final = 8.0
#: Serves the connections that arrive through the channel and updates the row. Returns an exit status.
Work = Callable[[socket.socket, Row], int]
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)


@dataclass(eq=False)
class _Child:
    """A web process as its parent sees it."""

    pid: int
    channel: socket.socket | None
    row: Row
    number: int
    started_s: float = field(default_factory=monotonic_s)
    is_ready: bool = False
    handed: int = 0
    leaving_s: float | None = None

    @property
    def load(self) -> int:
        """The load of the process. A connection that it has not taken over yet counts with its request."""
        row, coming = self.row, self.handed - self.row.taken
        return (
            (row.requests + coming) * _REQUEST_WEIGHT
            + (row.connections + coming) * _CONNECTION_WEIGHT
            + row.websockets * _WEBSOCKET_WEIGHT
        )


class Pool:
    """Runs `wanted` processes that call `work`, until a stop signal. It is single-threaded, because it forks the
    processes.
    """

    def __init__(
        self, listeners: Sequence[socket.socket], work: Work, *, wanted: int, terminal: Terminal | None = None
    ) -> None:
        self._terminal = terminal or Terminal()
        self.table = Table(wanted + _SPARE)
        self._listeners = tuple(listeners)
        self._work = work
        self._wanted = wanted
        self._free_rows = list(self.table.rows)
        self._children: list[_Child] = []
        self._numbers = itertools.count(1)
        self._selector = selectors.DefaultSelector()
        self._woken, self._waker = socket.socketpair()
        self._accepting = False
        self._paused_until_s = 0.0
        self._stopping_s: float | None = None
        self._status = 0
        self._renewed_s = 0.0
        #: If the terminal was closed while the application was loading, the first check notices it.
        self._hung_up_s: float | None = monotonic_s() if self._terminal.has_hung_up else None
        self._pause_s = 0.0
        self._next_start_s = 0.0

    def run(self) -> int:
        """Run until the end. Returns an exit status."""
        self._listen_to_signals()
        while self._stopping_s is None or self._children:
            self._tend()
            for key, _events in self._selector.select(self._until_next_look_s()):
                key.data()
        return self._status

    # -- signals --------------------------------------------------------------------------------------------------

    def _listen_to_signals(self) -> None:
        for end in (self._woken, self._waker):
            end.setblocking(False)
        signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        for number in _SIGNALS:
            signal.signal(number, _wake_up_only)
        self._selector.register(self._woken, selectors.EVENT_READ, self._on_signal)

    def _on_signal(self) -> None:
        try:
            numbers = self._woken.recv(256)
        except BlockingIOError:
            return
        if signal.SIGTERM in numbers or signal.SIGINT in numbers:
            self._stop(0)
        elif signal.SIGHUP in numbers:
            self._hung_up_s = monotonic_s()
            if not self._end_without_terminal(self._hung_up_s):
                log.info("replacing the web processes one by one")
                self._renewed_s = self._hung_up_s
        self._bury()

    def _end_without_terminal(self, now_s: float) -> bool:
        """Whether the last SIGHUP came because the terminal was closed. If so, ends the processes."""
        if self._hung_up_s is None or now_s - self._hung_up_s > _HANG_UP_S or not self._terminal.has_closed():
            return False
        log.info("the terminal was closed: the web part ends")
        self._stop(0)
        return True

    def _stop(self, status: int) -> None:
        self._status = self._status or status
        if self._stopping_s is None:
            self._stopping_s = monotonic_s()
            for child in self._children:
                _kill(child, signal.SIGTERM)

    # -- processes ------------------------------------------------------------------------------------------------

    def _tend(self) -> None:
        """Start, replace and kill processes as necessary."""
        now_s = monotonic_s()
        if self._stopping_s is None and not self._end_without_terminal(now_s):
            self._start_missing(now_s)
            self._let_one_leave()
        self._kill_stuck(now_s)
        ready = [child for child in self._children if child.is_ready and child.leaving_s is None]
        self.table.running = len(ready)
        self._accept_if(bool(ready) and self._stopping_s is None and now_s >= self._paused_until_s)

    def _serving(self) -> list[_Child]:
        return [child for child in self._children if child.leaving_s is None]

    def _outdated(self) -> list[_Child]:
        return [child for child in self._serving() if child.started_s < self._renewed_s]

    def _start_missing(self, now_s: float) -> None:
        someone_leaves = any(child.leaving_s is not None for child in self._children)
        wanted = self._wanted + (1 if self._outdated() and not someone_leaves else 0)
        while len(self._serving()) < wanted and now_s >= self._next_start_s and self._free_rows:
            if not self._fork():
                return

    def _let_one_leave(self) -> None:
        """Let one outdated process leave when its successor is ready."""
        serving, outdated = self._serving(), self._outdated()
        if outdated and len(serving) > self._wanted and all(child.is_ready for child in serving):
            child = outdated[0]
            child.leaving_s = monotonic_s()
            self._close_channel(child)

    def _fork(self) -> bool:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        row, number = self._free_rows[-1], next(self._numbers)
        row.clear()
        row.alive_ms = monotonic_ms()
        parent = os.getpid()
        # Block signals: until the child has reset its handlers, its signals would be written to the parent's socket.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            pid = os.fork()
        except OSError as error:  # out of memory or processes: retried like after any other exit
            ours.close()
            theirs.close()
            log.error("a web process cannot be started: %s", error)  # noqa: TRY400 - no trace wanted
            self._back_off(ran_s=0)
            return False
        else:
            if pid == 0:
                ours.close()
                self._become(parent, theirs, row, mask)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        theirs.close()
        ours.setblocking(False)
        self._free_rows.pop()
        child = _Child(pid, ours, row, number)
        self._children.append(child)
        self._selector.register(ours, selectors.EVENT_READ, lambda: self._on_child(child))
        return True

    def _become(self, parent: int, channel: socket.socket, row: Row, mask: set[int | signal.Signals]) -> None:
        """In the child: release everything of the parent's, serve, and exit. Never returns."""
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            for number in _SIGNALS:
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)  # from a terminal: the parent decides what it means
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            end_with_parent(parent)
            self._selector.close()
            siblings = [child.channel for child in self._children if child.channel is not None]
            for inherited in (*self._listeners, self._woken, self._waker, *siblings):
                inherited.close()
            channel.setblocking(False)
            status = self._work(channel, row)
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
        except BaseException:
            log.exception("a web process failed")
        finally:
            logging.shutdown()
            os._exit(status)

    def _on_child(self, child: _Child) -> None:
        """The child reports that it is ready, or has ended and thereby closed its end of the channel."""
        if child.channel is None:
            return
        try:
            data = child.channel.recv(1)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data == READY:
            child.is_ready = True
        else:
            self._close_channel(child)

    def _close_channel(self, child: _Child) -> None:
        if child.channel is not None:
            self._selector.unregister(child.channel)
            child.channel.close()
            child.channel = None
        child.is_ready = False

    def _bury(self) -> None:
        """Reap every process that has ended."""
        for child in tuple(self._children):
            ended_pid, code = os.waitpid(child.pid, os.WNOHANG)
            if not ended_pid:
                continue
            self._close_channel(child)
            self._children.remove(child)
            self._free_rows.append(child.row)
            if child.leaving_s is not None or self._stopping_s is not None:
                continue
            status = os.waitstatus_to_exitcode(code)
            if status == EXIT_CONFIG:
                self._stop(EXIT_CONFIG)
                return
            log.warning("web process %d ended with status %d; another one takes its place", child.pid, status)
            self._back_off(ran_s=monotonic_s() - child.started_s)

    def _back_off(self, *, ran_s: float) -> None:
        """Restart immediately after a stable run, otherwise after a growing pause."""
        self._pause_s = 0.0 if ran_s >= STABLE_AFTER_S else next_pause_s(self._pause_s, ran_s=ran_s)
        self._next_start_s = monotonic_s() + self._pause_s

    def _kill_stuck(self, now_s: float) -> None:
        if self._stopping_s is not None:
            if now_s - self._stopping_s > _STOP_S:
                for child in self._children:
                    _kill(child, signal.SIGKILL)
            return
        for child in self._children:
            if child.leaving_s is not None and now_s - child.leaving_s > _LEAVE_S:
                _kill(child, signal.SIGKILL)
            elif monotonic_ms() - child.row.alive_ms > _HANGS_AFTER_MS:
                log.error("web process %d hangs and is killed", child.pid)
                _kill(child, signal.SIGKILL)

    def _until_next_look_s(self) -> float:
        now_s = monotonic_s()
        due = [self._paused_until_s, self._next_start_s if len(self._serving()) < self._wanted else 0.0]
        return min([_LOOK_INTERVAL_S, *(max(at_s - now_s, 0.0) for at_s in due if at_s > now_s)])

    # -- connections ----------------------------------------------------------------------------------------------

    def _accept_if(self, wanted: bool) -> None:
        """Accept connections only while a process can take them; otherwise they wait in the kernel."""
        if wanted == self._accepting:
            return
        for listener in self._listeners:
            if wanted:
                self._selector.register(listener, selectors.EVENT_READ, self._acceptor(listener))
            else:
                self._selector.unregister(listener)
        self._accepting = wanted

    def _acceptor(self, listener: socket.socket) -> Callable[[], None]:
        return lambda: self._accept(listener)

    def _accept(self, listener: socket.socket) -> None:
        for _ in range(_MOST_AT_ONCE):
            try:
                connection, _address = listener.accept()
            except BlockingIOError:
                return
            except ConnectionError:  # the client disconnected already
                continue
            except OSError as error:  # out of file descriptors or memory: connections wait in the kernel
                log.warning("connections cannot be accepted at the moment: %s", error)
                self._pause()
                return
            with connection:
                if not self._hand_over(connection):
                    self._pause()
                    return

    def _pause(self) -> None:
        self._paused_until_s = monotonic_s() + _FULL_PAUSE_S

    def _hand_over(self, connection: socket.socket) -> bool:
        """Pass a connection to the process with the smallest load; ties go to the process that got the fewest.

        Returns False when no process takes it: all are ending, or so busy that their channels are full.
        """
        takers = [child for child in self._children if child.is_ready]
        for child in sorted(takers, key=lambda child: (child.load, child.handed)):
            if child.channel is None:
                continue
            try:
                socket.send_fds(child.channel, [b"c"], [connection.fileno()])
            except OSError as error:  # its channel is full, it has ended, or too many descriptors are in transit
                log.debug("web process %d takes no connection: %s", child.pid, error)
                continue
            child.handed += 1
            return True
        return False


def _kill(child: _Child, number: signal.Signals) -> None:
    try:
        os.kill(child.pid, number)
    except ProcessLookupError:
        log.debug("web process %d has ended already", child.pid)


def _wake_up_only(_number: int, _frame: object) -> None:
    """Do nothing: with a handler installed, the signal is written to the wakeup descriptor, which the loop reads."""
