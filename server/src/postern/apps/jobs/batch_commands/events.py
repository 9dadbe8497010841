"""Events of batch commands."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchCommandRefused:
    """The command filters refused a batch command: at the request (`has_begun` is false), or later, at the turn of a host.

    `command` is its beginning; names are for texts.
    """

    org_id: UUID
    user_id: UUID | None
    user: str
    run_as_id: UUID
    run_as: str
    command: str
    hosts_amount: int
    has_begun: bool
