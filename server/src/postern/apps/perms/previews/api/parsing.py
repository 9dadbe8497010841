"""Turns the changes of a request into `Changes`. Every change is judged by the rules of its real write, on what is stored.

All errors of a request are answered together, each at the place of its change.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final
from uuid import UUID

from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError

from postern.apps.applications.facade import DECLARATIONS
from postern.apps.assets import facade as assets
from postern.apps.assets.models import Asset, Node
from postern.apps.perms.application_grants.models import ApplicationPermission
from postern.apps.perms.grants.models import AssetPermission
from postern.apps.perms.previews import stored
from postern.apps.perms.previews.api.asset_nodes import AssetNodes, own_ids
from postern.apps.perms.previews.api.joining import Joining
from postern.apps.perms.previews.api.serializers import (
    ACTIONS,
    ApplicationAccessSerializer,
    AssetAccessSerializer,
    AssetValues,
    ChangeSerializer,
    GroupValues,
    NodeValues,
    UserValues,
)
from postern.apps.perms.previews.changes import AssetAfter, Changes, NewPerson, Permission
from postern.apps.users import facade as users
from postern.apps.users.models import Membership, User, UserGroup
from postern.contracts.enums import Actions
from postern.foundation import licensing
from postern.foundation.caller.scope import writable
from postern.foundation.rest import errors
from postern.foundation.rest.relations import rows_by_key
from postern.foundation.rest.viewsets import RowNotFound
from postern.kernel.ids import new_id

_MODELS: Final[Mapping[str, Any]] = {
    "asset_permission": AssetPermission,
    "application_permission": ApplicationPermission,
    "user_group": UserGroup,
    "user": User,
    "node": Node,
    "asset": Asset,
}
#: Field of a request → field of a permission.
_LISTS: Final = {
    "users": "users",
    "user_groups": "user_groups",
    "assets": "targets",
    "applications": "targets",
    "nodes": "nodes",
    "system_users": "system_users",
}
#: Key of an update that adds some objects to its lists, or removes some → the list afterwards.
_SOME: Final[Mapping[str, Callable[[frozenset[UUID], frozenset[UUID]], frozenset[UUID]]]] = {
    "add": frozenset.union,
    "remove": frozenset.difference,
}
_COLUMNS: Final = ("is_active", "date_start", "date_expired", "type")


class Parsed:
    """The changes of one request, and the organizations that they are made in."""

    def __init__(self, view: Any, items: Sequence[Any], at: datetime) -> None:
        self.changes: Final = Changes()
        self._at = at
        self.org_ids: Final[set[UUID]] = set()
        self._view, self._scope = view, view.scope
        self._context = {"request": view.request, "actor": view.actor, "scope": view.scope, "view": view}
        self._serializers: dict[Any, Any] = {}
        self._deleted: set[UUID] = set()
        self._nodes: Final = AssetNodes()
        item_errors: list[dict[str, Any]] = [{} for _item in items]
        checked = [self._judged(place, item, item_errors, self._shape) for place, item in enumerate(items)]
        self._rows = self._stored([shape for shape in checked if shape is not None])
        self._joining: Final = Joining(view.scope.org_id, [key for owner, key in self._rows if owner == "user"])
        self._before: dict[str, dict[UUID, Permission]] = {
            name: stored.permissions(kind, [key for owner, key in self._rows if owner == name])
            for name, kind in (("asset_permission", stored.ASSETS), ("application_permission", stored.APPLICATIONS))
        }
        for place, item in enumerate(checked):
            if item is not None:
                self._judged(place, item, item_errors, self._read)
        if any(item_errors):
            raise ValidationError({"changes": item_errors})
        self.changes.members.update(
            (group, after)
            for group, after in self._joining.after(self.changes.members).items()
            if group not in self._deleted
        )

    def _judged(self, place: int, item: Any, item_errors: list[dict[str, Any]], read: Callable[[Any], Any]) -> Any:
        try:
            return read(item)
        except Exception as error:  # only errors about the item are answers; others propagate
            about = getattr(error, "fields", None) or errors.of_item(error)
            if about is None:
                raise
            item_errors[place] = about
            return None

    def _serializer(self, kind: Any) -> Any:
        if kind not in self._serializers:
            self._serializers[kind] = kind(data={}, context=self._context)
        return self._serializers[kind]

    def _validated(self, kind: Any, data: Any, row: Any = None, *, partial: bool = False) -> dict[str, Any]:
        """One serializer for all items, so that it looks up an object once."""
        serializer = self._serializer(kind)
        serializer.instance, serializer.initial_data, serializer.partial = row, data, partial
        return dict(serializer.run_validation(data))

    def _shape(self, item: Any) -> dict[str, Any]:
        change = self._validated(ChangeSerializer, item)
        if change["action"] not in ACTIONS[change["object"]]:
            raise ValidationError({"action": [_("This change cannot be previewed for these objects.")]})
        if (change["action"] == "create") == ("id" in change):
            text = _("A new object has no id yet.") if "id" in change else _("This field is required.")
            raise ValidationError({"id": [text]})
        return change

    def _stored(self, items: Sequence[Mapping[str, Any]]) -> dict[tuple[str, UUID], Any]:
        """The visible rows that the changes name."""
        ids: dict[str, set[UUID]] = defaultdict(set)
        for item in items:
            if "id" in item:
                ids[item["object"]].add(item["id"])
        return {
            (name, key): row
            for name, keys in ids.items()
            for key, row in rows_by_key(_MODELS[name], keys, self._scope).items()
        }

    def _read(self, item: Mapping[str, Any]) -> None:
        name, action, values = item["object"], item["action"], item["values"]
        row = None
        if action != "create":
            row = self._rows.get((name, item["id"]))
            if row is None or row.pk in self._deleted:
                raise RowNotFound(_("Not found."))
        readers: dict[str, Callable[..., None]] = {
            "user_group": self._user_group,
            "user": self._user,
            "node": self._node,
            "asset": self._asset,
        }
        reader = readers.get(name, partial(self._permission, name))
        reader(row, values, deletes=action == "delete")
        if row is not None and action == "delete":
            self._deleted.add(row.pk)

    def _permission(self, name: str, row: Any, values: Mapping[str, Any], *, deletes: bool) -> None:
        changed, serializer = {
            "asset_permission": (self.changes.asset_permissions, AssetAccessSerializer),
            "application_permission": (self.changes.application_permissions, ApplicationAccessSerializer),
        }[name]
        org_id = writable(self._scope) if row is None else row.org_id
        self.org_ids.add(org_id)
        if deletes:
            changed[row.pk] = None
            return
        some = {side: values[side] for side in _SOME if row is not None and side in values}
        values = {key: value for key, value in values.items() if key not in some}
        validated = self._validated(serializer, values, row, partial=row is not None)
        kind_of = validated.get("type", getattr(row, "type", ""))
        if kind_of and DECLARATIONS[kind_of].needs_licence:
            licensing.require()
        self._own(org_id, validated)
        before = None if row is None else changed.get(row.pk) or self._before[name].get(row.pk)
        if before is None:
            model = _MODELS[name]()  # its defaults are those of the real write
            before = Permission(
                id=new_id(),
                org_id=org_id,
                is_active=model.is_active,
                date_start=self._at,
                date_expired=model.date_expired,
            )
        after = before.changed(_terms(validated))
        for side, lists in some.items():
            given = self._validated(
                serializer, lists if isinstance(lists, Mapping) else {side: lists}, row, partial=True
            )
            self._own(org_id, given)
            terms = {name: ids for name, ids in _terms(given).items() if name in _LISTS.values()}
            after = after.changed({name: _SOME[side](getattr(after, name), ids) for name, ids in terms.items()})
        changed[before.id] = after

    def _own(self, org_id: UUID, validated: Mapping[str, Any]) -> None:
        """Objects of a permission belong to its organization; in the global organization others are visible, too."""
        if not self._scope.is_root:
            return
        for name in _LISTS.keys() & validated.keys():
            if name == "users":
                wanted = {node.pk for node in validated[name]}
                members = Membership.objects.filter(org_id=org_id, user_id__in=wanted).values_list("user_id", flat=True)
                is_own = wanted == set(members)
            else:
                is_own = all(instance.org_id == org_id for instance in validated[name])
            if not is_own:
                text = _(
                    "Some of the selected objects belong to another organization. Select objects of this organization "
                    "only."
                )
                raise ValidationError({name: [text]})

    def _user_group(self, row: UserGroup, values: Mapping[str, Any], *, deletes: bool) -> None:
        self.org_ids.add(row.org_id)
        members = self.changes.members
        if deletes:
            members[row.pk] = frozenset()
            return
        validated = {
            name: frozenset(instance.pk for instance in instances)
            for name, instances in self._validated(GroupValues, values).items()
        }
        held = members.get(row.pk)
        if held is None:
            held = stored.members_of(row.org_id, [row.pk])[row.pk]
        wanted = (validated.get("users", held) | validated.get("add", frozenset())) - validated.get(
            "remove", frozenset()
        )
        users.require_members(row.org_id, wanted - held)
        members[row.pk] = wanted

    def _user(self, row: User | None, values: Mapping[str, Any], *, deletes: bool) -> None:
        people = self.changes.people
        if deletes and row is not None:
            people[row.pk] = False
            self._note_organizations(row)
            return
        given = self._validated(UserValues, values)
        is_active = given.get("is_active", True if row is None else row.is_active)
        end = given.get("date_expired", None if row is None else row.date_expired)
        stands = is_active and (end is None or end > self._at)
        if row is None:
            org_id, key = writable(self._scope), new_id()
            names = (given.get("name") or given.get("username") or "", given.get("username", ""))
            self.changes.new_people[key] = NewPerson(name=names[0], username=names[1], org_id=org_id)
            people[key] = stands
            self.org_ids.add(org_id)
        else:
            key = row.pk
            self._note_organizations(row)
            if given.keys() & {"is_active", "date_expired"}:
                people[key] = stands
        # The real write leaves groups alone in the global organization.
        if "groups" in given and not self._scope.is_root:
            self._joining.replace(key, {group.pk for group in given["groups"]})

    def _note_organizations(self, row: User) -> None:
        if self._scope.is_root:
            self.org_ids.update(Membership.objects.filter(user=row).values_list("org_id", flat=True))
        else:
            self.org_ids.add(self._scope.org_id)

    def _node(self, row: Node, values: Mapping[str, Any], *, deletes: bool) -> None:
        self.org_ids.add(row.org_id)
        if deletes:
            assets.check_node_deletion(row)  # only an empty node can be deleted: nobody loses anything
            return
        parent = self._validated(NodeValues, values)["parent"]
        if parent.org_id != row.org_id or parent.pk in self._deleted:
            raise RowNotFound(_("Not found."))
        assets.check_node_move(target=parent, node=row)
        self.changes.parents[row.pk] = parent.pk

    def _asset(self, row: Asset | None, values: Mapping[str, Any], *, deletes: bool) -> None:
        changed = self.changes.assets
        org_id = writable(self._scope) if row is None else row.org_id
        self.org_ids.add(org_id)
        if deletes and row is not None:
            changed[row.pk] = AssetAfter(is_active=False)
            return
        given = self._validated(AssetValues, values)
        nodes = self._nodes.given(org_id, given)
        if row is not None:
            before = changed.get(row.pk, AssetAfter())
            changed[row.pk] = AssetAfter(
                is_active=given.get("is_active", before.is_active),
                nodes=before.nodes if nodes is None else nodes,
                joins=before.joins | own_ids(org_id, given.get("add", ())),
                leaves=before.leaves | own_ids(org_id, given.get("remove", ())),
                protocols=given.get("protocols", before.protocols),
            )
            return
        default = (assets.parse_protocol(text) for text in assets.DEFAULT_PROTOCOLS)
        changed[new_id()] = AssetAfter(
            is_active=given.get("is_active", True),
            nodes=nodes or frozenset(),
            protocols=given.get("protocols") or frozenset(item.name.value for item in default if item),
            new=given.get("hostname", ""),
            org_id=org_id,
        )


def _terms(validated: Mapping[str, Any]) -> dict[str, Any]:
    """The validated values in the terms of `Permission`."""
    terms: dict[str, Any] = {name: validated[name] for name in _COLUMNS if name in validated}
    if "actions" in validated:
        terms["connects"] = bool(validated["actions"] & Actions.CONNECT)
    for name, own in _LISTS.items():
        if name in validated:
            terms[own] = frozenset(instance.pk for instance in validated[name])
    return terms
