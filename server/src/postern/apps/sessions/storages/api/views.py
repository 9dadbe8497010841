"""`terminal/replay-storages/` and `terminal/command-storages/`."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar

from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.sessions.storages import actions, testing
from postern.apps.sessions.storages.api.serializers import (
    CommandStorageSerializer,
    OneReplayStorageSerializer,
    ReplayStorageSerializer,
)
from postern.apps.sessions.storages.models import CommandStorage, ReplayStorage, Storage
from postern.apps.sessions.storages.places import REPLAY_STORAGES
from postern.apps.vault import facade as vault
from postern.foundation.rest.openapi.answers import Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.viewsets import ResourceViewSet
from postern.kernel.ids import parse_id

_TESTED = {"test_connective": Answer(schema=texts("msg", is_valid={"type": "boolean"}))}


class StorageViewSet(ResourceViewSet):
    """What both kinds of storages have in common."""

    table: ClassVar[type[Storage]]
    rights = Right.SUPER_USER
    answers = _TESTED
    always_root = True
    made_in_organization = changed_in_organization = False
    importable = exportable = False
    acts_on_get = frozenset({"test_connective"})
    filter_fields: ClassVar[Any] = ("name", "type", "is_default")
    search_fields: ClassVar[tuple[str, ...]] = ("name", "type", "comment")
    ordering_fields: ClassVar[Any] = ("name", "type", "is_default", "date_created", "date_updated")
    default_order = ("name", "id")

    def carry_out(self, write: Any) -> Any:
        return vault.write_outside(write)

    def metadata_version(self) -> Hashable:
        return self._kind_of_row()

    def get_serializer_context(self) -> dict[str, Any]:
        return {**super().get_serializer_context(), "kind_of_row": self._kind_of_row}

    def _kind_of_row(self) -> str:
        """The type of the storage in the URL; "" when the URL names none."""
        key = parse_id(str(self.kwargs.get("pk", "")))
        rows = self.get_queryset().filter(pk=key).values_list("type", flat=True) if key else None
        return (rows.first() or "") if rows is not None else ""

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        del rows, values  # all of them, because one is the default
        actions.hold(self.table, deleting=deleting)

    def create_object(self, data: dict[str, Any]) -> Storage:
        return actions.create_storage(actor=self.actor, model=self.table, values=data)

    def prepare_update(self, instance: Storage, data: dict[str, Any]) -> dict[str, Any]:
        return dict(actions.look_for_recordings(instance, data))

    def update_object(self, instance: Storage, data: dict[str, Any]) -> Storage:
        return actions.update_storage(actor=self.actor, row=instance, changes=data)

    def delete_object(self, instance: Storage) -> None:
        actions.delete_storage(actor=self.actor, row=instance)

    @action(detail=True, methods=["get", "post"], url_path="test-connective")
    def test_connective(self, request: Request, **kwargs: Any) -> Response:
        """Write, read and delete a small object. The contract has GET for it."""
        is_valid, text = testing.test_storage(actor=self.actor, storage=self.get_object())
        return Response({"is_valid": is_valid, "msg": text})


class ReplayStorageViewSet(vault.NamesStoredSecrets, StorageViewSet):
    """Storages for recordings. `?type=` of OPTIONS describes `meta` of that type."""

    table = ReplayStorage
    queryset = ReplayStorage.objects.all()
    serializer_class = ReplayStorageSerializer
    serializer_classes = vault.with_stored_secrets(OneReplayStorageSerializer)
    secrets_table = REPLAY_STORAGES
    examples: ClassVar[dict[str, Any]] = {
        "name": "archive",
        "type": "s3",
        "meta": {
            "BUCKET": "recordings",
            "ACCESS_KEY": "AKIDEXAMPLE",
            "SECRET_KEY": "example",
            "ENDPOINT": "https://s3.eu-central-1.amazonaws.com",
        },
    }


class CommandStorageViewSet(StorageViewSet):
    """Storages for commands: the database of this server, and none. No other can be made yet."""

    table = CommandStorage
    queryset = CommandStorage.objects.all()
    serializer_class = CommandStorageSerializer
    own_filters = ("real",)

    def visible_rows(self) -> QuerySet[Any]:
        rows = super().visible_rows()
        return rows.exclude(type="null") if self.request.query_params.get("real") in {"1", "true"} else rows
