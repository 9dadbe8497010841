"""Hosts that do not speak UTF-8: between their bytes and those of a page or of the command detection, which know nothing else.

The recording keeps the host's own bytes and names their charset, and a person's SSH client gets them as they are: only what is
shown in a browser and what is read by ourselves is put into other words.
"""

import codecs
from typing import Final, Protocol

#: Of a platform → how its output is decoded (a superset reads more and loses nothing), and how keys are encoded.
_DECODERS: Final = {"gbk": "gb18030"}
_ENCODERS: Final = {"gbk": "gbk"}


class Charset:
    """The two ways of one terminal. Both may hold back a character of which only a part has come."""

    def __init__(self, name: str) -> None:
        """`name` is that of the grant: utf8 or gbk."""
        self.is_utf8 = name not in _DECODERS
        self._output = codecs.getincrementaldecoder(_DECODERS.get(name, "utf-8"))("replace")
        self._keys = codecs.getincrementaldecoder("utf-8")("replace")
        self._encoding = _ENCODERS.get(name, "utf-8")

    def to_utf8(self, data: bytes) -> bytes:
        """Output of the host as UTF-8; the same bytes when that is what it speaks."""
        return data if self.is_utf8 else self._output.decode(data).encode()

    def from_utf8(self, data: bytes) -> bytes:
        """Keys of a page as the host understands them; a question mark for what it has no character for."""
        return data if self.is_utf8 else self._keys.decode(data).encode(self._encoding, "replace")

    def restart(self) -> None:
        """Output goes on somewhere else: forget the part of a character that was kept."""
        self._output.reset()


class _Detector(Protocol):
    def user_input(self, data: bytes, now_ms: int) -> None: ...
    def target_output(self, data: bytes, now_ms: int) -> None: ...
    def resize(self, columns: int, rows: int) -> None: ...
    def close(self) -> None: ...


class DetectorInUtf8:
    """A command detector behind a host of another charset: it sees both directions as UTF-8."""

    def __init__(self, detector: _Detector, name: str) -> None:
        self._detector = detector
        self._output, self._input = Charset(name), Charset(name)

    def user_input(self, data: bytes, now_ms: int) -> None:
        """What the person sent, in the host's charset."""
        self._detector.user_input(self._input.to_utf8(data), now_ms)

    def target_output(self, data: bytes, now_ms: int) -> None:
        """What the target sent. Empty data only tells that time has passed."""
        self._detector.target_output(self._output.to_utf8(data), now_ms)

    def resize(self, columns: int, rows: int) -> None:
        """The terminal's new size in cells."""
        self._detector.resize(columns, rows)

    def close(self) -> None:
        """The session is over."""
        self._detector.close()
