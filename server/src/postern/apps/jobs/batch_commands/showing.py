"""Output of commands, stored and shown as text."""

import hashlib
import re
import zlib
from typing import Final

from postern.kernel.visible_text import visible_text

#: Maximum stored output of a host, in bytes.
KEPT_BYTES: Final = 256 * 1024
#: Bytes of the end of the output that are shown while it runs.
LIVE_BYTES: Final = 8 * 1024

#: Sequences for terminals: colours and movements, titles, character sets.
_SEQUENCES: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]P_^X][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])")
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def shown(data: bytes) -> str:
    """Output as a person reads it: without sequences for terminals, and only the last of lines that overwrite each other.

    Nothing in it can act on a terminal or a page. Characters that nobody would see, or that reverse the text beside
    them, are shown as their codes. The stored output, which the evidence is about, stays as it is.
    """
    text = _SEQUENCES.sub("", data.decode("utf-8", "replace")).replace("\r\n", "\n")
    # Without a regular expression: an expression that looks for the last return of a line is quadratic in its length.
    lines = [line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n")]
    return visible_text(_CONTROLS.sub("", "\n".join(lines)))


def packed(data: bytes) -> bytes:
    """Output as it is stored."""
    return zlib.compress(data, 6)


def unpacked(data: "bytes | memoryview", limit: int = KEPT_BYTES) -> bytes:
    """The first `limit` bytes of stored output."""
    return zlib.decompressobj().decompress(bytes(data), limit) if data else b""


class Output:
    """The output of one host while it arrives."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._end = bytearray()
        self._hashes = {False: hashlib.sha256(), True: hashlib.sha256()}
        self.size = 0
        #: Whether something arrived that was not written yet.
        self.is_new = False

    def add(self, data: bytes, *, is_error: bool = False) -> None:
        """Take what arrived."""
        self._hashes[is_error].update(data)
        self.size += len(data)
        self._kept += data[: max(0, KEPT_BYTES - len(self._kept))]
        self._end += data
        del self._end[:-LIVE_BYTES]
        self.is_new = True

    @property
    def live(self) -> bytes:
        """The end of it, from the beginning of a line."""
        if self.size <= LIVE_BYTES:
            return bytes(self._end)
        return bytes(self._end.partition(b"\n")[2] or self._end)

    @property
    def kept(self) -> bytes:
        return bytes(self._kept)

    @property
    def digest(self) -> str:
        """SHA-256 of the SHA-256 of the output and of the errors: in which order the two arrive differs by chance."""
        return hashlib.sha256(self._hashes[False].digest() + self._hashes[True].digest()).hexdigest()
