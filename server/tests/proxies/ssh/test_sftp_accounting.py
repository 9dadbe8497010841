"""Sizes in the file log are the bytes that really passed, however a client reads and writes (issue 6, 1.2)."""

import asyncio
import os
import random
from collections import Counter
from pathlib import Path

import asyncssh
import paramiko
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peers.ssh_proxy import World, run
from postern.contracts.events import FileTransferred, SessionEnded
from postern.proxies.ssh import sftp_packets as sftp
from postern.proxies.ssh.sftp_inspector import SftpInspector
from postern.proxies.ssh.sftp_packets import Packet, PacketCutter
from proxies.ssh.sftp_bytes import Audit, packet

SERVER = "/usr/lib/openssh/sftp-server"
READ, WRITE, CREATE, APPEND = sftp.FLAG_READ, sftp.FLAG_WRITE, sftp.FLAG_CREATE, sftp.FLAG_APPEND
FLAGS = (READ, WRITE, READ | WRITE, WRITE | APPEND, WRITE | CREATE, READ | WRITE | CREATE | sftp.FLAG_TRUNCATE)


class Client:
    """Drives OpenSSH's own sftp-server through an inspector with many requests at once, and counts bytes itself."""

    def __init__(self, folder: Path, source: random.Random) -> None:
        self.audit = Audit()
        self.passed: Counter[tuple[str, str]] = Counter()
        self._folder = folder
        self._source = source
        self._inspector = SftpInspector(self.audit)  # type: ignore[arg-type]  # a stand-in for the session
        self._answers = PacketCutter()
        self._next_id = 0
        self._asked: dict[int, tuple[int, str]] = {}
        self.handles: dict[int, bytes] = {}

    async def start(self) -> None:
        pipe = asyncio.subprocess.PIPE
        self._server = await asyncio.create_subprocess_exec(SERVER, stdin=pipe, stdout=pipe)
        await self._send(packet(sftp.INIT, 3))
        await self.settle()

    async def ask(self, kind: int, *parts: int | bytes, name: str = "") -> int:
        self._next_id += 1
        self._asked[self._next_id] = kind, name
        await self._send(packet(kind, self._next_id, *parts))
        return self._next_id

    async def _send(self, data: bytes) -> None:
        """Send in pieces that are unrelated to packets."""
        assert self._server.stdin is not None
        while data:
            cut = self._source.randint(1, 40_000)
            self._server.stdin.write(self._inspector.from_person(data[:cut]))
            data = data[cut:]

    async def settle(self) -> None:
        """Wait until everything is answered."""
        assert self._server.stdout is not None
        waits_for_version = not self._next_id
        async with asyncio.timeout(30):
            while self._asked or waits_for_version:
                data = await self._server.stdout.read(self._source.randint(1, 70_000))
                assert data
                for part in self._answers.feed(self._inspector.from_target(data)):
                    if isinstance(part, Packet):
                        waits_for_version = False
                        self._heard(part)

    def _heard(self, answer: Packet) -> None:
        if answer.type == sftp.VERSION:
            return
        kind, name = self._asked.pop(answer.request_id)
        if answer.type == sftp.HANDLE:
            self.handles[answer.request_id] = answer.string(4)[0]
        if kind == sftp.READ and answer.type == sftp.DATA:
            self.passed["download", name] += answer.number(4)

    async def stop(self) -> None:
        assert self._server.stdin is not None
        self._server.stdin.close()
        await self._server.wait()
        self._inspector.close()


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32))
def test_sizes_are_the_bytes_passed_for_any_mix_of_reads_and_writes(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """Random offsets, overlaps, repeated bytes, beyond the end, appended, truncated: against the real server."""
    asyncio.run(_play(tmp_path_factory.mktemp("files"), random.Random(seed)))


async def _play(folder: Path, source: random.Random) -> None:
    client = Client(folder, source)
    await client.start()
    expected: list[tuple[str, str, int, bool]] = []
    for number in range(source.randint(1, 4)):
        played = PlayedFile(client, source, folder / f"file {number}")
        await played.open()
        for _ in range(source.randint(0, 60)):
            await played.step()
        await played.close()
        expected += played.log()
    await client.stop()

    assert client.audit.transfers == expected


class PlayedFile:
    """One opened file, its expected content, and how much was written."""

    def __init__(self, client: Client, source: random.Random, path: Path) -> None:
        self._client = client
        self._source = source
        self._path = path
        self._content = bytearray(source.randbytes(source.randint(0, 200_000)))
        self._flags = source.choice(FLAGS)
        self._written = 0
        self._was_read = False

    async def open(self) -> None:
        await asyncio.to_thread(self._path.write_bytes, self._content)
        if self._flags & sftp.FLAG_TRUNCATE:
            self._content.clear()
        opening = await self._client.ask(sftp.OPEN, str(self._path).encode(), self._flags, 0)
        await self._client.settle()
        self._handle = self._client.handles[opening]

    async def step(self) -> None:
        step = self._source.choice((self._read, self._write, self._truncate, self._stat))
        await step(self._source.randint(0, 220_000))
        if self._source.random() < 0.3:
            await self._client.settle()

    async def _read(self, at: int) -> None:
        if self._flags & READ:
            self._was_read = True
            for _ in range(self._source.randint(1, 2)):
                size = self._source.randint(1, 60_000)
                await self._client.ask(sftp.READ, self._handle, 0, at, size, name=str(self._path))

    async def _write(self, at: int) -> None:
        if not self._flags & WRITE:
            return
        data = self._source.randbytes(self._source.randint(0, 40_000))
        await self._client.ask(sftp.WRITE, self._handle, 0, at, data)
        self._written += len(data)
        if data:
            place = len(self._content) if self._flags & APPEND else at
            self._content.extend(bytes(max(0, place - len(self._content))))
            self._content[place : place + len(data)] = data

    async def _truncate(self, at: int) -> None:
        if self._flags & WRITE:
            await self._client.ask(sftp.FSETSTAT, self._handle, 1, 0, at)
            del self._content[at:]
            self._content.extend(bytes(at - len(self._content)))

    async def _stat(self, _at: int) -> None:
        await self._client.ask(sftp.FSTAT, self._handle)

    async def close(self) -> None:
        await self._client.ask(sftp.CLOSE, self._handle)
        await self._client.settle()
        assert await asyncio.to_thread(self._path.read_bytes) == self._content

    def log(self) -> list[tuple[str, str, int, bool]]:
        """Return the expected file log."""
        name = str(self._path)
        read = self._client.passed["download", name]
        entries = [("upload", name, self._written, True)] if self._flags & WRITE else []
        return entries + ([("download", name, read, True)] if self._was_read or not self._flags & WRITE else [])


def logged(world: World) -> list[tuple[str, str, int, bool]]:
    return [
        (event.operation, Path(event.path).name, event.size, event.success) for event in world.plane.of(FileTransferred)
    ]


async def test_openssh_sftp_in_odd_buffers_and_resumed_transfers(world: World, tmp_path: Path) -> None:
    data = os.urandom(900_001)
    here, there = tmp_path / "here", tmp_path / "there"
    here.write_bytes(data)
    for words in (
        (f"put {here} {there}", f"get {there} {tmp_path}/back"),
        (f"reput {here} {there}.half", f"reget {there} {tmp_path}/half"),
        (f"put -p {here} {there}.empty",),
    ):
        (tmp_path / "half").write_bytes(data[:400_000])
        (tmp_path / "there.half").write_bytes(data[:300_000])
        options = ("-b", "-", "-B", "7777", "-R", "33")
        result = await run(world.proxy.sftp(world.login, options=options), stdin="\n".join(words).encode())
        assert result.status == 0, result

    await world.plane.until(lambda: len(world.plane.of(SessionEnded)) == 3)
    assert (tmp_path / "half").read_bytes()[:400_000] == data[:400_000]
    assert logged(world) == [
        ("upload", "there", 900_001, True),
        ("download", "there", 900_001, True),
        ("upload", "there.half", 600_001, True),
        ("download", "there", 500_001, True),
        ("upload", "there.empty", 900_001, True),
    ]


class CountingClient(paramiko.SFTPClient):  # type: ignore[misc]  # paramiko has no types
    """Counts the bytes of files that arrive. Its prefetch may ask twice for the same part when answers are quick."""

    received = 0

    def _read_packet(self) -> tuple[int, bytes]:
        kind, packet = super()._read_packet()
        if kind == sftp.DATA:
            self.received += len(packet) - 8  # id and length
        return kind, packet


async def test_paramiko_with_prefetch_pipelined_writes_and_scattered_reads(world: World, tmp_path: Path) -> None:
    data = os.urandom(3_000_000)
    source = tmp_path / "source"
    source.write_bytes(data)

    def play() -> tuple[bytes, int, int, int]:
        with paramiko.SSHClient() as client:
            client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
            client.connect(
                "127.0.0.1", world.proxy.port, world.login, key_filename=str(world.proxy.key),
                allow_agent=False, look_for_keys=False,
            )  # fmt: skip
            transport = client.get_transport()
            assert transport
            files = CountingClient.from_transport(transport)
            assert files
            files.get(str(source), str(tmp_path / "back"))
            got = files.received
            with files.open(str(tmp_path / "out"), "w") as out:
                out.set_pipelined(True)
                for start in range(0, len(data), 32_000):
                    out.write(data[start : start + 32_000])
            with files.open(str(source), "r") as reader:
                wanted = [(2_000_000, 50_000), (0, 10), (1_990_000, 60_000), (5, 5), (2_999_990, 10)]
                pieces = list(reader.readv(wanted))
            return b"".join(pieces), sum(length for _, length in wanted), got, files.received - got

    pieces, asked, got, scattered = await asyncio.to_thread(play)
    await world.plane.event(SessionEnded)
    assert (tmp_path / "back").read_bytes() == (tmp_path / "out").read_bytes() == data
    assert len(pieces) == asked
    assert got >= len(data)
    assert scattered >= asked
    assert logged(world) == [
        ("download", "source", got, True),
        ("upload", "out", len(data), True),
        ("download", "source", scattered, True),
    ]


async def test_client_with_many_requests_at_once_on_many_files(world: World, tmp_path: Path) -> None:
    contents = {f"file {number}": os.urandom(number * 70_001) for number in range(12)}
    async with (
        asyncssh.connect(
            "127.0.0.1", world.proxy.port, username=world.login, client_keys=[str(world.proxy.key)],
            known_hosts=None, config=None, agent_path=None,
        ) as connection,
        connection.start_sftp_client() as files,
    ):  # fmt: skip

        async def both_ways(name: str, content: bytes) -> None:
            async with files.open(str(tmp_path / name), "wb", block_size=9_999, max_requests=64) as file:
                await file.write(content)
            async with files.open(str(tmp_path / name), "rb", block_size=12_345, max_requests=64) as file:
                got: object = await file.read()
                assert got == content
            async with files.open(str(tmp_path / name), "ab") as file:
                await file.write(b"appended")

        await asyncio.gather(*(both_ways(name, content) for name, content in contents.items()))
    await world.plane.event(SessionEnded)

    expected = Counter(
        entry
        for name, content in contents.items()
        for entry in (
            ("upload", name, len(content), True),
            ("download", name, len(content), True),
            ("upload", name, len(b"appended"), True),
        )
    )
    assert Counter(logged(world)) == expected
    for name, content in contents.items():
        assert (tmp_path / name).read_bytes() == content + b"appended"
