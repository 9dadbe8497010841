"""Messages between the proxy and its sealer, over a pair of sockets that nobody else can reach.

Each frame is `length u32 | JSON`. The proxy asks `{"id", "session_id", "at_least"}` for a picture of a screen; the sealer
answers `{"id", "columns", "rows", "offset", "repaint" (base64)}` or `{"id", "error"}`, and tells by itself
`{"checkpoints": […]}` and `{"sealed": session id}`.
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
    """Puts frames together from pieces of any size."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        """All frames that are whole now. Raises ValueError when the peer does not speak this."""
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
