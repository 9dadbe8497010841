"""Character sets of hosts that do not use UTF-8.

Browser pages and command detection work in UTF-8 only, so their input and output is converted. The recording keeps the
original bytes and names their charset. A user's SSH client also receives the original bytes.
"""

import codecs
from typing import Final, Protocol

from postern.proxies.core.commands.standing import StandingLine

#: Codec names by platform charset. Output is decoded with a superset, which reads more characters and loses none.
_DECODERS: Final = {"gbk": "gb18030"}
_ENCODERS: Final = {"gbk": "gbk"}


def codec_of(name: str) -> str:
    """Return the Python codec that reads the charset of a grant."""
    return _DECODERS.get(name, "utf-8")


class Charset:
    """Converts both directions of one terminal. Each direction buffers an incomplete character until the rest
    arrives.
    """

    def __init__(self, name: str) -> None:
        """`name` is the charset in the grant: `utf8` or `gbk`."""
        self.is_utf8 = name not in _DECODERS
        self._output = codecs.getincrementaldecoder(_DECODERS.get(name, "utf-8"))("replace")
        self._keys = codecs.getincrementaldecoder("utf-8")("replace")
        self._encoding = _ENCODERS.get(name, "utf-8")

    def to_utf8(self, data: bytes) -> bytes:
        """Convert the host's output to UTF-8. Output of a UTF-8 host is returned unchanged."""
        return data if self.is_utf8 else self._output.decode(data).encode()

    def from_utf8(self, data: bytes) -> bytes:
        """Convert keys from a page to the host's charset. Characters that it lacks become question marks."""
        return data if self.is_utf8 else self._keys.decode(data).encode(self._encoding, "replace")

    def restart_keys(self) -> None:
        """Drop a buffered incomplete character of the keys, whose rest is dropped too."""
        self._keys.reset()

    def restart(self) -> None:
        """Drop a buffered incomplete character, because the output continues somewhere else."""
        self._output.reset()


class _Detector(Protocol):
    def user_input(self, data: bytes, now_ms: int) -> None: ...
    def target_output(self, data: bytes, now_ms: int) -> None: ...
    def resize(self, columns: int, rows: int) -> None: ...
    def standing_line(self) -> StandingLine | None: ...
    def close(self) -> None: ...


class DetectorInUtf8:
    """Wraps a command detector for a host with another charset: the detector sees both directions as UTF-8."""

    def __init__(self, detector: _Detector, name: str) -> None:
        self._detector = detector
        self._output, self._input = Charset(name), Charset(name)

    def user_input(self, data: bytes, now_ms: int) -> None:
        """Pass on what the user sent, in the host's charset."""
        self._detector.user_input(self._input.to_utf8(data), now_ms)

    def target_output(self, data: bytes, now_ms: int) -> None:
        """Pass on what the target sent. Empty data only reports that time has passed."""
        self._detector.target_output(self._output.to_utf8(data), now_ms)

    def resize(self, columns: int, rows: int) -> None:
        """Set the new terminal size in cells."""
        self._detector.resize(columns, rows)

    def standing_line(self) -> StandingLine | None:
        """Return the line at the cursor, before its Enter."""
        return self._detector.standing_line()

    def close(self) -> None:
        """Close the detector at the end of the session."""
        self._detector.close()
