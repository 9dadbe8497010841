"""What a row of the table of writes says: the call, what the audit log tells of it, what is secret in it."""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID

#: Placeholders of a case → their values: `{users/users}` is the id of an object of the world.
Values = Mapping[str, Any]
ROOT, DEFAULT = str(ROOT_ORG_ID), str(DEFAULT_ORG_ID)
#: Where the calls come from; every record must name it.
ADDRESS = "192.0.2.44"


class Again(Enum):
    """What the same call does a second time."""

    #: It answers as before, changes nothing and tells nothing.
    SAME = "same"
    #: There is nothing left to do it to: 404 (or a refusal in its place), and nothing is changed or told.
    GONE = "gone"
    #: It is no idempotent call: each one is a deed of its own.
    ACTS = "acts"


@dataclass(frozen=True, kw_only=True)
class Told:
    """The record that tells of a write. `old` and `new` are parts of what must stand there; None: nothing at all (or `{}`).

    `whole`: they hold these entries and no others.
    """

    event: str
    action: str
    kind: str
    name: str
    old: Mapping[str, Any] | None = None
    new: Mapping[str, Any] | None = None
    org: str = DEFAULT
    whole: bool = False
    user: str = "Adam(adam)"
    address: str = ADDRESS


@dataclass(frozen=True, kw_only=True)
class Write:
    """One call of one route. `path` is that of the endpoint, `at` its arguments."""

    method: str
    path: str
    at: Mapping[str, str] = field(default_factory=dict)
    query: str = ""
    body: Any = None
    caller: str = "admin"
    status: int = 200
    told: Sequence[Told] = ()
    again: Again = Again.SAME
    #: Why nothing is told although rows change; the tables that may change then.
    untold: str = ""
    marks: frozenset[str] = frozenset()
    #: Where the answer holds a secret that is shown once: its keys, in order; `*` goes through a list.
    shown_once: Sequence[str] = ()
    #: Tables in which a text of the call may stand although it is secret elsewhere, with the reason beside it in the table.
    holds: frozenset[str] = frozenset()
    #: Makes what the call needs and answers further values (`client`: the caller, ready made).
    prepare: Callable[[Any], Mapping[str, Any]] | None = None
    format: str = "json"
    headers: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.method} {self.path}{'?' + self.query if self.query else ''}"

    @property
    def is_silent(self) -> bool:
        """Whether the route changes nothing at all, although its method could."""
        return not self.told and not self.untold


def filled(value: Any, values: Values) -> Any:
    """`value` with its placeholders replaced, at any depth; a text that is nothing but one becomes the value itself."""
    if isinstance(value, str):
        if value.startswith("{") and value.endswith("}") and value.count("{") == 1:
            return values[value[1:-1]]
        for name in [name for name in values if f"{{{name}}}" in value]:
            value = value.replace(f"{{{name}}}", str(values[name]))
        return value
    if isinstance(value, Mapping):
        return {name: filled(one, values) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [filled(one, values) for one in value]
    return copy.copy(value)


def created(kind: str, name: str, new: Mapping[str, Any], **more: Any) -> Told:
    return Told(**{"event": f"{kind.lower()}.created", **more}, action="create", kind=kind, name=name, new=new)


def updated(kind: str, name: str, old: Mapping[str, Any], new: Mapping[str, Any], **more: Any) -> Told:
    """A change: exactly these fields, with both values."""
    return Told(
        **{"event": f"{kind.lower()}.updated", "whole": True, **more},
        action="update",
        kind=kind,
        name=name,
        old=old,
        new=new,
    )


def deleted(kind: str, name: str, old: Mapping[str, Any], **more: Any) -> Told:
    return Told(**{"event": f"{kind.lower()}.deleted", **more}, action="delete", kind=kind, name=name, old=old)


def silent(path: str, *, method: str = "POST", **more: Any) -> Write:
    """A call that could write by its method, and changes nothing."""
    return Write(method=method, path=path, **more)


def parsing(path: str, columns: str, row: str, **more: Any) -> Write:
    """`render-to-json/`: reads a file and changes nothing."""
    return silent(f"{path}render-to-json/", body=f"{columns}\n{row}\n".encode(), format="text/csv", **more)
