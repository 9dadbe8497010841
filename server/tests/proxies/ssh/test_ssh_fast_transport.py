"""The fast data path: used only where it should be, identical on the wire, and disabled when its self-test fails."""

import asyncio
import hashlib
import os
from typing import Any

import asyncssh
import pytest
from asyncssh.crypto.cipher import GCMCipher

from fakes.control_plane import FakeAsset, FakeSystemUser
from peers.odd_target import OddTarget
from peers.ssh_proxy import World, run
from peers.terminal import Terminal
from postern.proxies.ssh_connections import fast_transport_trial
from postern.proxies.ssh_connections.fast_transport import FastConnection, KeptGcm
from postern.proxies.ssh_connections.fast_transport_trial import fast_path_works


def client(world: World, **options: Any) -> Any:
    return asyncssh.connect(
        "127.0.0.1", world.proxy.port, username=world.login, client_keys=[str(world.proxy.key)],
        known_hosts=None, config=None, agent_path=None, **options,
    )  # fmt: skip


async def test_self_test_passes_here() -> None:
    assert await fast_path_works()


async def test_other_library_version_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asyncssh, "__version__", "2.25.0")
    assert not await fast_path_works()


@pytest.mark.parametrize("broken", ["seal", "look"])
async def test_self_test_fails_when_packets_differ(monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    honest = getattr(KeptGcm, broken)

    def corrupt(self: KeptGcm, header: bytes, data: bytes) -> bytes:
        result: bytes = honest(self, header, data)
        return result[:-1] + bytes((result[-1] ^ 1,)) if broken == "seal" else result[:10] + b"\0" + result[11:]

    monkeypatch.setattr(KeptGcm, broken, corrupt)
    assert not await fast_transport_trial.fast_path_works(timeout_s=2)


async def test_openssh_client_uses_the_fast_path(world: World) -> None:
    async with Terminal(world.proxy.ssh(world.login, "echo rea''dy; cat", options=("-tt",))) as terminal:
        await terminal.expect("ready")
        links: list[Any] = list(world.proxy.listener._links)
        assert [link.is_fast for link in links] == [True]


async def test_packets_caused_by_a_read_are_sent_before_the_next_loop_turn(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    senders: set[FastConnection] = set()
    left_over: list[int] = []
    put, data_received = FastConnection._put, FastConnection.data_received

    def noted_put(self: FastConnection, sealer: KeptGcm, payload: bytes) -> None:
        senders.add(self)
        put(self, sealer, payload)

    def noted_read(self: FastConnection, data: bytes, datatype: Any = None) -> None:
        senders.clear()
        data_received(self, data, datatype)
        left_over.append(sum(len(sender._outgoing) for sender in senders))

    async with Terminal(world.proxy.ssh(world.login, "echo rea''dy; cat", options=("-tt",))) as terminal:
        await terminal.expect("ready")
        monkeypatch.setattr(FastConnection, "_put", noted_put)
        monkeypatch.setattr(FastConnection, "data_received", noted_read)
        await terminal.type("over there\n")
        await terminal.expect("over there")
        monkeypatch.undo()

    assert len(left_over) >= 2
    assert not any(left_over)


@pytest.mark.parametrize(
    "cipher", ["chacha20-poly1305@openssh.com", "aes256-ctr", "aes128-gcm@openssh.com", "aes256-gcm@openssh.com"]
)
async def test_every_cipher_carries_data_both_ways_through_new_keys(world: World, cipher: str) -> None:
    data = os.urandom(3_000_000)
    async with client(world, encryption_algs=[cipher], rekey_bytes=500_000) as connection:
        process = await connection.create_process("cat", encoding=None)
        process.stdin.write(data)
        process.stdin.write_eof()
        result = await process.wait()

    assert hashlib.sha256(result.stdout).digest() == hashlib.sha256(data).digest()


async def test_target_with_chacha_only_is_supported(world: World) -> None:
    async def repeat(process: asyncssh.SSHServerProcess[bytes]) -> None:
        process.stdout.write(await process.stdin.read())
        process.exit(0)

    async with OddTarget(repeat, encryption_algs=["chacha20-poly1305@openssh.com"]) as target:
        user = FakeSystemUser("c", "root", password=target.password)
        world.plane.add_asset(FakeAsset("chacha", "127.0.0.1", target.port, [user]))
        data = os.urandom(500_000)
        result = await run(world.proxy.ssh("alice@c@chacha", "x"), stdin=data)

    assert result.out == data


async def test_damaged_packet_ends_its_connection_and_no_other(world: World) -> None:
    async with client(world) as good, client(world) as bad:
        other = await good.create_process("cat")
        process = await bad.create_process("cat", encoding=None)
        process.stdin.write(b"fine")
        assert await process.stdout.read(4) == b"fine"
        bad._transport.write(os.urandom(4000))
        await asyncio.wait_for(bad.wait_closed(), 60)
        other.stdin.write("still here\n")
        assert await other.stdout.readline() == "still here\n"


async def test_data_beyond_the_window_is_a_protocol_error(world: World) -> None:
    async with client(world) as connection:
        process = await connection.create_process("cat >/dev/null", encoding=None)
        channel = process.channel
        channel._send_window = 1 << 30  # as if the proxy had granted it
        process.stdin.write(b"x" * (40 << 20))
        await asyncio.wait_for(connection.wait_closed(), 60)


async def test_packets_cut_anywhere_are_reassembled(world: World) -> None:
    """The client's bytes arrive one by one, in sevens, and in large pieces."""
    async with client(world) as connection:
        process = await connection.create_process("cat", encoding=None)
        link: Any = next(iter(world.proxy.listener._links))
        receive = type(link).data_received
        sizes = [1, 7, 100, 5000]

        def in_pieces(data: bytes, datatype: Any = None) -> None:
            size = sizes[len(data) % len(sizes)]
            for start in range(0, len(data), size):
                receive(link, data[start : start + size], datatype)

        link.data_received = in_pieces
        link._transport.set_protocol(_Forwarding(link))
        data = os.urandom(60_000)
        for start in range(0, len(data), 3000):
            process.stdin.write(data[start : start + 3000])
            await asyncio.sleep(0)
        process.stdin.write_eof()
        assert (await process.wait()).stdout == data


class _Forwarding(asyncio.Protocol):
    """Looks up `data_received` at each call, so that a test can replace it."""

    def __init__(self, link: Any) -> None:
        self._link = link

    def data_received(self, data: bytes) -> None:
        self._link.data_received(data)

    def __getattribute__(self, name: str) -> Any:
        if name in {"connection_lost", "eof_received", "pause_writing", "resume_writing"}:
            return getattr(object.__getattribute__(self, "_link"), name)
        return object.__getattribute__(self, name)


def test_reused_cipher_counts_like_the_library() -> None:
    key, iv = os.urandom(16), b"abcd" + b"\xff" * 7 + b"\xfe"
    ours, theirs = KeptGcm(key, iv), GCMCipher("aes128-gcm", key, iv)
    for number in range(4):  # the counter wraps in between
        header, data = number.to_bytes(4, "big"), os.urandom(32)
        assert ours.encrypt_and_sign(header, data) == theirs.encrypt_and_sign(header, data)
