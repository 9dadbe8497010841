"""Parses both directions of one rsync transfer from greeting to end. Does no I/O and knows no session."""

from typing import Final

from postern.proxies.ssh.rsync.command import Command
from postern.proxies.ssh.rsync.events import Events
from postern.proxies.ssh.rsync.frames import DELETED, NOT_SENT, TAKEN, Frames
from postern.proxies.ssh.rsync.greeting import Agreed, Greeting
from postern.proxies.ssh.rsync.lists import Lists
from postern.proxies.ssh.rsync.requests import Requests
from postern.proxies.ssh.rsync.sending import Sending
from postern.proxies.ssh.rsync.tape import NotFollowed, Short, Tape

_LONGEST_FILTER: Final = 8 * 1024
_NUMBER_BYTES: Final = 4
#: Units, messages and pieces per step. Each may create a log entry.
_PARTS: Final = 16


class _Side:
    """One direction: its greeting, then frames with the stream inside."""

    def __init__(self) -> None:
        self.greeted = False
        self.raw = Tape()
        self.stream = Tape()
        self.frames: Frames | None = None
        #: Whether the next unit is incomplete.
        self.is_short = False


class Reader:
    """Reads both directions in the order in which the bytes passed. Every method may raise `NotFollowed`."""

    def __init__(self, command: Command, events: Events) -> None:
        self._command = command
        self._events = events
        self._greeting = Greeting(command)
        self._host = _Side()
        self._person = _Side()
        self._filters_left = command.person_sends_filters
        self._lists = Lists(incremental=False)
        self._sending: Sending | None = None
        self._requests: Requests | None = None
        #: The direction whose bytes are being read.
        self._reading: _Side | None = None

    @property
    def is_over(self) -> bool:
        """Whether the transfer was read to its end."""
        return self._sending is not None and self._sending.is_over

    @property
    def entries(self) -> int:
        """Number of list entries so far."""
        return self._lists.total

    @property
    def is_busy(self) -> bool:
        """Whether `go_on` has work to do before the next bytes."""
        return self._reading is not None or (self._sending is not None and self._sending.is_at_work)

    def go_on(self) -> None:
        """Do a bounded part of the work."""
        if self._sending is not None and self._sending.is_at_work:
            self._sending.work()
            return
        side = self._reading
        for _ in range(_PARTS):
            if side is None or (self._sending is not None and self._sending.is_at_work):
                return
            if not self._read(side):
                self._reading = side = None

    def take(self, data: bytes, *, from_person: bool) -> None:
        """Read the next bytes of one direction, at most a few kilobytes. Not to be called while `is_busy`."""
        side = self._person if from_person else self._host
        if not side.greeted:
            side.raw.feed(data, 0, len(data))
            self._greet(side)
        elif side.frames is not None:
            side.frames.feed(data)
        if side.greeted:
            self._reading = side
            self.go_on()

    def stop(self) -> None:
        """Stop reading and report unfinished files."""
        if self._sending is not None:
            self._sending.stop()

    # The greeting

    def _greet(self, side: _Side) -> None:
        read = self._greeting.read_person if side is self._person else self._greeting.read_host
        while side.raw.has_more:
            mark = side.raw.mark
            try:
                is_over = read(side.raw)
            except Short:
                side.raw.back_to(mark)
                return
            if is_over:
                side.greeted = True
                self._begin(side, side.raw.rest())
                return

    def _begin(self, side: _Side, rest: bytes) -> None:
        side.frames = Frames(side.stream, self._host_message if side is self._host else self._person_message)
        side.frames.feed(rest)
        agreed = self._greeting.agreed
        if agreed is not None and self._sending is None:
            self._begin_transfer(agreed)

    def _begin_transfer(self, agreed: Agreed) -> None:
        self._lists = Lists(incremental=agreed.incremental)
        self._requests = Requests(self._lists, self._events)
        self._sending = Sending(self._command, agreed, self._lists, self._requests, self._events)

    # The streams

    def _read(self, side: _Side) -> bool:
        """Read one unit, or take one more piece of a frame for it. Returns False if nothing can be read."""
        tape = side.stream
        if tape.has_more and not side.is_short:
            mark = tape.mark
            try:
                self._read_unit(tape, is_sender=(side is self._host) is self._command.download)
            except Short:
                tape.back_to(mark)
                side.is_short = True
            return True
        side.is_short = False
        return side.frames is not None and side.frames.take_piece()

    def _read_unit(self, tape: Tape, *, is_sender: bool) -> None:
        if self._filters_left and tape is self._person.stream:
            self._read_filter(tape)
        elif is_sender and self._sending is not None:
            self._sending.read(tape)
        elif not is_sender and self._requests is not None:
            self._requests.read(tape)
        else:
            raise NotFollowed("a side does not wait for the greeting")

    def _read_filter(self, tape: Tape) -> None:
        length = tape.number()
        if not 0 <= length <= _LONGEST_FILTER:
            raise NotFollowed("a filter is too long")
        tape.take(length)
        self._filters_left = length > 0

    # Messages

    def _host_message(self, tag: int, message: bytes) -> None:
        if tag == DELETED and not self._command.download:
            self._events.deleted(message)
        elif tag == NOT_SENT and self._command.download:
            self._decline(message)

    def _person_message(self, tag: int, message: bytes) -> None:
        if tag == NOT_SENT and not self._command.download:
            self._decline(message)
        elif tag == TAKEN and self._command.download:
            self._take_removal(message)

    def _decline(self, message: bytes) -> None:
        if self._requests is None:
            raise NotFollowed("a side does not wait for the greeting")
        self._requests.decline(_number_in(message))

    def _take_removal(self, message: bytes) -> None:
        if not self._command.removes_sources or self._sending is None:
            raise NotFollowed("a side tells of what it was not asked for")
        self._sending.take_removal(_number_in(message))


def _number_in(message: bytes) -> int:
    if len(message) != _NUMBER_BYTES:
        raise NotFollowed("a message is malformed")
    return int.from_bytes(message, "little")
