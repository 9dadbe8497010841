"""A search reads no more than it has to, and finds the same rows."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from factories.grants import make_group
from postern.apps.users.models import Source, User
from postern.foundation.rest import filters, search_terms

USERS = "/api/v1/users/users/"
MEMBERS = "/api/v1/users/users-groups-relations/"


def found(client: APIClient, text: str, **more: str) -> list[str]:
    answer = client.get(USERS, {"search": text, **more}).json()
    return [row["username"] for row in (answer if isinstance(answer, list) else answer["results"])]


@pytest.fixture
def wanda(make_user: Callable[..., User]) -> User:
    return make_user("wanda", source=Source.LDAP)


def test_part_of_a_choice_finds_its_rows(as_org_admin: APIClient, wanda: User) -> None:
    assert found(as_org_admin, "LDA") == ["wanda"]
    assert "wanda" not in found(as_org_admin, "loca")


def test_part_of_an_id_finds_its_row(as_org_admin: APIClient, wanda: User) -> None:
    shown = str(wanda.pk)
    assert found(as_org_admin, shown) == found(as_org_admin, shown[4:14].upper()) == ["wanda"]


def test_hyphen_alone_is_no_part_of_an_id(as_org_admin: APIClient, wanda: User) -> None:
    assert found(as_org_admin, "-") == []


def test_every_term_must_occur(as_org_admin: APIClient, wanda: User) -> None:
    assert found(as_org_admin, "wan, ldap") == ["wanda"]
    assert found(as_org_admin, "wan zzz") == []


def test_term_is_not_compared_where_it_cannot_occur(as_org_admin: APIClient, wanda: User) -> None:
    with CaptureQueriesContext(connection) as captured:
        found(as_org_admin, "wanda")
    searches = [query["sql"] for query in captured if "wanda" in query["sql"].lower() and "users_user" in query["sql"]]
    assert searches[0].count(" LIKE ") == 3  # user name, mail address and name; not the id, the source or the role


def test_rows_are_counted_only_when_the_first_page_is_full(as_org_admin: APIClient, wanda: User) -> None:
    def counts(limit: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            answer = as_org_admin.get(USERS, {"limit": limit, "search": "a"}).json()
        assert answer["count"] == total
        return sum("COUNT(" in query["sql"] for query in captured)

    total = len(found(as_org_admin, "a"))
    assert total > 1
    assert counts(str(total + 1)) == 0
    assert counts(str(total)) == counts("1") == 1


@pytest.mark.parametrize(("joined", "named"), [(1_000, 100), (0, 100), (0, 0)], ids=["short", "few", "many"])
def test_relations_are_found_by_their_objects_in_lists_of_any_length(
    as_org_admin: APIClient, wanda: User, monkeypatch: pytest.MonkeyPatch, joined: int, named: int
) -> None:
    monkeypatch.setattr(filters, "_JOINED", joined)
    monkeypatch.setattr(search_terms, "_NAMED", named)
    make_group("wanderers", users=[wanda])
    make_group("climbers", users=[wanda])

    def groups(text: str) -> list[str]:
        page = as_org_admin.get(MEMBERS, {"limit": "15", "search": text}).json()
        assert page["count"] == len(page["results"])
        return sorted(row["usergroup_display"] for row in page["results"])

    assert groups("wanda") == groups("wand") == ["climbers", "wanderers"]
    assert groups("climb") == groups("wanda climb") == ["climbers"]
    assert groups("nobody") == groups("wanda nobody") == []


def test_search_without_related_rows_does_not_read_a_long_list(
    as_org_admin: APIClient, wanda: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filters, "_JOINED", 0)
    make_group("wanderers", users=[wanda])
    with CaptureQueriesContext(connection) as captured:
        assert as_org_admin.get(MEMBERS, {"limit": "15", "search": "nobody"}).json()["count"] == 0
    reads = [query["sql"] for query in captured if '"users_usergroupmember"' in query["sql"]]
    assert len(reads) == 1  # whether the list is long
    assert "LIMIT 1)" in reads[0]
