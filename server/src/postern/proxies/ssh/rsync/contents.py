"""Parses one file's content as it passes: literal bytes and references to the receiver's blocks, compressed or not."""

from typing import Final, NamedTuple

from postern.proxies.ssh.rsync.tape import NotFollowed, Tape

_LONGEST_PIECE: Final = 32 * 1024
_LONGEST_BLOCK: Final = 1 << 17
_LONGEST_SUM: Final = 64

#: Files cannot be larger. A size must also fit into the log.
LARGEST_FILE: Final = 1 << 60

_END: Final = 0
_BLOCK: Final = 0x20
_BLOCK_RUN: Final = 0x21
_NEXT_BLOCK: Final = 0x80
_IS_RUN_OF_NEXT: Final = 0x40
_PIECE: Final = 0x40
_LOW_BITS: Final = 0x3F


class Blocks(NamedTuple):
    """The receiver's blocks of a file: their number, their length, and the length of the last block."""

    number: int
    length: int
    sum_bytes: int
    last_length: int

    @classmethod
    def read(cls, tape: Tape) -> "Blocks":
        blocks = cls(tape.number(), tape.number(), tape.number(), tape.number())
        number, length, sum_bytes, last_length = blocks
        if number < 0 or not 0 <= length <= _LONGEST_BLOCK or not 0 <= sum_bytes <= _LONGEST_SUM:
            raise NotFollowed("the blocks of a file are impossible")
        if not 0 <= last_length <= length or (number and not length):
            raise NotFollowed("the blocks of a file are impossible")
        return blocks

    def size_of(self, first: int, last: int) -> int:
        """Return the total size of the blocks from `first` to `last`."""
        if not 0 <= first <= last < self.number:
            raise NotFollowed("a file refers to a block that does not exist")
        size = (last - first + 1) * self.length
        return size - self.length + self.last_length if last == self.number - 1 and self.last_length else size


class Content:
    """Parses one content. `literal` counts sent bytes (compressed size if packed), `matched` counts referenced
    bytes.
    """

    def __init__(self, blocks: Blocks, *, packed: bool) -> None:
        self._blocks = blocks
        self._block = 0
        self.packed = packed
        self.literal = 0
        self.matched = 0

    def read(self, tape: Tape) -> bool:
        """Read one unit. Returns True at the end of the content."""
        return self._read_packed(tape) if self.packed else self._read_plain(tape)

    def _read_plain(self, tape: Tape) -> bool:
        number = tape.number()
        if number > 0:
            self._skip(tape, number, _LONGEST_PIECE)
        elif number:
            self._match(-number - 1, -number - 1)
        return not number

    def _read_packed(self, tape: Tape) -> bool:
        kind = tape.byte()
        if kind == _END:
            return True
        if kind & 0xC0 == _PIECE:
            self._skip(tape, (kind & _LOW_BITS) << 8 | tape.byte(), 1 << 14)
            return False
        if kind & _NEXT_BLOCK:
            first, is_run = self._block + (kind & _LOW_BITS), bool(kind & _IS_RUN_OF_NEXT)
        elif kind in (_BLOCK, _BLOCK_RUN):
            first, is_run = tape.number(), kind == _BLOCK_RUN
        else:
            raise NotFollowed("a content has a part of no known kind")
        last = first + (tape.short() if is_run else 0)
        self._match(first, last)
        self._block = last
        return False

    def _match(self, first: int, last: int) -> None:
        self.matched += self._blocks.size_of(first, last)
        if self.matched > LARGEST_FILE:
            raise NotFollowed("a file is impossibly large")

    def _skip(self, tape: Tape, length: int, longest: int) -> None:
        if length > longest:
            raise NotFollowed("a content has a part of no possible length")
        self.literal += length
        tape.skip(length)
