"""Trusted issuers: the public keys in `POSTERN_HOME/licence/trusted`, placed there by an operator with a shell on the
host.

No network request writes this folder. Files that other system users can write are ignored.
"""

import logging
import os
import stat
from functools import lru_cache
from pathlib import Path
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

from postern.apps.licence.document import TrustedKey, key_id
from postern.kernel.errors import SettingsError

logger = logging.getLogger(__name__)

_MAX_KEY_BYTES: Final = 4096
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH

#: Name, modification time, size and mode of every file: the keys are cached while these are unchanged.
_Stamp = tuple[tuple[str, int, int, int], ...]


def folder(home: Path) -> Path:
    """The folder of the trusted keys."""
    return home / "licence" / "trusted"


def trusted_keys(home: Path) -> tuple[TrustedKey, ...]:
    """The currently trusted keys. Files that are not keys are skipped with a line in the log."""
    return _load(folder(home), _stamp(folder(home)))


def trust(home: Path, public: Ed25519PublicKey) -> Path:
    """Trust the licences of this issuer; returns the file. Does nothing when the issuer is trusted already."""
    where = folder(home)
    where.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = where / f"{key_id(public)}.pub"
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    draft.replace(path)
    return path


def read_public_key(path: Path) -> Ed25519PublicKey:
    """The Ed25519 public key in a PEM file. Raises SettingsError."""
    try:
        with path.open("rb") as file:
            key = load_pem_public_key(file.read(_MAX_KEY_BYTES))
    except OSError as error:
        raise SettingsError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, UnsupportedAlgorithm):
        raise SettingsError(f"{path} is not a public key in PEM format") from None
    if not isinstance(key, Ed25519PublicKey):
        raise SettingsError(f"{path} is not an Ed25519 key")
    return key


def _stamp(where: Path) -> _Stamp:
    try:
        files = sorted(where.glob("*.pub"))
        return tuple((path.name, (info := path.stat()).st_mtime_ns, info.st_size, info.st_mode) for path in files)
    except OSError:
        return ()


@lru_cache(maxsize=4)
def _load(where: Path, stamp: _Stamp) -> tuple[TrustedKey, ...]:
    keys: list[TrustedKey] = []
    for name, _changed, _size, mode in stamp:
        path = where / name
        if mode & _OTHERS_WRITE:
            logger.warning("the licence issuer %s is not trusted, because others can write its file", path)
            continue
        try:
            keys.append(TrustedKey.of(read_public_key(path)))
        except SettingsError as error:
            logger.warning("a licence issuer is not trusted: %s", error.message)
    return tuple(keys)
