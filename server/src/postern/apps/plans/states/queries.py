"""What an organization has now, in the terms of a file: names in place of ids, and lists sorted."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from postern.apps.acls.models import CommandFilter, CommandFilterRule, RuleAction
from postern.apps.assets.models import Node
from postern.apps.perms.facade import APPLICATION_LINKS, LINKS, Link, open_application_permissions
from postern.apps.perms.models import ApplicationPermission, AssetPermission
from postern.apps.plans.files.checking import rule_key, single_actions
from postern.apps.plans.files.shapes import ACTIONS, ALL_ACTIONS
from postern.apps.users.models import UserGroup, UserGroupMember
from postern.contracts.enums import Actions

Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Standing:
    """An object as it is: its id and its values as a file would have them."""

    id: UUID
    values: Values


@dataclass(frozen=True, slots=True)
class State:
    """Everything of one organization that a file can describe: kind → name → object."""

    org_id: UUID
    kinds: Mapping[str, Mapping[str, Standing]]
    root: str
    #: Rules have no names: filter's name → the ids of its rules, in the order of `values["rules"]`.
    rules: Mapping[str, tuple[UUID, ...]] = field(default_factory=dict)

    def values(self) -> dict[str, dict[str, Values]]:
        """The values alone. The root node is no part of a file: it has the name of the organization."""
        return {
            kind: {name: entry.values for name, entry in objects.items() if (kind, name) != ("nodes", self.root)}
            for kind, objects in self.kinds.items()
        }


#: The column that names an object in a file, by the column of a link that leads to it.
_NAMES: Final = {
    "user": "username",
    "usergroup": "name",
    "asset": "hostname",
    "node": "full_value",
    "systemuser": "name",
    "application": "name",
}
_COLUMNS: Final = ("is_active", "date_start", "date_expired", "comment")


def read_state(org_id: UUID) -> State:
    """The present state. About twenty queries at any size. Without a licence it has no permissions for remote apps: as
    in the lists of the API, they are not shown.
    """
    nodes = {
        row.full_value: Standing(row.pk, {}) for row in Node.objects.filter(org_id=org_id).order_by().only("full_value")
    }
    root = Node.objects.filter(org_id=org_id, parent__isnull=True).values_list("full_value", flat=True).first()
    filters, rules = _filters(org_id)
    kinds = {
        "nodes": nodes,
        "user_groups": _groups(org_id),
        "asset_permissions": _permissions(
            AssetPermission.objects.all(),
            LINKS,
            org_id,
            lambda row: {"actions": action_names(row.actions)},
        ),
        "application_permissions": _permissions(
            open_application_permissions(ApplicationPermission.objects.all()),
            APPLICATION_LINKS,
            org_id,
            lambda row: {"type": row.type},
        ),
        "command_filters": filters,
    }
    return State(org_id=org_id, kinds=kinds, root=root or "", rules=rules)


def action_names(bits: int) -> tuple[str, ...]:
    """Action bits as a file names them."""
    names = [name for name, action in ACTIONS.items() if bits & action]
    return single_actions([ALL_ACTIONS, *names] if bits & Actions.ALL == Actions.ALL else names)


def _groups(org_id: UUID) -> dict[str, Standing]:
    members = _sorted_lists(
        UserGroupMember.objects.filter(usergroup__org_id=org_id)
        .order_by()
        .values_list("usergroup_id", "user__username")
    )
    return {
        row.name: Standing(row.pk, {"users": members.get(row.pk, ()), "comment": row.comment})
        for row in UserGroup.objects.filter(org_id=org_id).order_by().only("name", "comment")
    }


def _permissions(rows: Any, links: Iterable[Link], org_id: UUID, more: Callable[[Any], Values]) -> dict[str, Standing]:
    held = {
        link.list_name: _sorted_lists(
            link.rows.filter(**{f"{link.parent}__org_id": org_id})
            .order_by()
            .values_list(f"{link.parent}_id", f"{link.column}__{_NAMES[link.column]}")
        )
        for link in links
    }
    return {
        row.name: Standing(
            row.pk,
            {
                **{name: getattr(row, name) for name in _COLUMNS},
                **{name: named.get(row.pk, ()) for name, named in held.items()},
                **more(row),
            },
        )
        for row in rows.filter(org_id=org_id).order_by()
    }


def _filters(org_id: UUID) -> tuple[dict[str, Standing], dict[str, tuple[UUID, ...]]]:
    links = CommandFilter.system_users.through.objects.filter(commandfilter__org_id=org_id).order_by()
    system_users = _sorted_lists(links.values_list("commandfilter_id", "systemuser__name"))
    reviewing = CommandFilterRule.reviewers.through.objects.filter(commandfilterrule__org_id=org_id).order_by()
    reviewers = _sorted_lists(reviewing.values_list("commandfilterrule_id", "user__username"))
    rules: dict[UUID, list[tuple[Values, UUID]]] = defaultdict(list)
    for row in CommandFilterRule.objects.filter(org_id=org_id).order_by():
        rules[row.filter_id].append((_rule(row, reviewers.get(row.pk, ())), row.pk))
    filters, ids = {}, {}
    for command_filter in CommandFilter.objects.filter(org_id=org_id).order_by():
        own = sorted(rules[command_filter.pk], key=lambda pair: (rule_key(pair[0]), pair[1]))
        values = {
            "is_active": command_filter.is_active,
            "unresolved": command_filter.unresolved,
            "comment": command_filter.comment,
            "system_users": system_users.get(command_filter.pk, ()),
            "rules": tuple(rule for rule, _id in own),
        }
        filters[command_filter.name] = Standing(command_filter.pk, values)
        ids[command_filter.name] = tuple(rule_id for _rule, rule_id in own)
    return filters, ids


def _rule(row: CommandFilterRule, reviewers: tuple[str, ...]) -> Values:
    return {
        "content": row.content,
        "type": row.type,
        "priority": row.priority,
        "action": RuleAction(row.action).name.lower(),
        "reviewers": reviewers,
        "comment": row.comment,
    }


def _sorted_lists(pairs: Iterable[tuple[UUID, str]]) -> dict[UUID, tuple[str, ...]]:
    names_by_key: dict[UUID, list[str]] = defaultdict(list)
    for key, name in pairs:
        names_by_key[key].append(name)
    return {key: tuple(sorted(names)) for key, names in names_by_key.items()}
