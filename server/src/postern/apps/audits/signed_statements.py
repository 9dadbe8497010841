"""Signed statements: "at this time, the public chain of this organization had this link at this position"."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self
from uuid import UUID

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from postern.apps.audits.public_chain import Position
from postern.apps.audits.signing_key import SigningKey, trusted_keys

CONTEXT: Final = b"postern audit checkpoint v1\x00"


@dataclass(frozen=True, slots=True)
class SignedStatement:
    """A statement, the id of the key that signed it, and the signature in hex."""

    org_id: UUID
    at: str
    position: Position
    key_id: str
    signature: str

    @classmethod
    def parse(cls, stored: Mapping[str, Any]) -> Self:
        """The statement of a line of a file. Raises ValueError, KeyError, TypeError, AttributeError."""
        position = Position(int(stored["sequence"]), str(stored["digest"]), str(stored["chain"]))
        return cls(UUID(stored["org_id"]), str(stored["at"]), position, str(stored["key_id"]), str(stored["signature"]))

    def stored(self) -> dict[str, Any]:
        """The statement as JSON."""
        return {**_stated(self.org_id, self.at, self.position, self.key_id), "signature": self.signature}

    def line(self) -> bytes:
        """The statement as one line of a file."""
        return _canonical(self.stored()) + b"\n"

    def is_signed(self) -> bool:
        """Whether a key that has signed here made the signature."""
        public = trusted_keys().find(self.key_id)
        if public is None:
            return False
        message = CONTEXT + _canonical(_stated(self.org_id, self.at, self.position, self.key_id))
        try:
            Ed25519PublicKey.from_public_bytes(public).verify(bytes.fromhex(self.signature), message)
        except (InvalidSignature, ValueError):
            return False
        return True


def sign(key: SigningKey, org_id: UUID, at: str, position: Position) -> SignedStatement:
    """The signed statement of a position."""
    message = CONTEXT + _canonical(_stated(org_id, at, position, key.key_id))
    return SignedStatement(org_id, at, position, key.key_id, key.sign(message).hex())


def _stated(org_id: UUID, at: str, position: Position, key_id: str) -> dict[str, Any]:
    return {
        "org_id": str(org_id),
        "at": at,
        "sequence": position.sequence,
        "digest": position.digest,
        "chain": position.chain,
        "key_id": key_id,
    }


def _canonical(values: Mapping[str, Any]) -> bytes:
    return json.dumps(values, sort_keys=True, separators=(",", ":")).encode()
