"""What happened to assets; published after the transaction that did it has committed."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class AssetsChanged:
    """Assets, their places or the tree of an organization changed, so that what somebody may reach may have changed."""

    org_id: UUID


@dataclass(frozen=True, slots=True)
class AssetsDeleted:
    """These assets are gone."""

    org_id: UUID
    asset_ids: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class HostKeyChanged:
    """A target showed another host key than the pinned one; the connection was refused."""

    org_id: UUID
    asset_id: UUID
    host: str
    port: int
    shown_fingerprint: str
