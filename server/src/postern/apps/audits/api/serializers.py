"""Serializers of log rows. Login-session ids and digests are never included (K45: ids of streams are secrets)."""

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, ClassVar, Final

from django.apps import apps
from django.utils.functional import lazy
from django.utils.translation import gettext, gettext_lazy
from rest_framework import serializers

from postern.apps.audits.api.field_words import FIELD_WORDS
from postern.apps.audits.catalogue import Event
from postern.apps.audits.categories import Category, category_with
from postern.apps.audits.kinds_by_code import words_of
from postern.apps.audits.models import AuditEvent, LoginLog, PasswordChangeLog
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.provided import Provided
from postern.foundation.rest.serializers import ResourceSerializer


def _category_words(code: str) -> str:
    category = category_with(code)
    return category.words if category else code


_lazy_words = lazy(words_of, str)
_lazy_category = lazy(_category_words, str)


@cache
def _models_by_name() -> dict[str, object]:
    return {model.__name__: model._meta for model in apps.get_models()}  # noqa: SLF001 - the documented model API


#: Object type → puts the names of its objects into words, where these names are codes.
NAMES_IN_WORDS: Final = Provided[Mapping[str, Callable[[str], str]]]("the words for names of audited objects")
#: Object types that are not models.
_TYPES = {"Licence": gettext_lazy("Licence"), "RecordingKey": gettext_lazy("Recording key")}


def _type_words(resource_type: str) -> str:
    return str(getattr(_models_by_name().get(resource_type), "verbose_name", _TYPES.get(resource_type, resource_type)))


@cache
def _labels(resource_type: str) -> dict[str, Any]:
    """Column → its label (translated when it is shown), for the values of events about this model."""
    meta = _models_by_name().get(resource_type)
    # Many-to-many relations too: a permission's values name its users and assets.
    fields = (*getattr(meta, "concrete_fields", ()), *getattr(meta, "many_to_many", ()))
    own = {name: field.verbose_name for field in fields for name in (field.name, field.attname)}
    return {**own, **getattr(getattr(meta, "model", None), "recorded_labels", {})}


def _unchanged(value: Any) -> Any:
    return value


def _from_choices(words: Mapping[Any, Any], value: Any) -> Any:
    return str(words[value]) if isinstance(value, str | int) and value in words else value


@cache
def _words(resource_type: str) -> Mapping[str, Callable[[Any], Any]]:
    """Column → function that puts its values into words, for columns whose values are codes."""
    model = _models_by_name().get(resource_type)
    fields = getattr(model, "concrete_fields", ())
    choices = {field.name: partial(_from_choices, dict(field.flatchoices)) for field in fields if field.choices}
    return {**choices, **getattr(getattr(model, "model", None), "recorded_words", {})}


class _InWords(ResourceSerializer):
    """The fields of an event in words, with the values before and after side by side."""

    event_display = serializers.SerializerMethodField()
    category_display = serializers.SerializerMethodField()
    resource_type_display = serializers.SerializerMethodField()
    user_display = serializers.SerializerMethodField()
    resource_display = serializers.SerializerMethodField()
    changes = serializers.SerializerMethodField()

    def get_event_display(self, event: AuditEvent) -> str:
        """The kind of event in the language of the request."""
        return words_of(event.event)

    def get_category_display(self, event: AuditEvent) -> str:
        """The category in the language of the request."""
        return _category_words(event.category)

    def get_resource_type_display(self, event: AuditEvent) -> str:
        """The type of the object in the language of the request."""
        return _type_words(event.resource_type)

    def get_user_display(self, event: AuditEvent) -> str:
        """Who acted; Postern itself in the language of the request."""
        return gettext("System") if event.user == SYSTEM.name else event.user

    def get_resource_display(self, event: AuditEvent) -> str:
        """The name of the object; a name that is a code in the language of the request."""
        return NAMES_IN_WORDS.value.get(event.resource_type, str)(event.resource)

    def get_changes(self, event: AuditEvent) -> list[dict[str, Any]]:
        """Each changed value in words: its label, and the value before and after (absent where there was none)."""
        old, new = event.old or {}, event.new or {}
        labels, words = _labels(event.resource_type), _words(event.resource_type)
        changes = []
        for name in dict.fromkeys((*old, *new)):
            label = labels.get(name, "")
            if label in {"", name.replace("_", " ")}:  # Django's label of a column without a label of its own
                label = FIELD_WORDS.get(name, name)
            change: dict[str, Any] = {"field": name, "label": str(label)}
            if name in old:
                change["before"] = words.get(name, _unchanged)(old[name])
            if name in new:
                change["after"] = words.get(name, _unchanged)(new[name])
            changes.append(change)
        return changes


class EventSerializer(_InWords):
    """Any event in words, with the values before and after side by side."""

    event = serializers.ChoiceField(
        choices=[(kind.value, _lazy_words(kind.value)) for kind in Event], read_only=True, label=gettext_lazy("Event")
    )
    category = serializers.ChoiceField(
        choices=[(category.value, _lazy_category(category.value)) for category in Category],
        read_only=True,
        label=gettext_lazy("Category"),
    )

    class Meta:
        model = AuditEvent
        fields_mini = ("id",)
        fields_small = (
            *fields_mini,
            "sequence",
            "datetime",
            "event",
            "event_display",
            "category",
            "category_display",
            "action",
            "user",
            "user_display",
            "remote_addr",
            "resource_type",
            "resource_type_display",
            "resource_id",
            "resource",
            "resource_display",
            "org_id",
            "org_name",
            "changes",
        )
        fields = fields_small
        read_only_fields = fields


class CategoryCountSerializer(serializers.Serializer[Any]):
    """Number of events of one category. `count_is_minimum`: counting stopped, there are more events."""

    value = serializers.ChoiceField(choices=[category.value for category in Category], read_only=True)
    display_name = serializers.CharField(read_only=True)
    count = serializers.IntegerField(read_only=True)
    count_is_minimum = serializers.BooleanField(read_only=True)


class FaultSerializer(serializers.Serializer[Any]):
    """A fault: its kind as code and in words, and its place."""

    kind = serializers.CharField(read_only=True)
    kind_display = serializers.CharField(read_only=True)
    place = serializers.CharField(read_only=True)


class VerificationSerializer(serializers.Serializer[Any]):
    """Whether a verification of the log is running, and the result of the last one, for organizations that the caller
    may audit.

    `records` and `faults` are null when there is no result. `first_faults` holds the first twenty faults.
    """

    is_waiting = serializers.BooleanField(read_only=True)
    is_running = serializers.BooleanField(read_only=True)
    is_interrupted = serializers.BooleanField(read_only=True)
    date_finished = serializers.DateTimeField(read_only=True, allow_null=True)
    records = serializers.IntegerField(read_only=True, allow_null=True)
    faults = serializers.IntegerField(read_only=True, allow_null=True)
    first_faults = FaultSerializer(many=True, read_only=True)


class OperateLogSerializer(_InWords):
    """Created, changed or deleted objects: the actor, and the old and new values."""

    class Meta:
        model = AuditEvent
        fields_mini = ("id",)
        fields_small = (
            *fields_mini,
            "user",
            "user_display",
            "action",
            "action_display",
            "sequence",
            "event",
            "event_display",
            "category_display",
            "resource_type",
            "resource_type_display",
            "resource_id",
            "resource",
            "resource_display",
            "remote_addr",
            "datetime",
            "org_id",
            "org_name",
            "old",
            "new",
            "changes",
        )
        fields = fields_small
        read_only_fields = fields


class LoginLogSerializer(ResourceSerializer):
    """One attempt to sign in."""

    class Meta:
        model = LoginLog
        fields_mini = ("id",)
        fields_small = (
            *fields_mini,
            "username",
            "type",
            "type_display",
            "ip",
            "city",
            "user_agent",
            "mfa",
            "mfa_display",
            "reason",
            "backend",
            "status",
            "status_display",
            "datetime",
        )
        fields = fields_small
        read_only_fields = fields
        extra_kwargs: ClassVar[dict[str, Any]] = {"ip": {"label": gettext_lazy("Login IP")}}


class PasswordChangeLogSerializer(ResourceSerializer):
    """One change of a password."""

    class Meta:
        model = PasswordChangeLog
        fields_mini = ("id",)
        fields_small = (*fields_mini, "user", "change_by", "remote_addr", "datetime")
        fields = fields_small
        read_only_fields = fields
