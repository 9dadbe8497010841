"""Serializers of storages (contract: terminal, "Storages")."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.sessions.storages.api.meta import MetaObject
from postern.apps.sessions.storages.models import CommandStorage, ReplayStorage, Storage
from postern.apps.vault import facade as vault
from postern.foundation.rest.serializers import ResourceSerializer


class StorageSerializer(ResourceSerializer):
    """A storage. Its type is chosen once."""

    #: Without the validator of its unique constraint: whoever becomes the default takes over.
    is_default = serializers.BooleanField(required=False, label=gettext_lazy("Default storage"))
    is_built_in = serializers.BooleanField(read_only=True, label=gettext_lazy("Built in"))
    meta = MetaObject()

    class Meta:
        model = ReplayStorage
        fields_mini = ("id", "name")
        fields_small = (
            *fields_mini,
            "type",
            "type_display",
            "meta",
            "is_default",
            "is_built_in",
            "comment",
            "date_created",
            "date_updated",
            "created_by",
        )
        fields: tuple[str, ...] = fields_small
        read_only_fields = ("date_created", "date_updated", "created_by")

    immutable_fields = ("type",)

    #: The type of the storage that is being checked; "" for a type that does not exist.
    kind_of_item: str = ""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(self.instance, Storage):
            self.kind_of_item = self.instance.type
        elif isinstance(data, Mapping):
            data = {"type": str(self._own_default), **dict(data.items())}
            kind = data["type"]
            self.kind_of_item = kind if isinstance(kind, str) else ""
        return super().to_internal_value(data)

    @property
    def _own_default(self) -> Any:
        return self.Meta.model._meta.get_field("type").default  # noqa: SLF001 - the documented model API


class ReplayStorageSerializer(StorageSerializer):
    """A storage for recordings."""


class OneReplayStorageSerializer(ReplayStorageSerializer):
    """One storage, with the names of its stored secrets."""

    stored_secrets = vault.StoredSecretsField()

    class Meta(ReplayStorageSerializer.Meta):
        fields = (*ReplayStorageSerializer.Meta.fields, "stored_secrets")


class CommandStorageSerializer(StorageSerializer):
    """A storage for commands."""

    class Meta(StorageSerializer.Meta):
        model = CommandStorage  # type: ignore[assignment]  # the same columns

    def to_internal_value(self, data: Any) -> Any:
        if self.instance is None:
            raise serializers.ValidationError(
                {
                    "type": [
                        _(
                            "Commands are kept in the database of this server. There is no other kind of storage for them "
                            "yet."
                        )
                    ]
                }
            )
        return super().to_internal_value(data)
