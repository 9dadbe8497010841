"""The lists of files that have come: sorted as both sides sort them, so that a number leads to a name."""

import heapq
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice
from typing import Final

from postern.proxies.ssh.rsync.entries import Entry, Key, key_in_folder, key_of_folder
from postern.proxies.ssh.rsync.tape import NotFollowed

#: What the lists of one transfer may take of the memory, about.
MAX_WEIGHT: Final = 64 * 1024 * 1024
MAX_ENTRIES: Final = 200_000
_RUN: Final = 512

_Ranked = tuple[Key, int]


class FileList:
    """One list while it comes. `sort` is done in steps: a large list must not hold up everybody else."""

    def __init__(self, first_number: int, parent: Entry | None) -> None:
        self.first_number = first_number
        self.parent = parent
        self.entries: list[Entry] = []
        self.folders: list[Entry] = []  # in order, when the list is sorted
        self.weight = 0
        self.weight_of_folders = 0
        self._runs: list[list[_Ranked]] = [[]]
        self._folder = b""
        self._folder_key: Key = ()
        self._sorted: list[Entry] = []
        self._merging: Iterator[_Ranked] | None = None
        self._last_key: Key | None = None
        self._dropped: set[int] = set()

    def add(self, entry: Entry) -> None:
        if entry.folder is not self._folder:
            self._folder, self._folder_key = entry.folder, key_of_folder(entry.folder)
            self.weight += len(entry.folder)
        run = self._runs[-1]
        run.append(((*self._folder_key, key_in_folder(entry)), len(self.entries)))
        if len(run) == _RUN:
            run.sort()
            self._runs.append([])
        self.entries.append(entry)
        self.weight += entry.weight
        if entry.is_folder:
            self.weight_of_folders += entry.weight

    def sort(self) -> bool:
        """Do one step of sorting. True: the entries are in order."""
        if self._merging is None:
            self._runs[-1].sort()
            self._merging = heapq.merge(*self._runs)
        step = list(islice(self._merging, _RUN))
        for key, place in step:
            if key == self._last_key:  # the receiver keeps the first of equal names
                self._dropped.add(len(self._sorted))
            self._last_key = key
            entry = self.entries[place]
            self._sorted.append(entry)
            if entry.is_folder:
                self.folders.append(entry)
        if len(step) == _RUN:
            return False
        self.entries, self._sorted = self._sorted, []
        self._runs, self._merging, self._last_key = [], None, None
        return True

    def at(self, number: int) -> Entry | None:
        """The entry of a number, if the receiver has it, too."""
        place = number - self.first_number
        if place == -1:
            return self.parent
        return None if place in self._dropped or place >= len(self.entries) else self.entries[place]


class Lists:
    """All lists that both sides still go by. Lists that are done are forgotten."""

    def __init__(self, *, incremental: bool) -> None:
        self._incremental = incremental
        self._lists: list[FileList] = []
        self._done = 0  # how many of them, from the beginning on
        self._folders: list[Entry] = []
        self._listed: set[int] = set()
        self._next_number = 1 if incremental else 0
        self._entries = 0
        self._weight = 0
        #: Entries of all lists that have come, done or not.
        self.total = 0
        #: No further list will come.
        self.complete = not incremental
        self.opened: FileList | None = None

    @property
    def remaining(self) -> int:
        return len(self._lists) - self._done

    def open(self, folder: int | None = None) -> FileList:
        """Begin the next list: the first one, or the content of a folder by its number."""
        parent = None
        if folder is not None:
            if self.complete or folder in self._listed or not folder < len(self._folders):
                raise NotFollowed("a list is of no folder that one is missing of")
            self._listed.add(folder)
            parent = self._folders[folder]
        self.opened = FileList(self._next_number, parent)
        return self.opened

    def add(self, entry: Entry) -> None:
        """The next entry of the list that was opened."""
        opened = self._opened
        if self._incremental:
            expected = opened.parent.path if opened.parent is not None else b""
            if entry.folder.lstrip(b"/") != expected.lstrip(b"/"):
                raise NotFollowed("an entry is not of the folder that the list is of")
        self._entries += 1
        self.total += 1
        before = opened.weight
        opened.add(entry)
        self._weight += opened.weight - before
        if self._entries > MAX_ENTRIES or self._weight > MAX_WEIGHT:
            raise NotFollowed("too many files at once")

    def close(self) -> bool:
        """Sort the list that was opened, one step at a time. True: it counts from now on."""
        opened = self._opened
        if not opened.sort():
            return False
        if self._incremental:
            if opened.parent is None and opened.entries and opened.entries[0].name == b".":
                opened.parent = opened.entries[0]
            self._folders += opened.folders
        self._lists.append(opened)
        self._next_number += len(opened.entries) + 1
        self.opened = None
        return True

    @property
    def _opened(self) -> FileList:
        if self.opened is None:
            raise NotFollowed("an entry belongs to no list")
        return self.opened

    def drop_first(self) -> range:
        """Both sides are done with the oldest list; its numbers. Its folders stay: lists of them may come."""
        dropped = self._lists[self._done]
        numbers = range(dropped.first_number, dropped.first_number + len(dropped.entries))
        self._entries -= len(dropped.entries) - len(dropped.folders)
        self._weight -= dropped.weight - dropped.weight_of_folders
        self._lists[self._done] = FileList(dropped.first_number, None)
        self._done += 1
        if self._done >= _RUN:
            del self._lists[: self._done]
            self._done = 0
        return numbers

    def find(self, number: int) -> Entry:
        """The entry of a number. Raises `NotFollowed` when no list has it."""
        place = bisect_right(self._lists, number, lo=self._done, key=_first_of) - 1
        entry = self._lists[place].at(number) if place >= self._done else None
        if entry is None:
            raise NotFollowed("a file has a number that no list has")
        return entry


def _first_of(one: FileList) -> int:
    """The lowest number of a list: in front of its first entry stands the folder that it is of."""
    return one.first_number - 1
