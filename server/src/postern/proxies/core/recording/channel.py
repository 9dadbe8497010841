"""Messages between the proxy and its sealer, over a private pair of sockets.

Each frame is `length u32 | JSON`. The proxy requests a snapshot of a screen with `{"id", "session_id", "at_least"}`.
The sealer answers `{"id", "columns", "rows", "offset", "repaint" (base64)}` or `{"id", "error"}`. Without a request it
sends `{"checkpoints": […]}` and `{"sealed": session id}`.
"""

import json
import struct
from typing import Any, Final

LENGTH: Final = struct.Struct(">I")
MAX_FRAME_BYTES: Final = 16 << 20


def encode_frame(message: dict[str, Any]) -> bytes:
    body = json.dumps(message, separators=(",", ":")).encode()
    return LENGTH.pack(len(body)) + body


class FrameDecoder:
    """Assembles frames from chunks of any size."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        """Return all frames that are complete now. Raises ValueError if the peer violates the protocol."""
        self._buffer += data
        messages = []
        while len(self._buffer) >= LENGTH.size:
            (length,) = LENGTH.unpack_from(self._buffer)
            if length > MAX_FRAME_BYTES:
                raise ValueError("frame too long")
            end = LENGTH.size + length
            if len(self._buffer) < end:
                break
            message: dict[str, Any] = json.loads(bytes(self._buffer[LENGTH.size : end]))
            del self._buffer[:end]
            messages.append(message)
        return messages
