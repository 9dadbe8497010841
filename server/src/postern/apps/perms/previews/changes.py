"""The changes that a preview is asked about, in the terms of the computation: ids, and rows as they will be."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

Ids = frozenset[UUID]
NOTHING: Ids = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """A permission, as it is stored or as it will be. `targets` are assets or applications.

    `connects`: its actions include connect; always true for applications. `type` is that of an application permission.
    """

    id: UUID
    org_id: UUID
    is_active: bool
    date_start: datetime
    date_expired: datetime
    connects: bool = True
    type: str = ""
    users: Ids = NOTHING
    user_groups: Ids = NOTHING
    targets: Ids = NOTHING
    nodes: Ids = NOTHING
    system_users: Ids = NOTHING

    def holds(self, at: datetime) -> bool:
        """Whether it grants anything at this instant."""
        return self.is_active and self.connects and self.date_start <= at < self.date_expired

    def changed(self, values: Mapping[str, Any]) -> "Permission":
        """The permission with these values."""
        return replace(self, **values)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetAfter:
    """An asset afterwards; None: as it is stored. A deleted asset is inactive. `nodes`: all nodes that it is in; it then
    joins and leaves others. `new`: the hostname of a new asset, in the organization `org_id`.
    """

    is_active: bool | None = None
    nodes: Ids | None = None
    joins: Ids = NOTHING
    leaves: Ids = NOTHING
    protocols: frozenset[str] | None = None
    new: str | None = None
    org_id: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPerson:
    """A user who does not exist yet."""

    name: str
    username: str
    org_id: UUID


@dataclass(slots=True)
class Changes:
    """Changes that are saved together. What a mapping does not name stays as it is.

    `asset_permissions`, `application_permissions`: the permission afterwards, None when it is deleted. `members`: the
    members of a group afterwards. `people`: whether the person is active and unexpired afterwards; False for a deleted
    person. `new_people`: those of them who do not exist yet. `parents`: the parent of a node afterwards.
    """

    asset_permissions: dict[UUID, Permission | None] = field(default_factory=dict)
    application_permissions: dict[UUID, Permission | None] = field(default_factory=dict)
    members: dict[UUID, Ids] = field(default_factory=dict)
    people: dict[UUID, bool] = field(default_factory=dict)
    new_people: dict[UUID, NewPerson] = field(default_factory=dict)
    parents: dict[UUID, UUID] = field(default_factory=dict)
    assets: dict[UUID, AssetAfter] = field(default_factory=dict)
