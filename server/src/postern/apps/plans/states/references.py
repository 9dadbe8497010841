"""The objects that a file refers to by name."""

from collections.abc import Collection, Iterator
from typing import Any, Final
from uuid import UUID

from django.utils.translation import gettext as _

from postern.apps.applications.models import Application
from postern.apps.assets.models import Asset, Node
from postern.apps.plans.files.checking import Entry, Wish, rule_key
from postern.apps.plans.files.errors import Problem
from postern.apps.plans.files.shapes import KINDS, RULES, Field, Kind
from postern.apps.plans.states.queries import State
from postern.apps.users.models import Membership, User, UserGroup, username_key
from postern.apps.vault.models import SystemUser

#: Names per query, because SQLite limits the number of parameters.
_SET: Final = 500
_TABLES: Final[dict[str, tuple[Any, str]]] = {
    "user_groups": (UserGroup, "name"),
    "assets": (Asset, "hostname"),
    "nodes": (Node, "full_value"),
    "applications": (Application, "name"),
    "system_users": (SystemUser, "name"),
}


class References:
    """Objects of one organization by kind and name, read when they are first needed."""

    def __init__(self, org_id: UUID) -> None:
        self._org_id = org_id
        self._found: dict[str, dict[str, Any]] = {}

    def load(self, kind: str, names: Collection[str]) -> dict[str, Any]:
        """The objects with these names; unknown names are left out. Usernames may differ in case."""
        held = self._found.setdefault(kind, {})
        missing = sorted(name for name in names if name not in held)
        for start in range(0, len(missing), _SET):
            held |= self._read(kind, missing[start : start + _SET])
        return {name: held[name] for name in names if name in held}

    def forget(self, kind: str) -> None:
        """Read this kind again when it is needed: some were created."""
        self._found.pop(kind, None)

    def _read(self, kind: str, names: list[str]) -> dict[str, Any]:
        if kind == "users":
            keys = {name: username_key(name) for name in names}
            members = Membership.objects.filter(org_id=self._org_id).values("user_id")
            people = User.objects.filter(pk__in=members, username_key__in=set(keys.values()))
            by_key = {user.username_key: user for user in people}
            return {name: by_key[key] for name, key in keys.items() if key in by_key}
        table, column = _TABLES[kind]
        rows = table.objects.filter(org_id=self._org_id, **{f"{column}__in": names})
        return {getattr(row, column): row for row in rows}


def named_in(wish: Wish) -> Iterator[tuple[Kind, Entry, Field]]:
    """Every list of names in the file."""
    for kind in KINDS:
        for entry in wish.kinds.get(kind.name, {}).values():
            for field in (*kind.fields, *(RULES.fields if "rules" in entry.values else ())):
                if field.refers and any(list_name == field.name for list_name, _name in entry.named):
                    yield kind, entry, field


def names_of(entry: Entry, field: Field) -> list[str]:
    """The names in one list of an entry, with those of its rules."""
    return [name for list_name, name in entry.named if list_name == field.name]


def missing(wish: Wish, state: State, references: References) -> Iterator[Problem]:
    """The names in the file that refer to no object. Groups and nodes may be in the file itself."""
    wanted: dict[str, set[str]] = {}
    for _kind, entry, field in named_in(wish):
        wanted.setdefault(field.refers, set()).update(names_of(entry, field))
    known: dict[str, Collection[str]] = {}
    for kind, names in wanted.items():
        if kind in {"nodes", "user_groups"}:
            known[kind] = {*state.kinds[kind], *wish.kinds.get(kind, {})}
        else:
            known[kind] = references.load(kind, names)
    for _kind, entry, field in named_in(wish):
        for name in names_of(entry, field):
            if name not in known[field.refers]:
                yield Problem(entry.named[field.name, name], _unknown(field.refers, name))


def spell(wish: Wish, references: References) -> None:
    """Write usernames in the file as the people have them, so that they are compared as they are stored."""
    for _kind, entry, field in named_in(wish):
        if field.refers != "users":
            continue
        names = {name: user.username for name, user in references.load("users", names_of(entry, field)).items()}
        entry.named |= {(field.name, names[name]): entry.named[field.name, name] for name in names}
        if field.name in entry.values:
            entry.values[field.name] = tuple(sorted({names.get(name, name) for name in entry.values[field.name]}))
        if "rules" in entry.values:
            for rule in entry.values["rules"]:
                rule["reviewers"] = tuple(sorted({names.get(name, name) for name in rule["reviewers"]}))
            entry.values["rules"] = tuple(sorted(entry.values["rules"], key=rule_key))


def _unknown(kind: str, name: str) -> str:
    messages = {
        "users": _("No member of this organization has the username “%(name)s”."),
        "user_groups": _("There is no user group “%(name)s”, neither here nor in this file."),
        "assets": _("There is no asset “%(name)s” in this organization."),
        "nodes": _("There is no node “%(name)s”, neither here nor in this file."),
        "applications": _("There is no application “%(name)s” in this organization."),
        "system_users": _("There is no system user “%(name)s” in this organization."),
    }
    return messages[kind] % {"name": name}
