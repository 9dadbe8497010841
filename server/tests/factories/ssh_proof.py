"""What an SSH client signs to sign in (RFC 4252, section 7), made by the library that the proxies use."""

import os
from uuid import UUID

import asyncssh
from asyncssh.packet import Boolean, Byte, String

#: A proxy for tests that need none.
PROXY_ID = UUID(int=7)
_USERAUTH_REQUEST = 50


def make_key(algorithm: str = "ssh-ed25519") -> tuple[asyncssh.SSHKey, str]:
    """A fresh key, and its public line."""
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
    shown: asyncssh.SSHKey | None = None,
) -> tuple[bytes, bytes]:
    """The signed bytes and the signature; `shown` names another key in the request than the one that signs."""
    name = (algorithm or key.sig_algorithms[0].decode("ascii")).encode("ascii")
    signed = b"".join((
        String(connection if connection is not None else os.urandom(32)),
        Byte(_USERAUTH_REQUEST),
        String(username),
        String(service),
        String(method),
        Boolean(with_signature),
        String(name),
        String((shown or key).public_data),
    ))  # fmt: skip
    return signed, key.sign(signed, name)
