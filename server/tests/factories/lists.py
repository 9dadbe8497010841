"""All lists of the product, read from the URL configuration: a new list is in every test and benchmark of lists by itself."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from django.db import connection

from endpoints import path_of
from factories.grants import make_group, make_system_user
from factories.many_rows import ManyRows
from postern.apps.assets.nodes.actions import root_of
from postern.apps.perms.permissions.actions import create_permission
from postern.apps.users.models import User, UserGroup
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.checks import view_of, walk
from postern.foundation.rest.viewsets import RowsViewSet
from postern.kernel.ids import DEFAULT_ORG_ID

#: What a list needs besides the page: the commands of all sessions are read by their storage.
_QUERIES: Final[Mapping[str, Mapping[str, str]]] = {"/api/v1/terminal/commands/": {"command_storage_id": "default"}}
#: A group that reaches everything, as the administrator does.
_GROUP: Final = "everybody"
#: Instructions of SQLite's machine between two counts.
_STEP: Final = 10


@dataclass(frozen=True)
class ListRoute:
    """`path` as the URL configuration has it, with `<names>`; `view` is an instance of its viewset."""

    path: str
    view: Any

    @property
    def model(self) -> Any:
        return self.view.queryset.model

    def url(self, ids: Mapping[str, str]) -> str:
        """The path with the values of its `<names>`."""
        url = self.path
        for name, value in ids.items():
            url = url.replace(f"<{name}>", value)
        return url

    def query(self, offset: int = 0, **more: str) -> dict[str, str]:
        """What the console asks for a page of 15 rows."""
        page = {"limit": "15", "offset": str(offset), "draw": "1", "display": "1"}
        return {**page, **_QUERIES.get(self.path, {}), **more}


def list_routes() -> list[ListRoute]:
    """Every list, by its path."""
    found: dict[str, ListRoute] = {}
    for route, pattern in walk():
        actions: dict[str, str] = getattr(pattern.callback, "actions", None) or {}
        view = view_of(pattern)
        if actions.get("get") == "list" and isinstance(view, RowsViewSet):
            found[path_of(route)] = ListRoute(path_of(route), view)
    return [found[path] for path in sorted(found)]


class FilledLists:
    """The tables behind all lists, filled; `admin` reaches every asset and owns the personal rows."""

    def __init__(self, admin: User) -> None:
        self._many = ManyRows(admin)
        names = {
            "users": [admin],
            "user_groups": [make_group(_GROUP, users=[admin])],
            "nodes": [root_of(DEFAULT_ORG_ID)],
            "system_users": [make_system_user()],
        }
        create_permission(actor=SYSTEM, org_id=DEFAULT_ORG_ID, values={"name": "everything", **names})

    def fill(self, counts: Mapping[str, int], others: int) -> None:
        """`counts` by label of the model (`perms.AssetPermission`), `others` for all that it does not name."""
        for model in {route.model: None for route in list_routes()}:
            self._many.fill(model, counts.get(model._meta.label, others))


def named_ids(admin: User) -> dict[str, str]:
    """Values for the names in paths."""
    return {
        "org_id": str(DEFAULT_ORG_ID),
        "user_id": str(admin.pk),
        "node_id": str(root_of(DEFAULT_ORG_ID).pk),
        "group_id": str(UserGroup.objects.get(name=_GROUP).pk),
    }


class Steps:
    """What SQLite did."""

    count = 0


@contextmanager
def counted_steps() -> Iterator[Steps]:
    """Counts the instructions of SQLite's machine, to `_STEP`: a measure of rows read that no load of the computer changes."""
    steps = Steps()

    def count() -> int:
        steps.count += _STEP
        return 0

    connection.ensure_connection()
    connection.connection.set_progress_handler(count, _STEP)
    try:
        yield steps
    finally:
        connection.connection.set_progress_handler(None, _STEP)
