"""The description of one link table: API names, table, columns, and display name of the objects."""

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from postern.apps.perms.granting.bases import LinkRow


@dataclass(frozen=True, slots=True)
class Link:
    """`list_name`: field of a permission.

    `column`: field of a link row. `table`: model of the link rows. `named_by`: columns of an object's display name.
    """

    list_name: str
    column: str
    table: type[LinkRow]
    named_by: tuple[str, ...]

    @property
    def parent(self) -> str:
        """The field of a link row that leads to its permission."""
        return self.table.ends[0]

    @property
    def target(self) -> Any:
        """The model at the other end."""
        return self.table._meta.get_field(self.column).related_model  # noqa: SLF001 - the documented model API

    @property
    def names(self) -> Any:
        """The linked objects with the columns of their display names, in list order."""
        return self.target._default_manager.only(*self.named_by)  # noqa: SLF001 - the documented model API

    @property
    def rows(self) -> Any:
        return self.table._default_manager  # noqa: SLF001 - the documented model API

    def rows_of(self, permission_id: Any) -> Any:
        """The link rows of a permission. The id may be a reference to an outer query."""
        return self.rows.filter(**{f"{self.parent}_id": permission_id})

    def naming(self, ids: QuerySet[Any, Any]) -> QuerySet[Any, Any]:
        """Ids of the permissions that name one of these objects, as a query."""
        permissions: QuerySet[Any, Any] = self.rows.filter(**{f"{self.column}_id__in": ids}).values(f"{self.parent}_id")
        return permissions
