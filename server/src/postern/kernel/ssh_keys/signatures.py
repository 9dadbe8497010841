"""Verifies SSH signatures by public keys: Ed25519, ECDSA, RSA with SHA-2, and FIDO2 keys that were touched."""

import hashlib
from collections.abc import Callable, Mapping
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import load_ssh_public_key

from postern.kernel.ssh_keys.fields import FieldReader, FieldsProblem
from postern.kernel.ssh_keys.public_keys import SshPublicKey

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


def is_signed_by(key: SshPublicKey, signature: bytes, data: bytes) -> bool:
    """Whether the signature was made by this key over this data. Never raises."""
    try:
        return _verify(key, signature, data)
    except (InvalidSignature, ValueError):
        return False


def lacks_pin(key: SshPublicKey, signature: bytes) -> bool:
    """Whether a FIDO2 key made this signature without verifying the person by its PIN (or a fingerprint).

    Only for a signature that holds: that check has compared the kind of the signature and covers the flags.
    """
    if key.algorithm.encode("ascii") not in {_SK_ED25519, _SK_ECDSA}:
        return False
    return not signature[-_FLAGS_AND_COUNTER_BYTES] & _USER_VERIFIED


def _verify(key: SshPublicKey, signature: bytes, data: bytes) -> bool:
    """Raises InvalidSignature, FieldsProblem; True otherwise."""
    reader = FieldReader(signature)
    algorithm, value = reader.string(), reader.string()
    verify = _verifier(key, algorithm)
    if algorithm in {_SK_ED25519, _SK_ECDSA}:
        flags, counter = reader.byte(), reader.take(4)
        if not flags & _USER_PRESENT:
            raise FieldsProblem("nobody touched the security key")
        application = _application(key.blob)
        data = b"".join((hashlib.sha256(application).digest(), bytes((flags,)), counter, hashlib.sha256(data).digest()))
    reader.end()
    verify(value, data)
    return True


def _verifier(key: SshPublicKey, algorithm: bytes) -> Callable[[bytes, bytes], None]:
    """The function that verifies a signature of this algorithm by this key.

    Raises FieldsProblem when they do not match.
    """
    key_type = FieldReader(key.blob).string()
    loaded = load_ssh_public_key(key.line.encode())
    if isinstance(loaded, rsa.RSAPublicKey) and key_type == b"ssh-rsa" and algorithm in _RSA:
        rsa_key, digest = loaded, _RSA[algorithm]
        return lambda value, data: rsa_key.verify(value, data, padding.PKCS1v15(), digest)
    if algorithm != key_type:
        raise FieldsProblem("the signature is of another kind than the key")
    if isinstance(loaded, ed25519.Ed25519PublicKey) and algorithm in {b"ssh-ed25519", _SK_ED25519}:
        return loaded.verify
    if isinstance(loaded, ec.EllipticCurvePublicKey):
        curve, digest = _ECDSA.get(algorithm, _ECDSA[b"ecdsa-sha2-nistp256"])
        if isinstance(loaded.curve, curve) and (algorithm in _ECDSA or algorithm == _SK_ECDSA):
            ec_key = loaded
            return lambda value, data: ec_key.verify(_dss(value), data, ec.ECDSA(digest))
    raise FieldsProblem("no kind of key that signs in")


def _dss(value: bytes) -> bytes:
    """The two numbers of an ECDSA signature in the encoding that the library expects."""
    reader = FieldReader(value)
    first, second = (int.from_bytes(reader.string(), "big") for _ in range(2))
    reader.end()
    return encode_dss_signature(first, second)


def _application(blob: bytes) -> bytes:
    """The application of a security key: the last field of its public key."""
    reader = FieldReader(blob)
    last = b""
    while not reader.is_over:
        last = reader.string()
    return last
