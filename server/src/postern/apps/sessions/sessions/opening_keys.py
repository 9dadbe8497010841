"""The key of an opening session: who shows it was given the session's grant.

A session's id is in lists and logs, so it is no authority (K63). The key is a code of the control plane over the id: nothing
is stored, and nobody else can make one.
"""

from typing import Final
from uuid import UUID

from django.utils.crypto import salted_hmac

from postern.kernel import ids

_PURPOSE: Final = "postern.sessions.opening-key"


def key_of(session_id: UUID) -> str:
    """The key that goes out with the grant."""
    return salted_hmac(_PURPOSE, session_id.hex, algorithm="sha256").hexdigest()


def fits(session_id: UUID, shown: str) -> bool:
    """Whether `shown` is the key, compared in constant time."""
    return ids.same(key_of(session_id), shown)
