"""What happens to locks."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class AccountLocked:
    """Too many failures: new sign-ins under this name are refused for a while. Open sessions go on."""

    username: str
    remote_addr: str
    minutes: int
    user_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class AccountUnlocked:
    """Somebody took the lock of an account away before its time."""

    user_id: UUID
    username: str
    by: str
    at: datetime
