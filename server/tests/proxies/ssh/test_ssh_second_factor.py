"""The code after password or key: asked for by real clients, with no way around it (K27: a sign-in belongs to one
person and needs every factor).
"""

import asyncio
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from peers.ssh_answering import ssh_answering
from peers.ssh_proxy import World
from postern.contracts import access
from postern.proxies.ssh.limits import SshLimits

CODE = "314159"


@pytest.fixture
def guarded(world: World) -> World:
    """Alice has a second factor."""
    world.alice.code = CODE
    return world


PASSWORD_ONLY = ("-o", "PubkeyAuthentication=no")


async def test_ssh_asks_for_the_code_after_the_password(guarded: World, tmp_path: Path) -> None:
    result = await ssh_answering(guarded, tmp_path, ["right", CODE], *PASSWORD_ONLY)

    assert (result.status, result.out) == (0, b"in\n"), result.err
    assert b"MFA code or recovery code:" in result.err


async def test_ssh_asks_for_the_code_after_the_key(guarded: World, tmp_path: Path) -> None:
    result = await ssh_answering(guarded, tmp_path, [CODE])

    assert (result.status, result.out) == (0, b"in\n"), result.err
    assert b"Enter the 6 digits" in result.err


async def test_wrong_code_is_reported_and_asked_for_again(guarded: World, tmp_path: Path) -> None:
    result = await ssh_answering(guarded, tmp_path, ["000000", CODE])

    assert (result.status, result.out) == (0, b"in\n"), result.err
    assert b"MFA Error, please check" in result.err


@pytest.mark.parametrize("batch", [True, False])
async def test_without_a_code_there_is_no_session(guarded: World, tmp_path: Path, batch: bool) -> None:
    options = ("-o", "KbdInteractiveAuthentication=no") if batch else ()
    result = await ssh_answering(guarded, tmp_path, ["000000"] * 10, *options)

    assert result.status == 255
    assert b"in" not in result.out
    assert access.AUTHORIZE not in [path for path, _ in guarded.plane.calls]


async def test_wrong_codes_per_connection_are_limited(guarded: World, tmp_path: Path) -> None:
    await ssh_answering(guarded, tmp_path, ["000000"] * 30, "-o", "NumberOfPasswordPrompts=30")

    tried = [path for path, _ in guarded.plane.calls if path == access.SIGN_IN_CODE]
    assert 0 < len(tried) <= SshLimits().auth_tries


def connect(world: World, username: str, **options: object) -> Any:
    return asyncssh.connect(
        "127.0.0.1", world.proxy.port, username=username, known_hosts=None, config=None, agent_path=None,
        **{"client_keys": None, **options},
    )  # fmt: skip


async def test_code_is_not_accepted_as_first_factor(guarded: World) -> None:
    class Client(asyncssh.SSHClient):
        def kbdint_auth_requested(self) -> str:
            return ""

        def kbdint_challenge_received(self, name: str, instructions: str, lang: str, prompts: Any) -> list[str]:
            return [CODE for _ in prompts]

    with pytest.raises(asyncssh.PermissionDenied):
        async with connect(guarded, guarded.login, client_factory=Client, preferred_auth="keyboard-interactive"):
            raise AssertionError("signed in")
    assert access.SIGN_IN_CODE not in [path for path, _ in guarded.plane.calls]


async def test_k27_first_factor_of_one_person_does_not_count_for_another(guarded: World) -> None:
    """Mallory's password, then Alice's name with Mallory's code."""
    mallory = guarded.plane.add_user("mallory", "mine", code="271828")
    alice = guarded.login
    loop = asyncio.get_running_loop()
    changed = asyncio.Event()

    class Switcher(asyncssh.connection.SSHClientConnection):
        async def send_userauth_request(self, method: bytes, *args: bytes, **more: Any) -> None:
            if method == b"keyboard-interactive":
                self._username = alice
                changed.set()
            await super().send_userauth_request(method, *args, **more)

    class Client(asyncssh.SSHClient):
        def kbdint_auth_requested(self) -> str:
            return ""

        def kbdint_challenge_received(self, name: str, instructions: str, lang: str, prompts: Any) -> list[str]:
            return [mallory.code for _ in prompts]

    options = asyncssh.SSHClientConnectionOptions(
        config=None, username="mallory", password="mine", known_hosts=None, client_keys=None, agent_path=None,
        client_factory=Client, preferred_auth="password,keyboard-interactive",
    )  # fmt: skip
    options.waiter = loop.create_future()
    _, link = await loop.create_connection(
        lambda: Switcher(loop, options, wait="auth"), "127.0.0.1", guarded.proxy.port
    )
    with pytest.raises((asyncssh.Error, OSError)):
        async with asyncio.timeout(120):
            await options.waiter
    assert changed.is_set()
    assert access.SIGN_IN_CODE not in [path for path, _ in guarded.plane.calls]
    assert access.AUTHORIZE not in [path for path, _ in guarded.plane.calls]
    link.abort()


async def test_user_without_a_second_factor_is_not_asked(world: World, tmp_path: Path) -> None:
    result = await ssh_answering(world, tmp_path, ["right"], *PASSWORD_ONLY)

    assert (result.status, result.out) == (0, b"in\n"), result.err
    assert b"MFA" not in result.err
