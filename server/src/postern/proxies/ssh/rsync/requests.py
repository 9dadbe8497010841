"""The stream of the receiving side: file numbers, each with the requested or reported actions, in order."""

from collections import deque
from typing import Final, NamedTuple

from postern.proxies.ssh.rsync.contents import Blocks
from postern.proxies.ssh.rsync.events import Events
from postern.proxies.ssh.rsync.lists import Lists
from postern.proxies.ssh.rsync.tape import DELETION_COUNTS, DONE, Index, NotFollowed, Tape

_MAX_WAITING: Final = 50_000
#: Each file is requested at most twice, in two phases. Each list and each phase has an end.
_MAX_WAITING_PER_FILE: Final = 2
_MAX_ENDS: Final = 64
#: Consecutive files that the sender could not read. They are skipped in one step.
_MAX_DECLINED: Final = 10_000
_MAX_WAITING_NAMES: Final = 8 * 1024 * 1024
_MAX_PATH: Final = 4096
_WEAK_SUM: Final = 4
#: Generous maximum of changes per entry besides being sent.
_MAX_CHANGES: Final = 8

_BASIS_FOLLOWS: Final = 1 << 11
_NAME_FOLLOWS: Final = 1 << 12
_SEND: Final = 1 << 15
_ATTRIBUTES: Final = 1 << 8
_UNKNOWN: Final = 1 << 9


class Request(NamedTuple):
    """One file with its actions. Both sides write it in the same format. A `DONE` has only a number."""

    number: int
    actions: int = 0
    basis: int = 0
    name: bytes = b""
    blocks: Blocks | None = None

    @classmethod
    def read(cls, tape: Tape, number: int) -> "Request":
        """Read the rest of a request after its number."""
        actions = tape.short()
        if actions & (_ATTRIBUTES | _UNKNOWN):
            raise NotFollowed("something unknown happens to a file")
        basis = tape.byte() if actions & _BASIS_FOLLOWS else 0
        name = tape.string(_MAX_PATH) if actions & _NAME_FOLLOWS else b""
        return cls(number, actions, basis, name, Blocks.read(tape) if actions & _SEND else None)


class Requests:
    """Reads the stream of the receiving side. Requests wait in a queue until the sender answers them."""

    def __init__(self, lists: Lists, events: Events) -> None:
        self._lists = lists
        self._events = events
        self._index = Index()
        self._number: int | None = None
        self._queue: deque[Request] = deque()
        self._names = 0
        self._declined: set[int] = set()
        self._counts_left = 0
        self._changes = 0
        #: How often the receiving side has reported deletion counts.
        self.deletion_counts = 0

    def read(self, tape: Tape) -> None:
        """Read one unit."""
        if self._counts_left:
            tape.varint()
            self._counts_left -= 1
        elif self._number is None:
            number = self._index.read(tape)
            if number >= 0:
                self._number = number
            elif number == DONE:
                self._wait_for(Request(DONE))
            elif number == DELETION_COUNTS:
                self._counts_left, self.deletion_counts = 5, self.deletion_counts + 1
            else:
                raise NotFollowed("the receiving side tells of a list")
        else:
            request = Request.read(tape, self._number)
            self._number = None
            entry = self._lists.find(request.number)
            self._wait_for(request)
            if request.blocks is None:
                self._changes += 1
                if self._changes > _MAX_CHANGES * self._lists.total:
                    raise NotFollowed("more happens than there are files")
                self._events.changed(entry, request.actions, request.name)
            elif not entry.is_file:
                raise NotFollowed("something else than a file is asked for")
            else:
                tape.skip(request.blocks.number * (_WEAK_SUM + request.blocks.sum_bytes))

    def _wait_for(self, request: Request) -> None:
        self._queue.append(request)
        self._names += len(request.name)
        most = min(_MAX_WAITING, _MAX_WAITING_PER_FILE * self._lists.total + _MAX_ENDS)
        if len(self._queue) > most or self._names > _MAX_WAITING_NAMES:
            raise NotFollowed("too many files at once")

    def decline(self, number: int) -> None:
        """Note that the sender will not send this file."""
        if len(self._declined) >= _MAX_DECLINED:
            raise NotFollowed("too many files at once")
        self._declined.add(number)

    def answer(self, answer: Request) -> None:
        """Match an answer of the sender. Raises `NotFollowed` unless it answers the next request in order."""
        while self._queue:
            request = self._queue.popleft()
            self._names -= len(request.name)
            if request == answer:
                return
            if not request.actions & _SEND or request.number not in self._declined:
                break
            self._declined.discard(request.number)
        raise NotFollowed("the sender answers something else than was asked for")
