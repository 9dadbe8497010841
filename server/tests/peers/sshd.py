"""A real OpenSSH server on a free port, for the user who runs the tests."""

import asyncio
import contextlib
import getpass
import os
import subprocess
from pathlib import Path
from typing import Self

from peers.ports import free_port

SSHD = "/usr/sbin/sshd"
SSH_KEYGEN = "/usr/bin/ssh-keygen"


def make_key(path: Path, kind: str = "ed25519") -> Path:
    """Make an unencrypted key pair. The public key is beside it, in a file with the suffix .pub."""
    subprocess.run([SSH_KEYGEN, "-q", "-t", kind, "-N", "", "-C", "test", "-f", str(path)], check=True)
    return path


def _make_privilege_separation_directory() -> None:
    """Make the folder that an sshd started by root requires. Packages make it at boot."""
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)


class Sshd:
    """An sshd in the foreground that accepts `login` with `client_key`, SFTP, and any session.

    `extra` are configuration lines before the usual ones.
    """

    #: Arguments before those of sshd: a program that runs it in surroundings of its own.
    before: tuple[str, ...] = ()
    #: The line of its configuration about SFTP.
    sftp = "Subsystem sftp internal-sftp"

    def __init__(self, directory: Path, *, port: int = 0, extra: str = "") -> None:
        self.directory = directory
        self.port = port
        self.login = getpass.getuser()
        self._extra = extra
        self._process: asyncio.subprocess.Process | None = None
        directory.mkdir(parents=True, exist_ok=True)
        self.client_key = directory / "client_key"
        self.host_key = directory / "host_key"
        for key in (self.client_key, self.host_key):
            if not key.exists():
                make_key(key)

    @property
    def log(self) -> str:
        return (self.directory / "log").read_text()

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    async def start(self) -> None:
        _make_privilege_separation_directory()
        authorized = self.directory / "authorized_keys"
        authorized.write_text(self.client_key.with_suffix(".pub").read_text())
        self.port = self.port or free_port()
        home = self.directory / "home"
        home.mkdir(exist_ok=True)
        config = self.directory / "sshd_config"
        config.write_text(
            # sshd takes the first value of each setting.
            f"{self._extra}\nListenAddress 127.0.0.1:{self.port}\nHostKey {self.host_key}\nPidFile none\n"
            f"AuthorizedKeysFile {authorized}\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
            "KbdInteractiveAuthentication no\nPermitRootLogin yes\nUseDNS no\nMaxStartups 1000\nMaxSessions 100\n"
            f"AcceptEnv LANG LC_*\nPrintMotd no\nPrintLastLog no\n{self.sftp}\nLogLevel VERBOSE\n"
            # The start-up files of the tester's own shell may be slow, or wait for another shell that was killed.
            f"SetEnv HOME={home}\n"
        )
        self._process = await asyncio.create_subprocess_exec(
            *self.before, SSHD, "-D", "-f", str(config), "-E", str(self.directory / "log"), stdin=subprocess.DEVNULL
        )
        for _ in range(3_000):
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.close()
                await writer.wait_closed()
                return
            if self._process.returncode is not None:
                raise RuntimeError(f"sshd did not start: {self.log}")
            await asyncio.sleep(0.02)
        raise RuntimeError("sshd does not answer")

    async def stop(self) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()
            await self._process.wait()
        self._process = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()
