"""Issuing licences, for operators who issue their own with a key that only they have."""

import contextlib
import os
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from postern.kernel.errors import SettingsError


def issuing_key(path: Path) -> tuple[Ed25519PrivateKey, bool]:
    """The issuing key in `path`, and whether it was created now. The public key is written beside it as `.pub`.

    Raises SettingsError when the file has other content, or others can read it.
    """
    made = _make(path)
    try:
        mode = path.stat().st_mode & 0o777
        if mode & 0o077:
            raise SettingsError(f"the issuing key {path} can be read by others (mode {mode:04o}); make it 0600")
        private = load_pem_private_key(path.read_bytes(), password=None)
    except OSError as error:
        raise SettingsError(f"cannot read the issuing key {path}: {error.strerror}") from error
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise SettingsError(f"{path} is not a private key in PEM format without a passphrase") from None
    if not isinstance(private, Ed25519PrivateKey):
        raise SettingsError(f"{path} is not an Ed25519 key")
    descriptor = os.open(public_path(path), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return private, made


def public_path(path: Path) -> Path:
    """Path of the public key that belongs to an issuing key."""
    return path.with_name(f"{path.name}.pub")


def _make(path: Path) -> bool:
    """Create a key file if it is missing. Never replaces a file."""
    with contextlib.suppress(FileExistsError):
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            raise
        except OSError as error:
            raise SettingsError(f"cannot write the issuing key {path}: {error.strerror}") from error
        with os.fdopen(descriptor, "wb") as file:
            file.write(Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
            file.flush()
            os.fsync(file.fileno())
        return True
    return False
