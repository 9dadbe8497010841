"""Each list has the filters, the search and the order of the contract, and may have more."""

from typing import Any

import pytest
from django.urls import resolve
from django.utils import timezone

from postern.apps.perms.models import AssetPermission
from postern.apps.perms.permissions.filters import FILTERS, PermissionFilters
from postern.foundation.rest.filters import filter_lookups

CONTRACT: dict[str, tuple[str, str, str]] = {
    "users/users/": ("id username email name source system_or_org_role", "username email name id source role", ""),
    "users/groups/": ("name", "name", ""),
    "users/users-groups-relations/": ("user usergroup", "", ""),
    "assets/assets/": (
        "hostname ip platform__base is_active protocols protocols__icontains node node_id label ips",
        "hostname ip",
        "hostname ip cpu_cores",
    ),
    "assets/labels/": ("name value", "name value", ""),
    "assets/nodes/": ("value key id", "value", ""),
    "assets/platforms/": ("name base", "name", ""),
    "assets/system-users/": ("name username protocol type", "name username protocol type", ""),
    "assets/system-users-assets-relations/": (
        "id asset systemuser",
        "asset__hostname asset__ip systemuser__name systemuser__username",
        "",
    ),
    "perms/asset-permissions/": ("name", "name", ""),
}


@pytest.mark.parametrize("path", CONTRACT)
def test_list_has_the_filters_search_and_order_of_the_contract(path: str) -> None:
    filters, search, order = (set(names.split()) for names in CONTRACT[path])
    view: Any = resolve(f"/api/v1/{path}").func.cls  # type: ignore[attr-defined]  # set by the router
    assert filters <= {*filter_lookups(view), *getattr(view, "own_filters", ())}
    assert search <= set(view.search_fields)
    assert order <= set(getattr(view, "ordering_fields", ()))


@pytest.mark.django_db
@pytest.mark.parametrize("name", sorted(set(FILTERS) - {"all"}))
def test_described_filter_of_permissions_filters(name: str) -> None:
    """`all` says how the other filters are combined, and is no filter itself."""
    rows = AssetPermission.objects.all()
    assert PermissionFilters({name: "nobody"}, timezone.now()).apply(rows) is not None
    assert PermissionFilters({"all": "0"}, timezone.now()).apply(rows) is None
