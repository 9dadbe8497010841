"""Mail addresses of people whom a directory or a provider names."""

import hashlib
from typing import Final

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

_MOST_CHARS: Final = 128


def usable_mail(text: str) -> str:
    """The address in lower case; empty if it is no address that an account can have."""
    if len(text) > _MOST_CHARS:
        return ""
    try:
        validate_email(text)
    except ValidationError:
        return ""
    return text.lower()


def stand_in_mail(username: str, *, domain: str) -> str:
    """An address for a person without a mail address, because each account needs its own. `domain` must not exist.

    A login name that no address can contain, such as one in Chinese, is replaced by its hash.
    """
    return usable_mail(f"{username}@{domain}") or f"{hashlib.sha256(username.encode()).hexdigest()[:32]}@{domain}"
