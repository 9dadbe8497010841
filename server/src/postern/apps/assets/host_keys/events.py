"""Events of host keys."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class HostKeyChanged:
    """A target sent a different host key than the pinned key; the connection was refused."""

    org_id: UUID
    asset_id: UUID
    host: str
    port: int
    shown_fingerprint: str
