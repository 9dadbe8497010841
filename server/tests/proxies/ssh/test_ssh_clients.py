"""SSH clients of other projects as packaged, and the algorithm sets of clients that are not packaged."""

import asyncio
import logging
import os
import re
import shutil
import stat
from pathlib import Path

import asyncssh
import paramiko
import pytest
from asyncssh.packet import Boolean, Byte, NameList, SSHPacket, String, UInt32

from fakes.control_plane import FakeControlPlane
from peers.ssh_proxy import Ran, World, make_world, run, ssh_proxy
from peers.sshd import Sshd
from postern.proxies.ssh.host_key import load_host_keys

MSG_KEXINIT, MSG_KEX_ECDH_INIT, NEW = 20, 30, 21


@pytest.fixture(params=[True, False], ids=["fast path", "library's path"])
def fast(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def login(world: World) -> str:
    """Return the login form that all of these tools pass on unchanged."""
    return world.login.replace("@", "=")


def fingerprints(world: World) -> list[str]:
    return [key.get_fingerprint() for key in world.proxy.listener.host_keys]


async def dropbear(world: World, login: str, tmp_path: Path, *command: str) -> Ran:
    key = tmp_path / "dropbear_key"
    await run(["dropbearconvert", "openssh", "dropbear", str(world.proxy.key), str(key)])
    return await run(
        ["dbclient", "-y", "-y", "-i", str(key), "-p", str(world.proxy.port), f"{login}@127.0.0.1", *command]
    )


async def putty(world: World, login: str, tmp_path: Path, program: str, *rest: str) -> Ran:
    key = tmp_path / "key.ppk"
    await run(["puttygen", str(world.proxy.key), "-o", str(key)])
    return await run(
        [program, "-batch", "-hostkey", fingerprints(world)[0], "-i", str(key), "-P", str(world.proxy.port), *rest]
    )  # fmt: skip


async def test_dropbear_client_connects_although_it_guesses_the_key_exchange(
    world: World, login: str, tmp_path: Path
) -> None:
    result = await dropbear(world, login, tmp_path, "echo in; echo err >&2; exit 7")
    assert (result.status, result.out) == (7, b"in\n")
    assert b"err\n" in result.err


@pytest.mark.parametrize("credential", ["key", "password"])
async def test_curl_with_libssh2_reads_and_writes_files(
    world: World, login: str, tmp_path: Path, credential: str
) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    source.write_bytes(os.urandom(300_000))
    url = f"sftp://127.0.0.1:{world.proxy.port}"
    who = ["--key", str(world.proxy.key), "--pubkey", f"{world.proxy.key}.pub", "-u", f"{login}:"]
    if credential == "password":
        who = ["-u", f"{login}:right"]

    up = await run(["curl", "-sSk", *who, "-T", str(source), f"{url}{copy}"])
    down = await run(["curl", "-sSk", *who, f"{url}{copy}"])

    assert (up.status, up.err) == (0, b"")
    assert (down.status, down.err) == (0, b"")
    assert down.out == copy.read_bytes() == source.read_bytes()


async def test_plink_runs_a_command(world: World, login: str, tmp_path: Path) -> None:
    result = await putty(world, login, tmp_path, "plink", "-ssh", "-l", login, "127.0.0.1", "echo in; exit 7")
    assert (result.status, result.out) == (7, b"in\n")


async def test_psftp_transfers_files(world: World, login: str, tmp_path: Path) -> None:
    source, back, batch = tmp_path / "source", tmp_path / "back", tmp_path / "batch"
    source.write_bytes(os.urandom(300_000))
    batch.write_text(f"put {source} {tmp_path}/copy\nget {tmp_path}/copy {back}\n")
    result = await putty(world, login, tmp_path, "psftp", "-b", str(batch), "-l", login, "127.0.0.1")
    assert result.status == 0, result
    assert back.read_bytes() == source.read_bytes()


async def test_paramiko_runs_commands_and_transfers_files(world: World, login: str, tmp_path: Path) -> None:
    data = os.urandom(300_000)

    def story() -> tuple[bytes, int, bytes]:
        client = paramiko.SSHClient()
        client.set_missing_host_key_policy(paramiko.AutoAddPolicy())  # noqa: S507 - a test's own server
        client.connect(
            "127.0.0.1",
            world.proxy.port,
            login,
            key_filename=str(world.proxy.key),
            allow_agent=False,
            look_for_keys=False,
        )
        with client:
            _, out, _ = client.exec_command("echo in; exit 7")
            output, status = out.read(), out.channel.recv_exit_status()
            with client.open_sftp() as sftp:
                with sftp.open(str(tmp_path / "copy"), "wb") as file:
                    file.write(data)
                with sftp.open(str(tmp_path / "copy"), "rb") as file:
                    return output, status, file.read()

    assert await asyncio.to_thread(story) == (b"in\n", 7, data)


async def test_rsync_and_scp_accept_the_login_name_unchanged(world: World, login: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(os.urandom(300_000))
    options = " ".join(world.proxy.options())
    remote = f"{login}@127.0.0.1"
    synced = await run(
        ["rsync", "-e", f"ssh {options} -p {world.proxy.port}", str(source), f"{remote}:{tmp_path}/synced"]
    )
    copied = await run(
        ["scp", *world.proxy.options(), "-P", str(world.proxy.port), str(source), f"{remote}:{tmp_path}/copied"]
    )
    assert (synced.status, synced.err, copied.status, copied.err) == (0, b"", 0, b"")
    assert (tmp_path / "synced").read_bytes() == (tmp_path / "copied").read_bytes() == source.read_bytes()


#: Key exchange, host keys, ciphers, MACs. From the clients' documentation, without SSH-2's broken algorithms.
SETS = {
    "jsch 0.2, Java 8": ("diffie-hellman-group16-sha512,diffie-hellman-group14-sha256", "rsa-sha2-512,rsa-sha2-256", "aes128-ctr", "hmac-sha2-256"),
    "jsch 0.2, Java 17": ("curve25519-sha256", "ssh-ed25519", "aes128-gcm@openssh.com", "hmac-sha2-256-etm@openssh.com"),
    "libssh2 1.10": ("curve25519-sha256@libssh.org", "ssh-ed25519", "aes256-ctr,aes192-ctr,aes128-ctr", "hmac-sha2-512"),
    "sshj": ("curve25519-sha256@libssh.org", "rsa-sha2-512", "aes256-ctr", "hmac-sha2-512"),
    "Go x/crypto": ("curve25519-sha256", "rsa-sha2-256", "aes128-gcm@openssh.com", "hmac-sha2-256-etm@openssh.com"),
    "PuTTY 0.70": ("curve25519-sha256@libssh.org", "ssh-ed25519", "aes256-ctr", "hmac-sha2-256"),
    "chacha only": ("mlkem768x25519-sha256", "ssh-ed25519", "chacha20-poly1305@openssh.com", "hmac-sha2-256"),
}  # fmt: skip


#: The cryptography library warns that finite-field Diffie-Hellman should give way to elliptic curves.
@pytest.mark.filterwarnings("ignore:Diffie-Hellman over finite fields")
@pytest.mark.parametrize("client", SETS)
async def test_common_clients_share_algorithms_with_the_proxy(world: World, client: str) -> None:
    kex, host_key, cipher, mac = (names.split(",") for names in SETS[client])
    data = os.urandom(200_000)
    async with asyncssh.connect(
        "127.0.0.1", world.proxy.port, username=world.login, client_keys=[str(world.proxy.key)], known_hosts=None,
        config=None, agent_path=None, kex_algs=kex, server_host_key_algs=host_key, encryption_algs=cipher, mac_algs=mac,
    ) as connection:  # fmt: skip
        process = await connection.create_process("cat", encoding=None)
        process.stdin.write(data)
        process.stdin.write_eof()
        assert (await process.wait()).stdout == data


async def test_broken_algorithms_are_not_offered(world: World) -> None:
    for broken in (
        {"mac_algs": ["hmac-sha1"], "encryption_algs": ["aes256-ctr"]},
        {"encryption_algs": ["aes256-cbc"]},
        {"kex_algs": ["diffie-hellman-group14-sha1"]},
        {"server_host_key_algs": ["ssh-rsa"]},
    ):
        with pytest.raises(asyncssh.KeyExchangeFailed):
            await asyncssh.connect(
                "127.0.0.1",
                world.proxy.port,
                username="alice",
                known_hosts=None,
                config=None,
                agent_path=None,
                **broken,
            )


async def test_two_clients_at_once_get_the_rsa_signature_that_each_chose(world: World) -> None:
    async def sign_in(algorithm: str) -> None:
        async with asyncssh.connect(
            "127.0.0.1", world.proxy.port, username=world.login, client_keys=[str(world.proxy.key)], known_hosts=None,
            config=None, agent_path=None, server_host_key_algs=[algorithm],
        ) as connection:  # fmt: skip
            assert connection.get_server_host_key() is not None

    await asyncio.gather(*(sign_in(f"rsa-sha2-{256 * (1 + n % 2)}") for n in range(8)))


async def test_end_during_key_exchange_is_logged_with_the_reason(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    result = await run([*world.proxy.ssh(world.login, "true"), "-o", "HostKeyAlgorithms=ecdsa-sha2-nistp256"])
    assert result.status == 0  # after the host's name it belongs to the command
    options = ("-o", "HostKeyAlgorithms=ecdsa-sha2-nistp256")
    assert (await run(world.proxy.ssh(world.login, "true", options=options))).status == 255
    _, gone = await asyncio.open_connection("127.0.0.1", world.proxy.port)
    gone.write(b"SSH-2.0-Gone\x1b[31m\r\n")
    await gone.drain()
    gone.close()
    _, silent = await asyncio.open_connection("127.0.0.1", world.proxy.port)
    silent.close()

    def lines() -> list[str]:
        return [text for text in caplog.messages if "key exchange with 127.0.0.1" in text]

    await world.plane.until(lambda: len(lines()) >= 2)
    assert re.search(r"\(SSH-2\.0-OpenSSH_.*\) failed: Unable to find compatible server host key", lines()[0])
    assert "SSH-2.0-Gone" in lines()[1]
    assert len(lines()) == 2


async def test_installation_with_one_host_key_gets_the_second_at_the_next_start_and_keeps_the_first(
    control_plane: FakeControlPlane, sshd: Sshd, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with ssh_proxy(control_plane, tmp_path / "p") as proxy:
        state = proxy.config.state_dir
        first, second = proxy.listener.host_keys
    (state / "ssh_host_rsa_key").unlink()
    shutil.rmtree(tmp_path / "p" / "person_key", ignore_errors=True)
    for name in ("person_key", "person_key.pub"):
        (tmp_path / "p" / name).unlink()
    caplog.clear()

    async with ssh_proxy(control_plane, tmp_path / "p") as proxy:
        world = make_world(proxy, control_plane, sshd)
        old_key, fresh = proxy.listener.host_keys
        again = await run(proxy.ssh(world.login, "echo in", options=("-o", "HostKeyAlgorithms=rsa-sha2-256")))

    assert old_key.get_fingerprint() == first.get_fingerprint()
    assert fresh.get_fingerprint() != second.get_fingerprint()
    assert fresh.pyca_key.key_size == 3072
    assert again.out == b"in\n"
    (line,) = [text for text in caplog.messages if text.startswith("ssh on ")]
    assert f"ED25519 {old_key.get_fingerprint()}" in line
    assert f"RSA {fresh.get_fingerprint()}" in line
    for path in state.glob("ssh_host_*"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [key.get_fingerprint() for key in load_host_keys(state)] == [
        old_key.get_fingerprint(),
        fresh.get_fingerprint(),
    ]


class Guesser(asyncio.Protocol):
    """The first packets of a client that guesses (RFC 4253, section 7), and the server's answers."""

    def __init__(self, kex: list[bytes], host_keys: list[bytes]) -> None:
        self.kex, self.host_keys = kex, host_keys
        self.received = b""
        self.closed = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        lists = [self.kex, self.host_keys, *[[b"aes128-ctr"]] * 2, *[[b"hmac-sha2-256"]] * 2, *[[b"none"]] * 2, [], []]
        kexinit = Byte(MSG_KEXINIT) + os.urandom(16) + b"".join(map(NameList, lists)) + Boolean(True) + UInt32(0)
        guess = Byte(MSG_KEX_ECDH_INIT) + String(os.urandom(32))
        transport.write(b"SSH-2.0-Guesser\r\n" + self.framed(kexinit) + self.framed(guess))

    @staticmethod
    def framed(payload: bytes) -> bytes:
        padding = 8 - (len(payload) + 5) % 8 + 4
        padding += -(len(payload) + 5 + padding) % 8
        return UInt32(len(payload) + 1 + padding) + Byte(padding) + payload + bytes(padding)

    def data_received(self, data: bytes) -> None:
        self.received += data

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.closed.done():
            self.closed.set_result(None)

    def packets(self) -> list[int]:
        """Types of the packets received unencrypted."""
        rest = self.received.partition(b"\r\n")[2]
        types = []
        while len(rest) > 5 and (not types or types[-1] != NEW):
            length = int.from_bytes(rest[:4], "big")
            types.append(SSHPacket(rest[5 : 4 + length]).get_byte())
            rest = rest[4 + length :]
        return types


@pytest.mark.parametrize(
    ("kex", "host_keys", "taken"),
    [
        ([b"mlkem768x25519-sha256"], [b"ssh-ed25519"], True),
        # the server prefers another algorithm: the guess does not count
        ([b"curve25519-sha256"], [b"ssh-ed25519"], False),
        ([b"diffie-hellman-group14-sha1", b"curve25519-sha256"], [b"ssh-ed25519"], False),
        ([b"curve25519-sha256"], [b"rsa-sha2-256"], False),
    ],
)
async def test_guessed_packet_counts_only_when_both_sides_prefer_the_same(
    world: World, kex: list[bytes], host_keys: list[bytes], taken: bool
) -> None:
    loop = asyncio.get_running_loop()
    transport, guesser = await loop.create_connection(lambda: Guesser(kex, host_keys), "127.0.0.1", world.proxy.port)
    if taken:
        await guesser.closed  # a random key share is invalid: it was read, and refused
        assert NEW not in guesser.packets()
    else:
        transport.write(Guesser.framed(Byte(MSG_KEX_ECDH_INIT) + String(os.urandom(32))))
        await world.plane.until(lambda: NEW in guesser.packets())
        assert guesser.packets() == [MSG_KEXINIT, 31, NEW]
    transport.close()
