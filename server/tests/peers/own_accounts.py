"""An SSH server with accounts of its own: /etc and /home are private to it, so that tests may create and change accounts.

Needs root, which alone can make mount namespaces.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from peers.sshd import Sshd

_PRIVATE = 'set -e; cp -a /etc "$0/etc"; mount --bind "$0/etc" /etc; mount -t tmpfs -o size=16m,mode=755 tmpfs /home; exec "$@"'


class HostWithAccounts(Sshd):
    """Accepts root with `client_key`, and each account with its own `~/.ssh/authorized_keys`."""

    def __init__(self, directory: Path, *, extra: str = "") -> None:
        if os.geteuid() != 0 or shutil.which("unshare") is None:
            pytest.skip("a host with accounts of its own needs root")
        keys = f"AuthorizedKeysFile {directory / 'authorized_keys'} .ssh/authorized_keys"
        super().__init__(directory, extra=f"{extra}\n{keys}")
        self.before = ("unshare", "--mount", "--propagation", "private", "sh", "-c", _PRIVATE, str(directory))

    def run(self, script: str) -> str:
        """Run a shell script on the host as root; returns what it shows. Raises if it fails."""
        done = subprocess.run(
            ["nsenter", "--mount", f"--target={self.pid}", "sh", "-c", script],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout
