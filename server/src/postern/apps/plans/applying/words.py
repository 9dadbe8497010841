"""A plan as text, for a terminal: in English, as the output of every command."""

from collections.abc import Iterator
from typing import Any, Final

from postern.apps.plans.applying.actions import Plan
from postern.apps.plans.states.access import Side
from postern.apps.plans.states.differences import Change, plain

_SIGNS: Final = {"create": "+", "update": "~", "delete": "-"}
#: A list is compared name by name; the text names at most so many on each side.
_MOST_NAMES: Final = 20
#: So many pairs of a person and an asset are named; the JSON form has more of them.
_MOST_PAIRS: Final = 20


def in_words(plan: Plan) -> str:
    """The difference, with its preview of access and its digest."""
    return "\n".join(_lines(plan)) + "\n"


def _lines(plan: Plan) -> Iterator[str]:
    if not plan.changes:
        yield f"{plan.organization}: nothing to do."
        yield f"Digest: {plan.digest}"
        return
    for change in plan.changes:
        yield f"{_SIGNS[change.verb]} {change.kind.name} {change.name}"
        if change.verb != "delete":
            yield from _values(change)
    yield ""
    counts = {verb: sum(change.verb == verb for change in plan.changes) for verb in _SIGNS}
    yield f"{counts['create']} created, {counts['update']} changed, {counts['delete']} deleted."
    yield from _side("+", plan.access.gained)
    yield from _side("-", plan.access.lost)
    if not plan.access.gained.people and not plan.access.lost.people:
        yield "Nobody gains or loses access to an asset now."
    yield f"Digest: {plan.digest}"


def _values(change: Change) -> Iterator[str]:
    for name, new in change.new.items():
        old = change.old.get(name)
        if name == "rules":
            yield from _rules(old or (), new)
        elif isinstance(new, tuple):
            yield from _names(name, set(old or ()), set(new))
        elif change.verb == "create":
            yield f"    {name}: {_word(new)}"
        else:
            yield f"    {name}: {_word(old)} → {_word(new)}"


def _names(name: str, old: set[str], new: set[str]) -> Iterator[str]:
    parts = [*_some("+", new - old), *_some("-", old - new)]
    yield f"    {name}: {', '.join(parts) or '[]'}"


def _some(sign: str, names: set[str]) -> Iterator[str]:
    yield from (f"{sign}{name}" for name in sorted(names)[:_MOST_NAMES])
    if len(names) > _MOST_NAMES:
        yield f"{sign}… ({len(names)})"


def _rules(old: Any, new: Any) -> Iterator[str]:
    left = list(old)
    for rule in new:
        if rule in left:
            left.remove(rule)
        else:
            yield f"    + rule {_rule(rule)}"
    yield from (f"    - rule {_rule(rule)}" for rule in left)


def _rule(rule: dict[str, Any]) -> str:
    first, *more = rule["content"].splitlines() or [""]
    reviewers = f" ({', '.join(rule['reviewers'])})" if rule["reviewers"] else ""
    return f"{rule['priority']} {rule['action']}{reviewers} {rule['type']}: {first}{' …' if more else ''}"


def _side(sign: str, side: Side) -> Iterator[str]:
    if not side.people:
        return
    pairs = f"{side.pairs} new pairs" if sign == "+" else f"{side.pairs} pairs lost"
    accounts = ", ".join(f"{count} {name}" for name, count in side.system_users.items())
    yield f"{sign} {side.people} people → {side.assets} assets, {pairs} ({accounts})"
    for user, asset, names in side.listed[:_MOST_PAIRS]:
        yield f"    {sign} {user} → {asset} ({', '.join(names)})"
    if len(side.listed) > _MOST_PAIRS:
        yield f"    {sign} …"


def _word(value: Any) -> str:
    shown = plain(value)
    if isinstance(shown, bool):
        return "true" if shown else "false"
    return '""' if shown == "" else str(shown).replace("\n", "⏎")
