"""SSH public keys: parsing, limits and fingerprints. Pure functions.

Only a *verified signature* of such a key signs a user in (K8: a public key alone signs nobody in). This module only
decides which keys may be stored, and whether two lines hold the same key.
"""

import base64
import binascii
import hashlib
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import dsa, rsa
from cryptography.hazmat.primitives.serialization import load_ssh_public_key

#: The control plane stores no RSA key outside these limits, and the SSH front looks none up.
RSA_MIN_BITS: Final = 2048
#: Verifying larger RSA keys would use CPU before the user is authenticated.
RSA_MAX_BITS: Final = 4096
#: Clients do not offer more keys than this in one connection.
MAX_KEYS: Final = 10
MAX_TEXT_CHARS: Final = 16_384
_MAX_COMMENT_CHARS: Final = 255
_MIN_FIELDS: Final = 2
#: A string of RFC 4251 begins with its length.
_LENGTH_BYTES: Final = 4


class PublicKeyProblem(ValueError):
    """The text is not a usable key.

    `reason` is one of `malformed`, `unsupported`, `too_short`, `too_long`, `too_many`.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class SshPublicKey:
    """One key: its type (`ssh-ed25519` …), the binary blob of RFC 4253, and the comment."""

    algorithm: str
    blob: bytes
    comment: str

    @property
    def line(self) -> str:
        """The canonical one-line form."""
        text = f"{self.algorithm} {base64.b64encode(self.blob).decode('ascii')}"
        return f"{text} {self.comment}" if self.comment else text

    @property
    def sha256(self) -> str:
        """`SHA256:…` as OpenSSH prints it."""
        digest = base64.b64encode(hashlib.sha256(self.blob).digest()).decode("ascii")
        return f"SHA256:{digest.rstrip('=')}"

    @property
    def md5(self) -> str:
        """Colon-separated MD5, as the API contract requires; only for recognising a key."""
        digest = hashlib.md5(self.blob, usedforsecurity=False).hexdigest()
        return ":".join(digest[at : at + 2] for at in range(0, len(digest), 2))


def parse_public_key(line: str) -> SshPublicKey:
    """Parse one line in OpenSSH format; raises `PublicKeyProblem`.

    Options in front of the key (`command="…"`, `from="…"`), certificates and DSA keys are refused. Postern does not
    support such options, and silently dropping a restriction would widen access.
    """
    fields = line.split(None, 2)
    if len(fields) < _MIN_FIELDS:
        raise PublicKeyProblem("malformed")
    algorithm, encoded = fields[0], fields[1]
    comment = "".join(char for char in (fields[2] if len(fields) > _MIN_FIELDS else "") if char.isprintable())
    if "-cert-" in algorithm:
        raise PublicKeyProblem("unsupported")
    try:
        blob = base64.b64decode(encoded, validate=True)
        key = load_ssh_public_key(f"{algorithm} {encoded}".encode())
    except UnsupportedAlgorithm:
        raise PublicKeyProblem("unsupported") from None
    except (ValueError, binascii.Error):
        raise PublicKeyProblem("malformed") from None
    if isinstance(key, dsa.DSAPublicKey):
        raise PublicKeyProblem("unsupported")
    if isinstance(key, rsa.RSAPublicKey):
        if key.key_size < RSA_MIN_BITS:
            raise PublicKeyProblem("too_short")
        if key.key_size > RSA_MAX_BITS:
            raise PublicKeyProblem("too_long")
    return SshPublicKey(algorithm=algorithm, blob=blob, comment=comment.strip()[:_MAX_COMMENT_CHARS])


def key_of_blob(blob: bytes) -> SshPublicKey:
    """The key of a binary blob, within the limits of `parse_public_key`; raises `PublicKeyProblem`."""
    length = int.from_bytes(blob[:_LENGTH_BYTES], "big")
    algorithm = blob[_LENGTH_BYTES : _LENGTH_BYTES + length].decode("ascii", "replace")
    key = parse_public_key(f"{algorithm} {base64.b64encode(blob).decode('ascii')}")
    if key.blob != blob:  # a type with a blank in it would name another key
        raise PublicKeyProblem("malformed")
    return key


def parse_public_keys(text: str) -> tuple[SshPublicKey, ...]:
    """All keys of a text with one key per line. Blank lines and `#` lines are skipped, duplicates dropped.

    Raises `PublicKeyProblem` at the first line that is not a usable key.
    """
    if len(text) > MAX_TEXT_CHARS:
        raise PublicKeyProblem("too_many")
    keys: dict[bytes, SshPublicKey] = {}
    for raw in text.splitlines():
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        key = parse_public_key(line)
        keys.setdefault(key.blob, key)
    if len(keys) > MAX_KEYS:
        raise PublicKeyProblem("too_many")
    return tuple(keys.values())


def holds_key(stored: str, offered_line: str) -> bool:
    """Whether the stored text contains the offered key (compared by blob; comments are ignored)."""
    try:
        offered = parse_public_key(offered_line)
        return any(key.blob == offered.blob for key in parse_public_keys(stored))
    except PublicKeyProblem:
        return False
