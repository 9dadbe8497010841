"""The proxy's own SSH host keys: Ed25519 and RSA, created at the first start.

An installation that was set up with Ed25519 only gets its RSA key at the next start. Clients that know the Ed25519 key
continue to use it.
"""

import os
from collections.abc import Iterable
from pathlib import Path

import asyncssh
from asyncssh.public_key import SSHKeyPair, load_keypairs

from postern.kernel.errors import SettingsError
from postern.proxies.ssh_connections import algorithms

_ED25519 = "ssh_host_ed25519_key"
_RSA = "ssh_host_rsa_key"


def load_host_keys(folder: Path) -> tuple[asyncssh.SSHKey, ...]:
    """Return the keys in `folder`, preferred key first. Missing keys are created (mode 0600). Raises
    `SettingsError`.
    """
    return (
        _load(folder / _ED25519, "ssh-ed25519"),
        _load(folder / _RSA, "ssh-rsa", key_size=algorithms.HOST_KEY_RSA_BITS),
    )


def _load(path: Path, algorithm: str, **options: int) -> asyncssh.SSHKey:
    try:
        if not path.exists():
            key = asyncssh.generate_private_key(algorithm, comment="postern", **options)
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


def signers(keys: Iterable[asyncssh.SSHKey]) -> list[SSHKeyPair]:
    """Return one signer per offered algorithm.

    The library would share one RSA signer and set its hash after a client has chosen. Two simultaneous clients could
    then get each other's hash. It would also offer SHA-1.
    """
    pairs: list[SSHKeyPair] = []
    for key in keys:
        for name in (algorithm.encode("ascii") for algorithm in algorithms.HOST_KEY):
            pair = load_keypairs([key])[0]
            if name in pair.host_key_algorithms:
                pair.host_key_algorithms = (name,)
                pairs.append(pair)
    return sorted(pairs, key=lambda pair: algorithms.HOST_KEY.index(pair.host_key_algorithms[0].decode("ascii")))


def described(key: asyncssh.SSHKey) -> str:
    """Describe the key so that an operator can compare it with what a client shows."""
    return f"{key.get_algorithm().removeprefix('ssh-').upper()} {key.get_fingerprint()}"
