"""The demo's target: a real sshd on a loopback port of this machine, for the user who runs the demo."""

import getpass
import os
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Final

from postern.entrypoints.supervisor import Part
from postern.entrypoints.up import postern
from postern.foundation.machine.secret_files import read_or_create
from postern.kernel.errors import SettingsError

_SSHD: Final = Path("/usr/sbin/sshd")
_PRIVILEGE_SEPARATION: Final = Path("/run/sshd")


class DemoHost:
    """An sshd whose files are in `folder`. Keys and port are created once and reused."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.login = getpass.getuser()
        self.port = 0
        self._client_key = folder / "client_key"

    @property
    def client_key(self) -> str:
        """The private key for signing in to the host, in OpenSSH format."""
        return self._client_key.read_text(encoding="utf-8")

    def prepare(self) -> "DemoHost":
        """Create keys and configuration. Raises SettingsError when this machine has no sshd."""
        if not _SSHD.exists():
            raise SettingsError("the demo needs a local sshd; `make demo` installs it (Debian package openssh-server)")
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.port = int(read_or_create(self._folder / "port", lambda: str(_free_port())))
        host_key = self._folder / "host_key"
        for key in (self._client_key, host_key):
            if not key.exists():
                _make_key(key)
        authorized = self._folder / "authorized_keys"
        shutil.copyfile(self._client_key.with_suffix(".pub"), authorized)
        if os.geteuid() == 0 and not _PRIVILEGE_SEPARATION.exists():
            _PRIVILEGE_SEPARATION.mkdir()
            _PRIVILEGE_SEPARATION.chmod(0o755)  # a system folder, so it gets the mode that sshd packages use
        home = self._folder / "home"
        home.mkdir(mode=0o700, exist_ok=True)
        lines = (
            f"ListenAddress 127.0.0.1:{self.port}",
            f'HostKey "{host_key}"',
            f'AuthorizedKeysFile "{authorized}"',
            # Only the user who runs the demo can sign in, and only with the key above.
            f"AllowUsers {self.login}",
            "PasswordAuthentication no",
            "KbdInteractiveAuthentication no",
            "PermitRootLogin prohibit-password",
            "StrictModes no",  # the data folder may be below a folder that others can write, e.g. /tmp
            "UsePAM no",
            "UseDNS no",
            "PidFile none",
            "PrintMotd no",
            "PrintLastLog no",
            "AllowTcpForwarding no",
            # Keep the operator's shell history clean, and do not run their shell's start-up files.
            f'SetEnv HISTFILE=/dev/null LANG=C.UTF-8 "HOME={home}"',
            "Subsystem sftp internal-sftp",
        )
        self._config.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return self

    @property
    def _config(self) -> Path:
        return self._folder / "sshd_config"

    def part(self) -> Part:
        """The sshd as a process for the supervisor."""

        async def ready() -> bool:
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", self.port)) == 0

        log = str(self._folder / "log")
        argv = (*postern("exec"), str(_SSHD), "-D", "-f", str(self._config), "-E", log)
        return Part(name="host", argv=argv, ready=ready)


def _make_key(path: Path) -> None:
    argv = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "postern demo", "-f", str(path))
    try:
        subprocess.run(argv, check=True, stdin=subprocess.DEVNULL)  # noqa: S603 - an argument list, own values
    except (OSError, subprocess.CalledProcessError) as error:
        raise SettingsError(f"cannot make a key for the demo's host with ssh-keygen: {error}") from error


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
