"""The data that an SSH client signs to sign in (RFC 4252, section 7), made by the library of the proxies."""

import base64
import hashlib
import os
from uuid import UUID

import asyncssh
from asyncssh.packet import Boolean, Byte, MPInt, String
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

#: The proxy id for tests without a proxy.
PROXY_ID = UUID(int=7)
_USERAUTH_REQUEST = 50


def make_key(algorithm: str = "ssh-ed25519") -> tuple[asyncssh.SSHKey, str]:
    """A new key and its public key line."""
    key = asyncssh.generate_private_key(algorithm)
    return key, key.export_public_key("openssh").decode("ascii").strip()


def signed_request(
    key: asyncssh.SSHKey,
    username: str,
    *,
    connection: bytes | None = None,
    service: str = "ssh-connection",
    method: str = "publickey",
    with_signature: bool = True,
    algorithm: str | None = None,
    named_key: asyncssh.SSHKey | None = None,
) -> tuple[bytes, bytes]:
    """The signed bytes and their signature. `named_key` is the key in the request when it is not the signing key."""
    name = (algorithm or key.sig_algorithms[0].decode("ascii")).encode("ascii")
    signed = b"".join((
        String(connection if connection is not None else os.urandom(32)),
        Byte(_USERAUTH_REQUEST),
        String(username),
        String(service),
        String(method),
        Boolean(with_signature),
        String(name),
        String((named_key or key).public_data),
    ))  # fmt: skip
    return signed, key.sign(signed, name)


class SecurityKey:
    """A FIDO2 key in software; its signatures have the flags that a test names."""

    ED25519 = "sk-ssh-ed25519@openssh.com"
    ECDSA = "sk-ecdsa-sha2-nistp256@openssh.com"
    KINDS = (ED25519, ECDSA)

    def __init__(self, kind: str = ED25519) -> None:
        self.kind = kind
        self._ed = ed25519.Ed25519PrivateKey.generate()
        self._ec = ec.generate_private_key(ec.SECP256R1())
        if kind == self.ED25519:
            point = String(self._ed.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))
        else:
            public = self._ec.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
            point = String("nistp256") + String(public)
        self.blob = String(kind) + point + String("ssh:")
        self.line = f"{kind} {base64.b64encode(self.blob).decode('ascii')}"

    def signed_request(self, username: str, *, flags: int) -> tuple[bytes, bytes]:
        """The signed bytes and their signature. Flags: 1 touched, 4 PIN entered."""
        signed = b"".join((
            String(os.urandom(32)), Byte(_USERAUTH_REQUEST), String(username), String("ssh-connection"),
            String("publickey"), Boolean(True), String(self.kind), String(self.blob),
        ))  # fmt: skip
        tail = bytes((flags,)) + (7).to_bytes(4, "big")
        data = hashlib.sha256(b"ssh:").digest() + tail + hashlib.sha256(signed).digest()
        if self.kind == self.ED25519:
            value = self._ed.sign(data)
        else:
            first, second = decode_dss_signature(self._ec.sign(data, ec.ECDSA(SHA256())))
            value = MPInt(first) + MPInt(second)
        return signed, String(self.kind) + String(value) + tail
