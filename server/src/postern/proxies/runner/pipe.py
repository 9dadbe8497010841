"""Frames over the pipe to the worker."""

import asyncio
import os
import sys
from typing import Final

import msgspec

from postern.contracts.runner import MAX_FRAME_BYTES, FromRunner, ToRunner

_LENGTH_BYTES: Final = 4
#: With more waiting for the worker, the hosts are not read.
_HIGH_WATER_BYTES: Final = 1024 * 1024


class WorkerPipe:
    """The two directions of the pipe. Open it with `open_standard`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._decoder: msgspec.msgpack.Decoder[ToRunner] = msgspec.msgpack.Decoder(ToRunner)
        self._encoder = msgspec.msgpack.Encoder()

    @classmethod
    async def open_standard(cls) -> "WorkerPipe":
        """The pipe over standard input and output of this process. What else is printed goes to standard error."""
        loop = asyncio.get_running_loop()
        output = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        reader = asyncio.StreamReader(limit=MAX_FRAME_BYTES)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
        transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, output)
        transport.set_write_buffer_limits(high=_HIGH_WATER_BYTES)
        return cls(reader, asyncio.StreamWriter(transport, protocol, None, loop))

    async def receive(self) -> ToRunner | None:
        """The next frame, None when the worker is gone. Raises ValueError for a frame that is none."""
        try:
            head = await self._reader.readexactly(_LENGTH_BYTES)
            length = int.from_bytes(head, "big")
            if length > MAX_FRAME_BYTES:
                raise ValueError(f"a frame of {length} bytes")
            return self._decoder.decode(await self._reader.readexactly(length))
        except (asyncio.IncompleteReadError, ConnectionError):
            return None

    def tell(self, frame: FromRunner) -> None:
        """Send a frame; what does not fit into the pipe waits in memory."""
        data = self._encoder.encode(frame)
        self._writer.write(len(data).to_bytes(_LENGTH_BYTES, "big") + data)

    async def tell_slowly(self, frame: FromRunner) -> None:
        """Send a frame, and wait while too much is waiting."""
        self.tell(frame)
        await self._writer.drain()
