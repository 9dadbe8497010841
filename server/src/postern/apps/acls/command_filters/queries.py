"""Reads of command filters: the rules that apply to system users."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from postern.apps.acls.command_filters import rules
from postern.apps.acls.command_filters.models import CommandFilter, CommandFilterRule
from postern.contracts.command_control import CommandControl

_FILTERED: Any = CommandFilter.system_users.through


def controls_of(system_user_ids: Collection[UUID]) -> dict[UUID, CommandControl]:
    """What the active filters of each system user say. Without a filter: no rules, and every line is allowed.

    Two queries. The same filters in the same state give equal values.
    """
    filter_ids: dict[UUID, list[UUID]] = defaultdict(list)
    unresolved: dict[UUID, str] = {}
    links = _FILTERED.objects.filter(systemuser_id__in=set(system_user_ids), commandfilter__is_active=True)
    for system_user_id, filter_id, answer in links.order_by("commandfilter__name", "commandfilter_id").values_list(
        "systemuser_id", "commandfilter_id", "commandfilter__unresolved"
    ):
        filter_ids[system_user_id].append(filter_id)
        unresolved[filter_id] = answer
    of_filter: dict[UUID, list[CommandFilterRule]] = defaultdict(list)
    for rule in _in_order(CommandFilterRule.objects.filter(filter__in=list(unresolved))) if unresolved else ():
        of_filter[rule.filter_id].append(rule)
    return {
        system_user_id: CommandControl(
            rules=tuple(
                rules.message_of(rule) for filter_id in filter_ids[system_user_id] for rule in of_filter[filter_id]
            ),
            unresolved=rules.strictest(unresolved[filter_id] for filter_id in filter_ids[system_user_id]),
        )
        for system_user_id in system_user_ids
    }


def rules_of(filter_ids: Iterable[UUID]) -> list[CommandFilterRule]:
    """The rules of these filters, those that decide first at the beginning."""
    return list(_in_order(CommandFilterRule.objects.filter(filter__in=list(filter_ids))))


def rules_for(system_user_id: UUID) -> QuerySet[CommandFilterRule]:
    """The rules that apply to a system user, those that decide first at the beginning."""
    return _in_order(CommandFilterRule.objects.filter(filter__is_active=True, filter__system_users=system_user_id))


def filtered_by(filter_ids: Collection[UUID]) -> frozenset[UUID]:
    """Ids of the system users of these filters."""
    links = _FILTERED.objects.filter(commandfilter_id__in=set(filter_ids))
    return frozenset(links.values_list("systemuser_id", flat=True))


def _in_order(rows: Any) -> QuerySet[CommandFilterRule]:
    ordered: QuerySet[CommandFilterRule] = rows.select_related("filter").order_by(
        "-priority", "rank", "date_created", "id"
    )
    return ordered
