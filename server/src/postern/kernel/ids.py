"""Identifiers and tokens. Everything that must not be guessed comes from `secrets` (invariant K5)."""

import hashlib
import hmac
import secrets
from uuid import UUID, uuid4

#: Organization ids that every installation shares (spec section 3, rulings).
ROOT_ORG_ID = UUID("00000000-0000-0000-0000-000000000000")
DEFAULT_ORG_ID = UUID("00000000-0000-0000-0000-000000000002")

_TOKEN_BYTES = 32


def new_id() -> UUID:
    """A fresh random identifier (UUID version 4). Holding one is never authority (K63)."""
    return uuid4()


def parse_id(text: str) -> UUID | None:
    """`text` as a UUID in its canonical 36-character spelling, or None."""
    if len(text) != 36:
        return None
    try:
        return UUID(text)
    except ValueError:
        return None


def new_token() -> str:
    """A random bearer token: 256 bits, URL-safe, 43 characters."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def token_hash(token: str) -> str:
    """What a database stores instead of a token: lower-case hex SHA-256, 64 characters.

    Tokens are random and long, so a plain hash is enough; passwords use argon2 instead.
    """
    return hashlib.sha256(token.encode("utf-8")).hexdigest()


def same(left: str, right: str) -> bool:
    """Compare two secrets in a time that does not depend on where they differ."""
    return hmac.compare_digest(left.encode("utf-8"), right.encode("utf-8"))
