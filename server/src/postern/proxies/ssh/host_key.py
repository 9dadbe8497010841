"""The proxy's own SSH host key: one Ed25519 key, made at the first start and kept."""

import os
from pathlib import Path

import asyncssh

from postern.kernel.errors import SettingsError


def load_host_key(path: Path) -> asyncssh.SSHKey:
    """The key at `path`, made if missing (mode 0600). Raises `SettingsError` when it cannot be used."""
    try:
        if not path.exists():
            key = asyncssh.generate_private_key("ssh-ed25519", comment="postern")
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            fresh = path.with_suffix(".new")
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(key.export_private_key())
                os.fsync(file.fileno())
            fresh.replace(path)
        return asyncssh.read_private_key(str(path))
    except (OSError, asyncssh.KeyImportError, asyncssh.KeyExportError) as error:
        raise SettingsError(f"the SSH host key {path} cannot be used: {error}") from error
