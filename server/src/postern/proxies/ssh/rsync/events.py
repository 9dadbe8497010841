"""Events that the reader reports about a transfer."""

from typing import Final, Protocol

from postern.proxies.ssh.rsync.contents import Content
from postern.proxies.ssh.rsync.entries import Entry

#: Bits in the actions of `changed`.
NEW_RIGHTS: Final = 1 << 4 | 1 << 5 | 1 << 6  # permissions, owner, group
IS_NEW: Final = 1 << 13
CHANGED_THERE: Final = 1 << 14


class Events(Protocol):
    """Receives the events."""

    def sent(self, entry: Entry, content: Content, *, again: bool, whole: bool) -> None:
        """A file was sent, completely if `whole`. `again` is set if the first copy did not match and it was sent
        again.
        """

    def changed(self, entry: Entry, actions: int, name: bytes) -> None:
        """The receiving side changed an entry without its content. `name` is the target of a hard link."""

    def deleted(self, path: bytes) -> None:
        """The receiving side removed a path. A folder's path ends with a zero byte."""

    def taken(self, entry: Entry) -> None:
        """The receiving side has an entry, and therefore the sending side removes it."""
