"""What the API of rows with secrets has in common: where writes store secrets, and which secrets are stored."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.vault.sealed_secrets import secret_store
from postern.apps.vault.sealed_secrets.outside import write_outside
from postern.apps.vault.sealed_secrets.sealing import SecretPlace
from postern.foundation.rest.viewsets import RowsViewSet

_Written = TypeVar("_Written")


class StoresSecrets(RowsViewSet):
    """Writes secrets of external stores before the transaction that stores their rows."""

    def carry_out(self, write: Callable[[], _Written]) -> _Written:
        return write_outside(write)


class StoredSecretsField(serializers.ListField):
    """The names of the secrets of one row that are stored, never their values. `place_of` gets the row. For answers with
    one object: each row is a query.
    """

    def __init__(self, place_of: Callable[[Any], SecretPlace], **kwargs: Any) -> None:
        kwargs |= {"source": "*", "read_only": True, "child": serializers.CharField()}
        kwargs.setdefault("label", gettext_lazy("Stored secrets"))
        super().__init__(**kwargs)
        self._place_of = place_of

    def to_representation(self, data: Any) -> list[str]:
        return sorted(secret_store.held_columns(self._place_of(data)))
