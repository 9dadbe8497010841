"""Events of second factors."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class SecondFactorReset:
    """Another person, `by`, removed the authenticator app and the passkeys of the user."""

    user_id: UUID
    by: str
    at: datetime
