"""The tables whose changes are kept, and which of their columns: everything that a decision reads (`decisions`)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from django.db import models

from postern.apps.applications.models import Application
from postern.apps.assets.models import Asset, AssetNode, AssetProtocol, Node
from postern.apps.perms.application_grants.links import LINKS as APPLICATION_LINKS
from postern.apps.perms.application_grants.models import ApplicationPermission
from postern.apps.perms.grants.links import LINKS
from postern.apps.perms.grants.models import AssetPermission
from postern.apps.perms.history.models import LinkKind, ObjectKind, PastLink, PastObject
from postern.apps.users.models import Membership, User, UserGroup, UserGroupMember
from postern.apps.vault.models import SystemUser


@dataclass(frozen=True, slots=True)
class Source:
    """A table, the table of its past, and past column → column. `key`: the past columns that tell its rows apart."""

    kind: ObjectKind | LinkKind
    model: type[models.Model]
    past: type[models.Model]
    columns: Mapping[str, str]
    key: tuple[str, ...] = field(default=())

    @property
    def table(self) -> str:
        return str(self.model._meta.db_table)  # noqa: SLF001 - Django's documented interface

    @property
    def past_table(self) -> str:
        return str(self.past._meta.db_table)  # noqa: SLF001 - Django's documented interface


def _object(kind: ObjectKind, model: type[models.Model], **fields: str) -> Source:
    named = {"object_id": "id", **fields}
    return Source(kind, model, PastObject, _stored(model, named), ("object_id",))


def _link(kind: LinkKind, model: type[models.Model], left: str, right: str = "", word: str = "") -> Source:
    named = {"left_id": left, "right_id": right, "word": word}
    columns = _stored(model, {past: name for past, name in named.items() if name})
    return Source(kind, model, PastLink, columns, tuple(columns))


def _stored(model: type[models.Model], named: Mapping[str, str]) -> dict[str, str]:
    """Past column → column, from past column → field. A misspelled field stops the start."""
    fields = model._meta  # noqa: SLF001 - Django's documented interface
    return {past: str(fields.get_field(name).column) for past, name in named.items()}  # type: ignore[union-attr]  # no reverse relation is named


_DATES: Final = {"date_start": "date_start", "date_expired": "date_expired"}

#: The kinds of the links that permissions are described by.
_ASSET_LINKS: Final = {
    "users": LinkKind.PERMISSION_USER,
    "user_groups": LinkKind.PERMISSION_USER_GROUP,
    "assets": LinkKind.PERMISSION_ASSET,
    "nodes": LinkKind.PERMISSION_NODE,
    "system_users": LinkKind.PERMISSION_SYSTEM_USER,
}
_APPLICATION_LINKS: Final = {
    "users": LinkKind.APPLICATION_PERMISSION_USER,
    "user_groups": LinkKind.APPLICATION_PERMISSION_USER_GROUP,
    "applications": LinkKind.APPLICATION_PERMISSION_APPLICATION,
    "system_users": LinkKind.APPLICATION_PERMISSION_SYSTEM_USER,
}

SOURCES: Final = (
    _object(ObjectKind.USER, User, name="name", word="username", is_active="is_active", date_expired="date_expired"),
    _object(ObjectKind.USER_GROUP, UserGroup, org_id="org_id", name="name"),
    _object(ObjectKind.ASSET, Asset, org_id="org_id", name="hostname", word="ip", is_active="is_active"),
    _object(ObjectKind.NODE, Node, org_id="org_id", name="value", parent_id="parent"),
    _object(ObjectKind.SYSTEM_USER, SystemUser, org_id="org_id", name="name", word="protocol"),
    _object(
        ObjectKind.ASSET_PERMISSION, AssetPermission, org_id="org_id", name="name", is_active="is_active",
        actions="actions", **_DATES,
    ),
    _object(ObjectKind.APPLICATION, Application, org_id="org_id", name="name", word="type"),
    _object(
        ObjectKind.APPLICATION_PERMISSION, ApplicationPermission, org_id="org_id", name="name", is_active="is_active",
        word="type", **_DATES,
    ),
    _link(LinkKind.USER_IN_ORGANIZATION, Membership, "user", "org", "role"),
    _link(LinkKind.USER_IN_GROUP, UserGroupMember, "user", "usergroup"),
    _link(LinkKind.ASSET_IN_NODE, AssetNode, "asset", "node"),
    _link(LinkKind.ASSET_PROTOCOL, AssetProtocol, "asset", word="name"),
    *(_link(_ASSET_LINKS[link.list_name], link.table, link.parent, link.column) for link in LINKS),
    *(_link(_APPLICATION_LINKS[link.list_name], link.table, link.parent, link.column) for link in APPLICATION_LINKS),
)  # fmt: skip
