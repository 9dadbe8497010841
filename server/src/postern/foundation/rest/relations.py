"""Relation fields limited to the organization of the request (K16: ids of other organizations are "not found").

assets = OrgOwnedList(Asset)            # list of ids, one query for all of them
domain = OrgOwnedField(Domain)          # one id
"""

from collections.abc import Callable, Collection, Iterable
from functools import cache
from typing import Any, Final
from uuid import UUID

from django.core.exceptions import ValidationError as ModelValidationError
from django.db import models
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.foundation.caller.scope import OrgScope
from postern.foundation.database.prepared_keys import PreparedByKey
from postern.foundation.rest.by_key import chosen
from postern.foundation.rest.labels import kind_of
from postern.foundation.rest.naming import Naming, items_of
from postern.foundation.rest.related import prefetched
from postern.kernel.ids import parse_id

#: Maximum number of related objects of one kind in a form or an import row.
MAX_IDS: Final = 10_000


#: Say what happened, why, and what to do next: shown beside the cell of an import.
NO_SUCH_NAME: Final = gettext_lazy(
    'There is no {kind} "{text}" in this organization. Correct the name, or create the object first.'
)
MANY_OF_NAME: Final = gettext_lazy('Several objects ({kind}) are named "{text}". Enter the id of the right one.')


class LookedUpOnce(serializers.RelatedField[Any, Any, Any]):
    """A relation field that looks up a row once for all items of a call. A field lives no longer than its request."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str | int):
            return super().to_internal_value(data)
        rows_by_value: dict[Any, Any] = vars(self).setdefault("_found", {})
        key = type(data), data
        if key not in rows_by_value:
            rows_by_value[key] = super().to_internal_value(data)
        return rows_by_value[key]


class NamedField(LookedUpOnce, serializers.SlugRelatedField[Any]):
    """A row by its unique name: `platform = NamedField(slug_field="name", queryset=Platform.objects.all())`."""

    default_error_messages = {
        "does_not_exist": gettext_lazy('"{value}" does not exist. Enter one of the names that the console offers here.')
    }


class OrgOwnedField(LookedUpOnce, serializers.PrimaryKeyRelatedField[Any]):
    """The id of a row in the request's organization (of any row when the model has no organization)."""

    default_error_messages = {"no_such_name": NO_SUCH_NAME, "many_of_name": MANY_OF_NAME}

    def __init__(self, model: type[models.Model] | None = None, *, named: Naming | None = None, **kwargs: Any) -> None:
        self.named = named
        if model is not None and not kwargs.get("read_only"):
            kwargs["queryset"] = model._default_manager.all()  # noqa: SLF001 - the documented model API
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> Any:
        if self.named is None or not isinstance(data, str) or parse_id(data.strip()) is not None:
            return super().to_internal_value(data)
        text = data.strip()
        rows = self.named.find(self.get_queryset(), [text]).get(text, ())
        if len(rows) != 1:
            reason = "many_of_name" if rows else "no_such_name"
            self.fail(reason, kind=kind_of(self.get_queryset().model), text=text[:64])
        return rows[0]

    def texts_of(self, keys: Collection[Any]) -> dict[Any, str]:
        """Key → name, for objects that an import would find by this name."""
        return {} if self.named is None else self.named.texts(self.get_queryset(), keys)

    def texts(self, most: int) -> list[str]:
        """The names that this field accepts, at most `most` of them."""
        return [] if self.named is None else [self.named.text(row) for row in self.get_queryset().order_by()[:most]]

    def get_queryset(self) -> models.QuerySet[Any]:
        rows: models.QuerySet[Any] = super().get_queryset()  # type: ignore[assignment]  # set in __init__
        return rows_in_scope(rows, self.context.get("scope"))


class OrgOwnedList(serializers.ManyRelatedField):
    """A list of ids of rows in the request's organization, read with one query."""

    default_error_messages = {
        "not_a_list": gettext_lazy("Expected a list of ids."),
        "empty": gettext_lazy("This list may not be empty."),
        "unknown": gettext_lazy('Invalid pk "{pk_value}" - object does not exist.'),
        "too_many": gettext_lazy("Too many objects are named in one request. Name fewer."),
        "no_such_name": NO_SUCH_NAME,
        "many_of_name": MANY_OF_NAME,
    }

    def __init__(
        self,
        model: type[models.Model],
        *,
        of_all_organizations: bool = False,
        named: Naming | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(child_relation=OrgOwnedField(model), **kwargs)
        self.named = named
        self._model = model
        self._of_all = of_all_organizations

    def get_attribute(self, instance: Any) -> Any:
        if len(self.source_attrs) == 1 and isinstance(instance, models.Model) and instance.pk is not None:
            return prefetched(instance, self.source_attrs[0])
        return super().get_attribute(instance)

    def to_internal_value(self, data: Any) -> list[Any]:
        keys = self._keys(data)
        column: Any = self._model._meta.pk  # noqa: SLF001 - the documented model API
        texts = [key for key in keys if parse_id(key) is None] if self.named is not None else []
        by_name = self._rows_named(texts)
        parsed: dict[Any, str] = {}
        for key in keys:
            if key in by_name:
                continue
            try:
                parsed[column.to_python(key)] = key
            except (ModelValidationError, ValueError, TypeError):
                self.fail("unknown", pk_value=key[:64])
        rows_by_value: dict[Any, Any] = vars(self).setdefault("_found", {})  # shared with the other items of the call
        missing = [value for value in parsed if value not in rows_by_value]
        if missing:
            rows_by_value.update(rows_by_key(self._model, missing, self._scope))
        for value, key in parsed.items():
            if value not in rows_by_value:
                self.fail("unknown", pk_value=key[:64])
        wanted = {row.pk: row for row in (*(rows_by_value[value] for value in parsed), *by_name.values())}
        return list(wanted.values())

    def _keys(self, data: Any) -> list[str]:
        """The ids and names that were sent, without duplicates."""
        if isinstance(data, str) and self.named is not None:
            data = items_of(data)
        if isinstance(data, str) or not isinstance(data, Iterable):
            self.fail("not_a_list")
        keys = list(dict.fromkeys(str(item).strip() for item in data))
        if not keys and not self.allow_empty:
            self.fail("empty")
        if len(keys) > MAX_IDS:
            self.fail("too_many")
        return keys

    def texts_of(self, keys: Collection[Any]) -> dict[Any, str]:
        """Key → name, for objects that an import would find by this name."""
        return {} if self.named is None else self.named.texts(self._selectable(), keys)

    def texts(self, most: int) -> list[str]:
        """The names that this field accepts, at most `most` of them."""
        return [] if self.named is None else [self.named.text(row) for row in self._selectable().order_by()[:most]]

    @property
    def _scope(self) -> OrgScope | None:
        """The organization whose rows may be named or listed; None means all organizations."""
        return None if self._of_all else self.context.get("scope")

    def _selectable(self) -> models.QuerySet[Any]:
        return rows_in_scope(self._model._default_manager.all(), self._scope)  # noqa: SLF001 - the documented model API

    def _rows_named(self, texts: list[str]) -> dict[str, Any]:
        """The row of each name. An ambiguous name is refused."""
        if not texts or self.named is None:
            return {}
        named = self.named.find(self._selectable(), texts)
        for text in texts:
            rows = named.get(text, ())
            if len(rows) != 1:
                reason = "many_of_name" if rows else "no_such_name"
                self.fail(reason, kind=kind_of(self._model), text=text[:64])
        return {text: named[text][0] for text in texts}


def rows_by_key(model: type[models.Model], keys: Iterable[Any], scope: OrgScope | None) -> dict[Any, Any]:
    """The rows with these keys that `rows_in_scope` contains, by key."""
    in_organization = scope is not None and not scope.is_root and _has_organization(model)
    values = {"org_id": scope.org_id} if scope is not None and in_organization else {}
    return {row.pk: row for row in _by_key(model, in_organization).rows(keys, **values)}


@cache
def _by_key(model: type[models.Model], in_organization: bool) -> PreparedByKey[Any]:
    def build(keys: list[Any], org_id: UUID | None = None) -> models.QuerySet[Any]:
        scope = None if org_id is None else OrgScope(org_id)
        rows = rows_in_scope(model._default_manager.all(), scope)  # noqa: SLF001 - the documented model API
        return chosen(rows, keys).order_by()

    return PreparedByKey(model, build, more={"org_id": UUID(int=1 << 100)} if in_organization else {})


def _has_organization(model: type[models.Model]) -> bool:
    return hasattr(model._default_manager, "members_of") or hasattr(model, "org_id")  # noqa: SLF001 - the documented model API


def rows_in_scope(rows: models.QuerySet[Any], scope: OrgScope | None) -> models.QuerySet[Any]:
    """Rows of the organization; all rows when the scope is the root or the model has no organization.

    Users can belong to several organizations: their queryset has `members_of` for that.
    """
    if scope is None or scope.is_root:
        return rows
    members: Callable[[UUID], models.QuerySet[Any]] | None = getattr(rows, "members_of", None)
    if members is not None:
        return members(scope.org_id)
    return rows.filter(org_id=scope.org_id) if hasattr(rows.model, "org_id") else rows
