"""Pictures of live screens, from the sealer."""

from uuid import UUID

from postern.proxies.core.recording import SnapshotClient
from postern.proxies.core.sessions.watching import Picture


class SealerPictures:
    """The sealer's snapshots as the registry asks for them."""

    def __init__(self, client: SnapshotClient) -> None:
        self._client = client

    async def picture(self, session_id: UUID, at_least_offset: int) -> Picture:
        snapshot = await self._client.snapshot(session_id, at_least_offset)
        return Picture(columns=snapshot.columns, rows=snapshot.rows, offset=snapshot.offset, data=snapshot.repaint)
