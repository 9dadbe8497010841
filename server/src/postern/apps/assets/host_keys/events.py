"""What happens to host keys."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class HostKeyChanged:
    """A target showed another host key than the pinned one; the connection was refused."""

    org_id: UUID
    asset_id: UUID
    host: str
    port: int
    shown_fingerprint: str
