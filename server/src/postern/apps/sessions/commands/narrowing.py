"""The filters of the command list, so that no page reads more than a bounded number of commands.

A page of commands with one condition comes from an index in its order. With several conditions, one of them leads: the
first that matches at most `SEARCHED` commands. All of these are read, and the other conditions are compared with each.
When none matches so few, the newest `SEARCHED` commands are searched, and the answer says since when they are
(`searched_from`). The leading condition is the only one that the database sees as a comparison with a column, so that it
uses the index of that column, whatever it believes about the others.
"""

from typing import Any, Final

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import F, Q, QuerySet, Value
from django.db.models.functions import Coalesce, Left
from django.db.models.lookups import Exact
from rest_framework.filters import BaseFilterBackend
from rest_framework.request import Request

from postern.apps.sessions.commands.models import Command
from postern.contracts.enums import RiskLevel
from postern.foundation.rest import counts, filters, keyed

#: Filters whose column begins an index, the narrowest first.
_INDEXED: Final = ("session_id", "session", "asset_id", "user", "asset", "system_user", "risk_level")
#: People whose names begin with the text of a filter. More are compared command by command.
_MOST_NAMES: Final = 20
_TABLE: Final = Command._meta.db_table  # noqa: SLF001 - the documented model API
_LAST: Final = "\U0010ffff"

Rows = QuerySet[Any]


class NarrowestFirst(BaseFilterBackend):
    """The declared filters, with the narrowest leading. Behind the date range, because that narrows first."""

    def filter_queryset(self, request: Request, queryset: Rows, view: Any) -> Rows:
        conditions = filters.declared_conditions(request, Command, view)
        if "user" in conditions:
            conditions["user"] = _by_names(_value(conditions["user"]))
        is_searched = bool(filters.search_terms(request))
        if not filters.can_report_border(request, view) or not (conditions or is_searched):
            return queryset.filter(*conditions.values())
        return _narrowed(queryset, conditions, view, is_searched=is_searched)


def _narrowed(rows: Rows, conditions: dict[str, Q], view: Any, *, is_searched: bool) -> Rows:
    """The rows with all conditions. `view.border` is the instant at which a search has to end, None for no such end."""
    leader, is_whole = _leader(rows, conditions, view, is_alone=len(conditions) == 1 and not is_searched)
    led = rows.filter(conditions.pop(leader)) if leader is not None else rows
    if not is_whole:
        view.border = filters.newest_border(led, "at")
        if view.border is not None and conditions:
            led = led.filter(at__gte=view.border)
            view.searched_from = view.border
    return led.filter(*(_compared(condition) for condition in conditions.values()))


def _leader(rows: Rows, conditions: dict[str, Q], view: Any, *, is_alone: bool) -> tuple[str | None, bool]:
    """The name of the leading condition, None for none, and whether every command that matches it is read."""
    named = [name for name in _INDEXED if name in conditions and _begins_index(conditions[name])]
    # The index of a column is in the order of time in each organization only, that of a session always.
    in_order = [
        name
        for name in named
        if (lookup := _lookup(conditions[name])) == "session" or (lookup == name and not view.scope.is_root)
    ]
    if is_alone and in_order:
        return in_order[0], True
    short = next((name for name in named if _is_short(rows.filter(conditions[name]))), None)
    return (short, True) if short is not None else (next(iter(in_order), None), False)


def _lookup(condition: Q) -> str:
    child = condition.children[0]
    return str(child[0]) if isinstance(child, tuple) else ""


def _value(condition: Q) -> str:
    child = condition.children[0]
    return str(child[1]) if isinstance(child, tuple) else ""


def _begins_index(condition: Q) -> bool:
    """Whether the condition names values of a column that begins an index."""
    child = condition.children[0]
    return isinstance(child, tuple) and child != ("risk_level", RiskLevel.ORDINARY.value)


def _is_short(rows: Rows) -> bool:
    return counts.up_to(filters.SEARCHED + 1, keyed.query_for(rows.order_by())) <= filters.SEARCHED


def _compared(condition: Q) -> Any:
    """The condition as a comparison of each row: of an expression, for which no index is used."""
    child = condition.children[0]
    if not isinstance(child, tuple) or "__" in child[0]:
        return condition
    return Exact(Coalesce(F(child[0]), F(child[0])), child[1])


def _by_names(beginning: str) -> Q:
    """The names that begin so, where there are few: they can lead."""
    names = _names_from(beginning)
    if len(names) > _MOST_NAMES:
        return Q(Exact(Left(F("user"), len(beginning)), Value(beginning)))
    return Q(user=names[0]) if len(names) == 1 else Q(user__in=names)


def _names_from(beginning: str) -> list[str]:
    """The first `_MOST_NAMES` + 1 names of people in commands that begin with the text, by one step of the index each."""
    is_sqlite = connections[DEFAULT_DB_ALIAS].vendor == "sqlite"
    least, after, before, order = (">=", ">", "<", "") if is_sqlite else ("~>=~", "~>~", "~<~", " USING ~<~")
    select = f'SELECT "user" FROM {_TABLE} WHERE "user" {{}} %s AND "user" {before} %s ORDER BY "user"{order} LIMIT 1'  # noqa: S608 - names and operators of this module
    names: list[str] = []
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        while len(names) <= _MOST_NAMES:
            cursor.execute(
                select.format(after if names else least), [names[-1] if names else beginning, beginning + _LAST]
            )
            row = cursor.fetchone()
            if row is None:
                break
            names.append(row[0])
    return names
