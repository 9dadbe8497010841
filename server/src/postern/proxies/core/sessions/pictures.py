"""Snapshots of live screens from the sealer process."""

from uuid import UUID

from postern.proxies.core.recording import SnapshotClient
from postern.proxies.core.sessions.watching import Picture


class SealerPictures:
    """Adapts the sealer's snapshots to the registry's `SnapshotSource`."""

    def __init__(self, client: SnapshotClient) -> None:
        self._client = client

    async def picture(self, session_id: UUID, at_least_offset: int) -> Picture:
        snapshot = await self._client.snapshot(session_id, at_least_offset)
        return Picture(columns=snapshot.columns, rows=snapshot.rows, offset=snapshot.offset, data=snapshot.repaint)
