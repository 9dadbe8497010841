"""Base class of serializers: field selection, organization fields, uniqueness within the organization.

    class Meta:
        model = Asset
        fields_mini = ("id", "hostname", "ip")
        fields_small = (*fields_mini, "is_active", "org_id", "org_name", "comment")
        fields = (*fields_small, "nodes", "protocols")
        read_only_fields = ("created_by", "date_created")

Serializers only translate: they validate shapes and never write. The viewset hands `validated_data` to an action.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Final, NoReturn

from django.core.validators import MaxLengthValidator
from django.db import models
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.validators import UniqueValidator

from postern.foundation.caller import identity
from postern.foundation.caller.scope import OrgScope
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.instants import InstantField
from postern.foundation.rest.representation import CachedFields, QuickRows
from postern.foundation.rest.text import refuse_disguises, refuse_disguises_in_lines
from postern.foundation.rest.uniqueness import FreeValidator, require_free, wanted

#: Maximum length of a text column that declares none.
MAX_TEXT: Final = 4096
_NO_COLUMN: Final = object()
#: How many choices the error for an invalid choice lists.
_CHOICES_LISTED: Final = 12


class ChoiceDisplayField(serializers.CharField):
    """The display text of a choice column: `type_display = ChoiceDisplayField("type")`."""

    def __init__(self, column: str, **kwargs: Any) -> None:
        kwargs["read_only"] = True
        kwargs.setdefault("source", f"get_{column}_display")
        super().__init__(**kwargs)


class ChoiceField(serializers.ChoiceField):
    """A choice field whose error lists the choices: the reader of an import error has no drop-down to look at."""

    default_error_messages = {
        "invalid_choice": gettext_lazy('"{input}" is not a valid choice. Enter one of: {choices}.')
    }

    def fail(self, key: str, **kwargs: Any) -> NoReturn:
        if key == "invalid_choice":
            labels = [str(label) for label in self.choices.values()]
            more = ["…"] if len(labels) > _CHOICES_LISTED else []
            kwargs |= {"input": str(kwargs["input"])[:64], "choices": ", ".join(labels[:_CHOICES_LISTED] + more)}
        super().fail(key, **kwargs)


class OrgNameField(serializers.Field[str, Any, str, Any]):
    """The name of the organization that owns the row; looked up once for all rows of an answer."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs["read_only"] = True
        kwargs.setdefault("source", "org_id")
        kwargs.setdefault("label", gettext_lazy("Organization"))
        super().__init__(**kwargs)

    def to_representation(self, value: Any) -> str:
        context: dict[str, Any] = self.context  # type: ignore[assignment]  # a plain dict, shared by all rows
        org_names: dict[Any, str] = context.setdefault("org_names_seen", {})
        if value not in org_names:
            org_names[value] = identity.org_name(value)
        return org_names[value]


class FieldSelection(BodySerializer):
    """`fields=a,b`, `fields!=a,b` and `fields_size=mini|small`, for GET only."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        fields = super().get_fields()
        request: Request | None = self.context.get("request")
        if request is None or request.method != "GET":
            return fields
        params = request.query_params
        meta = getattr(self, "Meta", None)
        size = params.get("fields_size")
        if size in {"mini", "small"}:
            size_fields = getattr(meta, f"fields_{size}", None)
            if size_fields:
                fields = {name: field for name, field in fields.items() if name in size_fields}
        wanted = _names(params.get("fields"))
        if wanted:
            fields = {name: field for name, field in fields.items() if name in wanted}
        unwanted = _names(params.get("fields!"))
        return {name: field for name, field in fields.items() if name not in unwanted}


def _names(text: str | None) -> set[str]:
    return {part.strip() for part in (text or "").split(",") if part.strip()}


class ResourceSerializer(FieldSelection, QuickRows, CachedFields):
    """A serializer of a model. `org_id` and `org_name` are available as read-only fields when the model has an
    organization.
    """

    serializer_choice_field = ChoiceField
    serializer_field_mapping: ClassVar[dict[Any, Any]] = {
        **serializers.ModelSerializer.serializer_field_mapping,
        models.DateTimeField: InstantField,
    }

    class Meta:
        model: type[models.Model]
        fields: tuple[str, ...]

    #: Fields that can be set on create only. Other unknown keys are ignored unless the client is strict (see `bodies`).
    immutable_fields: ClassVar[tuple[str, ...]] = ()

    def build_field(self, field_name: str, info: Any, model_class: Any, nested_depth: int) -> Any:
        if field_name == "org_name":
            return OrgNameField, {}
        if field_name == "org_id":
            return serializers.CharField, {"read_only": True, "label": gettext_lazy("Organization ID")}
        if field_name.endswith("_display") and hasattr(model_class, f"get_{field_name}"):
            return serializers.CharField, {"read_only": True, "source": f"get_{field_name}"}
        field_class, kwargs = super().build_field(field_name, info, model_class, nested_depth)
        column = info.fields_and_pk.get(field_name) or getattr(info.relations.get(field_name), "model_field", None)
        if column is not None:
            # DRF omits a label that equals the field's name in the current language, but cached fields are used in all
            # languages.
            kwargs["label"] = capfirst(column.verbose_name)
        return field_class, kwargs

    def build_standard_field(self, field_name: str, model_field: Any) -> Any:
        """Add a maximum length to long texts, and refuse characters that disguise text (see `text`).

        The maximum is a validator, because `max_length` would make the form show a single-line input.
        """
        field_class, kwargs = super().build_standard_field(field_name, model_field)
        if "validators" in kwargs:
            kwargs["validators"] = [
                FreeValidator(validator.queryset, validator.message)
                if type(validator) is UniqueValidator
                else validator
                for validator in kwargs["validators"]
            ]
        if issubclass(field_class, serializers.BooleanField) and not kwargs.get("read_only"):
            kwargs["error_messages"] = {"invalid": gettext_lazy("Must be yes or no.")}
        if isinstance(model_field, models.CharField | models.TextField) and issubclass(
            field_class, serializers.CharField
        ):
            plain = refuse_disguises_in_lines if isinstance(model_field, models.TextField) else refuse_disguises
            kwargs["validators"] = [*kwargs.get("validators", ()), plain]
        if isinstance(model_field, models.TextField) and not model_field.max_length and not kwargs.get("read_only"):
            kwargs["validators"] = [*kwargs.get("validators", ()), MaxLengthValidator(MAX_TEXT)]
        return field_class, kwargs

    def get_validators(self) -> list[Any]:
        """No validators from DRF: uniqueness within the organization is checked in `validate`, where the scope is
        known.
        """
        return list(getattr(getattr(self, "Meta", None), "validators", ()))

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        for name in self.immutable_fields:
            # A field without a column is a part of how the object was made.
            if self.instance is not None and name in attrs and attrs[name] != getattr(self.instance, name, _NO_COLUMN):
                raise serializers.ValidationError({name: [_("This field cannot be changed.")]})
        self._check_unique_in_org(attrs)
        return attrs

    def _check_unique_in_org(self, attrs: Mapping[str, Any]) -> None:
        scope: OrgScope | None = self.context.get("scope")
        instance = self.instance if isinstance(self.instance, models.Model) else None
        for values in wanted(self.Meta.model, attrs, instance, scope.org_id if scope else None):
            require_free(self, values, {name: [_("This field must be unique.")] for name in values.names})

    def create(self, validated_data: Any) -> NoReturn:
        raise NotImplementedError("serializers do not write: the viewset calls an action")

    def update(self, instance: Any, validated_data: Any) -> NoReturn:
        raise NotImplementedError("serializers do not write: the viewset calls an action")
