"""Events of command filters."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class CommandFiltersChanged:
    """The rules that apply to sessions of these system users may have changed."""

    system_user_ids: frozenset[UUID]
