"""The key of an opening session: only a proxy that received the session's grant has it.

A session's id appears in lists and logs, so it proves nothing (K63: to know an id is no authority). The key is a MAC of
the control plane over the id: nothing is stored, and nobody else can compute it.
"""

from typing import Final
from uuid import UUID

from django.utils.crypto import salted_hmac

from postern.kernel import ids

_PURPOSE: Final = "postern.sessions.opening-key"


def key_of(session_id: UUID) -> str:
    """The key that is sent with the grant."""
    return salted_hmac(_PURPOSE, session_id.hex, algorithm="sha256").hexdigest()


def fits(session_id: UUID, shown: str) -> bool:
    """Whether `shown` is the right key, compared in constant time."""
    return ids.same(key_of(session_id), shown)
