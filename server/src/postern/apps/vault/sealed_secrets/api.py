"""What the API of rows with secrets has in common: where writes store secrets, and which secrets are stored."""

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.vault.sealed_secrets import secret_store
from postern.apps.vault.sealed_secrets.outside import write_outside
from postern.foundation.rest.viewsets import RowsViewSet

_Written = TypeVar("_Written")
_Serializer = TypeVar("_Serializer", bound=serializers.BaseSerializer[Any])


class StoresSecrets(RowsViewSet):
    """Writes secrets of external stores before the transaction that stores their rows."""

    def carry_out(self, write: Callable[[], _Written]) -> _Written:
        return write_outside(write)


class StoredSecretsField(serializers.ListField):
    """The names of the stored secrets of a row, never their values. The view puts them on the rows."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs |= {"read_only": True, "child": serializers.CharField()}
        kwargs.setdefault("label", gettext_lazy("Stored secrets"))
        super().__init__(**kwargs)


class NamesStoredSecrets(RowsViewSet):
    """Answers with single objects name their stored secrets, with one query for all of them. Lists do not."""

    #: The table name in the places of the secrets.
    secrets_table: ClassVar[str]

    def attach_more(self, rows: list[Any]) -> None:
        super().attach_more(rows)
        if self.action == "list":
            return
        held = secret_store.held_by_row(self.secrets_table, [row.pk for row in rows])
        for row in rows:
            row.stored_secrets = sorted(held.get(row.pk, ()))


def with_stored_secrets(serializer: type[_Serializer]) -> dict[str, type[_Serializer]]:
    """`serializer_classes` of a view whose answers with single objects have this serializer."""
    return dict.fromkeys(("retrieve", "create", "update", "partial_update"), serializer)
