"""A TCP forwarder that adds distance: each byte arrives half of the round trip later, in order."""

import asyncio
import contextlib
from collections.abc import AsyncIterator


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay_s: float) -> None:
    loop = asyncio.get_running_loop()
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            loop.call_later(delay_s, writer.write, data)
    loop.call_later(delay_s, writer.close)


@contextlib.asynccontextmanager
async def distant(port: int, round_trip_s: float) -> AsyncIterator[int]:
    """Return the port that leads to `port` over this distance."""
    tasks: list[asyncio.Task[None]] = []
    writers: list[asyncio.StreamWriter] = []

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
        writers.extend((writer, far_writer))
        for source, sink in ((reader, far_writer), (far_reader, writer)):
            tasks.append(asyncio.create_task(_carry(source, sink, round_trip_s / 2)))

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for writer in writers:
            writer.transport.abort()
        await server.wait_closed()
