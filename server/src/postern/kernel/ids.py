"""Ids and tokens. Everything that must not be guessed comes from `secrets`."""

import hashlib
import hmac
import secrets
from uuid import UUID, uuid4

#: Organization ids that every installation has (specification section 3, rulings).
ROOT_ORG_ID = UUID("00000000-0000-0000-0000-000000000000")
DEFAULT_ORG_ID = UUID("00000000-0000-0000-0000-000000000002")

_TOKEN_BYTES = 32


def new_id() -> UUID:
    """A new random id (UUID version 4). Knowing an id never grants access."""
    return uuid4()


def parse_id(text: str) -> UUID | None:
    """`text` as a UUID if it is in canonical form (36 characters), otherwise None."""
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
    """The hash that a database stores instead of a token: lower-case hex SHA-256, 64 characters.

    Tokens are long and random, so a plain hash suffices. Passwords use argon2 instead.
    """
    return hashlib.sha256(token.encode("utf-8")).hexdigest()


def same(left: str, right: str) -> bool:
    """Compare two secrets in constant time."""
    return hmac.compare_digest(left.encode("utf-8"), right.encode("utf-8"))
