"""Messages as RFC 5424 describes them. Pure code."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

#: Receivers cut longer messages, or make two of them. UDP: one packet of any network.
MOST_BYTES: Final = 8000
MOST_UDP_BYTES: Final = 1180
#: RFC 5612 reserves this number for documentation: no receiver gives it a meaning of its own.
SD_ID: Final = "postern@32473"
_BOM: Final = b"\xef\xbb\xbf"
_MOST_PARAM_CHARS: Final = 128


@dataclass(frozen=True, slots=True)
class Header:
    """What is the same in all messages of an installation."""

    facility: int
    host: str
    app_name: str


def message(
    header: Header, *, severity: int, at: datetime, kind: str, params: Mapping[str, str], text: str, most_bytes: int
) -> bytes:
    """One message of at most `most_bytes`; the text is cut between two characters."""
    moment = at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    data = "".join(f' {name}="{escaped(value[:_MOST_PARAM_CHARS])}"' for name, value in params.items() if value)
    head = (
        f"<{header.facility * 8 + severity}>1 {moment} {_name(header.host, 255)} {_name(header.app_name, 48)} - "
        f"{_name(kind, 32)} [{SD_ID}{data}] "
    ).encode() + _BOM
    return head + text.encode()[: max(most_bytes - len(head), 0)].decode(errors="ignore").encode()


def framed(content: bytes) -> bytes:
    """With its length in front (RFC 6587, octet counting), so that a newline does not end it."""
    return str(len(content)).encode() + b" " + content


def escaped(value: str) -> str:
    """A value of structured data. Control characters, which could forge lines in a file, become blanks."""
    clean = "".join(" " if ord(char) < 32 or ord(char) == 127 else char for char in value)
    return clean.replace("\\", "\\\\").replace('"', '\\"').replace("]", "\\]")


def _name(text: str, most: int) -> str:
    """A field of the header: printable ASCII without blanks; `-` when nothing is left."""
    return "".join(char for char in text if "!" <= char <= "~")[:most] or "-"
