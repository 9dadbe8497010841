"""Events of passkeys."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class PasskeyAdded:
    """The user added a passkey, called `name`, from this address."""

    user_id: UUID
    passkey_id: UUID
    name: str
    remote_addr: str
    at: datetime


@dataclass(frozen=True, slots=True)
class PasskeyRemoved:
    """The user removed their passkey `name`."""

    user_id: UUID
    passkey_id: UUID
    name: str
    remote_addr: str
    at: datetime
