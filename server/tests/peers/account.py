"""A temporary account of this system with a password, for tests of an sshd that checks passwords. Needs root."""

import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Account:
    name: str
    password: str
    home: Path

    @property
    def authorized_keys(self) -> Path:
        """A path that an sshd can read as this account. The folders of the tests are closed to other accounts."""
        return self.home / "authorized_keys"

    def change(self, *options: str) -> None:
        """Run `chage` with these options, for example `-d 0`, which makes the password expired."""
        subprocess.run(["chage", *options, self.name], check=True)


@contextmanager
def system_account() -> Iterator[Account]:
    """An account that useradd makes, deleted at the end of the block."""
    home = Path(tempfile.mkdtemp(prefix="postern-account-"))
    account = Account(f"pt-{secrets.token_hex(4)}", secrets.token_hex(8), home)
    subprocess.run(["useradd", "-M", "-N", "-d", str(home), "-s", "/bin/sh", account.name], check=True)
    try:
        shutil.chown(home, account.name)
        subprocess.run(["chpasswd"], input=f"{account.name}:{account.password}\n", text=True, check=True)
        yield account
    finally:
        subprocess.run(["userdel", "-f", account.name], check=True, capture_output=True)
        shutil.rmtree(home)
