"""Users who join and leave groups by changes of the users."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Final
from uuid import UUID

from postern.apps.perms.previews import stored
from postern.apps.perms.previews.changes import Ids


class Joining:
    """The groups of one organization that users join and leave, gathered from all changes of a request."""

    def __init__(self, org_id: UUID, users: Collection[UUID]) -> None:
        self._org_id: Final = org_id
        self._groups_of: Final = stored.groups_of(org_id, users)
        self._joining: Final[dict[UUID, set[UUID]]] = defaultdict(set)
        self._leaving: Final[dict[UUID, set[UUID]]] = defaultdict(set)

    def replace(self, user_id: UUID, groups: Collection[UUID]) -> None:
        """Put the user into these groups, and take the user out of all others."""
        wanted, held = set(groups), self._groups_of.get(user_id, set())
        for group in wanted - held:
            self._joining[group].add(user_id)
            self._leaving[group].discard(user_id)
        for group in held - wanted:
            self._leaving[group].add(user_id)
            self._joining[group].discard(user_id)
        self._groups_of[user_id] = wanted  # a later change of the same user begins with these

    def after(self, members: Mapping[UUID, Ids]) -> dict[UUID, Ids]:
        """The members of the groups that change, on top of the members that other changes give the groups."""
        groups = self._joining.keys() | self._leaving.keys()
        held = stored.members_of(self._org_id, groups - members.keys()) if groups else {}
        return {
            group: ({**held, **members}[group] | self._joining[group]) - self._leaving[group]
            for group in groups
            if group in held or group in members
        }
