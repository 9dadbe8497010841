"""The received file lists, sorted as both sides sort them, so that a number identifies an entry."""

import heapq
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice
from typing import Final

from postern.proxies.ssh.rsync.entries import Entry, key_in_folder, key_of_folder
from postern.proxies.ssh.rsync.tape import NotFollowed

#: Approximate maximum memory for the lists of one transfer.
MAX_WEIGHT: Final = 64 * 1024 * 1024
MAX_ENTRIES: Final = 200_000
_RUN: Final = 512
_RELEASED_AT_ONCE: Final = 4096
#: A key ends with a zero byte, which sorts before any continuation of a longer key, and the entry's index.
_PLACE_BYTES: Final = 4
_KEY_WEIGHT: Final = 40


class FileList:
    """One list while it is received. `sort` works in steps, because a large list must not block other sessions."""

    def __init__(self, first_number: int, parent: Entry | None) -> None:
        self.first_number = first_number
        self.parent = parent
        self.entries: list[Entry] = []
        self.folders: list[Entry] = []  # in order, once the list is sorted
        self.weight = 0
        self.weight_of_folders = 0
        self.weight_of_keys = 0
        self.sent = bytearray()  # a flag byte for each entry
        self._runs: list[list[bytes]] = [[]]
        self._folder = b""
        self._folder_key = b""
        self._sorted: list[Entry] = []
        self._merging: Iterator[bytes] | None = None
        self._last_key: bytes | None = None
        self._dropped: set[int] = set()

    def add(self, entry: Entry) -> None:
        if entry.folder is not self._folder:
            self._folder, self._folder_key = entry.folder, key_of_folder(entry.folder)
            self.weight += len(entry.folder)
        place = len(self.entries).to_bytes(_PLACE_BYTES, "big")
        key = b"".join((self._folder_key, key_in_folder(entry), b"\0", place))
        run = self._runs[-1]
        run.append(key)
        if len(run) == _RUN:
            run.sort(reverse=True)
            self._runs.append([])
        self.entries.append(entry)
        self.weight += entry.weight
        self.weight_of_keys += _KEY_WEIGHT + len(key)
        if entry.is_folder:
            self.weight_of_folders += entry.weight

    def sort(self) -> bool:
        """Do one step of sorting. Returns True when the entries are in order."""
        if self._merging is None:
            self._runs[-1].sort(reverse=True)
            self._merging = heapq.merge(*map(_emptied, self._runs))
        step = list(islice(self._merging, _RUN))
        for key in step:
            name = key[:-_PLACE_BYTES]
            if name == self._last_key:  # the receiver keeps the first of equal names
                self._dropped.add(len(self._sorted))
            self._last_key = name
            entry = self.entries[int.from_bytes(key[-_PLACE_BYTES:], "big")]
            self._sorted.append(entry)
            if entry.is_folder:
                self.folders.append(entry)
        if len(step) == _RUN:
            return False
        self.entries, self._sorted = self._sorted, []
        self.sent = bytearray(len(self.entries))
        self._runs, self._merging, self._last_key = [], None, None
        return True

    def at(self, number: int) -> Entry | None:
        """Return the entry with a number, or None if the receiver does not have it."""
        place = number - self.first_number
        if place == -1:
            return self.parent
        return None if place in self._dropped or place >= len(self.entries) else self.entries[place]


def _emptied(run: list[bytes]) -> Iterator[bytes]:
    """Yield keys from the end of the list. Each key is released once merged, instead of all keys at once."""
    while run:
        yield run.pop()


class Lists:
    """All lists that both sides still use. Finished lists are dropped.

    Sorting and releasing take time. `close`, `drop_first` and `release` start them, and `work` does them in steps.
    """

    def __init__(self, *, incremental: bool) -> None:
        self._incremental = incremental
        self._lists: list[FileList] = []
        self._done = 0  # number of finished lists at the beginning
        self._folders: list[Entry] = []
        self._listed: set[int] = set()
        self._next_number = 1 if incremental else 0
        self._entries = 0
        self._weight = 0
        self._is_sorting = False
        self._leaving: list[list[Entry]] = []
        #: Entries of all received lists, finished or not.
        self.total = 0
        #: Whether all lists were received.
        self.complete = not incremental
        self.opened: FileList | None = None

    @property
    def remaining(self) -> int:
        return len(self._lists) - self._done

    def open(self, folder: int | None = None) -> FileList:
        """Start the next list: the first list, or the content of the folder with this number."""
        parent = None
        if folder is not None:
            if self.complete or folder in self._listed or not folder < len(self._folders):
                raise NotFollowed("a list is of no folder that one is missing of")
            self._listed.add(folder)
            parent = self._folders[folder]
        self.opened = FileList(self._next_number, parent)
        return self.opened

    def add(self, entry: Entry) -> None:
        """Add the next entry of the open list."""
        opened = self._opened
        if self._incremental:
            expected = opened.parent.path if opened.parent is not None else b""
            if entry.folder.lstrip(b"/") != expected.lstrip(b"/"):
                raise NotFollowed("an entry is not of the folder that the list is of")
        self._entries += 1
        self.total += 1
        before = opened.weight + opened.weight_of_keys
        opened.add(entry)
        self._weight += opened.weight + opened.weight_of_keys - before
        if self._entries > MAX_ENTRIES or self._weight > MAX_WEIGHT:
            raise NotFollowed("too many files at once")

    def close(self) -> None:
        """Finish the open list. It is used after it has been sorted."""
        self._is_sorting = True

    @property
    def is_at_work(self) -> bool:
        """Whether a list is being sorted or released."""
        return self._is_sorting or bool(self._leaving)

    def work(self) -> None:
        """Do one step of sorting or releasing."""
        if self._leaving:
            del self._leaving[-1][-_RELEASED_AT_ONCE:]
            if not self._leaving[-1]:
                self._leaving.pop()
        elif self._is_sorting and self._opened.sort():
            self._is_sorting = False
            self._count()

    def _count(self) -> None:
        """Start to use the open list, which is now sorted."""
        opened = self._opened
        self._weight -= opened.weight_of_keys
        if self._incremental:
            if opened.parent is None and opened.entries and opened.entries[0].name == b".":
                opened.parent = opened.entries[0]
            self._folders += opened.folders
        self._lists.append(opened)
        self._next_number += len(opened.entries) + 1
        self.opened = None

    @property
    def _opened(self) -> FileList:
        if self.opened is None:
            raise NotFollowed("an entry belongs to no list")
        return self.opened

    def drop_first(self) -> None:
        """Drop the oldest list, which both sides have finished. Its folders stay, since lists of them may follow."""
        dropped = self._lists[self._done]
        self._entries -= len(dropped.entries) - len(dropped.folders)
        self._weight -= dropped.weight - dropped.weight_of_folders
        self._lists[self._done] = FileList(dropped.first_number, None)
        self._leaving.append(dropped.entries)
        self._done += 1
        if self._done >= _RUN:
            del self._lists[: self._done]
            self._done = 0

    def release(self) -> None:
        """Release everything at the end of the transfer."""
        self._leaving += [self._folders, *(file_list.entries for file_list in self._lists)]
        self._folders, self._lists, self._done = [], [], 0

    def find(self, number: int) -> Entry:
        """Return the entry with a number. Raises `NotFollowed` if no list has it."""
        place = self._place_of(number)
        entry = self._lists[place].at(number) if place >= self._done else None
        if entry is None:
            raise NotFollowed("a file has a number that no list has")
        return entry

    def note_sent(self, number: int) -> bool:
        """Mark the file with this number as sent. Returns whether it was sent before."""
        file_list = self._lists[self._place_of(number)]
        place = number - file_list.first_number
        was_sent, file_list.sent[place] = file_list.sent[place], 1
        return bool(was_sent)

    def _place_of(self, number: int) -> int:
        return bisect_right(self._lists, number, lo=self._done, key=_first_of) - 1


def _first_of(file_list: FileList) -> int:
    """Return the lowest number of a list. The number before its first entry belongs to the list's folder."""
    return file_list.first_number - 1
