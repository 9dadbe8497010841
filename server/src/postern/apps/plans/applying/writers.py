"""Writes each kind of object with the actions that the API uses, so that rules, limits and audit records are the same."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from postern.apps.acls import facade as acls
from postern.apps.acls.models import CommandFilter, CommandFilterRule, RuleAction
from postern.apps.applications import facade as applications
from postern.apps.assets import facade as assets
from postern.apps.assets.models import Node
from postern.apps.perms import facade as perms
from postern.apps.perms.models import ApplicationPermission, AssetPermission
from postern.apps.plans.files.checking import single_actions
from postern.apps.plans.files.shapes import (
    ACTIONS,
    ALL_ACTIONS,
    APPLICATION_PERMISSIONS,
    ASSET_PERMISSIONS,
    COMMAND_FILTERS,
    NODES,
    USER_GROUPS,
)
from postern.apps.plans.states.differences import Change
from postern.apps.plans.states.queries import State
from postern.apps.plans.states.references import References
from postern.apps.users import facade as users
from postern.apps.users.models import UserGroup
from postern.contracts.enums import Actions
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.kernel.errors import PosternError

Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Writing:
    """What every write needs."""

    actor: Actor
    org_id: UUID
    state: State
    references: References

    def objects(self, kind: str, names: Collection[str]) -> list[Any]:
        """The objects with these names. All of them exist: they were checked, or created before."""
        return list(self.references.load(kind, names).values())

    def ids(self, kind: str, names: Collection[str]) -> set[UUID]:
        """Their ids."""
        return {row.pk for row in self.objects(kind, names)}


class RefusedAt(Exception):
    """A refusal whose place is known better than by the names of its fields."""

    def __init__(self, place: str, refusal: PosternError) -> None:
        super().__init__(refusal.message)
        self.place = place
        self.refusal = refusal


@contextmanager
def refused_at(place: str) -> Iterator[None]:
    """Refusals inside concern this place of the entry, such as `rules.2`."""
    try:
        yield
    except PosternError as error:
        raise RefusedAt(place, error) from error


def hold(writing: Writing, changes: Sequence[Change]) -> None:
    """Lock everything that the changes write or refer to, in one fixed order: permissions, filters, groups, the tree."""
    for kind, links, hold_them in (
        (ASSET_PERMISSIONS, perms.LINKS, perms.hold_permissions),
        (APPLICATION_PERMISSIONS, perms.APPLICATION_LINKS, perms.hold_application_permissions),
    ):
        for deleting in (False, True):
            some = [change for change in changes if change.kind is kind and (change.verb == "delete") is deleting]
            named = {
                link: {pk for change in some for pk in writing.ids(link.list_name, change.new.get(link.list_name, ()))}
                for link in links
            }
            ids = [change.id for change in some if change.id is not None]
            hold_them(ids, [writing.org_id], named=named, links=links, deleting=deleting)
    _hold_filters(writing, [change for change in changes if change.kind is COMMAND_FILTERS])
    for deleting in (False, True):
        some = [change for change in changes if change.kind is USER_GROUPS and (change.verb == "delete") is deleting]
        users.hold_groups(
            actor=writing.actor,
            group_ids=[change.id for change in some if change.id is not None],
            user_ids={pk for change in some for pk in writing.ids("users", change.new.get("users", ()))},
            replacing=True,
            deleting=deleting,
        )
    # Whatever the plan changes, so that one plan at a time is applied in an organization.
    assets.hold_trees([writing.org_id])


def _hold_filters(writing: Writing, changes: Sequence[Change]) -> None:
    for deleting in (False, True):
        some = [change for change in changes if (change.verb == "delete") is deleting]
        rows = list(CommandFilter.objects.filter(pk__in=[change.id for change in some if change.id is not None]))
        values = [
            {"system_users": writing.objects("system_users", change.new.get("system_users", ()))} for change in some
        ]
        acls.FILTERS.hold(rows, values, deleting=deleting)
        for row in rows:
            rules = list(CommandFilterRule.objects.filter(filter=row))
            reviewers = {
                pk
                for change in some
                if change.id == row.pk and not deleting
                for rule in change.new.get("rules", ())
                for pk in writing.ids("users", rule["reviewers"])
            }
            acls.hold_rules(row, rules, reviewers, deleting=deleting)


def _create_nodes(writing: Writing, changes: Sequence[Change]) -> None:
    for node in sorted(changes, key=lambda change: change.name.count("/")):
        parent, _slash, value = node.name.rpartition("/")
        above = Node.objects.get(org_id=writing.org_id, full_value=parent)
        assets.create_node(actor=writing.actor, parent=above, value=value)


def _delete_node(writing: Writing, change: Change) -> None:
    assets.delete_node(actor=writing.actor, node=Node.objects.get(pk=change.row_id))


def _create_groups(writing: Writing, changes: Sequence[Change]) -> None:
    for change in changes:
        users.create_group(
            actor=writing.actor,
            scope=OrgScope(writing.org_id),
            name=change.name,
            comment=change.new.get("comment", ""),
            user_ids=writing.ids("users", change.new.get("users", ())),
        )


def _update_group(writing: Writing, change: Change) -> None:
    members = writing.ids("users", change.new["users"]) if "users" in change.new else None
    users.update_group(
        actor=writing.actor,
        group=UserGroup.objects.get(pk=change.row_id),
        comment=change.new.get("comment"),
        user_ids=members,
    )


def _delete_group(writing: Writing, change: Change) -> None:
    users.delete_group(actor=writing.actor, group=UserGroup.objects.get(pk=change.row_id))


def _permission_values(writing: Writing, values: Mapping[str, Any]) -> Values:
    """The values for the actions: objects in place of names, bits in place of names of actions."""
    lists = {link.list_name for link in (*perms.LINKS, *perms.APPLICATION_LINKS)}
    resolved = {name: writing.objects(name, value) if name in lists else value for name, value in values.items()}
    if "actions" in resolved:
        resolved["actions"] = bits_of(values["actions"])
    if "type" in values:
        resolved["category"] = applications.DECLARATIONS[str(values["type"])].category.value
    return resolved


def bits_of(names: Collection[str]) -> int:
    """Names of actions as bits."""
    bits = Actions.NONE
    for name in single_actions(names):
        bits |= Actions.ALL if name == ALL_ACTIONS else ACTIONS[name]
    return bits.value


def _create_permissions(writing: Writing, changes: Sequence[Change]) -> None:
    items = [{"name": change.name, **_permission_values(writing, change.new)} for change in changes]
    perms.create_permissions(actor=writing.actor, org_id=writing.org_id, items=items)


def _update_permission(writing: Writing, change: Change) -> None:
    row = AssetPermission.objects.get(pk=change.row_id)
    perms.update_permission(actor=writing.actor, permission=row, values=_permission_values(writing, change.new))


def _delete_permission(writing: Writing, change: Change) -> None:
    perms.delete_permission(actor=writing.actor, permission=AssetPermission.objects.get(pk=change.row_id))


def _create_application_permissions(writing: Writing, changes: Sequence[Change]) -> None:
    items = [{"name": change.name, **_permission_values(writing, change.new)} for change in changes]
    perms.create_application_permissions(actor=writing.actor, org_id=writing.org_id, items=items)


def _update_application_permission(writing: Writing, change: Change) -> None:
    row = ApplicationPermission.objects.get(pk=change.row_id)
    values = _permission_values(writing, change.new)
    perms.update_application_permission(actor=writing.actor, permission=row, values=values)


def _delete_application_permission(writing: Writing, change: Change) -> None:
    row = ApplicationPermission.objects.get(pk=change.row_id)
    perms.delete_application_permission(actor=writing.actor, permission=row)


def _filter_values(writing: Writing, values: Mapping[str, Any]) -> Values:
    resolved = {name: value for name, value in values.items() if name != "rules"}
    if "system_users" in resolved:
        resolved["system_users"] = writing.objects("system_users", resolved["system_users"])
    return resolved


def _create_filters(writing: Writing, changes: Sequence[Change]) -> None:
    for change in changes:
        values = {"name": change.name, **_filter_values(writing, change.new)}
        row = acls.FILTERS.create(actor=writing.actor, org_id=writing.org_id, values=values)
        for number, rule in enumerate(change.new.get("rules", ())):
            with refused_at(f"rules.{number}"):
                acls.create_rule(actor=writing.actor, filter_row=row, values=_rule_values(writing, rule))


def _update_filter(writing: Writing, change: Change) -> None:
    row = CommandFilter.objects.get(pk=change.row_id)
    # Rules first: what is written together is judged together, and fewer rules may be what more system users need.
    if "rules" in change.new:
        _replace_rules(writing, row, change)
    values = _filter_values(writing, change.new)
    if values:
        acls.FILTERS.update(actor=writing.actor, row=row, values=values)


def _replace_rules(writing: Writing, row: CommandFilter, change: Change) -> None:
    """Keep the rules that are wanted as they are; change those with the same content; delete and create the rest."""
    standing = list(zip(writing.state.kinds["command_filters"][change.name].values["rules"],
                        writing.state.rules[change.name], strict=True))  # fmt: skip
    wanted = dict(enumerate(change.new["rules"]))
    for number, rule in list(wanted.items()):
        same = next((pair for pair in standing if pair[0] == rule), None)
        if same is not None:
            del wanted[number]
            standing.remove(same)
    for number, rule in list(wanted.items()):
        similar = next((pair for pair in standing if _subject(pair[0]) == _subject(rule)), None)
        if similar is not None:
            del wanted[number]
            standing.remove(similar)
            old = CommandFilterRule.objects.get(pk=similar[1])
            with refused_at(f"rules.{number}"):
                acls.update_rule(actor=writing.actor, rule=old, values=_rule_values(writing, rule))
    for _rule, rule_id in standing:
        rule_row = CommandFilterRule.objects.select_related("filter").get(pk=rule_id)
        acls.delete_rule(actor=writing.actor, rule=rule_row)
    for number, rule in wanted.items():
        with refused_at(f"rules.{number}"):
            acls.create_rule(actor=writing.actor, filter_row=row, values=_rule_values(writing, rule))


def _subject(rule: Mapping[str, Any]) -> tuple[str, str]:
    return rule["type"], rule["content"]


def _rule_values(writing: Writing, rule: Mapping[str, Any]) -> Values:
    return {
        **rule,
        "action": RuleAction[rule["action"].upper()].value,
        "reviewers": writing.objects("users", rule["reviewers"]),
    }


def _delete_filter(writing: Writing, change: Change) -> None:
    acls.FILTERS.delete(actor=writing.actor, row=CommandFilter.objects.get(pk=change.row_id))


@dataclass(frozen=True, slots=True)
class Writer:
    """How the objects of a kind are written. `update` is None for a kind that has nothing but its name."""

    create: Callable[[Writing, Sequence[Change]], None]
    delete: Callable[[Writing, Change], None]
    update: Callable[[Writing, Change], None] | None = None


WRITERS: Final[dict[str, Writer]] = {
    NODES.name: Writer(_create_nodes, _delete_node),
    USER_GROUPS.name: Writer(_create_groups, _delete_group, _update_group),
    ASSET_PERMISSIONS.name: Writer(_create_permissions, _delete_permission, _update_permission),
    APPLICATION_PERMISSIONS.name: Writer(
        _create_application_permissions, _delete_application_permission, _update_application_permission
    ),
    COMMAND_FILTERS.name: Writer(_create_filters, _delete_filter, _update_filter),
}
