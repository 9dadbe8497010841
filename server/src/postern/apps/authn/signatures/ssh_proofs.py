"""Proof of possession of an SSH key: the signed sign-in request of RFC 4252, section 7, verified by the control plane.

The client signs its connection identifier together with the request (user name, key). A proxy forwards both unchanged.
Pure functions, without access to the owners of keys.
"""

import hashlib
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from postern.kernel.ssh_keys import signatures
from postern.kernel.ssh_keys.certificates import Certificate, CertificateProblem, is_certificate, read_certificate
from postern.kernel.ssh_keys.fields import FieldReader, FieldsProblem
from postern.kernel.ssh_keys.public_keys import PublicKeyProblem, SshPublicKey, key_of_blob, parse_public_key

#: Minimum retention of a connection identifier, so that its signature is accepted only once. Signatures of keys in use
#: are stored longer.
REMEMBERED: Final = timedelta(days=90)
MAX_SIGNED_BYTES: Final = 16 * 1024

_USERAUTH_REQUEST: Final = 50
_SERVICE: Final = b"ssh-connection"
_METHOD: Final = b"publickey"
#: Shortest key exchange hash: SHA-256.
_MIN_CONNECTION_BYTES: Final = 32
_MAX_CONNECTION_BYTES: Final = 64


class ProofProblem(ValueError):
    """The bytes are not a signed sign-in request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyProof:
    """A signed sign-in request. Unverified until `holds` returns True. `username`: as the client sent it.

    `certificate`: the certificate that the client sent instead of a key; not yet checked.
    """

    username: str
    key: SshPublicKey
    certificate: Certificate | None = None
    connection: bytes
    signed: bytes
    signature: bytes

    @property
    def key_hash(self) -> str:
        """Hash that identifies the key: 64 hexadecimal digits."""
        return hash_of_key(self.key.blob)

    @property
    def connection_hash(self) -> str:
        """Hash that identifies the client's connection and the key: 64 hexadecimal digits."""
        return hashlib.sha256(b"postern ssh sign-in\x00" + self.connection + self.key.blob).hexdigest()


def hash_of_key(blob: bytes) -> str:
    """The stored hash that identifies a key."""
    return hashlib.sha256(blob).hexdigest()


def holds_hash(stored: str, key_hash: str) -> bool:
    """Whether one of the keys in the stored text has the hash `key_hash`."""
    for line in stored.splitlines():
        try:
            if hash_of_key(parse_public_key(line).blob) == key_hash:
                return True
        except PublicKeyProblem:
            continue
    return False


def read_proof(signed: bytes, signature: bytes) -> KeyProof:
    """The signed request. Raises ProofProblem for any other bytes."""
    if max(len(signed), len(signature)) > MAX_SIGNED_BYTES:
        raise ProofProblem("too long")
    try:
        return _read(signed, signature)
    except FieldsProblem as error:
        raise ProofProblem(str(error)) from error
    except (UnicodeDecodeError, PublicKeyProblem, CertificateProblem) as error:
        raise ProofProblem("no usable key or name") from error


def _read(signed: bytes, signature: bytes) -> KeyProof:
    reader = FieldReader(signed)
    connection = reader.string()
    if not _MIN_CONNECTION_BYTES <= len(connection) <= _MAX_CONNECTION_BYTES:
        raise ProofProblem("no connection identifier")
    number, username, service, method = reader.byte(), reader.string(), reader.string(), reader.string()
    if number != _USERAUTH_REQUEST or service != _SERVICE or method != _METHOD or reader.byte() != 1:
        raise ProofProblem("not a signed request to sign in")
    reader.string()  # the algorithm: the signature also names it, and the key decides which algorithms are allowed
    blob = reader.string()
    reader.end()
    certificate = read_certificate(blob) if is_certificate(blob) else None
    return KeyProof(
        username=username.decode("utf-8"),
        key=certificate.key if certificate is not None else key_of_blob(blob),
        certificate=certificate,
        connection=connection,
        signed=signed,
        signature=signature,
    )


def holds(proof: KeyProof) -> bool:
    """Whether the signature was made by this key over this request. Never raises."""
    return signatures.is_signed_by(proof.key, proof.signature, proof.signed)


def lacks_pin(proof: KeyProof) -> bool:
    """Whether a FIDO2 key made this signature without its PIN. Call it only for a verified proof."""
    return signatures.lacks_pin(proof.key, proof.signature)
