"""Who can sign in, how, and what strangers learn."""

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import asyncssh
import pytest
from asyncssh.packet import Boolean, String
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from fakes.control_plane import FakeControlPlane
from peers.ssh_proxy import World, make_world, run, ssh_proxy
from peers.sshd import Sshd, make_key
from peers.terminal import Terminal
from postern.contracts import access
from postern.contracts.access import Denial
from postern.contracts.enums import DenialCode
from postern.contracts.terminals import ProxySettings
from postern.proxies.ssh.front import is_usable
from postern.proxies.ssh.limits import SshLimits
from postern.proxies.ssh.person import Person


def connect(world: World, username: str, **options: object) -> Any:
    return asyncssh.connect(
        "127.0.0.1", world.proxy.port, username=username, known_hosts=None, config=None, agent_path=None,
        **{"client_keys": None, **options},
    )  # fmt: skip


async def test_right_password_signs_in(world: World) -> None:
    async with connect(world, world.login, password="right") as connection:
        assert (await connection.run("echo in")).stdout == "in\n"


async def test_wrong_password_is_refused_without_details(world: World) -> None:
    with pytest.raises(asyncssh.PermissionDenied):
        async with connect(world, world.login, password="wrong"):
            raise AssertionError("signed in")
    with pytest.raises(asyncssh.PermissionDenied):
        async with connect(world, "nobody@deploy@web1", password="wrong"):
            raise AssertionError("signed in")


async def test_locked_account_is_explained(world: World) -> None:
    message = "This account is locked for 30 minutes."
    world.alice.denial = Denial(code=DenialCode.LOCKED, message=message)
    banners: list[str] = []

    class Client(asyncssh.SSHClient):
        def auth_banner_received(self, msg: str, lang: str) -> None:
            banners.append(msg)

    with pytest.raises(asyncssh.PermissionDenied):
        async with connect(world, world.login, password="right", client_factory=Client):
            raise AssertionError("signed in")
    assert banners == [message + "\r\n"]


async def test_password_tries_per_connection_are_limited(world: World) -> None:
    tries = 0

    class Client(asyncssh.SSHClient):
        def password_auth_requested(self) -> str:
            nonlocal tries
            tries += 1
            return f"wrong{tries}"

    with pytest.raises(asyncssh.DisconnectError):
        async with connect(world, world.login, client_factory=Client, preferred_auth="password"):
            raise AssertionError("signed in")
    assert len([path for path, _ in world.plane.calls if path == access.SIGN_IN_PASSWORD]) == SshLimits().auth_tries


async def test_disabled_methods_are_not_offered(world: World) -> None:
    world.proxy.settings.current = ProxySettings(password_auth=False, public_key_auth=True)
    with pytest.raises(asyncssh.PermissionDenied):
        async with connect(world, world.login, password="right"):
            raise AssertionError("signed in")
    world.proxy.settings.current = ProxySettings(password_auth=True, public_key_auth=False)
    with pytest.raises(asyncssh.PermissionDenied):
        async with connect(world, world.login, client_keys=[str(world.proxy.key)]):
            raise AssertionError("signed in")
    assert not [path for path, _ in world.plane.calls if path in (access.SIGN_IN_PASSWORD, access.SIGN_IN_PUBLIC_KEY)]


class TypesACode(asyncssh.SSHClient):
    """Answers every question with the same text, and remembers what was asked."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.asked: list[str] = []

    def kbdint_auth_requested(self) -> str:
        return ""

    def kbdint_challenge_received(self, name: str, instructions: str, lang: str, prompts: Any) -> list[str]:
        self.asked += [instructions, *(prompt for prompt, _echo in prompts)]
        return [self.code for _ in prompts]


async def test_where_passwords_are_off_a_code_from_the_console_is_asked_for_by_name(world: World) -> None:
    world.proxy.settings.current = ProxySettings(
        password_auth=False, code_auth=True, language="en", console_url="https://bastion.test"
    )
    client = TypesACode("right")
    async with connect(world, world.login, client_factory=lambda: client) as connection:
        assert (await connection.run("echo in")).stdout == "in\n"
    assert client.asked == [
        (
            "Passwords are not accepted over SSH. Use an SSH key, or sign in to the console https://bastion.test and "
            "get a code for SSH from your profile."
        ),
        "Code for SSH: ",
    ]
    assert [path for path, _ in world.plane.calls].count(access.SIGN_IN_PASSWORD) == 1


async def test_wrong_codes_from_the_console_are_limited_per_connection(world: World) -> None:
    world.proxy.settings.current = ProxySettings(password_auth=False, code_auth=True)
    with pytest.raises((asyncssh.DisconnectError, asyncssh.PermissionDenied)):
        async with connect(world, world.login, client_factory=lambda: TypesACode("wrong")):
            raise AssertionError("signed in")
    asked = [path for path, _ in world.plane.calls].count(access.SIGN_IN_PASSWORD)
    assert 0 < asked <= SshLimits().auth_tries


async def test_a_code_is_not_asked_for_where_passwords_are_on(world: World) -> None:
    """The password's question takes it, too. Clients would ask for the code first."""
    world.proxy.settings.current = ProxySettings(password_auth=True, code_auth=True)
    client = TypesACode("right")
    with pytest.raises(asyncssh.PermissionDenied):
        async with connect(world, world.login, client_factory=lambda: client):
            raise AssertionError("signed in")
    assert client.asked == []


@pytest.mark.parametrize("kind", ["ed25519", "ecdsa", "rsa"])
async def test_public_key_signs_in(world: World, tmp_path: Path, kind: str) -> None:
    key = make_key(tmp_path / "key", kind)
    world.alice.keys.append(key.with_suffix(".pub").read_text())

    result = await run(
        ["ssh", *world.proxy.options(key=key), "-p", str(world.proxy.port), "-l", world.login, "127.0.0.1", "echo in"]
    )

    assert result.out == b"in\n"


async def test_k8_key_that_is_only_offered_signs_nobody_in(world: World) -> None:
    public = asyncssh.read_public_key(str(world.proxy.key) + ".pub")
    offered = asyncio.Event()

    class OffersOnly(asyncssh.connection.SSHClientConnection):
        """Offers a key, receives "acceptable", and continues as if that were enough."""

        async def send_userauth_request(self, method: bytes, *args: bytes, **_: object) -> None:
            if method == b"publickey":
                args = (Boolean(False), String(public.sig_algorithms[0]), String(public.public_data))
                offered.set()
            await super().send_userauth_request(method, *args)

    loop = asyncio.get_running_loop()
    options = asyncssh.SSHClientConnectionOptions(
        config=None, username=world.login, known_hosts=None, client_keys=[str(world.proxy.key)], agent_path=None,
        preferred_auth="publickey",
    )  # fmt: skip
    options.waiter = loop.create_future()
    _, link = await loop.create_connection(
        lambda: OffersOnly(loop, options, wait="auth"), "127.0.0.1", world.proxy.port
    )
    await offered.wait()
    await world.plane.until(lambda: access.PUBLIC_KEY_OFFER in [path for path, _ in world.plane.calls])
    # A channel request without sign-in is a protocol error: the proxy disconnects.
    link._auth_complete = True
    link.send_packet(90, String("session"), b"\0\0\0\0", b"\0\x20\0\0", b"\0\0\x80\0")
    with pytest.raises((asyncssh.Error, OSError)):
        await asyncio.wait_for(options.waiter, 60)
    paths = [path for path, _ in world.plane.calls]
    assert access.PUBLIC_KEY_OFFER in paths
    assert access.SIGN_IN_PUBLIC_KEY not in paths
    assert access.AUTHORIZE not in paths
    link.abort()


async def test_k8_signature_by_another_key_signs_nobody_in(world: World, tmp_path: Path) -> None:
    stranger = asyncssh.read_private_key(str(make_key(tmp_path / "stranger")))
    mine = asyncssh.read_private_key(str(world.proxy.key))

    pair = asyncssh.load_keypairs([mine])[0]
    pair.sign = lambda data: stranger.sign(data, b"ssh-ed25519")  # type: ignore[method-assign]  # shows alice's key, signs with another one

    with pytest.raises(asyncssh.PermissionDenied):
        async with connect(world, world.login, client_keys=[pair]):
            raise AssertionError("signed in")
    assert access.SIGN_IN_PUBLIC_KEY not in [path for path, _ in world.plane.calls]


@pytest.mark.parametrize(("bits", "usable"), [(1024, False), (2048, True), (4096, True), (8192, False), (16384, False)])
def test_k65_rsa_keys_of_absurd_size_are_refused_before_use(bits: int, usable: bool) -> None:
    numbers = RSAPublicNumbers(e=65537, n=(1 << (bits - 1)) + 1)
    line = numbers.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)

    assert is_usable(asyncssh.import_public_key(line)) is usable


async def test_k65_small_rsa_key_never_reaches_the_control_plane(world: World, tmp_path: Path) -> None:
    key = tmp_path / "rsa1024"
    await run(["ssh-keygen", "-q", "-t", "rsa", "-b", "1024", "-N", "", "-f", str(key)])
    world.alice.keys.append(key.with_suffix(".pub").read_text())
    options = [*world.proxy.options(key=key), "-o", "RequiredRSASize=1024", "-p", str(world.proxy.port)]

    assert (await run(["ssh", *options, "-l", world.login, "127.0.0.1", "true"])).status == 255
    assert access.PUBLIC_KEY_OFFER not in [path for path, _ in world.plane.calls]


async def test_k65_number_of_offered_keys_is_limited(world: World) -> None:
    keys = [asyncssh.generate_private_key("ssh-ed25519") for _ in range(23)]
    with pytest.raises((asyncssh.PermissionDenied, asyncssh.DisconnectError)):
        async with connect(world, world.login, client_keys=keys):
            raise AssertionError("signed in")
    assert keys_asked(world) == 20


def keys_asked(world: World) -> int:
    return len([path for path, _ in world.plane.calls if path == access.PUBLIC_KEY_OFFER])


async def test_agent_with_twenty_keys_signs_in_with_its_last(world: World) -> None:
    keys = [asyncssh.generate_private_key("ssh-ed25519") for _ in range(19)]
    keys.append(asyncssh.read_private_key(str(world.proxy.key)))
    async with connect(world, world.login, client_keys=keys) as connection:
        assert (await connection.run("echo in")).stdout == "in\n"
    assert keys_asked(world) == 20


async def test_key_offered_repeatedly_is_looked_up_once(world: World) -> None:
    """Each offer costs the client little, so it must not cost the control plane anything."""
    stranger = asyncssh.generate_private_key("ssh-ed25519")
    with pytest.raises((asyncssh.PermissionDenied, asyncssh.DisconnectError)):
        async with connect(world, world.login, client_keys=[stranger] * 15):
            raise AssertionError("signed in")
    assert keys_asked(world) == 1


async def test_keys_of_one_address_wait_their_turn(control_plane: FakeControlPlane, sshd: Sshd, tmp_path: Path) -> None:
    """Beyond the limit nobody is refused: a neighbour who floods with keys locks nobody out."""
    limits = SshLimits(keys_per_source_per_s=1)
    async with ssh_proxy(control_plane, tmp_path / "p", ssh_limits=limits) as proxy:
        world = make_world(proxy, control_plane, sshd)
        keys = [asyncssh.generate_private_key("ssh-ed25519") for _ in range(20)]
        neighbour = asyncio.create_task(refused(world, keys))
        await control_plane.until(lambda: keys_asked(world) >= 10)
        own = asyncssh.read_private_key(str(world.proxy.key))
        async with connect(world, world.login, client_keys=[own]) as connection:
            assert (await connection.run("echo in")).stdout == "in\n"
            assert keys_asked(world) < 20, "the neighbour waits still"
        neighbour.cancel()


async def refused(world: World, keys: list[asyncssh.SSHKey]) -> None:
    with pytest.raises((asyncssh.PermissionDenied, asyncssh.DisconnectError)):
        async with connect(world, world.login, client_keys=keys):
            raise AssertionError("signed in")


async def test_k33_certificate_that_the_control_plane_does_not_know_signs_nobody_in(
    world: World, tmp_path: Path
) -> None:
    authority = make_key(tmp_path / "ca")
    await run(
        ["ssh-keygen", "-q", "-s", str(authority), "-I", "alice", "-n", world.login, str(world.proxy.key) + ".pub"]
    )
    world.alice.keys.clear()
    world.alice.keys.append(authority.with_suffix(".pub").read_text())

    assert (await run(world.proxy.ssh(world.login, "true"))).status == 255


async def test_k53_silent_connections_do_not_delay_a_sign_in(world: World) -> None:
    silent = [await asyncio.open_connection("127.0.0.1", world.proxy.port) for _ in range(15)]
    loop = asyncio.get_running_loop()
    begun = loop.time()
    async with connect(world, world.login, password="right") as connection:
        assert (await connection.run("echo in")).stdout == "in\n"
    assert loop.time() - begun < 5
    for _, writer in silent:
        writer.close()


async def test_accepts_are_limited_per_source(control_plane: FakeControlPlane, sshd: Sshd, tmp_path: Path) -> None:
    limits = SshLimits(unauthenticated_per_source=3, new_connections_per_source_per_s=100)
    async with ssh_proxy(control_plane, tmp_path / "p", ssh_limits=limits) as proxy:
        world = make_world(proxy, control_plane, sshd)
        streams = [await asyncio.open_connection("127.0.0.1", proxy.port) for _ in range(5)]
        greetings = [await reader.readline() for reader, _ in streams[:3]]
        refused = [await reader.read() for reader, _ in streams[3:]]
        for _, writer in streams:
            writer.close()
        assert all(line.startswith(b"SSH-2.0-") for line in greetings)
        assert refused == [b"", b""]
        await control_plane.until(lambda: proxy.listener.admission.connections == 0)
        async with connect(world, world.login, password="right") as connection:
            assert (await connection.run("echo in")).stdout == "in\n"


async def test_sign_in_that_takes_too_long_is_disconnected(control_plane: FakeControlPlane, tmp_path: Path) -> None:
    async with ssh_proxy(control_plane, tmp_path / "p", ssh_limits=SshLimits(login_timeout_s=0.3)) as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        async with asyncio.timeout(60):
            while await reader.read(65536):
                pass
        writer.close()


async def test_k50_huge_packet_before_sign_in_is_refused(world: World) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", world.proxy.port)
    await reader.readline()
    writer.write(b"SSH-2.0-test\r\n" + (0x7FFFFFFF).to_bytes(4, "big") + b"x" * 100_000)
    async with asyncio.timeout(60):
        while await reader.read(65536):
            pass
    writer.close()


async def test_k50_input_behind_a_waiting_packet_does_not_pile_up(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the handling of a packet waits, the proxy reads only a limited amount further."""
    begin_auth = Person.begin_auth

    async def slowly(person: Person, username: str) -> bool:
        await asyncio.sleep(1.0)
        return await begin_auth(person, username)

    monkeypatch.setattr(Person, "begin_auth", slowly)

    class Flooder(asyncssh.connection.SSHClientConnection):
        async def send_userauth_request(self, method: bytes, *args: bytes, **more: Any) -> None:
            await super().send_userauth_request(method, *args, **more)
            for _ in range(200):
                self.send_packet(2, String(b"x" * 30_000))

    loop = asyncio.get_running_loop()
    options = asyncssh.SSHClientConnectionOptions(
        config=None, username=world.login, password="right", known_hosts=None, client_keys=None, agent_path=None
    )
    options.waiter = loop.create_future()
    _, link = await loop.create_connection(lambda: Flooder(loop, options, wait="auth"), "127.0.0.1", world.proxy.port)
    unhandled = [0]
    async with asyncio.timeout(90):
        while not options.waiter.done():
            unhandled += [len(one._inpbuf) for one in world.proxy.listener._links]
            await asyncio.sleep(0.05)
        await options.waiter  # and nothing was lost: the sign-in succeeds
    assert 0 < max(unhandled) < 1024 * 1024
    link.abort()


async def test_k50_ssh_audit_finds_no_failure(world: World) -> None:
    result = await run(
        [
            str(Path(__import__("sys").executable).parent / "ssh-audit"),
            "-n",
            "-l",
            "fail",
            "-p",
            str(world.proxy.port),
            "127.0.0.1",
        ],
        timeout_s=200,
    )

    assert b"[fail]" not in result.out, result.out.decode()
    assert b"(fin)" in result.out or result.out


@pytest.mark.parametrize(
    ("ciphers", "taken"),
    [
        ("", "aes128-gcm@openssh.com"),  # OpenSSH's own order begins with chacha20
        ("chacha20-poly1305@openssh.com,aes256-gcm@openssh.com", "aes256-gcm@openssh.com"),
        ("chacha20-poly1305@openssh.com", "chacha20-poly1305@openssh.com"),
        ("aes256-ctr", "aes256-ctr"),
    ],
)
async def test_openssh_clients_get_gcm_if_supported_and_another_cipher_otherwise(
    world: World, ciphers: str, taken: str
) -> None:
    options = ("-o", f"Ciphers={ciphers}") if ciphers else ()
    async with Terminal(world.proxy.ssh(world.login, "echo rea''dy; cat", options=("-tt", *options))) as terminal:
        await terminal.expect("ready")
        link = next(iter(world.proxy.listener._links))
        assert (link.get_extra_info("send_cipher"), link.get_extra_info("recv_cipher")) == (taken, taken)


async def test_client_that_claims_to_be_openssh_and_waits_gets_an_offer(world: World) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", world.proxy.port)
    await reader.readline()
    writer.write(b"SSH-2.0-OpenSSH_9.9\r\n")
    async with asyncio.timeout(60):
        length = int.from_bytes(await reader.readexactly(4), "big")
        packet = await reader.readexactly(length)
    assert packet[1] == 20
    assert b"chacha20-poly1305@openssh.com" in packet
    assert b"kex-strict-s-v00@openssh.com" in packet
    writer.close()


async def test_malformed_input_of_strangers_is_at_most_one_log_line(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    for nonsense in (
        b"GET / HTTP/1.0\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.9\r\n" + (20).to_bytes(4, "big") + b"\4\x14" + b"x" * 18,
        b"SSH-2.0-x\r\n" + (20).to_bytes(4, "big") + b"\4\x14" + b"x" * 18,
        b"SSH-2.0-x\r\n" + b"\xff" * 100,
        b"\0" * 9000,
    ):
        reader, writer = await asyncio.open_connection("127.0.0.1", world.proxy.port)
        writer.write(nonsense)
        async with asyncio.timeout(90):
            with contextlib.suppress(ConnectionError):
                while await reader.read(65536):
                    pass
        writer.close()

    assert "Traceback" not in caplog.text
    assert [record for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")] == []
