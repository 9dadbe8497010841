"""Requests that count only once and may be repeated when their answer was lost (`contracts.access.ATTEMPT_BYTES`)."""

import json
from datetime import datetime, timedelta
from typing import Final

from django.utils.crypto import salted_hmac

from postern.contracts import access
from postern.kernel import clock

#: For how long the same request with the same attempt is answered again.
REPEATABLE: Final = timedelta(seconds=access.REPEATABLE_S)
_LEAST_CHARS: Final = 2 * access.ATTEMPT_BYTES
_SALT: Final = "postern.attempts"


def name_of(attempt: str, *request: object) -> str:
    """What is stored to know the request again: it says nothing about the attempt, nor about what the request holds.

    "" for a request without an attempt, or with one that could be guessed: such a request counts each time. `request` is all that
    decides about the answer: another password with the same attempt is another request.
    """
    if len(attempt) < _LEAST_CHARS:
        return ""
    text = json.dumps([attempt, *map(str, request)])
    return salted_hmac(_SALT, text, algorithm="sha256").hexdigest()


def is_repeated(name: str, *, stored: str, first_at: datetime | None) -> bool:
    """Whether this is the request that was answered at `first_at`, with its answer lost a moment ago."""
    return bool(name) and name == stored and first_at is not None and clock.now() - first_at < REPEATABLE
