"""The declaration of a resource of columns and lists, and what follows from it. Needs no Django: benchmarks read it, too."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from writes.case import Write
from writes.standard import Resource

#: Path of a resource → what a record calls its object in the settlement `one`.
SETTLED: Final = {
    "assets/assets": "one-host",
    "assets/system-users": "one root",
    "perms/asset-permissions": "one permission",
    "users/groups": "one group",
}


@dataclass(frozen=True, kw_only=True)
class Plain:
    """A resource whose viewset is a `PlainResourceViewSet`.

    `values`: the columns of an object; the first is a text that names it. `lists`: many-to-many relation → path of the resource
    of its objects, one of `SETTLED`. `other_lists`: relations of whose objects a settlement has none. `named`: what records and
    lists call an object, where that takes more than its first column. `unique`: keys of the error for a second object of
    the same name. `listed`: False where the objects of the lists refer to this resource in their own payload. `more`: fields
    of the API beyond the values, the lists and those that every plain resource has.
    """

    path: str
    kind: str
    values: Mapping[str, Any]
    lists: Mapping[str, str] = field(default_factory=dict)
    other_lists: tuple[str, ...] = ()
    named: str = ""
    unique: frozenset[str] = frozenset()
    listed: bool = True
    more: frozenset[str] = frozenset()

    @property
    def title(self) -> str:
        """The column that names an object."""
        return next(iter(self.values))

    @property
    def url(self) -> str:
        return f"/api/v1/{self.path}/"

    @property
    def empty_lists(self) -> dict[str, list[Any]]:
        return {name: [] for name in (*self.lists, *self.other_lists)}

    def called(self, title: str) -> dict[str, Any]:
        """The columns of an object with this name."""
        return {**self.values, self.title: title}

    def payload(self, number: int) -> dict[str, Any]:
        """The body that makes the object with this number (see `factories.payloads`)."""
        lists = {name: [f"{{/api/v1/{path}/}}"] for name, path in self.lists.items() if self.listed}
        return {**self.called(f"{self.kind.lower()} {number}"), **lists}

    def writes(self) -> list[Write]:
        """The calls of the table of writes."""
        one, two = self.called("one"), self.called("two")
        ids = {name: [f"{{{path}}}"] for name, path in self.lists.items()}
        recorded = {name: [SETTLED[path]] for name, path in self.lists.items()}
        empty: dict[str, list[Any]] = {name: [] for name in self.lists}
        return Resource(
            path=self.url,
            kind=self.kind,
            it=self.path,
            name=self._name(one),
            second=f"2:{self.path}",
            second_name=self._name(two),
            make={**self.values, **ids},
            made_name=self._name(self.values),
            made={**self.values, **recorded},
            change={"comment": "changed", **ids},
            before={"comment": "", **empty},
            after={"comment": "changed", **recorded},
            put=one,
            put_second=two,
            gone={**one, **self.empty_lists},
            columns=",".join(f"*{self._label(name)}" for name in self._texts()),
            row=",".join(self._texts().values()),
        ).writes()

    def _name(self, values: Mapping[str, Any]) -> str:
        return (self.named or f"{{{self.title}}}").format(**values)

    def _texts(self) -> dict[str, str]:
        return {name: value for name, value in self.values.items() if name == self.title or name in self.named}

    @staticmethod
    def _label(name: str) -> str:
        return name.replace("_", " ").capitalize()
