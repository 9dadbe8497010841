"""The organization of an operation: an explicit value, never a thread-local."""

from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext as _

from postern.kernel.errors import PosternError
from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID


@dataclass(frozen=True, slots=True)
class OrgScope:
    """One organization, or all of them (`is_root`). Nothing can be created in the root organization."""

    org_id: UUID

    @property
    def is_root(self) -> bool:
        """Whether the scope is all organizations."""
        return self.org_id == ROOT_ORG_ID

    @property
    def is_default(self) -> bool:
        return self.org_id == DEFAULT_ORG_ID

    def covers(self, org_id: UUID) -> bool:
        """Whether an object of organization `org_id` is inside this scope."""
        return self.is_root or self.org_id == org_id


ROOT = OrgScope(ROOT_ORG_ID)
DEFAULT = OrgScope(DEFAULT_ORG_ID)


class RootIsReadOnly(PosternError):
    """A write in the root organization, which is read-only."""

    code = "root_org_read_only"


def writable(scope: OrgScope) -> UUID:
    """The id of the organization that a new row belongs to. Raises RootIsReadOnly."""
    if scope.is_root:
        raise RootIsReadOnly(
            _("Nothing can be created or changed in the global organization; choose an organization first.")
        )
    return scope.org_id
