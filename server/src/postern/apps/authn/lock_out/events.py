"""Events of locks."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class AccountLocked:
    """Too many failures: new sign-ins with this name are refused for a while. Open sessions continue."""

    username: str
    remote_addr: str
    minutes: int
    user_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class AccountUnlocked:
    """An administrator unlocked an account before its lock expired."""

    user_id: UUID
    username: str
    by: str
    at: datetime
