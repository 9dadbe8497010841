"""What the reader tells of a transfer."""

from typing import Final, Protocol

from postern.proxies.ssh.rsync.contents import Content
from postern.proxies.ssh.rsync.entries import Entry

#: Bits of the actions of `changed`.
NEW_RIGHTS: Final = 1 << 4 | 1 << 5 | 1 << 6  # permissions, owner, group
IS_NEW: Final = 1 << 13
CHANGED_THERE: Final = 1 << 14


class Events(Protocol):
    """Who is told."""

    def sent(self, entry: Entry, content: Content, *, again: bool, whole: bool) -> None:
        """A file was sent, in whole or not; `again`: not for the first time, because the first copy did not fit."""

    def changed(self, entry: Entry, actions: int, name: bytes) -> None:
        """The receiving side did something to an entry without its content. `name`: what a hard link leads to."""

    def deleted(self, path: bytes) -> None:
        """The receiving side removed something; a folder's path ends in a zero byte."""

    def taken(self, entry: Entry) -> None:
        """The receiving side has an entry, and the sending side therefore removes it."""
