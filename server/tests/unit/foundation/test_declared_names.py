"""Names of columns in the declaration of a list are checked at start."""

from typing import Any, ClassVar

import pytest
from django.core.exceptions import ImproperlyConfigured

from postern.apps.users.models import UserGroup
from postern.foundation import checks
from postern.foundation.rest.declared_names import unknown_names
from postern.foundation.rest.related import Amount
from postern.foundation.rest.rights import Right
from postern.foundation.rest.viewsets import ListViewSet


class Groups(ListViewSet):
    queryset = UserGroup.objects.all()
    rights: ClassVar[Any] = {"list": Right.ORG_ADMIN}


@pytest.mark.parametrize(
    "declared",
    [
        {"filter_fields": ("name", "citty")},
        {"filter_fields": {"city": "users__citty"}},
        {"filter_fields": ("name__almost",)},
        {"search_fields": ("name", "users__nickname")},
        {"ordering_fields": ("name", "citty")},
        {"ordering_fields": {"city": "citty"}},
        {"default_order": ("-citty",)},
        {"date_range_field": "date_made"},
        {"amounts": {"size": Amount("users.Grup", "usergroup_id")}},
        {"amounts": {"size": Amount("users.UserGroupMember", "grup_id")}},
    ],
    ids=lambda declared: "-".join(str(value) for value in declared.values()),
)
def test_unknown_column_is_reported(declared: dict[str, Any]) -> None:
    (fault,) = unknown_names(type("Misspelt", (Groups,), declared)())
    assert fault.startswith(f"{next(iter(declared))} names ")


def test_columns_relations_lookups_and_added_columns_are_accepted() -> None:
    class Faultless(Groups):
        filter_fields: ClassVar[Any] = {"name": "name", "member": "users__username__startswith", "id": "pk"}
        search_fields = ("name", "users__name")
        ordering_fields = ("name", "size")
        amounts: ClassVar[Any] = {"size": Amount("users.UserGroupMember", "usergroup_id")}
        default_order = ("-date_created", "pk")
        date_range_field = "date_created"

    assert list(unknown_names(Faultless())) == []


def test_web_part_does_not_start_with_an_unknown_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Groups, "search_fields", ("citty",), raising=False)
    monkeypatch.setattr(checks, "walk", lambda: [("/api/v1/users/groups/", None)])
    monkeypatch.setattr(checks, "view_of", lambda _pattern: Groups())
    with pytest.raises(ImproperlyConfigured, match="groups/: search_fields names 'citty', which is no column"):
        checks.refuse_undeclared([])
