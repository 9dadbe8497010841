"""Events of commands."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class CommandRefused:
    """Command filters refused commands of a session. `command` is the first of `number`; names are for texts."""

    session_id: UUID
    org_id: UUID
    user: str
    asset: str
    system_user: str
    command: str
    filter_name: str
    number: int


@dataclass(frozen=True, slots=True)
class UnjudgedCommandRan:
    """Commands of a session with command filters ran without being judged. Fields as of `CommandRefused`."""

    session_id: UUID
    org_id: UUID
    user: str
    asset: str
    system_user: str
    command: str
    number: int
