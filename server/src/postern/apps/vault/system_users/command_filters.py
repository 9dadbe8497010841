"""Interface to the command filters of system users. They belong to an app in a higher layer, which provides it."""

from collections.abc import Collection, Sequence
from typing import Any, Final, Protocol
from uuid import UUID

from rest_framework import serializers

from postern.apps.vault.system_users.models import SystemUser
from postern.foundation.provided import Provided


class CommandFilters(Protocol):
    """Reads and writes of the filters of a system user."""

    def field(self) -> serializers.Field[Any, Any, Any, Any]:
        """The field `cmd_filters` of a system user: a list of ids."""
        ...

    def hold(self, filter_ids: Collection[UUID]) -> None:
        """Protect these filters from deletion until the transaction ends."""
        ...

    def replace(self, system_user: SystemUser, filters: Sequence[Any]) -> tuple[list[str], list[str]]:
        """Set the filters of a system user, whose row is locked; returns their names before and after."""
        ...


FILTERS: Final = Provided[CommandFilters]("the command filters of system users")
