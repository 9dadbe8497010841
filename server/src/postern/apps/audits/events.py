"""Events of the audit log."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class AuditEventsAppended:
    """Events were appended to the chain of an organization."""

    org_id: UUID
