"""Events about access, published after their transaction has committed."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class AccessChanged:
    """A permission, a group, the tree, an asset or a system user of the organization changed.

    Some users may have lost access that they are using: every holder of open access must decide again.
    """

    org_id: UUID
