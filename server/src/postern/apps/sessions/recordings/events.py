"""Events of recordings, published after their transaction has committed."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class RecordingsNotCopied:
    """Copies to a storage keep failing. The recordings stay where they are.

    `storage_id`: None for the folder of this server. `waiting`: how many recordings wait for this storage.
    """

    storage_id: UUID | None
    storage: str
    waiting: int
