"""Forwarded connections (`ssh -L`) through Postern, compared with `ssh -J` through a second sshd, as ratios.

    python bench/forwards.py [--quick] [--json FILE]

One connection carries random bytes, first to the host and then to the user. Everything runs on this machine, so the
ratios of one run and the CPU time of Postern mean something, the absolute rates little. Ratios above 1 are better.
"""

import argparse
import asyncio
import contextlib
import json
import os
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

from ssh import MB, Place, Way, cpu_s, place, rss_mb

_CHUNK: Final = os.urandom(256 * 1024)


class Peer:
    """A program on the host: it reads everything and answers "done", or sends `size` bytes when asked for them."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            kind = await reader.read(1)
            if kind == b"u":
                while await reader.read(1 << 20):
                    pass
                writer.write(b"done")
            elif kind:
                await send(writer, self.size)
            await writer.drain()
        writer.close()


async def send(writer: asyncio.StreamWriter, size: int) -> None:
    for start in range(0, size, len(_CHUNK)):
        writer.write(_CHUNK[: size - start])
        await writer.drain()


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


@contextlib.asynccontextmanager
async def forwarded(way: Way, port: int) -> AsyncIterator[int]:
    """A local port that leads to a port of the host, by `ssh -N -L`."""
    local = free_port()
    argv = ["ssh", *way.options, "-N", "-L", f"127.0.0.1:{local}:127.0.0.1:{port}", way.where]
    process = await asyncio.create_subprocess_exec(*argv, stdin=asyncio.subprocess.DEVNULL)
    try:
        for _ in range(500):
            with contextlib.suppress(OSError):
                (await asyncio.open_connection("127.0.0.1", local))[1].close()
                break
            await asyncio.sleep(0.02)
        yield local
    finally:
        process.kill()
        await process.wait()


async def upload(local: int, size: int) -> float:
    reader, writer = await asyncio.open_connection("127.0.0.1", local)
    begun = time.perf_counter()
    writer.write(b"u")
    await send(writer, size)
    writer.write_eof()
    if await reader.read() != b"done":
        raise SystemExit("an upload was cut")
    writer.close()
    return time.perf_counter() - begun


async def download(local: int, size: int) -> float:
    reader, writer = await asyncio.open_connection("127.0.0.1", local)
    begun = time.perf_counter()
    writer.write(b"d")
    got = 0
    while data := await reader.read(1 << 20):
        got += len(data)
    if got != size:
        raise SystemExit("a download was cut")
    writer.close()
    return time.perf_counter() - begun


async def measure(where: Place, size: int, rounds: int) -> list[dict[str, Any]]:
    peer = Peer(size)
    server = await asyncio.start_server(peer.serve, "127.0.0.1", 0)
    peer.port = server.sockets[0].getsockname()[1]
    rows: list[dict[str, Any]] = []
    async with contextlib.AsyncExitStack() as stack:
        ports = {way.name: await stack.enter_async_context(forwarded(way, peer.port)) for way in where.paths}
        for what, carry in (("to the host", upload), ("to the user", download)):
            times: dict[str, list[float]] = {name: [] for name in ports}
            used = 0.0
            for number in range(rounds + 1):
                for name, local in ports.items():
                    before = cpu_s(where.gateway_pid)
                    took = await carry(local, size)
                    if number:
                        times[name].append(took)
                        used += cpu_s(where.gateway_pid) - before if name == where.gateway.name else 0
            rows.append(row(what, size, times, used * 1000 / (rounds * size / MB), rss_mb(where.gateway_pid)))
    server.close()
    return rows


def row(what: str, size: int, times: dict[str, list[float]], cpu: float, memory: float) -> dict[str, Any]:
    rates = {name: size / MB / statistics.median(taken) for name, taken in times.items()}
    ratio = statistics.median(jump / ours for jump, ours in zip(times["ssh -J"], times["postern"], strict=True))
    shown = "   ".join(f"{name} {rate:.3g} MB/s" for name, rate in rates.items())
    sys.stdout.write(f"{what:<14} x ssh -J: {ratio:.2f}   {cpu:.2f} ms/MB   {memory:.0f} MB   {shown}\n")
    sys.stdout.flush()
    return {"what": what, "ratio": round(ratio, 2), "cpu_ms_per_mb": round(cpu, 2), "rss_mb": round(memory), **rates}


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        async with place(Path(folder), stock=False) as where:
            rows = await measure(where, (32 if arguments.quick else 256) * MB, 2 if arguments.quick else 5)
    if arguments.json:
        await asyncio.to_thread(arguments.json.write_text, json.dumps(rows, indent=1))


if __name__ == "__main__":
    asyncio.run(main())
