"""The text of a code: `ssh-xxxxx-xxxxx`, 50 random bits in letters and digits that are not easily confused."""

import re
import secrets
from typing import Final

from postern.kernel.ids import token_hash
from postern.kernel.secret import Secret

#: Crockford's alphabet: without i, l, o and u.
_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_GROUP_CHARS: Final = 5
_SHAPE: Final = re.compile(rf"ssh-?([{_ALPHABET}]{{{_GROUP_CHARS}}})-?([{_ALPHABET}]{{{_GROUP_CHARS}}})")


def new_code() -> tuple[Secret, str]:
    """A new code, and its hash."""
    first, second = ("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP_CHARS)) for _ in range(2))
    text = f"ssh-{first}-{second}"
    return Secret(text), token_hash(text)


def is_ssh_code(text: str) -> bool:
    """Whether a text has the shape of a code."""
    return code_hash(text) is not None


def code_hash(text: str) -> str | None:
    """The stored hash of a code; None for a text without its form. Case, dashes and surrounding spaces are ignored."""
    match = _SHAPE.fullmatch(text.strip().lower())
    return token_hash("ssh-" + "-".join(match.groups())) if match is not None else None
