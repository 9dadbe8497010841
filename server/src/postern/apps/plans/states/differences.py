"""The difference between what an organization has and what a file asks for."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.utils.translation import gettext as _

from postern.apps.plans.files.checking import Entry, Wish
from postern.apps.plans.files.errors import Place, Problem
from postern.apps.plans.files.shapes import KINDS, NODES, Kind
from postern.apps.plans.files.writing import written
from postern.apps.plans.states.queries import State

Verb = Literal["create", "update", "delete"]


@dataclass(frozen=True, slots=True)
class Change:
    """One object that is created, changed or deleted.

    `old` and `new` hold only what differs. `id` is None for a new object. `place`: what in the file asks for it.
    """

    kind: Kind
    verb: Verb
    name: str
    id: UUID | None
    old: dict[str, Any]
    new: dict[str, Any]
    place: Place
    entry: Entry | None = None

    @property
    def row_id(self) -> UUID:
        """The id of the object that is changed or deleted."""
        assert self.id is not None  # noqa: S101 - only a new object has none
        return self.id

    def place_of(self, field: str) -> Place:
        """Where the file names the field, else where it names the object."""
        return self.entry.place_of(field) if self.entry is not None else self.place

    def shown(self) -> dict[str, Any]:
        """The change as JSON: what people and programs see."""
        names = sorted({*self.old, *self.new})
        values = {name: {"old": plain(self.old.get(name)), "new": plain(self.new.get(name))} for name in names}
        line = self.place.line
        return {"kind": self.kind.name, "verb": self.verb, "name": self.name, "line": line, "values": values}


def plain(value: Any) -> Any:
    """A value as JSON."""
    if isinstance(value, datetime):
        return written(value)
    if isinstance(value, tuple | list):
        return [plain(element) for element in value]
    if isinstance(value, dict):
        return {name: plain(element) for name, element in value.items()}
    return value


def changes(wish: Wish, state: State) -> list[Change]:
    """What applying the file changes, by kind and name."""
    changed_entries: list[Change] = []
    for kind in KINDS:
        entries, present = wish.kinds.get(kind.name, {}), state.kinds[kind.name]
        own: list[Change] = []
        for name, entry in entries.items():
            standing = present.get(name)
            if standing is None:
                own.append(Change(kind, "create", name, None, {}, dict(entry.values), entry.place, entry))
                continue
            differing = [field for field, value in entry.values.items() if standing.values[field] != value]
            if differing:
                old, new = ({field: source[field] for field in differing} for source in (standing.values, entry.values))
                own.append(Change(kind, "update", name, standing.id, old, new, entry.place, entry))
        if kind.name in wish.prune:
            place = wish.prune[kind.name]
            kept = _kept_nodes(entries, state) if kind is NODES else set(entries)
            own += [
                Change(kind, "delete", name, entry.id, dict(entry.values), {}, place)
                for name, entry in present.items()
                if name not in kept
            ]
        changed_entries += sorted(own, key=lambda change: change.name)
    return changed_entries


def _kept_nodes(entries: dict[str, Entry], state: State) -> set[str]:
    """The root, the nodes of the file, and the nodes above them."""
    named_nodes = {state.root}
    for path in entries:
        parts = path.split("/")
        named_nodes |= {"/".join(parts[:end]) for end in range(2, len(parts) + 1)}
    return named_nodes


def impossible(wish: Wish, state: State) -> Iterator[Problem]:
    """What no comparison can make sense of: nodes without a parent, types that change, permissions without their parts,
    and references to what the file deletes.
    """
    yield from _nodes_without_parent(wish, state)
    for name, entry in wish.kinds.get("application_permissions", {}).items():
        standing = state.kinds["application_permissions"].get(name)
        if standing is None and "type" not in entry.values:
            yield Problem(entry.place, _("“%(name)s” is missing.") % {"name": "type"})
        elif standing is not None and entry.values.get("type", standing.values["type"]) != standing.values["type"]:
            message = _("The type of an application permission cannot be changed. It is %(type)s.")
            yield Problem(entry.place_of("type"), message % {"type": standing.values["type"]})
    deleted = [change for change in changes(wish, state) if change.verb == "delete"] if wish.prune else []
    gone = {(change.kind.name, change.name) for change in deleted}
    for kind in ("asset_permissions", "application_permissions"):
        for entry in wish.kinds.get(kind, {}).values():
            for (field, name), place in entry.named.items():
                if (field, name) in gone:
                    message = _("“%(name)s” is used here, but this file deletes it: it is not in its list.")
                    yield Problem(place, message % {"name": name})


def _nodes_without_parent(wish: Wish, state: State) -> Iterator[Problem]:
    entries, present = wish.kinds.get("nodes", {}), state.kinds["nodes"]
    for path, entry in entries.items():
        parent = path.rpartition("/")[0]
        if path in present or parent in present or parent in entries:
            continue
        if path.split("/")[1] != state.root.strip("/"):
            message = _("A node path must start with the root node, for example /%(root)s/web.")
            yield Problem(entry.place, message % {"root": state.root.strip("/")})
        else:
            message = _("There is no node “%(parent)s” for this one. Add it to the list, above or below.")
            yield Problem(entry.place, message % {"parent": parent})
