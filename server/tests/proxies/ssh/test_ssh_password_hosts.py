"""Password accounts on real sshds: every combination of settings that affect sign-in methods."""

import itertools
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from fakes.control_plane import FakeAsset, FakeSystemUser
from peers.account import Account, system_account
from peers.ssh_proxy import World, run
from peers.sshd import Sshd
from postern.contracts.enums import EndReason
from postern.contracts.events import SessionEnded

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: makes a system account with a password")

ANY = "any"
CHAINS = (
    ANY,
    "password",
    "keyboard-interactive",
    "publickey",
    "publickey,password",
    "publickey,keyboard-interactive",
    "password,publickey",
    "password,keyboard-interactive",
    "keyboard-interactive,password",
)


@dataclass(frozen=True)
class Setting:
    password: bool
    keyboard: bool
    pam: bool
    chain: str = ANY

    @property
    def lines(self) -> str:
        def yes(flag: bool) -> str:
            return "yes" if flag else "no"

        return (
            f"PasswordAuthentication {yes(self.password)}\nKbdInteractiveAuthentication {yes(self.keyboard)}\n"
            f"UsePAM {yes(self.pam)}\nAuthenticationMethods {self.chain}\nLogLevel DEBUG1\n"
        )

    @property
    def is_possible(self) -> bool:
        """Whether sshd can start: it refuses if no chain of methods can be completed."""
        return not (
            ("password" in self.chain and not self.password) or ("keyboard" in self.chain and not self.keyboard)
        )

    def lets_in(self, held: frozenset[str]) -> bool:
        """Whether a client with these credentials (password, key) can sign in at all."""
        able = {
            "publickey": "key" in held,
            "password": self.password and "password" in held,
            # Without PAM it cannot ask questions.
            "keyboard-interactive": self.keyboard and self.pam and "password" in held,
        }
        if self.chain == ANY:
            return any(able.values())
        return all(able[method] for method in self.chain.split(","))

    def __str__(self) -> str:
        flags = (("pw", self.password), ("kbd", self.keyboard), ("pam", self.pam))
        return "+".join(name for name, on in flags if on) + ":" + self.chain


SETTINGS = [
    setting
    for password, keyboard, pam in itertools.product((True, False), repeat=3)
    for chain in CHAINS
    if (setting := Setting(password=password, keyboard=keyboard, pam=pam, chain=chain)).is_possible
]


@pytest.fixture(scope="module")
def account() -> Iterator[Account]:
    with system_account() as made:
        yield made


def host_of(directory: Path, account: Account, setting: Setting, more: str = "") -> Sshd:
    host = Sshd(directory, extra=f"{more}\nAuthorizedKeysFile {account.authorized_keys}\n{setting.lines}")
    account.authorized_keys.write_text(host.client_key.with_suffix(".pub").read_text())
    return host


def failed_tries(host: Sshd) -> list[str]:
    """Return the methods that the host judged and rejected, according to its own log."""
    asked = re.findall(r"userauth-request for user \S+ service ssh-connection method (\S+)", host.log)
    accepted = re.findall(r"(?:Accepted|Partial) (\S+) for", host.log)
    # A key is offered first, and used for signing if the host agrees.
    for method in accepted:
        for _ in range(2 if method == "publickey" else 1):
            asked.remove(method.partition("/")[0])
    return [method for method in asked if method != "none"]


def add_host(world: World, host: Sshd, account: Account, *held: str, password: str = "") -> None:
    user = FakeSystemUser(
        "su",
        account.name,
        password=(password or account.password) if "password" in held else "",
        private_key=host.client_key.read_text() if "key" in held else "",
    )
    world.plane.assets[:] = [asset for asset in world.plane.assets if asset.hostname != "host"]
    world.plane.add_asset(FakeAsset("host", "127.0.0.1", host.port, [user]))


async def sign_in(world: World) -> tuple[int | None, str]:
    result = await run(world.proxy.ssh("alice@su@host", "echo in"))
    assert result.out in (b"in\n", b"")
    return result.status, result.err.decode()


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
async def test_possible_sign_ins_on_a_password_host_succeed_within_two_tries(
    world: World, account: Account, tmp_path: Path, setting: Setting
) -> None:
    async with host_of(tmp_path / "host", account, setting) as host:
        for held in (("password",), ("key",), ("password", "key")):
            add_host(world, host, account, *held)
            before = len(failed_tries(host))

            status, output = await sign_in(world)

            tried = failed_tries(host)[before:]
            assert (status == 0) is setting.lets_in(frozenset(held)), (held, output, tried)
            assert len(tried) <= (1 if status == 0 else 2), (held, tried)
            if status != 0:
                assert f"did not accept the credential of {account.name}" in output
                assert account.password not in output


@pytest.mark.parametrize("setting", [s for s in SETTINGS if s.chain == ANY], ids=str)
async def test_wrong_password_is_sent_once_and_the_failed_method_is_named(
    world: World, account: Account, tmp_path: Path, setting: Setting
) -> None:
    async with host_of(tmp_path / "host", account, setting) as host:
        add_host(world, host, account, "password", password="stale-secret")
        status, output = await sign_in(world)
        tried = failed_tries(host)

    assert status != 0
    if setting.password:
        assert tried == ["password"]
        assert "password: refused." in output
    elif setting.keyboard:
        assert tried == ["keyboard-interactive"]
        assert "keyboard-interactive: refused." in output
    else:
        assert tried == []
        assert "The host asks for publickey, " in output
    assert "stale-secret" not in output
    assert (await world.plane.event(SessionEnded)).reason is EndReason.CREDENTIAL_REFUSED


async def test_wrong_key_and_right_password_sign_in_with_one_failed_try(
    world: World, account: Account, tmp_path: Path
) -> None:
    async with host_of(tmp_path / "host", account, Setting(password=True, keyboard=True, pam=False)) as host:
        account.authorized_keys.write_text("")
        add_host(world, host, account, "password", "key")
        status, output = await sign_in(world)

        assert (status, output) == (0, "")
        assert failed_tries(host) in ([], ["publickey"])


async def test_failed_step_after_a_partial_success_is_named(world: World, account: Account, tmp_path: Path) -> None:
    setting = Setting(password=True, keyboard=True, pam=True, chain="publickey,password")
    async with host_of(tmp_path / "host", account, setting) as host:
        add_host(world, host, account, "password", "key", password="stale-secret")
        status, output = await sign_in(world)
        assert failed_tries(host) == ["password"]

    assert status != 0
    assert "publickey: accepted. password: refused." in output


async def test_second_step_without_a_matching_credential_is_named(
    world: World, account: Account, tmp_path: Path
) -> None:
    setting = Setting(password=True, keyboard=True, pam=True, chain="publickey,password")
    async with host_of(tmp_path / "host", account, setting) as host:
        add_host(world, host, account, "key")
        status, output = await sign_in(world)
        assert failed_tries(host) == []

    assert status != 0
    assert "publickey: accepted. The host asks for password, and the system user has no credential for it" in output


async def test_host_that_allows_one_try_says_which_method_failed(
    world: World, account: Account, tmp_path: Path
) -> None:
    setting = Setting(password=True, keyboard=True, pam=True)
    async with host_of(tmp_path / "host", account, setting, "MaxAuthTries 1") as host:
        add_host(world, host, account, "password", password="stale-secret")
        _, output = await sign_in(world)
        assert "password: refused." in output
        add_host(world, host, account, "password")
        assert (await sign_in(world))[0] == 0


async def test_expired_password_is_reported_and_never_sent_as_the_new_password(world: World, tmp_path: Path) -> None:
    with system_account() as account:
        account.change("-d", "0")
        setting = Setting(password=False, keyboard=True, pam=True)
        async with host_of(tmp_path / "host", account, setting) as host:
            add_host(world, host, account, "password")
            status, output = await sign_in(world)
            tried = failed_tries(host)

    assert status != 0
    assert "keyboard-interactive: the password of this account has expired" in output, output
    assert len(tried) <= 1
