"""Proof of possession of an SSH key: the signed sign-in request of RFC 4252, section 7, verified by the control plane.

The client signs its connection identifier together with the request (user name, key). A proxy forwards both unchanged.
Pure functions: bytes in, values out; they do not know the owner of the key.
"""

import base64
import hashlib
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import load_ssh_public_key

from postern.apps.users.credentials.public_keys import PublicKeyProblem, parse_public_key

#: Minimum time to remember a connection identifier, so that its signature is accepted only once. Signatures of keys in
#: use are kept longer.
REMEMBERED: Final = timedelta(days=90)
MAX_SIGNED_BYTES: Final = 16 * 1024

_USERAUTH_REQUEST: Final = 50
_SERVICE: Final = b"ssh-connection"
_METHOD: Final = b"publickey"
#: Shortest key exchange hash: SHA-256.
_MIN_CONNECTION_BYTES: Final = 32
_MAX_CONNECTION_BYTES: Final = 64
_USER_PRESENT: Final = 0x01
_USER_VERIFIED: Final = 0x04
#: A signature of a security key ends with a byte of flags and a counter of four bytes.
_FLAGS_AND_COUNTER_BYTES: Final = 5

_RSA: Final[Mapping[bytes, hashes.HashAlgorithm]] = {
    b"rsa-sha2-256": hashes.SHA256(),
    b"rsa-sha2-512": hashes.SHA512(),
}
_ECDSA: Final[Mapping[bytes, tuple[type[ec.EllipticCurve], hashes.HashAlgorithm]]] = {
    b"ecdsa-sha2-nistp256": (ec.SECP256R1, hashes.SHA256()),
    b"ecdsa-sha2-nistp384": (ec.SECP384R1, hashes.SHA384()),
    b"ecdsa-sha2-nistp521": (ec.SECP521R1, hashes.SHA512()),
}
_SK_ED25519: Final = b"sk-ssh-ed25519@openssh.com"
_SK_ECDSA: Final = b"sk-ecdsa-sha2-nistp256@openssh.com"


class ProofProblem(ValueError):
    """The bytes are not a signed sign-in request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyProof:
    """A signed sign-in request. Not verified before `holds` returns True. `username` is what the client sent."""

    username: str
    public_key: str  # one line
    key_blob: bytes
    connection: bytes
    signed: bytes
    signature: bytes

    @property
    def key_hash(self) -> str:
        """Identifies the key, in 64 hexadecimal digits."""
        return hash_of_key(self.key_blob)

    @property
    def connection_hash(self) -> str:
        """Identifies the client's connection and the key, in 64 hexadecimal digits."""
        return hashlib.sha256(b"postern ssh sign-in\x00" + self.connection + self.key_blob).hexdigest()


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
    reader = _Reader(signed)
    connection = reader.string()
    if not _MIN_CONNECTION_BYTES <= len(connection) <= _MAX_CONNECTION_BYTES:
        raise ProofProblem("no connection identifier")
    number, username, service, method = reader.byte(), reader.string(), reader.string(), reader.string()
    if number != _USERAUTH_REQUEST or service != _SERVICE or method != _METHOD or reader.byte() != 1:
        raise ProofProblem("not a signed request to sign in")
    reader.string()  # the algorithm: the signature names its own, and the key decides which algorithms are allowed
    blob = reader.string()
    reader.end()
    key_type = _Reader(blob).string()
    try:
        line = f"{key_type.decode('ascii')} {base64.b64encode(blob).decode('ascii')}"
        parse_public_key(line)
        name = username.decode("utf-8")
    except (UnicodeDecodeError, PublicKeyProblem) as error:
        raise ProofProblem("no usable key or name") from error
    return KeyProof(
        username=name, public_key=line, key_blob=blob, connection=connection, signed=signed, signature=signature
    )


def holds(proof: KeyProof) -> bool:
    """Whether the signature was made by this key over this request. Never raises."""
    try:
        return _verify(proof)
    except (InvalidSignature, ProofProblem, ValueError):
        return False


def lacks_pin(proof: KeyProof) -> bool:
    """Whether a FIDO2 key made this signature without verifying the person by its PIN (or a fingerprint).

    Only for a proof that `holds`: that check has compared the kind of the signature and covers the flags.
    """
    if _Reader(proof.key_blob).string() not in {_SK_ED25519, _SK_ECDSA}:
        return False
    return not proof.signature[-_FLAGS_AND_COUNTER_BYTES] & _USER_VERIFIED


def _verify(proof: KeyProof) -> bool:
    """Raises InvalidSignature, ProofProblem; True otherwise."""
    reader = _Reader(proof.signature)
    algorithm, value = reader.string(), reader.string()
    key_type = _Reader(proof.key_blob).string()
    verify = _verifier(proof, algorithm, key_type)
    data = proof.signed
    if algorithm in {_SK_ED25519, _SK_ECDSA}:
        flags, counter = reader.byte(), reader.take(4)
        if not flags & _USER_PRESENT:
            raise ProofProblem("nobody touched the security key")
        application = _application(proof.key_blob)
        data = b"".join((hashlib.sha256(application).digest(), bytes((flags,)), counter, hashlib.sha256(data).digest()))
    reader.end()
    verify(value, data)
    return True


def _verifier(proof: KeyProof, algorithm: bytes, key_type: bytes) -> Callable[[bytes, bytes], None]:
    """The function that verifies a signature of this algorithm by this key.

    Raises ProofProblem when they do not match.
    """
    key = load_ssh_public_key(proof.public_key.encode("ascii"))
    if isinstance(key, rsa.RSAPublicKey) and key_type == b"ssh-rsa" and algorithm in _RSA:
        rsa_key, digest = key, _RSA[algorithm]
        return lambda value, data: rsa_key.verify(value, data, padding.PKCS1v15(), digest)
    if algorithm != key_type:
        raise ProofProblem("the signature is of another kind than the key")
    if isinstance(key, ed25519.Ed25519PublicKey) and algorithm in {b"ssh-ed25519", _SK_ED25519}:
        return key.verify
    if isinstance(key, ec.EllipticCurvePublicKey):
        curve, digest = _ECDSA.get(algorithm, _ECDSA[b"ecdsa-sha2-nistp256"])
        if isinstance(key.curve, curve) and (algorithm in _ECDSA or algorithm == _SK_ECDSA):
            ec_key = key
            return lambda value, data: ec_key.verify(_dss(value), data, ec.ECDSA(digest))
    raise ProofProblem("no kind of key that signs in")


def _dss(value: bytes) -> bytes:
    """The two numbers of an ECDSA signature in the encoding that the library expects."""
    reader = _Reader(value)
    first, second = (int.from_bytes(reader.string(), "big") for _ in range(2))
    reader.end()
    return encode_dss_signature(first, second)


def _application(blob: bytes) -> bytes:
    """The application of a security key: the last field of its public key."""
    reader = _Reader(blob)
    last = b""
    while not reader.is_over:
        last = reader.string()
    return last


class _Reader:
    """Reads the fields of RFC 4251, section 5. Raises ProofProblem when the data is too short."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def is_over(self) -> bool:
        return self._at == len(self._data)

    def take(self, count: int) -> bytes:
        piece = self._data[self._at : self._at + count]
        if len(piece) != count:
            raise ProofProblem("too short")
        self._at += count
        return piece

    def byte(self) -> int:
        return self.take(1)[0]

    def string(self) -> bytes:
        (length,) = struct.unpack(">I", self.take(4))
        return self.take(length)

    def end(self) -> None:
        if not self.is_over:
            raise ProofProblem("too long")
