"""Checks the items of a file against its shape. Reports all problems at once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Any, Final

from django.utils.translation import gettext as _

from postern.apps.plans.files.errors import START, FileRefused, Place, Problem
from postern.apps.plans.files.items import Item, Listed, Mapped, Scalar
from postern.apps.plans.files.shapes import (
    ACTIONS,
    ALL_ACTIONS,
    KINDS,
    NODES,
    RULE_DEFAULTS,
    RULES,
    VERSION,
    Field,
    Holds,
    Kind,
)
from postern.contracts.enums import Actions
from postern.foundation.rest.text import disguise_in

_HEAD: Final = ("version", "organization", "prune")


@dataclass(slots=True)
class Entry:
    """What the file says about one object. `values` holds only the fields that the file names; lists are sorted.

    `places`: position of each field. `named`: position of each name in a list, by field and name.
    """

    name: str
    place: Place
    values: dict[str, Any] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    named: dict[tuple[str, str], Place] = field(default_factory=dict)

    def place_of(self, name: str) -> Place:
        """The position of the field, else of the entry."""
        return self.places.get(name, self.place)


@dataclass(slots=True)
class Wish:
    """The whole file. `prune`: the kinds of which everything else is deleted, with the place that says so."""

    organization: str = ""
    organization_place: Place = START
    kinds: dict[str, dict[str, Entry]] = field(default_factory=dict)
    prune: dict[str, Place] = field(default_factory=dict)


class Checker:
    """Reads a file's items; `problems` grows, and `wish` holds what could be read."""

    def __init__(self, root: Item) -> None:
        self.problems: list[Problem] = []
        self.wish = Wish()
        names = (*_HEAD, *(kind.name for kind in KINDS))
        pairs = self._pairs(root, names)
        self._head(root.place, pairs)
        for kind in KINDS:
            if kind.name in pairs:
                self.wish.kinds[kind.name] = self._entries(kind, pairs[kind.name])

    def require_organization(self) -> None:
        """For callers who find the organization by its name in the file. Raises FileRefused."""
        if not self.wish.organization:
            raise FileRefused(self.problems)

    def _head(self, place: Place, pairs: dict[str, Item]) -> None:
        version = pairs.get("version")
        if version is None:
            self._note(
                place, _("The version is missing. Begin the file with “version: %(version)d”.") % {"version": VERSION}
            )
        elif not isinstance(version, Scalar) or version.text != str(VERSION):
            self._note(version.place, _("This Postern reads version %(version)d of plans.") % {"version": VERSION})
        organization = pairs.get("organization")
        if organization is None:
            self._note(place, _("The organization is missing. Name it with “organization: …”."))
        elif (name := self._text(organization, Field("organization", Holds.NAME, "", longest=128))) is not None:
            self.wish.organization, self.wish.organization_place = name, organization.place
        if "prune" in pairs:
            for kind, item in self._pairs(pairs["prune"], [kind.name for kind in KINDS]).items():
                if self._switch(item):
                    self.wish.prune[kind] = item.place

    def _entries(self, kind: Kind, item: Item) -> dict[str, Entry]:
        entries: dict[str, Entry] = {}
        for element in self._list(item):
            entry = self._path(element) if kind is NODES else self._entry(kind, element)
            if entry is None:
                continue
            if entry.name in entries:
                message = _("“%(name)s” is in this list twice, first in line %(line)d.")
                self._note(entry.place, message % {"name": entry.name, "line": entries[entry.name].place.line})
                continue
            entries[entry.name] = entry
        return entries

    def _path(self, item: Item) -> Entry | None:
        text = self._text(item, NODES.fields[0])
        if text is None:
            return None
        parts = text.split("/")
        if parts[0] or len(parts) < 2 or any(not part or part != part.strip() or len(part) > 128 for part in parts[1:]):
            self._note(item.place, _("Write the path of a node from the root of the tree, such as /Default/Web."))
            return None
        return Entry(text, item.place)

    def _entry(self, kind: Kind, item: Item) -> Entry | None:
        pairs = self._pairs(item, [declared.name for declared in kind.fields])
        entry = Entry("", item.place)
        for declared in kind.fields:
            pair = pairs.get(declared.name)
            if pair is None:
                if declared.is_required and isinstance(item, Mapped):
                    self._note(item.place, _("“%(name)s” is missing.") % {"name": declared.name})
                continue
            value = self._value(declared, pair, entry)
            if value is not None:
                entry.values[declared.name] = value
                entry.places[declared.name] = pair.place
        start, end = entry.values.get("date_start"), entry.values.get("date_expired")
        if start and end and end <= start:
            self._note(entry.places["date_expired"], _("The end date must be later than the start date."))
        if kind is RULES:
            return entry if "content" in entry.values else None
        entry.name = entry.values.pop("name", "")
        entry.place = entry.places.get("name", entry.place)
        return entry if entry.name else None

    def _value(self, field_: Field, item: Item, entry: Entry) -> Any:
        if field_.holds in {Holds.NAME, Holds.TEXT}:
            return self._text(item, field_)
        if field_.holds is Holds.SWITCH:
            return self._switch(item)
        if field_.holds is Holds.NUMBER:
            return self._number(item, field_)
        if field_.holds is Holds.INSTANT:
            return self._instant(item)
        if field_.holds is Holds.CHOICE:
            return self._choice(item, field_)
        if field_.holds is Holds.RULES:
            rules = [self._entry(RULES, rule) for rule in self._list(item)]
            return rules_of([rule for rule in rules if rule is not None], entry)
        return self._names(field_, item, entry)

    def _names(self, field_: Field, item: Item, entry: Entry) -> tuple[str, ...]:
        names: dict[str, Place] = {}
        for text in self._list(item):
            name = self._choice(text, field_) if field_.choices else self._text(text, field_)
            if name is None:
                continue
            if name in names:
                self._note(text.place, _("“%(name)s” is in this list twice.") % {"name": name})
            names.setdefault(name, text.place)
        if field_.choices:
            return single_actions(names)
        entry.named |= {(field_.name, name): place for name, place in names.items()}
        return tuple(sorted(names))

    def _pairs(self, item: Item, known: Sequence[str]) -> dict[str, Item]:
        """The values of a mapping by key. Unknown and repeated keys are problems."""
        if not isinstance(item, Mapped):
            self._note(item.place, _("Expected keys and values here: %(keys)s.") % {"keys": ", ".join(known)})
            return {}
        pairs: dict[str, Item] = {}
        for key, value in item.pairs:
            if key.text not in known:
                near = get_close_matches(key.text, known, n=1, cutoff=0.5)
                message = _("There is no key “%(key)s”.") % {"key": key.text}
                hint = _("Did you mean “%(key)s”?") % {"key": near[0]} if near else ""
                keys = _("Known keys: %(keys)s.") % {"keys": ", ".join(known)}
                self._note(key.place, f"{message} {hint or keys}")
            elif key.text in pairs:
                self._note(key.place, _("The key “%(key)s” is here twice.") % {"key": key.text})
            else:
                pairs[key.text] = value
        return pairs

    def _list(self, item: Item) -> list[Item]:
        if isinstance(item, Listed):
            return item.items
        self._note(item.place, _("Expected a list here. Write [] for an empty one."))
        return []

    def _text(self, item: Item, field_: Field) -> str | None:
        if not isinstance(item, Scalar) or not item.is_text:
            self._note(item.place, _("Expected a text here. Put numbers and words such as true into quotes."))
            return None
        text = item.text.strip() if field_.holds is Holds.TEXT else item.text
        message = ""
        if field_.holds is not Holds.TEXT and (not text or text != text.strip()):
            message = _("A name cannot be empty, and cannot begin or end with a space.")
        elif field_.is_required and not text:
            message = _("This text cannot be empty.")
        elif len(text) > field_.longest:
            message = _("At most %(count)d characters are allowed.") % {"count": field_.longest}
        elif (hidden := disguise_in(text, lines=field_.holds is Holds.TEXT)) is not None or "\x00" in text:
            code = f"U+{ord(hidden or chr(0)):04X}"
            message = _("The text contains a character that nobody sees (%(code)s). Remove it.") % {"code": code}
        if message:
            self._note(item.place, message)
            return None
        return text

    def _switch(self, item: Item) -> bool | None:
        if isinstance(item, Scalar) and not item.is_text and item.text.lower() in {"true", "false"}:
            return item.text.lower() == "true"
        self._note(item.place, _("Expected true or false here."))
        return None

    def _number(self, item: Item, field_: Field) -> int | None:
        if isinstance(item, Scalar) and not item.is_text and item.text.isascii() and len(item.text) < 10:
            text = item.text.lstrip("+")
            if text.isdigit() and field_.least <= int(text) <= field_.most:
                return int(text)
        message = _("Expected a number from %(least)d to %(most)d here.")
        self._note(item.place, message % {"least": field_.least, "most": field_.most})
        return None

    def _instant(self, item: Item) -> datetime | None:
        try:
            if isinstance(item, Scalar) and "T" in item.text and item.text.isascii():
                instant = datetime.fromisoformat(item.text)
                if instant.tzinfo is not None:
                    return instant.astimezone(UTC)
        except (ValueError, OverflowError):
            pass
        self._note(item.place, _("Expected a date with time and time zone here, such as 2026-05-01T08:00:00+02:00."))
        return None

    def _choice(self, item: Item, field_: Field) -> str | None:
        if isinstance(item, Scalar) and item.text in field_.choices:
            return item.text
        text = item.text if isinstance(item, Scalar) else ""
        near = get_close_matches(text, field_.choices, n=1, cutoff=0.6)
        hint = " " + _("Did you mean “%(key)s”?") % {"key": near[0]} if near else ""
        self._note(item.place, _("Expected one of these: %(choices)s.") % {"choices": ", ".join(field_.choices)} + hint)
        return None

    def _note(self, place: Place, message: str) -> None:
        self.problems.append(Problem(place, message))


def single_actions(names: Iterable[str]) -> tuple[str, ...]:
    """The actions one by one, in the order of the API. `all` stands for those that it includes."""
    given = set(names)
    if ALL_ACTIONS in given:
        return (ALL_ACTIONS, *(name for name, action in ACTIONS.items() if name in given and not action & Actions.ALL))
    return tuple(name for name in ACTIONS if name in given)


def rules_of(entries: Iterable[Entry], owner: Entry | None = None) -> tuple[dict[str, Any], ...]:
    """The rules of a filter with all their values, in an order of their own: rules have no names.

    `owner` gets the positions of the reviewers and of each rule, under `rules` and the rule's own number.
    """
    ordered = sorted(
        (({**RULE_DEFAULTS, **entry.values}, entry) for entry in entries), key=lambda pair: rule_key(pair[0])
    )
    if owner is not None:
        for number, (_rule, entry) in enumerate(ordered):
            owner.places[f"rules.{number}"] = entry.place
            owner.named |= {("reviewers", name): place for (_field, name), place in entry.named.items()}
    return tuple(rule for rule, _entry in ordered)


def rule_key(rule: dict[str, Any]) -> tuple[Any, ...]:
    """The sort key of rules, also for comparing: the rule that decides first is first."""
    return (
        -rule["priority"],
        rule["action"],
        rule["type"],
        rule["content"],
        tuple(rule["reviewers"]),
        rule["comment"],
    )
