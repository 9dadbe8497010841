"""Viewsets of resources. `make new-resource` writes a `PlainResourceViewSet`. How to add a resource that does more:

1.  models.py      `class Label(OrgOwnedModel)` with `objects = ScopedManager()`; constraints in the database.
2.  actions.py     one function for each verb: keyword-only `actor`, atomic, with its audit record:

        @transaction.atomic
        def create_label(*, actor: Actor, scope: OrgScope, name: str, value: str) -> Label:
            label = Label.objects.create(org_id=writable(scope), created_by=actor.label, name=name, value=value)
            audits.record_change(actor=actor, action="create", target=label, new={"name": name, "value": value})
            return label

3.  api/serializers.py   a `ResourceSerializer` (shapes only).
4.  api/views.py         translation only:

        class LabelViewSet(ResourceViewSet):
            queryset = Label.objects.all()
            serializer_class = LabelSerializer
            rights = {"list": Right.ORG_AUDITOR, "retrieve": Right.ORG_AUDITOR, "create": Right.ORG_ADMIN,
                      "update": Right.ORG_ADMIN, "destroy": Right.ORG_ADMIN}   # also for their bulk and partial actions
            filter_fields = ("name", "value")
            search_fields = ("name",)
            ordering_fields = ("name",)

            def create_object(self, data): return actions.create_label(actor=self.actor, scope=self.scope, **data)
            def update_object(self, instance, data):
                return actions.update_label(actor=self.actor, label=instance, changes=data)

            def delete_object(self, instance): actions.delete_label(actor=self.actor, label=instance)

5.  urls.py of the app   `router = ResourceRouter(); router.register("assets/labels", LabelViewSet, "label")`,
                         `urlpatterns = router.urls` (paths are relative to /api/v1/).

The base class provides scope and visibility (`queryset` is passed through `visible_to(actor, scope)`; override
`visible_rows` when the table needs another rule), the list envelope, search, order, filters, `ids`/`spm`,
`fields_size`, OPTIONS metadata, error bodies, bulk create, bulk update, bulk delete of a *named* selection, export
and templates (`?format=csv|xlsx`), and `render-to-json/` for imports. `exportable = False`, `importable = False`,
`exchange_fields` and `export_needs_mfa` limit export and import: see `postern.foundation.rest.exchange.mixins`.

Call `select_related` and `prefetch_related` in `visible_rows` for the relations that an answer shows. They are read for
the rows of a page only, and serializers read them with `related.prefetched`. Numbers of related rows are declared as
`amounts = {"assets_amount": Amount(SystemUserAsset, "systemuser_id")}`.

Only rows that the caller may see can be changed: other ids are 404, in bulk calls too. Writes in the root organization
are refused with 400. A viewset without `create_object`, `update_object` or `delete_object` answers 405: combine the
mixins that it needs.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, Final, TypeVar

from django.core.exceptions import ValidationError as ModelValidationError
from django.db import models
from django.db.models.expressions import Combinable
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import mixins, serializers, status
from rest_framework.filters import BaseFilterBackend
from rest_framework.generics import GenericAPIView
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import DefaultRouter, DynamicRoute, Route
from rest_framework.viewsets import ViewSetMixin

from postern.foundation.caller import identity
from postern.foundation.caller.scope import writable
from postern.foundation.database import row_locks
from postern.foundation.database.write_transaction import write_transaction
from postern.foundation.rest import bulk, counts, keyed
from postern.foundation.rest.exchange import checking
from postern.foundation.rest.exchange.mixins import Exchangeable, ExportMixin, ImportMixin
from postern.foundation.rest.filters import (
    DateRange,
    DeclaredFilters,
    DeclaredOrder,
    Selected,
    TermSearch,
    narrows,
    newest_border,
)
from postern.foundation.rest.metadata import ContractMetadata
from postern.foundation.rest.pagination import OptionalLimitPagination
from postern.foundation.rest.related import Amount, attach, attach_computed, lookups_of
from postern.foundation.rest.views import PosternView
from postern.kernel.errors import PosternError

_Written = TypeVar("_Written")

MAX_BULK_ITEMS: Final = bulk.MAX_ITEMS


class RowsViewSet(Exchangeable, ViewSetMixin, PosternView, GenericAPIView[Any]):
    """Shared by all viewsets: access to visible rows, filters, serializer context."""

    filter_backends: tuple[type[BaseFilterBackend], ...] = (
        DeclaredFilters,
        DateRange,
        TermSearch,
        Selected,
        DeclaredOrder,
    )
    pagination_class = OptionalLimitPagination
    filter_fields: ClassVar[tuple[str, ...] | Mapping[str, str]] = ()
    search_fields: ClassVar[tuple[str, ...]] = ()
    default_order: ClassVar[tuple[str | Combinable, ...]] = ()
    date_range_field: ClassVar[str | None] = None
    #: How row counts are cached (see `counts`).
    counted: ClassVar[counts.Versioned | None] = None
    #: Amounts by their names in the serializer; a list can be ordered by them (see `related`).
    amounts: ClassVar[Mapping[str, Amount]] = {}
    lookup_value_regex = "[^/.]+"
    #: The oldest instant that a search in a log covered; None when it covered all rows (see `filters.TermSearch`).
    searched_from: datetime | None = None

    #: Whether new objects belong to the request's organization, so that none can be created in the root organization.
    made_in_organization: ClassVar[bool] = True
    #: Whether objects are changed and deleted only in their own organization; the root organization is then read-only.
    changed_in_organization: ClassVar[bool] = True
    #: Actions that change no row although their method is unsafe; they are allowed in the root organization.
    acts_in_root: ClassVar[frozenset[str]] = frozenset()

    #: Set during a bulk write: the rows that the actions return are loaded again, all at once.
    in_bulk: bool = False

    #: Action name → serializer class, where it differs from `serializer_class`.
    serializer_classes: ClassVar[Mapping[str, type[serializers.BaseSerializer[Any]]]] = {}

    def visible_rows(self) -> models.QuerySet[Any]:
        """The rows that the caller may see. Override for tables with another visibility rule."""
        rows: Any = super().get_queryset()
        visible: models.QuerySet[Any] = rows.visible_to(self.actor, self.scope)
        return visible

    def get_queryset(self) -> models.QuerySet[Any]:
        return self.visible_rows()

    def search_border(self, rows: models.QuerySet[Any]) -> datetime | None:
        """The oldest instant that a search in the `rows` of a log covers; None for all rows."""
        return newest_border(rows, self.date_range_field) if self.date_range_field else None

    def get_object(self) -> Any:
        """The visible row of the URL, regardless of query parameters. Unknown and malformed ids are 404."""
        key = self.kwargs[self.lookup_url_kwarg or self.lookup_field]
        rows = self.get_queryset()
        try:
            row = keyed.first(rows.filter(models.Q((self.lookup_field, key))))
        except (ValueError, TypeError, ModelValidationError):
            row = None
        if row is None:
            self._not_found()
        self.check_object_permissions(self.request, row)
        return self.completed([row], rows)[0] if getattr(self, "action", None) == "retrieve" else row

    def completed(self, rows: list[Any], of: models.QuerySet[Any] | None = None) -> list[Any]:
        """Load what the answer shows: the to-many relations that the queryset `of` prefetches (default:
        `get_queryset`), and the amounts.
        """
        attach(rows, lookups_of(self.get_queryset() if of is None else of))
        attach_computed(self, rows)
        return rows

    def attach_more(self, rows: list[Any]) -> None:
        """Load what answers show of these rows besides relations and amounts, with queries for all of them."""

    def present(self, made: list[Any], serializer: serializers.BaseSerializer[Any]) -> Any:
        """The body of the answer to a write. `serializer` shows the objects `made`; it is the one that validated a single
        object, because building its fields again takes longer than using them.
        """
        self.completed(made)
        return serializer.data

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        """Lock the rows that a write concerns before the first item is written, in the order of `row_locks`.

        `rows` are the rows to change or delete, `values` the validated items. Override when items refer to other rows,
        or when the action locks something before its row.
        """
        del values
        if rows:
            row_locks.lock(type(rows[0]), [row.pk for row in rows], deleting=deleting)

    def begin_write(
        self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False
    ) -> Sequence[Any]:
        """First step in the transaction of a write: check the caller again and lock the rows.

        The caller's right was checked before the body was read and validated, which takes time for a large body.
        Returns the rows; for a delete, only those that no other request has deleted since.
        """
        identity.require_standing(self.actor)
        self.hold_rows(rows, values, deleting=deleting)
        if not rows or not deleting:
            return rows
        remaining_keys = row_locks.still_there(type(rows[0]), [row.pk for row in rows])
        return [row for row in rows if row.pk in remaining_keys]

    def carry_out(self, write: Callable[[], _Written]) -> _Written:
        """Carry out a write, which opens its own transaction. Views whose writes need something slow override it."""
        return write()

    def _not_found(self) -> None:
        raise RowNotFound(_("Not found."))

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """After the rights check: refuse every write in the root organization, including custom actions."""
        super().initial(request, *args, **kwargs)
        if request.method in SAFE_METHODS or request.method not in self.allowed_methods:
            return
        action = getattr(self, "action", None)
        bound = self.made_in_organization if action == "create" else self.changed_in_organization
        if bound and not self.always_root and action not in self.acts_in_root:
            writable(self.scope)

    def options(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:  # type: ignore[override]  # DRF answers with one of its own
        """The methods and fields that the caller may use (contract: conventions section 6)."""
        return HttpResponse(ContractMetadata().rendered(request, self), content_type="application/json")

    def metadata_version(self) -> Hashable:
        """What the description of the fields depends on besides role, organization, language and query. Override where
        there is more.
        """
        return None

    def get_serializer_class(self) -> type[serializers.BaseSerializer[Any]]:
        return self.serializer_classes.get(getattr(self, "action", None) or "", super().get_serializer_class())

    def get_serializer_context(self) -> dict[str, Any]:
        return {**super().get_serializer_context(), "actor": self.actor, "scope": self.scope}


class RowNotFound(PosternError):
    """The row does not exist or is not visible to the caller."""

    code = "object_does_not_exist"
    status = 404


class SelectionMissing(PosternError):
    """A bulk delete without a selection or filter, which would mean every object."""

    code = "selection_required"
    status = 400

    def __init__(self) -> None:
        super().__init__(_("No objects are selected. Select some, or filter the list."))


class ReadOnlyViewSet(ExportMixin, mixins.RetrieveModelMixin, RowsViewSet):
    """list and retrieve."""


class ListViewSet(ExportMixin, RowsViewSet):
    """list only."""


class CreateMixin(ImportMixin, RowsViewSet):
    """POST of one object, or of an array: all items or none."""

    @checking.makes_checks
    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        data: Any = request.data
        if checking.is_asked(request):
            return Response(checking.of_creates(self, data))
        many = isinstance(data, list)
        if many:
            bulk.refuse_too_many(data)
            items = bulk.checked_creates(self.get_serializer, data)
            self.in_bulk = True
            items = bulk.prepare_all(items, self.prepare_create)
            together = getattr(self, "create_objects", None)
            made = self.carry_out(
                lambda: bulk.write_all(items, self.create_object, together, begin=lambda: self.begin_write((), items))
            )
            serializer = self.get_serializer(made, many=True)
        else:
            serializer = self.get_serializer(data=data)
            serializer.is_valid(raise_exception=True)
            values = self.prepare_create(dict(serializer.validated_data))
            made = [self.carry_out(lambda: self._created(values))]
            serializer.instance = made[0]
        return Response(self.present(made, serializer), status=status.HTTP_201_CREATED)

    def _created(self, values: dict[str, Any]) -> Any:
        with write_transaction():
            self.begin_write((), [values])
            return self.create_object(values)

    def prepare_create(self, data: dict[str, Any]) -> dict[str, Any]:
        """Do slow work that needs no transaction, such as hashing. Returns the values for `create_object`."""
        return data

    def create_object(self, data: dict[str, Any]) -> Any:
        """Call the action that creates the object, and return the object."""
        raise NotImplementedError


class UpdateMixin(ImportMixin, RowsViewSet):
    """PUT and PATCH of one object, or of an array whose items have ids."""

    def update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        partial = bool(kwargs.pop("partial", False))
        instance = self.get_object()
        serializer = self.get_serializer(instance, data=request.data, partial=partial)
        serializer.is_valid(raise_exception=True)
        values = self.prepare_update(instance, dict(serializer.validated_data))
        serializer.instance = self.carry_out(lambda: self._updated(instance, values))
        return Response(self.present([serializer.instance], serializer))

    def partial_update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        kwargs["partial"] = True
        return self.update(request, *args, **kwargs)

    @checking.makes_checks
    def bulk_update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """PUT or PATCH of a list. An item without an id, or with an id that is not visible, refuses the whole call."""
        if checking.is_asked(request):
            return Response(checking.of_changes(self, request.data))
        items = bulk.checked_items(request.data)
        rows = bulk.instances(self.filter_queryset(self.get_queryset()).prefetch_related(None), items)
        for instance in rows:
            self.check_object_permissions(request, instance)
        pairs = bulk.checked_changes(self.get_serializer, rows, items, partial=request.method == "PATCH")
        pairs = bulk.prepare_all(pairs, lambda pair: (pair[0], self.prepare_update(*pair)))
        self.in_bulk = True
        together = getattr(self, "update_objects", None)
        changed = self.carry_out(
            lambda: bulk.write_all(
                pairs,
                lambda pair: self.update_object(*pair),
                together,
                begin=lambda: self.begin_write(rows, [values for _row, values in pairs]),
            )
        )
        reloaded_rows = bulk.by_key(self.get_queryset().prefetch_related(None), [row.pk for row in changed])
        changed = [reloaded_rows.get(row.pk, row) for row in changed]
        return Response(self.get_serializer(self.completed(changed), many=True).data)

    def partial_bulk_update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.bulk_update(request, *args, **kwargs)

    def _updated(self, instance: Any, values: dict[str, Any]) -> Any:
        with write_transaction():
            self.begin_write([instance], [values])
            return self.update_object(instance, values)

    def prepare_update(self, instance: Any, data: dict[str, Any]) -> dict[str, Any]:
        """Do slow work that needs no transaction, such as hashing. Returns the values for `update_object`."""
        del instance
        return data

    def update_object(self, instance: Any, data: dict[str, Any]) -> Any:
        """Call the action that changes the object, and return the object (with `in_bulk` it may be incomplete)."""
        raise NotImplementedError


class DeleteMixin(RowsViewSet):
    """DELETE of one object, or of a selection."""

    def destroy(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        with write_transaction():
            remaining_rows = self.begin_write([self.get_object()], (), deleting=True)
            if not remaining_rows:
                self._not_found()
            self.delete_object(remaining_rows[0])
        return Response(status=status.HTTP_204_NO_CONTENT)

    def bulk_destroy(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Delete the rows that `spm`, `ids` or declared filters select. A call without any of these is refused."""
        if not narrows(request, self):
            raise SelectionMissing
        rows = list(self.filter_queryset(self.get_queryset()).prefetch_related(None)[: bulk.MAX_ITEMS + 1])
        bulk.refuse_too_many(rows)
        for instance in rows:
            self.check_object_permissions(request, instance)
        together = getattr(self, "delete_objects", None)
        bulk.delete_all(self.delete_object, together, begin=lambda: self.begin_write(rows, (), deleting=True))
        return Response(status=status.HTTP_204_NO_CONTENT)

    def delete_object(self, instance: Any) -> None:
        """Call the action that deletes the object."""
        raise NotImplementedError


class ResourceViewSet(CreateMixin, UpdateMixin, DeleteMixin, ReadOnlyViewSet):
    """list, retrieve, create, update, partial_update, destroy and the bulk actions."""


class ResourceRouter(DefaultRouter):
    """Routes of resources, with PUT, PATCH and DELETE on the list for bulk actions, and without an API root page."""

    include_root_view = False
    include_format_suffixes = False
    routes = [
        Route(
            url=r"^{prefix}{trailing_slash}$",
            mapping={
                "get": "list",
                "post": "create",
                "put": "bulk_update",
                "patch": "partial_bulk_update",
                "delete": "bulk_destroy",
            },
            name="{basename}-list",
            detail=False,
            initkwargs={"suffix": gettext_lazy("List")},
        ),
        DynamicRoute(
            url=r"^{prefix}/{url_path}{trailing_slash}$", name="{basename}-{url_name}", detail=False, initkwargs={}
        ),
        Route(
            url=r"^{prefix}/{lookup}{trailing_slash}$",
            mapping={"get": "retrieve", "put": "update", "patch": "partial_update", "delete": "destroy"},
            name="{basename}-detail",
            detail=True,
            initkwargs={"suffix": gettext_lazy("Instance")},
        ),
        DynamicRoute(
            url=r"^{prefix}/{lookup}/{url_path}{trailing_slash}$",
            name="{basename}-{url_name}",
            detail=True,
            initkwargs={},
        ),
    ]
