"""The base of views whose writes store secrets."""

from collections.abc import Callable
from typing import TypeVar

from postern.apps.vault.sealed_secrets.outside import write_outside
from postern.foundation.rest.viewsets import RowsViewSet

_Written = TypeVar("_Written")


class StoresSecrets(RowsViewSet):
    """Writes secrets of external stores before the transaction that stores their rows."""

    def carry_out(self, write: Callable[[], _Written]) -> _Written:
        return write_outside(write)
