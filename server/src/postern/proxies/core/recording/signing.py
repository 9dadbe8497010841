"""The key that seals recordings. Only the sealer process loads the private half."""

import contextlib
import os
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from postern.contracts.recording.format import key_id
from postern.kernel.errors import SettingsError
from postern.proxies.core.recording.journal_files import write_file_durably


class SealingKey:
    """An Ed25519 key pair; `public` has 32 bytes."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self.public = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.key_id = key_id(self.public)

    def sign(self, message: bytes) -> bytes:
        return self._private.sign(message)

    @classmethod
    def load_or_create(cls, path: Path) -> "SealingKey":
        """The key in `path` (PEM, mode 0600), made at first use; its public half stands beside it as `.pub`.

        Raises `SettingsError` when the file is not such a key, OSError when it cannot be read or made.
        """
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            pem = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
            draft = path.with_name(f"{path.name}.{os.getpid()}.new")
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(pem)
                file.flush()
                os.fsync(descriptor)
            # A link does not replace: when two processes start at once, the first key stays.
            with contextlib.suppress(FileExistsError):
                os.link(draft, path)
            draft.unlink()
        try:
            private = load_pem_private_key(path.read_bytes(), password=None)
        except (ValueError, TypeError) as error:
            raise SettingsError("the sealing key of the recordings is damaged") from error
        if not isinstance(private, Ed25519PrivateKey):
            raise SettingsError("the sealing key of the recordings is not an Ed25519 key")
        key = cls(private)
        public_path = public_key_path(path)
        line = key.public.hex().encode() + b"\n"
        if not public_path.exists() or public_path.read_bytes() != line:
            write_file_durably(public_path, line)
        return key


def public_key_path(key_file: Path) -> Path:
    """Where the public half of a sealing key stands: one line of 64 hex digits."""
    return key_file.with_suffix(".pub")
