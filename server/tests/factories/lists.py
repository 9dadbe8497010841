"""All lists of the product, read from the URL configuration, so that tests and benchmarks cover a new list
automatically.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from django.db import connection

from endpoints import path_of
from factories.grants import grant_application, make_group, make_system_user
from factories.many_rows import ManyRows
from postern.apps.acls.models import CommandFilterRule
from postern.apps.applications.models import Application
from postern.apps.assets.nodes.actions import root_of
from postern.apps.jobs.models import Execution
from postern.apps.perms.models import ApplicationPermissionApplication
from postern.apps.perms.permissions.actions import create_permission
from postern.apps.users.models import User, UserGroup
from postern.apps.vault.models import SystemUser
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.checks import view_of, walk
from postern.foundation.rest.viewsets import RowsViewSet
from postern.kernel.ids import DEFAULT_ORG_ID

#: Query parameters that a list requires besides those of the page, with names in angle brackets as in paths. Commands of
#: all sessions need a storage, and login ACLs their person.
_QUERIES: Final[Mapping[str, Mapping[str, str]]] = {
    "/api/v1/acls/login-acls/": {"user": "<user_id>"},
    "/api/v1/terminal/commands/": {"command_storage_id": "default"},
}
_NO_IDS: Final[Mapping[str, str]] = {}
#: A group whose permissions reach every asset, as those of the administrator do.
_GROUP: Final = "everybody"
#: Above the ids that `ManyRows` gives.
_FIRST_LINK: Final = 100_000_000
#: The number of SQLite VM instructions between two calls of the counter.
COUNTED_STEP: Final = 10


@dataclass(frozen=True)
class ListRoute:
    """A list. `path` is its path in the URL configuration, with `<names>`; `view` is an instance of its viewset."""

    path: str
    view: Any

    @property
    def model(self) -> Any:
        return self.view.queryset.model

    def url(self, ids: Mapping[str, str]) -> str:
        """The path with values for its `<names>`."""
        url = self.path
        for name, value in ids.items():
            url = url.replace(f"<{name}>", value)
        return url

    def query(self, offset: int = 0, *, ids: Mapping[str, str] = _NO_IDS, **more: str) -> dict[str, str]:
        """The query parameters with which the console requests a page of 15 rows."""
        page = {"limit": "15", "offset": str(offset), "draw": "1", "display": "1"}
        required = {name: ids.get(value.strip("<>"), value) for name, value in _QUERIES.get(self.path, {}).items()}
        return {**page, **required, **more}


def list_routes() -> list[ListRoute]:
    """Every list, ordered by path."""
    lists: dict[str, ListRoute] = {}
    for route, pattern in walk():
        actions: dict[str, str] = getattr(pattern.callback, "actions", None) or {}
        view = view_of(pattern)
        if actions.get("get") == "list" and isinstance(view, RowsViewSet):
            lists[path_of(route)] = ListRoute(path_of(route), view)
    return [lists[path] for path in sorted(lists)]


class FilledLists:
    """Fills the tables behind all lists. `admin` reaches every asset and owns the personal rows."""

    def __init__(self, admin: User) -> None:
        self._many = ManyRows(admin)
        names = {
            "users": [admin],
            "user_groups": [make_group(_GROUP, users=[admin])],
            "nodes": [root_of(DEFAULT_ORG_ID)],
            "system_users": [make_system_user()],
        }
        create_permission(actor=SYSTEM, org_id=DEFAULT_ORG_ID, values={"name": "everything", **names})
        subjects = {name: names[name] for name in ("users", "user_groups")}
        self._applications = grant_application(
            "~ every application", **subjects, system_users=[make_system_user(protocol="mysql")]
        )

    def fill(self, counts: Mapping[str, int], others: int) -> None:
        """Fill each table. `counts` is keyed by model label (`perms.AssetPermission`); all other tables get `others`
        rows.
        """
        for model in {route.model: None for route in list_routes()}:
            self._many.fill(model, counts.get(model._meta.label, others))
        self._permit_applications()

    def _permit_applications(self) -> None:
        permitted = ApplicationPermissionApplication.objects.filter(applicationpermission=self._applications)
        first = _FIRST_LINK + permitted.count()
        others = Application.objects.exclude(pk__in=permitted.values("application_id")).only("pk")
        links = [
            ApplicationPermissionApplication(pk=pk, applicationpermission=self._applications, application=row)
            for pk, row in enumerate(others, first)
        ]
        ApplicationPermissionApplication.objects.bulk_create(links, batch_size=1_000)


def named_ids(admin: User) -> dict[str, str]:
    """Values for the names in paths. A filter of many is named by its first rule."""
    rule = CommandFilterRule.objects.order_by("pk").first()
    execution = Execution.objects.filter(hosts__isnull=False).order_by("pk").first()
    return {
        **({"execution_pk": str(execution.pk)} if execution is not None else {}),
        **({"filter_pk": str(rule.filter_id)} if rule is not None else {}),
        "system_user_id": str(SystemUser.objects.order_by("pk").values_list("pk", flat=True)[0]),
        "org_id": str(DEFAULT_ORG_ID),
        "user_id": str(admin.pk),
        "node_id": str(root_of(DEFAULT_ORG_ID).pk),
        "group_id": str(UserGroup.objects.get(name=_GROUP).pk),
    }


class Steps:
    """The number of SQLite VM instructions that were executed."""

    count = 0


@contextmanager
def counted_steps() -> Iterator[Steps]:
    """Count the executed SQLite VM instructions, in steps of `COUNTED_STEP`.

    The count measures rows read and does not depend on the load of the machine.
    """
    steps = Steps()

    def count() -> int:
        steps.count += COUNTED_STEP
        return 0

    connection.ensure_connection()
    connection.connection.set_progress_handler(count, COUNTED_STEP)
    try:
        yield steps
    finally:
        connection.connection.set_progress_handler(None, COUNTED_STEP)
