"""What happened to access; published after the transaction that did it has committed."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class AccessChanged:
    """A permission, a group, the tree, an asset or a system user of the organization changed.

    Somebody may have lost what he is using: whoever holds open access decides again.
    """

    org_id: UUID
