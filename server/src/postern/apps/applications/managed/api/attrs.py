"""`attrs` of an application: an object whose fields follow from the declaration of its type."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Final

from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.fields import empty

from postern.apps.applications.kinds.declarations import DECLARATIONS, Attribute, Form, common_attributes
from postern.apps.applications.managed.models import Application
from postern.apps.assets import facade as assets
from postern.apps.assets.models import Asset
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.naming import by, itself, name_in
from postern.foundation.rest.relations import OrgOwnedField
from postern.foundation.rest.secret_field import SecretField
from postern.foundation.rest.text import PlainField

Field = serializers.Field[Any, Any, Any, Any]

_INFO: Final = "asset_info"


class HostField(PlainField):
    """A host name or an address."""

    def to_internal_value(self, data: Any) -> str:
        return assets.check_address(super().to_internal_value(data))


def _asset_info() -> Field:
    """Id and name of the host; {} without a host."""
    return serializers.DictField(child=serializers.CharField(), read_only=True, label=gettext_lazy("Asset"))


def _text(kind: type[serializers.CharField]) -> Callable[[Attribute, dict[str, Any]], Field]:
    def make(attribute: Attribute, options: dict[str, Any]) -> Field:
        return kind(max_length=attribute.max_length, allow_blank=not attribute.required, **options)

    return make


def _port(attribute: Attribute, options: dict[str, Any]) -> Field:
    del attribute
    return serializers.IntegerField(min_value=1, max_value=65535, **options)


def _asset(attribute: Attribute, options: dict[str, Any]) -> Field:
    del attribute
    naming = by(("hostname", itself), ("hostname", name_in), ("ip", itself))
    return OrgOwnedField(Asset, named=naming, **options)


_MAKERS: Final[dict[Form, Callable[[Attribute, dict[str, Any]], Field]]] = {
    Form.TEXT: _text(PlainField),
    Form.HOST: _text(HostField),
    Form.PORT: _port,
    Form.ASSET: _asset,
}


def _field(attribute: Attribute) -> Field:
    if attribute.form is Form.SECRET:
        return SecretField(max_length=attribute.max_length, label=attribute.label)
    options: dict[str, Any] = {"label": attribute.label, "required": attribute.required}
    if not attribute.required:
        options["allow_null"] = True
    if attribute.default is not None:
        options["default"] = attribute.default
    return _MAKERS[attribute.form](attribute, options)


def _fields(attributes: Iterable[Attribute], *, optional: bool = False) -> dict[str, Field]:
    """New fields for these attributes. `optional`: which of them an application has depends on its type."""
    fields: dict[str, Field] = {}
    for attribute in attributes:
        if attribute.form is Form.ASSET:
            fields[_INFO] = _asset_info()
        fields[attribute.name] = field = _field(attribute)
        if optional:
            field.required, field.default = False, empty
    return fields


@cache
def _serializer_for(kind: str) -> type[BodySerializer]:
    """The serializer of the attributes of one type."""

    class Attributes(BodySerializer):
        refuses_unknown = True

        def get_fields(self) -> dict[str, Field]:
            return _fields(DECLARATIONS[kind].attributes)

    Attributes.__name__ = f"Attributes_{kind}"
    return Attributes


class AttrsField(BodySerializer):
    """The attributes. Writes are checked by the type of their own application.

    Answers with one application show those of its type. Lists show those of the query parameters `type` or `category`
    (contract: applications); files show each application's own.
    """

    #: Which of the fields an answer has depends on the type.
    answers_vary = True

    def __init__(self, **kwargs: Any) -> None:
        kwargs |= {"source": "*", "required": False}
        kwargs.setdefault("label", gettext_lazy("Attrs"))
        super().__init__(**kwargs)
        self._writers: dict[tuple[str, bool], BodySerializer] = {}

    def get_fields(self) -> dict[str, Field]:
        """The fields that OPTIONS describes; without a request, for the API description, those of all types."""
        if self.context.get("request") is None:
            every = {attribute.name: attribute for each in DECLARATIONS.values() for attribute in each.attributes}
            return _fields(every.values(), optional=True)
        return _fields(self._asked)

    @property
    def _asked(self) -> tuple[Attribute, ...]:
        """The attributes that the request is about, as far as its address says."""
        kind_of_row: Callable[[], str] | None = self.context.get("kind_of_row")
        kind = (kind_of_row() if kind_of_row is not None else "") or self._param("type")
        if kind in DECLARATIONS:
            return DECLARATIONS[kind].attributes
        return common_attributes(self._param("category"))

    def _param(self, name: str) -> str:
        value: str = self.context["request"].query_params.get(name, "")
        return value

    def run_validation(self, data: Any = empty) -> Any:
        is_empty, _value = self.validate_empty_values({} if data is None else data)
        del is_empty
        item: Any = self.parent
        kind, is_new = item.kind_of_item, item.instance is None
        if kind not in DECLARATIONS:  # the error of the type says so
            return {}
        return {"attrs": dict(self._writer(kind, is_new=is_new).run_validation({} if data is None else data))}

    def _writer(self, kind: str, *, is_new: bool) -> BodySerializer:
        """What is not sent of a present application stays as it is."""
        writer = self._writers.get((kind, is_new))
        if writer is None:
            writer = self._writers[kind, is_new] = _serializer_for(kind)(partial=not is_new, context=self.context)
        return writer

    def to_representation(self, instance: Application) -> dict[str, Any]:
        attributes = self._asked if self._is_listed else DECLARATIONS[instance.type].attributes
        shown: dict[str, Any] = {}
        for attribute in attributes:
            if attribute.form is Form.ASSET:
                host = instance.asset
                shown[_INFO] = {"id": str(host.pk), "hostname": host.hostname} if host is not None else {}
                shown[attribute.name] = str(host.pk) if host is not None else None
            elif attribute.form is not Form.SECRET:
                shown[attribute.name] = instance.attrs.get(attribute.name)
        return shown

    @property
    def _is_listed(self) -> bool:
        is_file = bool(self._param("format")) if self.context.get("request") is not None else True
        return isinstance(self.root, serializers.ListSerializer) and not is_file
