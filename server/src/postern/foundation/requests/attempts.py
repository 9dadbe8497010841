"""Requests that have an effect only once and can be repeated when the answer was lost
(`contracts.access.ATTEMPT_BYTES`).
"""

import json
from datetime import datetime, timedelta
from typing import Final

from django.utils.crypto import salted_hmac

from postern.contracts import access
from postern.kernel import clock

#: Time during which a repeated request with the same attempt gets the same answer.
REPEATABLE: Final = timedelta(seconds=access.REPEATABLE_S)
_LEAST_CHARS: Final = 2 * access.ATTEMPT_BYTES
_SALT: Final = "postern.attempts"


def name_of(attempt: str, *request: object) -> str:
    """A keyed hash that identifies a repeated request and reveals neither the attempt nor the content.

    Empty for a request without an attempt or with one short enough to guess: such a request counts each time. `request`
    is everything that the answer depends on, so another password with the same attempt is a different request.
    """
    if len(attempt) < _LEAST_CHARS:
        return ""
    text = json.dumps([attempt, *map(str, request)])
    return salted_hmac(_SALT, text, algorithm="sha256").hexdigest()


def is_repeated(name: str, *, stored: str, first_at: datetime | None) -> bool:
    """Whether this is a repetition of the request that was answered at `first_at`."""
    return bool(name) and name == stored and first_at is not None and clock.now() - first_at < REPEATABLE
