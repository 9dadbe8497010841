"""The data that an SSH client signs to sign in (RFC 4252, section 7), made by the library of the proxies."""

import os
from uuid import UUID

import asyncssh
from asyncssh.packet import Boolean, Byte, String

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
