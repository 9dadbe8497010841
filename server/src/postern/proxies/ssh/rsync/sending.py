"""The stream of the sending side: file lists, files with their contents, and the ends of its phases."""

from collections.abc import Callable
from typing import Final

from postern.proxies.ssh.rsync.command import Command
from postern.proxies.ssh.rsync.contents import Content
from postern.proxies.ssh.rsync.entries import Entries, Entry
from postern.proxies.ssh.rsync.events import Events
from postern.proxies.ssh.rsync.greeting import Agreed
from postern.proxies.ssh.rsync.lists import Lists
from postern.proxies.ssh.rsync.requests import Request, Requests
from postern.proxies.ssh.rsync.tape import DELETION_COUNTS, DONE, FIRST_LIST, LIST_END, Index, NotFollowed, Tape

_PHASES: Final = 3
#: Nothing is sent in the last phase.
_LAST_WITH_FILES: Final = 1
_GOODBYE_VERSION: Final = 31


class Sending:
    """Reads the sender's stream after the greeting (and filters)."""

    def __init__(self, command: Command, agreed: Agreed, lists: Lists, requests: Requests, events: Events) -> None:
        self._command = command
        self._agreed = agreed
        self._lists = lists
        self._requests = requests
        self._events = events
        self._entries = Entries(command, agreed)
        self._index = Index()
        self._number = 0
        self._phase = 0
        self._left = 0
        self._file: Entry | None = None
        self._content: Content | None = None
        self._again = False
        self._read: Callable[[Tape], None] = self._read_entry
        #: Whether the last byte was read.
        self.is_over = False
        lists.open()

    def read(self, tape: Tape) -> None:
        """Read one unit."""
        self._read(tape)

    @property
    def is_at_work(self) -> bool:
        """Whether lists are being sorted or released. Nothing may be read meanwhile."""
        return self._lists.is_at_work

    def work(self) -> None:
        """Do one step of sorting or releasing."""
        self._lists.work()

    def stop(self) -> None:
        """Stop reading and report an unfinished file."""
        if self._file is not None and self._content is not None:
            self._events.sent(self._file, self._content, again=self._again, whole=False)
            self._file = None

    def take_removal(self, number: int) -> None:
        """Report that the sender removes a file, because the receiving side has it."""
        self._events.taken(self._lists.find(number))

    # Lists

    def _read_entry(self, tape: Tape) -> None:
        opened = self._lists.opened
        if opened is None:
            raise NotFollowed("an entry belongs to no list")
        entry = self._entries.read(tape, opened.first_number, opened.entries)
        if entry is not None:
            self._lists.add(entry)
            return
        self._lists.close()
        self._read = self._read_number
        if not self._agreed.incremental and not self._command.numeric_ids:
            self._left = self._command.owners + self._command.groups
            if self._left:
                self._read = self._read_account

    def _read_account(self, tape: Tape) -> None:
        """Read the name of an account or group with its number. 0 ends the list, possibly with the name of 0 itself."""
        number = tape.varint()
        if number or self._agreed.root_names:
            tape.take(tape.byte())
        if not number:
            self._left -= 1
            if not self._left:
                self._read = self._read_number

    # Files

    def _read_number(self, tape: Tape) -> None:
        number = self._index.read(tape)
        if number >= 0:
            self._number = number
            self._read = self._read_file
        elif number == DONE:
            self._end_phase()
        elif number == LIST_END and not self._lists.complete:
            self._lists.complete = True
        elif number <= FIRST_LIST and self._agreed.incremental:
            self._lists.open(FIRST_LIST - number)
            self._read = self._read_entry
        elif number == DELETION_COUNTS and self._command.download and self._requests.deletion_counts:
            self._requests.deletion_counts -= 1
            self._left = 5
            self._read = self._read_deletions
        else:
            raise NotFollowed("a number means nothing here")

    def _read_deletions(self, tape: Tape) -> None:
        tape.varint()
        self._left -= 1
        if not self._left:
            self._read = self._read_number

    def _read_file(self, tape: Tape) -> None:
        request = Request.read(tape, self._number)
        self._requests.answer(request)
        self._read = self._read_number
        if request.blocks is None:
            return
        entry = self._lists.find(request.number)
        if not entry.is_file or self._phase > _LAST_WITH_FILES:
            raise NotFollowed("something is sent that cannot be")
        self._file = entry
        self._content = Content(request.blocks, packed=self._agreed.packed)
        self._again = self._lists.note_sent(request.number)
        self._read = self._read_content

    def _read_content(self, tape: Tape) -> None:
        if self._content is not None and self._content.read(tape):
            self._read = self._read_sum

    def _read_sum(self, tape: Tape) -> None:
        tape.take(self._agreed.sum_bytes)
        if self._file is not None and self._content is not None:
            self._events.sent(self._file, self._content, again=self._again, whole=True)
        self._file = self._content = None
        self._read = self._read_number

    # Ends

    def _end_phase(self) -> None:
        self._requests.answer(Request(DONE))
        if self._phase == _PHASES:
            self._end()
            return
        if self._agreed.incremental and self._lists.remaining:
            self._lists.drop_first()
            if self._lists.remaining:
                return
        if not self._lists.complete:
            raise NotFollowed("the lists end before the last one")
        self._phase += 1
        if self._phase < _PHASES:
            return
        if self._command.download:
            self._left = 5
            self._read = self._read_statistics
        else:
            self._part()

    def _read_statistics(self, tape: Tape) -> None:
        tape.varlong(3)
        self._left -= 1
        if not self._left:
            self._part()

    def _part(self) -> None:
        """End the transfer. Newer versions send a goodbye first."""
        if self._agreed.version < _GOODBYE_VERSION:
            self._end()
        else:
            self._read = self._read_number

    def _end(self) -> None:
        self.is_over = True
        self._read = _read_nothing
        self._lists.release()


def _read_nothing(tape: Tape) -> None:
    if tape.has_more:
        raise NotFollowed("there are bytes after the end")
