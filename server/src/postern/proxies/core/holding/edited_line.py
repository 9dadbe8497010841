"""The line that the keys alone make, with the editing keys that mean the same in all common line editors."""

import codecs
import re
from typing import Final

from postern.proxies.core.charset import codec_of
from postern.proxies.core.holding.keystrokes import Keystroke, Stroke

_MAX_CHARACTERS: Final = 16 * 1024
_LEFT: Final = frozenset({b"\x02", b"\x1b[D", b"\x1bOD"})
_RIGHT: Final = frozenset({b"\x06", b"\x1b[C", b"\x1bOC"})
_HOME: Final = frozenset({b"\x01", b"\x1b[H", b"\x1bOH", b"\x1b[1~", b"\x1b[7~"})
_TO_END: Final = frozenset({b"\x05", b"\x1b[F", b"\x1bOF", b"\x1b[4~", b"\x1b[8~"})
_BACK: Final = frozenset({b"\x7f", b"\x08"})
_DELETE: Final = frozenset({b"\x1b[3~"})
#: Redrawing and flow control do not change the line.
_NO_CHANGE: Final = frozenset({b"\x0c", b"\x11", b"\x13", b"\x00"})
#: Final bytes of sequences that terminals send on their own: positions, attributes, focus, mouse.
_REPORTS: Final = frozenset(b"RcInMmty")
#: The echo of a character and its erasure.
_ERASED: Final = re.compile(rb"[^\x08]\x08 \x08")
#: Line editors disagree about the border of other words.
_PLAIN_WORD: Final = re.compile(r"(?:^|\s)[\w-]+\s*\Z")


class EditedLine:
    """The line so far. It may be a password, so it is kept in memory only."""

    def __init__(self, charset: str) -> None:
        self._codec = codec_of(charset)
        self._killed: str | None = ""
        self.keys = 0
        self.restart()

    def __repr__(self) -> str:  # the text may be a password, which a traceback must not show
        return f"EditedLine(keys={self.keys})"

    def restart(self, *, is_known: bool = True, keys: int = 0) -> None:
        """Begin a new line. It is not known if it contains something that was not typed."""
        self._decoder = codecs.getincrementaldecoder(self._codec)("replace")
        self._before: list[str] = []
        self._after: list[str] = []
        self._is_known = is_known
        self.keys = keys
        #: What a terminal driver would echo for these keys, without blanks.
        self._raw_echo = bytearray()

    @property
    def is_known(self) -> bool:
        """Whether the keys tell the line."""
        return self._is_known

    @property
    def text(self) -> str | None:
        """The line, None when the keys do not tell."""
        return "".join((*self._before, *self._after)) if self._is_known else None

    def is_raw_echo(self, output: bytes) -> bool:
        """Whether this output is nothing but the echo of the terminal driver: no line editor has read the keys yet."""
        return bool(self._raw_echo) and _squeezed(output) == bytes(self._raw_echo)

    @property
    def echoes_controls(self) -> bool:
        """Whether the terminal driver would show control keys, such as `^[[A`. Line editors show no such text."""
        return b"^" in self._raw_echo

    def take(self, stroke: Keystroke) -> None:
        """Apply a keystroke that does not run the line. A line end in a pasted block is text."""
        if stroke.kind in (Stroke.ANSWER, Stroke.HALF, Stroke.PASTE_BEGINS, Stroke.PASTE_ENDS):
            return
        key = stroke.whole
        if stroke.kind is Stroke.SEQUENCE and key[1:2] == b"[" and key[-1] in _REPORTS:
            return
        self.keys += 1
        self._echo(stroke)
        if stroke.kind is Stroke.RUN:
            self._insert("\n")
        elif stroke.kind is Stroke.TEXT:
            self._insert(self._decoder.decode(key))
        elif stroke.kind in (Stroke.SEQUENCE, Stroke.CONTROL):
            self._edit(key)
        else:
            self._is_known = False

    def _insert(self, text: str) -> None:
        if len(self._before) + len(self._after) + len(text) > _MAX_CHARACTERS:
            self._is_known = False
        elif self._is_known:
            self._before.extend(text)

    def _edit(self, key: bytes) -> None:
        if not (self._move(key) or self._delete(key) or key in _NO_CHANGE):
            self._is_known = False
            self._killed = None

    def _move(self, key: bytes) -> bool:
        before, after = self._before, self._after
        if key in _LEFT:
            after[:0] = before[-1:]
            del before[-1:]
        elif key in _RIGHT:
            before += after[:1]
            del after[:1]
        elif key in _HOME:
            after[:0] = before
            before.clear()
        elif key in _TO_END:
            before += after
            after.clear()
        else:
            return False
        return True

    def _delete(self, key: bytes) -> bool:
        before, after = self._before, self._after
        if key in _BACK:
            del before[-1:]
        elif key in _DELETE:
            del after[:1]
        elif key == b"\x0b":
            self._killed = "".join(after)
            after.clear()
        elif key == b"\x15" and not after:  # with text behind the cursor, editors disagree
            self._killed = "".join(before)
            before.clear()
        elif key == b"\x17" and _PLAIN_WORD.search("".join(before)):
            line = "".join(before)
            rest = re.sub(r"[\w-]+\s*\Z", "", line)
            self._killed = line[len(rest) :]
            del before[len(rest) :]
        elif key == b"\x19" and self._killed is not None:
            self._insert(self._killed)
        else:
            return False
        return True

    def _echo(self, stroke: Keystroke) -> None:
        if stroke.whole in _BACK:
            del self._raw_echo[-1:]
        elif stroke.kind is Stroke.TEXT:
            self._raw_echo += stroke.whole.replace(b" ", b"")
        else:
            for byte in stroke.whole:
                self._raw_echo += b"^" + bytes([byte ^ 0x40]) if byte < 0x20 and byte != 9 else bytes([byte])
        self._raw_echo = bytearray(self._raw_echo.replace(b"\t", b""))
        del self._raw_echo[:-_MAX_CHARACTERS]


def _squeezed(output: bytes) -> bytes:
    return b"".join(_ERASED.sub(b"", output).split())
