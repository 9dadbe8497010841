"""SSH keys of system users: validate, normalise, fingerprint, generate.

Pure functions; no key ever appears in a message.
"""

import base64
import hashlib
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import SSHPrivateKeyTypes

from postern.kernel.secret import Secret

#: Larger keys cost more to check than they add in security; smaller keys are considered broken.
MIN_RSA_BITS: Final = 2048
MAX_RSA_BITS: Final = 16384
#: An RSA key of 16384 bits takes about 13 kB as PEM.
MAX_KEY_TEXT: Final = 32_768


class KeyRefused(ValueError):
    """The text is not a usable private key. `code` is stable: unreadable, passphrase, kind, size."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class KeyPair:
    """A usable key: OpenSSH text without passphrase, its public key line, and `SHA256:…`."""

    private_key: Secret
    public_key: str
    fingerprint: str


def read_private_key(text: str, passphrase: str = "") -> KeyPair:
    """Read an OpenSSH or PEM private key.

    An encrypted key needs `passphrase`; the returned key is not encrypted. Raises `KeyRefused`.
    """
    if len(text) > MAX_KEY_TEXT:
        raise KeyRefused("size")
    return _pair(_load(text.strip().replace("\r\n", "\n") + "\n", passphrase.encode("utf-8") or None))


def generate() -> KeyPair:
    """A new Ed25519 key pair."""
    return _pair(ed25519.Ed25519PrivateKey.generate())


def fingerprint(public_key: str) -> str:
    """`SHA256:…` of a public key line, as OpenSSH prints it. Raises `ValueError` for a malformed line."""
    parts = public_key.split()
    if len(parts) < 2:
        raise ValueError("not a public key line")
    digest = hashlib.sha256(base64.b64decode(parts[1], validate=True)).digest()
    return "SHA256:" + base64.b64encode(digest).decode("ascii").rstrip("=")


def _load(text: str, passphrase: bytes | None) -> SSHPrivateKeyTypes:
    data = text.encode("utf-8", "replace")
    openssh = "BEGIN OPENSSH PRIVATE KEY" in text
    load = serialization.load_ssh_private_key if openssh else serialization.load_pem_private_key
    try:
        key = load(data, passphrase)
    except TypeError as error:
        # "Password was given but private key is not encrypted": then the password is not a passphrase
        if passphrase is not None:
            return _load(text, None)
        raise KeyRefused("passphrase") from error
    except UnsupportedAlgorithm as error:
        raise KeyRefused("kind") from error
    except ValueError as error:
        # The library distinguishes a wrong passphrase from a broken file only in its message.
        raise KeyRefused("passphrase" if _is_locked(text) else "unreadable") from error
    if isinstance(key, rsa.RSAPrivateKey):
        if not MIN_RSA_BITS <= key.key_size <= MAX_RSA_BITS:
            raise KeyRefused("size")
    elif not isinstance(key, ed25519.Ed25519PrivateKey | ec.EllipticCurvePrivateKey):
        raise KeyRefused("kind")
    return key


def _is_locked(text: str) -> bool:
    if "ENCRYPTED" in text:
        return True
    body = "".join(line for line in text.splitlines() if line and not line.startswith("-----"))
    try:
        head = base64.b64decode(body[:64], validate=False)
    except ValueError:
        return False
    return head.startswith(b"openssh-key-v1\0") and not head[15:].startswith(b"\0\0\0\x04none")


def _pair(key: SSHPrivateKeyTypes) -> KeyPair:
    try:
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
        )
        public = key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise KeyRefused("kind") from error
    line = public.decode("ascii")
    return KeyPair(private_key=Secret(private.decode("ascii")), public_key=line, fingerprint=fingerprint(line))
