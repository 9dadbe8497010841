"""SSH public keys of people: parsing, limits and fingerprints. Pure: text in, values out.

Only a *verified signature* of such a key ever signs somebody in (K8); this module merely says which keys are fit to
be stored and whether two lines hold the same key.
"""

import base64
import binascii
import hashlib
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import dsa, rsa
from cryptography.hazmat.primitives.serialization import load_ssh_public_key

MIN_RSA_BITS: Final = 2048
#: Verifying giant RSA keys burns time before anybody is signed in (K65).
MAX_RSA_BITS: Final = 8192
#: More keys than a client may offer in one connection would never be tried (K65).
MAX_KEYS: Final = 10
MAX_TEXT_CHARS: Final = 16_384
_MAX_COMMENT_CHARS: Final = 255
_MIN_FIELDS: Final = 2


class PublicKeyProblem(ValueError):
    """The text is no usable key. `reason` is one of `malformed`, `unsupported`, `too_short`, `too_long`, `too_many`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class SshPublicKey:
    """One key: its type (`ssh-ed25519` …), the raw blob of RFC 4253, and the free comment."""

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
        """Colon-separated MD5, which the API contract shows; for recognition only."""
        digest = hashlib.md5(self.blob, usedforsecurity=False).hexdigest()
        return ":".join(digest[at : at + 2] for at in range(0, len(digest), 2))


def parse_public_key(line: str) -> SshPublicKey:
    """One line in OpenSSH format as a key; raises `PublicKeyProblem`.

    Options in front of the key (`command="…"`, `from="…"`), certificates and DSA keys are refused: nothing here would
    honour them, and silently dropping a restriction widens it.
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
        if key.key_size < MIN_RSA_BITS:
            raise PublicKeyProblem("too_short")
        if key.key_size > MAX_RSA_BITS:
            raise PublicKeyProblem("too_long")
    return SshPublicKey(algorithm=algorithm, blob=blob, comment=comment.strip()[:_MAX_COMMENT_CHARS])


def parse_public_keys(text: str) -> tuple[SshPublicKey, ...]:
    """All keys of a text with one key per line; blank lines and `#` lines are skipped, duplicates dropped.

    Raises `PublicKeyProblem` at the first line that is no usable key.
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
    """Whether the stored text holds exactly the offered key (compared by blob, comments do not matter)."""
    try:
        offered = parse_public_key(offered_line)
        return any(key.blob == offered.blob for key in parse_public_keys(stored))
    except PublicKeyProblem:
        return False
