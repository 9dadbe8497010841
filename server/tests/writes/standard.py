"""The writes that resources of the kit have in common, from a few words about each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from writes.case import DEFAULT, Again, Told, Write, created, deleted, parsing, updated


@dataclass(frozen=True, kw_only=True)
class Resource:
    """A resource of the kit. `it` and `name` name an object of the world, `second` and `second_name` another one.

    `make` is the body of a new one, which is told under `made_name` with `made`; `put` are the fields that PUT wants besides
    `change`, which turns `before` into `after` (both as the record has them). `gone`: what is told of one that is deleted. What is different with the second object says so (`put_second`, `before_second`).
    """

    path: str
    kind: str
    it: str
    name: str
    second: str
    second_name: str
    change: Mapping[str, Any]
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    gone: Mapping[str, Any]
    before_second: Mapping[str, Any] | None = None
    put: Mapping[str, Any] = field(default_factory=dict)
    put_second: Mapping[str, Any] | None = None
    make: Mapping[str, Any] | None = None
    made_name: str = ""
    made: Mapping[str, Any] = field(default_factory=dict)
    org: str = DEFAULT
    columns: str = ""
    row: str = ""
    deletes: bool = True
    #: What must be done before an object of the world can be deleted.
    unused: Callable[[Any], Mapping[str, Any]] | None = None

    def writes(self) -> list[Write]:
        """One of everything, and the bulk forms of two."""
        found = [*self._making(), *self._changing(), *(self._deleting() if self.deletes else [])]
        return [*found, parsing(self.path, self.columns, self.row)] if self.columns else found

    def _making(self) -> list[Write]:
        if self.make is None:
            return []
        told = created(self.kind, self.made_name, self.made, org=self.org)
        return [Write(method="POST", path=self.path, body=self.make, status=201, told=[told], again=Again.ACTS)]

    def _changing(self) -> list[Write]:
        first = updated(self.kind, self.name, self.before, self.after, org=self.org)
        before_second = self.before if self.before_second is None else self.before_second
        second = updated(self.kind, self.second_name, before_second, self.after, org=self.org)
        put_second = self.put if self.put_second is None else self.put_second
        detail: dict[str, Any] = {"path": f"{self.path}<pk>/", "at": {"pk": f"{{{self.it}}}"}, "told": [first]}
        items = [{"id": f"{{{self.it}}}", **self.change}, {"id": f"{{{self.second}}}", **self.change}]
        whole = [{**self.put, **items[0]}, {**put_second, **items[1]}]
        return [
            Write(method="PATCH", body=self.change, **detail),
            Write(method="PUT", body={**self.put, **self.change}, **detail),
            Write(method="PATCH", path=self.path, body=items, told=[first, second]),
            Write(method="PUT", path=self.path, body=whole, told=[first, second]),
        ]

    def _deleting(self) -> list[Write]:
        first = deleted(self.kind, self.name, self.gone, org=self.org)
        second = deleted(self.kind, self.second_name, {}, org=self.org)
        both = f"ids={{{self.it}}},{{{self.second}}}"
        return [
            Write(
                method="DELETE",
                path=f"{self.path}<pk>/",
                at={"pk": f"{{{self.it}}}"},
                status=204,
                told=[first],
                again=Again.GONE,
                prepare=self.unused,
            ),
            Write(
                method="DELETE",
                path=self.path,
                query=both,
                status=204,
                told=[first, second],
                prepare=self.unused,
            ),
        ]


@dataclass(frozen=True, kw_only=True)
class Relation:
    """Rows that tie one object to another: made and deleted, never changed. `joined` and `parted` tell of it."""

    path: str
    it: str
    second: str
    make: Mapping[str, Any]
    joined: Told
    parted: Told
    second_parted: Told
    columns: str
    row: str

    def writes(self) -> list[Write]:
        """One row made, one deleted, two deleted, a file read."""
        at = {"pk": f"{{{self.it}}}"}
        both = f"ids={{{self.it}}},{{{self.second}}}"
        return [
            Write(method="POST", path=self.path, body=self.make, status=201, told=[self.joined]),
            Write(method="DELETE", path=f"{self.path}<pk>/", at=at, status=204, told=[self.parted], again=Again.GONE),
            Write(method="DELETE", path=self.path, query=both, status=204, told=[self.parted, self.second_parted]),
            parsing(self.path, self.columns, self.row),
        ]
