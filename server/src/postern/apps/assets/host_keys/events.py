"""Events of host keys."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class HostKeyChanged:
    """A target or a gateway sent a different host key than the pinned key; the connection was refused.

    Exactly one of `asset_id` and `gateway_id` is set.
    """

    org_id: UUID
    asset_id: UUID | None
    host: str
    port: int
    shown_fingerprint: str
    gateway_id: UUID | None = None
