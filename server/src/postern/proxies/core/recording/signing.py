"""The keys that seal recordings. Only the sealer process loads a private key, and only the current one.

Rotation replaces the current key. All public keys stay in the folder of trusted keys, so old recordings can always be
verified. The private half of a replaced key is deleted, so nobody can seal with it any more.
"""

import contextlib
import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from postern.contracts.recording.format import key_id
from postern.contracts.recording.trusted_keys import TrustedKeys, verify_among
from postern.contracts.recording.verification import Verdict, verify
from postern.kernel.errors import SettingsError
from postern.proxies.core.recording.journal_files import sync_directory, write_file_durably

log = logging.getLogger(__name__)


class SealingKey:
    """An Ed25519 key pair. `public` has 32 bytes."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self.public = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.key_id = key_id(self.public)

    def sign(self, message: bytes) -> bytes:
        return self._private.sign(message)

    def current(self) -> "SealingKey":
        """Return this key. Counterpart of `SealingKeys.current` for a key that is never replaced."""
        return self

    def verify(self, file: BinaryIO) -> Verdict:
        """Verify a recording that this key has sealed."""
        return verify(file, self.public)

    @classmethod
    def load_or_create(cls, path: Path) -> "SealingKey":
        """Return the key in `path` (PEM, mode 0600), created at first use. Its public half is beside it as `.pub`.

        Raises `SettingsError` if the file is not such a key, OSError if it cannot be read or created.
        """
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            draft = _drafted(path, Ed25519PrivateKey.generate())
            # A link does not replace an existing file. When two processes start at once, the first key stays.
            with contextlib.suppress(FileExistsError):
                os.link(draft, path)
            draft.unlink()
        key = cls.load(path)
        key.publish(path)
        return key

    @classmethod
    def load(cls, path: Path) -> "SealingKey":
        """Return the key in `path`. Raises `SettingsError` if it is not a key, OSError if it cannot be read."""
        try:
            private = load_pem_private_key(path.read_bytes(), password=None)
        except (ValueError, TypeError) as error:
            raise SettingsError("the sealing key of the recordings is damaged") from error
        if not isinstance(private, Ed25519PrivateKey):
            raise SettingsError("the sealing key of the recordings is not an Ed25519 key")
        return cls(private)

    def publish(self, path: Path) -> None:
        """Write the public half beside `path` and to the trusted keys."""
        trusted = trusted_keys(path)
        trusted.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        line = self.public.hex().encode() + b"\n"
        for place in (trusted.path_of(self.key_id), public_key_path(path)):
            if not place.exists() or place.read_bytes() != line:
                write_file_durably(place, line)


class SealingKeys:
    """The current key of a file, which rotation may replace at any time, and the trusted keys of all recordings."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._key = SealingKey.load_or_create(path)
        self._stamp: tuple[int, int, int] | None = None

    def current(self) -> SealingKey:
        """Return the key to seal with now. If the file cannot be read, this is the last key that was read."""
        try:
            stamp = _stamp(self._path)
            if stamp != self._stamp:
                key = SealingKey.load(self._path)
                if key.key_id != self._key.key_id:
                    key.publish(self._path)
                    log.info("recordings are sealed with key %s from now on", key.key_id)
                self._key, self._stamp = key, stamp
        except (OSError, SettingsError):
            log.exception("cannot read the sealing key again; still sealing with key %s", self._key.key_id)
        return self._key

    def verify(self, file: BinaryIO) -> Verdict:
        """Verify a recording that any of the trusted keys has sealed."""
        return verify_among(file, trusted_keys(self._path).find)


@dataclass(frozen=True, slots=True)
class Rotation:
    """A new key that is trusted but not yet in use. `former` is the id of the key that it replaces, or ""."""

    former: str
    key: SealingKey
    _draft: Path
    _path: Path

    def install(self) -> None:
        """Seal with the new key from now on. Until this call nothing has changed, and `discard` can undo the
        rotation.
        """
        self._draft.replace(self._path)
        sync_directory(self._path.parent)
        self.key.publish(self._path)

    def discard(self) -> None:
        """Undo the rotation, unless the key is already installed."""
        if self._draft.exists():
            self._draft.unlink()
            trusted_keys(self._path).path_of(self.key.key_id).unlink(missing_ok=True)


def prepare_rotation(path: Path) -> Rotation:
    """Create a new key for `path` and trust it. Raises `SettingsError`, OSError."""
    former = SealingKey.load_or_create(path).key_id if path.exists() else ""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    private = Ed25519PrivateKey.generate()
    key = SealingKey(private)
    trusted = trusted_keys(path)
    trusted.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Trust the key before it seals, so that no recording is sealed with a key that cannot be verified.
    write_file_durably(trusted.path_of(key.key_id), key.public.hex().encode() + b"\n")
    return Rotation(former=former, key=key, _draft=_drafted(path, private), _path=path)


def trusted_keys(path: Path) -> TrustedKeys:
    """Return the public keys stored beside a private key."""
    return TrustedKeys(path.parent)


def _drafted(path: Path, private: Ed25519PrivateKey) -> Path:
    """Write the key to a temporary file beside `path`, with mode 0600."""
    pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(pem)
        file.flush()
        os.fsync(descriptor)
    return draft


def _stamp(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_mtime_ns, status.st_ino, status.st_size


def public_key_path(key_file: Path) -> Path:
    """Return the path of a sealing key's public half: one line of 64 hex digits."""
    return key_file.with_suffix(".pub")
