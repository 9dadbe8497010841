"""A resource that consists of columns and lists of other objects. Its viewset declares `writes` and needs no methods.

class SiteViewSet(PlainResourceViewSet):
    queryset = Site.objects.all()
    serializer_class = SiteSerializer
    writes = SITES  # `RecordedRows` of the audit app
    rights = ORG_ADMIN_ONLY
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Protocol
from uuid import UUID

from django.db import models
from django.db.models import Prefetch

from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import writable
from postern.foundation.rest.viewsets import ResourceViewSet


class Writes(Protocol):
    """The writes of one table. Each of them records its audit entry in its own transaction."""

    @property
    def lists(self) -> Collection[str]:
        """The many-to-many relations that are written together with a row."""
        ...

    def hold(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None: ...
    def create(self, *, actor: Actor, org_id: UUID, values: Mapping[str, Any]) -> Any: ...
    def update(self, *, actor: Actor, row: Any, values: Mapping[str, Any]) -> Any: ...
    def delete(self, *, actor: Actor, row: Any) -> None: ...


class PlainResourceViewSet(ResourceViewSet):
    """All calls of a resource, implemented by the functions of `writes`."""

    writes: ClassVar[Writes]

    def visible_rows(self) -> models.QuerySet[Any]:
        rows = super().visible_rows()
        return rows.prefetch_related(*(keys_only(rows.model, relation) for relation in self.writes.lists))

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        self.writes.hold(rows, values, deleting=deleting)

    def create_object(self, data: dict[str, Any]) -> Any:
        return self.writes.create(actor=self.actor, org_id=writable(self.scope), values=data)

    def update_object(self, instance: Any, data: dict[str, Any]) -> Any:
        return self.writes.update(actor=self.actor, row=instance, values=data)

    def delete_object(self, instance: Any) -> None:
        self.writes.delete(actor=self.actor, row=instance)


def keys_only(model: type[models.Model], relation: str) -> "Prefetch[Any, Any, Any]":
    """Prefetch only the ids of related objects, which is what lists contain; forms load the names themselves."""
    related_model: Any = model._meta.get_field(relation).related_model  # noqa: SLF001 - the documented model API
    return Prefetch(relation, queryset=related_model._default_manager.only("pk").order_by())  # noqa: SLF001 - the same
