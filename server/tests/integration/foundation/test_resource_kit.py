"""The behaviour that every resource gets from the foundation, tested with user groups: lists, filters, metadata, bulk,
errors.
"""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from postern.apps.orgs.models import Organization
from postern.apps.users.models import User, UserGroup
from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID, new_id

pytestmark = pytest.mark.django_db

URL = "/api/v1/users/groups/"


@pytest.fixture
def groups(db: None) -> list[UserGroup]:
    names = ("alpha", "beta", "gamma delta")
    return [UserGroup.objects.create(name=name, org_id=DEFAULT_ORG_ID, comment=name[::-1]) for name in names]


@pytest.fixture
def elsewhere(db: None) -> UserGroup:
    """A group of another organization."""
    org = Organization.objects.create(name="Elsewhere")
    return UserGroup.objects.create(name="theirs", org_id=org.pk)


def _names(answer: Any) -> list[str]:
    rows = answer.json()
    return [row["name"] for row in (rows["results"] if isinstance(rows, dict) else rows)]


def test_list_without_limit_is_a_bare_array(as_org_admin: APIClient, groups: list[UserGroup]) -> None:
    assert _names(as_org_admin.get(URL)) == ["alpha", "beta", "gamma delta"]


@pytest.mark.spec("S7-052", "S7-053", "S7-057")
def test_list_with_limit_has_the_envelope(as_org_admin: APIClient, groups: list[UserGroup]) -> None:
    first = as_org_admin.get(f"{URL}?limit=2&draw=1&display=1").json()
    assert first["count"] == 3
    assert first["previous"] is None
    assert "offset=2" in first["next"]
    second = as_org_admin.get(f"{URL}?limit=2&offset=2").json()
    assert [row["name"] for row in second["results"]] == ["gamma delta"]
    assert second["next"] is None


@pytest.mark.parametrize("limit", ["0", "-1", "x", "99999999"])
def test_list_with_an_invalid_limit_still_answers(as_org_admin: APIClient, groups: list[UserGroup], limit: str) -> None:
    assert as_org_admin.get(URL, {"limit": limit}).json()["count"] == 3


@pytest.mark.spec("S7-055")
@pytest.mark.parametrize(
    ("search", "expected"),
    [
        ("alph", ["alpha"]),
        ("ALPHA", ["alpha"]),
        ("gamma delta", ["gamma delta"]),
        ("delta,gam", ["gamma delta"]),
        ("alpha beta", []),
        ("%", []),
        ("a\x00b", []),
        ("", ["alpha", "beta", "gamma delta"]),
    ],
)
def test_search_finds_rows_that_contain_every_term(
    as_org_admin: APIClient, groups: list[UserGroup], search: str, expected: list[str]
) -> None:
    assert _names(as_org_admin.get(URL, {"search": search})) == expected


@pytest.mark.spec("S7-054")
def test_order_by_declared_field_both_ways(as_org_admin: APIClient, groups: list[UserGroup]) -> None:
    assert _names(as_org_admin.get(f"{URL}?order=-name"))[0] == "gamma delta"
    assert _names(as_org_admin.get(f"{URL}?order=name"))[0] == "alpha"


@pytest.mark.parametrize(
    "order", ["users__password", "-users__password", "password", "id__gt", "?", "pk);--", "_connector"]
)
def test_k22_order_by_undeclared_field_is_ignored(as_org_admin: APIClient, groups: list[UserGroup], order: str) -> None:
    answer = as_org_admin.get(URL, {"order": order})
    assert answer.status_code == 200
    assert _names(answer) == ["alpha", "beta", "gamma delta"]


@pytest.mark.parametrize(
    "query", ["users__password__startswith=a", "name__startswith=z", "_connector=OR", "_negated=1", "org_id=x", "pk=1"]
)
def test_k22_undeclared_filter_is_ignored(as_org_admin: APIClient, groups: list[UserGroup], query: str) -> None:
    assert len(_names(as_org_admin.get(f"{URL}?{query}"))) == 3


def test_filter_on_declared_field_is_exact(as_org_admin: APIClient, groups: list[UserGroup]) -> None:
    assert _names(as_org_admin.get(f"{URL}?name=alpha")) == ["alpha"]
    assert _names(as_org_admin.get(f"{URL}?name=alph")) == []


def test_filter_with_an_unreadable_value_is_a_field_error(as_admin: APIClient) -> None:
    answer = as_admin.get("/api/v1/audits/login-logs/?status=perhaps&date_from=yesterday")
    assert answer.status_code == 400
    assert set(answer.json()) == {"status"}
    answer = as_admin.get("/api/v1/audits/login-logs/?date_from=yesterday")
    assert set(answer.json()) == {"date_from"}


def test_ids_restrict_the_list(as_org_admin: APIClient, groups: list[UserGroup]) -> None:
    wanted = f"{groups[0].pk},{groups[2].pk},nonsense"
    assert _names(as_org_admin.get(URL, {"ids": wanted})) == ["alpha", "gamma delta"]


def test_fields_size_and_fields_select_the_returned_fields(as_org_admin: APIClient, groups: list[UserGroup]) -> None:
    assert set(as_org_admin.get(f"{URL}?fields_size=mini").json()[0]) == {"id", "name"}
    assert set(as_org_admin.get(f"{URL}?fields=name,comment").json()[0]) == {"name", "comment"}
    assert "comment" not in as_org_admin.get(f"{URL}?fields!=comment").json()[0]


def test_rows_of_another_organization_are_neither_listed_nor_reached(
    as_org_admin: APIClient, groups: list[UserGroup], elsewhere: UserGroup
) -> None:
    assert "theirs" not in _names(as_org_admin.get(URL))
    url = f"{URL}{elsewhere.pk}/"
    for answer in (as_org_admin.get(url), as_org_admin.patch(url, {"name": "x"}), as_org_admin.delete(url)):
        assert answer.status_code == 404
        assert answer.json()["code"] == "object_does_not_exist"
    assert UserGroup.objects.filter(pk=elsewhere.pk, name="theirs").exists()


@pytest.mark.parametrize("key", ["nonsense", "0", "1' OR '1'='1", "00000000-0000-0000-0000-000000000000"])
def test_detail_with_malformed_or_unknown_id_is_not_found(as_org_admin: APIClient, key: str) -> None:
    assert as_org_admin.get(f"{URL}{key}/").status_code == 404


def test_k68_unknown_organization_is_refused_and_never_the_root(as_admin: APIClient, groups: list[UserGroup]) -> None:
    for options in ({"HTTP_X_JMS_ORG": str(new_id())}, {"HTTP_X_JMS_ORG": "nobody"}):
        assert as_admin.get(URL, **options).status_code in {403, 404}  # type: ignore[arg-type]  # extra headers
    assert as_admin.get(f"{URL}?oid={new_id()}").status_code in {403, 404}


def test_k68_organization_of_other_users_is_refused(as_org_admin: APIClient, elsewhere: UserGroup) -> None:
    for named in (str(elsewhere.org_id), "Elsewhere", str(ROOT_ORG_ID), "root"):
        answer = as_org_admin.get(URL, headers={"X-JMS-ORG": named})
        assert answer.status_code in {403, 404}, named


def test_root_organization_lists_everything_and_accepts_no_writes(
    as_admin: APIClient, groups: list[UserGroup], elsewhere: UserGroup
) -> None:
    assert {"alpha", "theirs"} <= set(_names(as_admin.get(URL, headers={"X-JMS-ORG": "root"})))
    answer = as_admin.post(URL, {"name": "new"}, headers={"X-JMS-ORG": str(ROOT_ORG_ID)})
    assert answer.status_code == 400
    assert answer.json()["code"] == "root_org_read_only"


def test_create_twice_with_one_name_is_a_field_error(as_org_admin: APIClient, groups: list[UserGroup]) -> None:
    answer = as_org_admin.post(URL, {"name": "alpha"})
    assert answer.status_code == 400
    assert set(answer.json()) == {"name"}


def test_create_of_an_array_is_all_or_nothing(as_org_admin: APIClient, groups: list[UserGroup]) -> None:
    answer = as_org_admin.post(URL, [{"name": "one"}, {"name": "alpha"}])
    assert answer.status_code == 400
    assert [set(item) for item in answer.json()] == [set(), {"name"}]
    assert not UserGroup.objects.filter(name="one").exists()
    answer = as_org_admin.post(URL, [{"name": "one"}, {"name": "two", "@status": "ok"}])
    assert answer.status_code == 201
    assert [row["name"] for row in answer.json()] == ["one", "two"]


def test_create_of_an_array_with_duplicates_is_refused_by_the_database(as_org_admin: APIClient) -> None:
    answer = as_org_admin.post(URL, [{"name": "twin"}, {"name": "twin"}])
    assert answer.status_code in {400, 409}
    assert not UserGroup.objects.filter(name="twin").exists()


@pytest.mark.spec("S7-049")
def test_bulk_update_changes_every_listed_row(as_org_admin: APIClient, groups: list[UserGroup]) -> None:
    body = [{"id": str(groups[0].pk), "name": "a2"}, {"id": str(groups[1].pk), "name": "b2"}]
    answer = as_org_admin.patch(URL, body)
    assert answer.status_code == 200
    assert set(UserGroup.objects.values_list("name", flat=True)) >= {"a2", "b2"}
    assert as_org_admin.patch(URL, []).json() == []


def test_bulk_update_without_id_is_refused(as_org_admin: APIClient, groups: list[UserGroup]) -> None:
    answer = as_org_admin.patch(URL, [{"name": "x"}])
    assert answer.status_code == 400
    assert answer.json() == [["id or pk not in data"]]


def test_bulk_update_of_an_unreachable_row_changes_nothing(
    as_org_admin: APIClient, groups: list[UserGroup], elsewhere: UserGroup
) -> None:
    body = [{"id": str(groups[0].pk), "name": "changed"}, {"id": str(elsewhere.pk), "name": "changed too"}]
    assert as_org_admin.patch(URL, body).status_code == 400
    assert not UserGroup.objects.filter(name__startswith="changed").exists()


def _select(client: APIClient, *rows: UserGroup) -> str:
    answer = client.post("/api/v1/common/resources/cache/", {"resources": [str(row.pk) for row in rows]})
    assert answer.status_code == 200
    token: str = answer.json()["spm"]
    return token


@pytest.mark.spec("S7-063")
@pytest.mark.parametrize("query", ["", "?search=alpha", "?limit=1", "?spm=", "?order=name", "?unknown=1"])
def test_bulk_delete_without_a_selection_is_refused(
    as_org_admin: APIClient, groups: list[UserGroup], query: str
) -> None:
    answer = as_org_admin.delete(f"{URL}{query}")
    assert answer.status_code == 400
    assert answer.json()["code"] == "selection_required"
    assert UserGroup.objects.count() >= 3


@pytest.mark.spec("S7-007", "S7-008", "S7-062")
def test_bulk_delete_of_a_selection_deletes_only_its_rows(as_org_admin: APIClient, groups: list[UserGroup]) -> None:
    assert as_org_admin.delete(f"{URL}?spm={_select(as_org_admin, *groups[:2])}").status_code == 204
    assert _names(as_org_admin.get(URL)) == ["gamma delta"]


def test_k67_selection_of_another_user_is_empty(
    as_org_admin: APIClient, as_admin: APIClient, groups: list[UserGroup]
) -> None:
    token = _select(as_org_admin, groups[0])
    assert _names(as_org_admin.get(f"{URL}?spm={token}")) == ["alpha"]
    assert _names(as_admin.get(f"{URL}?spm={token}")) == []
    refused = as_admin.delete(f"{URL}?spm={token}")
    assert (refused.status_code, refused.json()["code"]) == (400, "selection_required")
    assert UserGroup.objects.filter(name="alpha").exists()


def test_k67_selection_in_another_organization_is_empty(as_admin: APIClient, groups: list[UserGroup]) -> None:
    token = _select(as_admin, groups[0])
    assert _names(as_admin.get(f"{URL}?spm={token}", headers={"X-JMS-ORG": "root"})) == []


def test_k67_selection_with_unreachable_rows_deletes_only_the_others(
    as_org_admin: APIClient, groups: list[UserGroup], elsewhere: UserGroup
) -> None:
    token = _select(as_org_admin, groups[0], elsewhere)
    assert as_org_admin.delete(f"{URL}?spm={token}").status_code == 204
    assert UserGroup.objects.filter(pk=elsewhere.pk).exists()
    assert not UserGroup.objects.filter(pk=groups[0].pk).exists()


def test_k67_unknown_selection_token_gives_an_empty_list(as_org_admin: APIClient, groups: list[UserGroup]) -> None:
    assert _names(as_org_admin.get(f"{URL}?spm=guess")) == []


@pytest.mark.spec("S7-009", "S7-010")
def test_options_describe_the_fields_of_each_permitted_method(as_org_admin: APIClient, groups: list[UserGroup]) -> None:
    answer = as_org_admin.options(f"{URL}?draw=1&display=1").json()
    assert {"name", "description", "renders", "parses", "actions"} <= set(answer)
    assert set(answer["actions"]) == {"GET", "POST", "PUT", "PATCH"}
    name = answer["actions"]["POST"]["name"]
    assert name == {
        "type": "string",
        "required": True,
        "read_only": False,
        "write_only": False,
        "label": name["label"],
        "max_length": 128,
    }
    assert answer["actions"]["GET"]["name"]["filter"] is True
    assert "filter" not in answer["actions"]["GET"]["comment"]
    assert answer["actions"]["POST"]["users"]["type"] == "field"


def test_options_of_a_single_object_have_no_post(as_org_admin: APIClient, groups: list[UserGroup]) -> None:
    actions = as_org_admin.options(f"{URL}{groups[0].pk}/").json()["actions"]
    assert set(actions) == {"GET", "PUT", "PATCH"}
    missing = as_org_admin.options(f"{URL}{new_id()}/").json()["actions"]
    assert set(missing) == {"GET"}


def test_options_without_any_permitted_method_are_refused(as_user: APIClient, as_anonymous: APIClient) -> None:
    assert as_user.options(URL).status_code == 403
    assert as_anonymous.options(URL).status_code == 401


def test_options_follow_the_language_cookie(as_org_admin: APIClient) -> None:
    as_org_admin.cookies["django_language"] = "zh-hans"
    chinese = as_org_admin.options(URL).json()["actions"]["POST"]["name"]["label"]
    as_org_admin.cookies["django_language"] = "en"
    english = as_org_admin.options(URL).json()["actions"]["POST"]["name"]["label"]
    assert (chinese, english) == ("名称", "Name")


def test_errors_have_detail_and_code(as_anonymous: APIClient, as_user: APIClient, as_org_admin: APIClient) -> None:
    for client, method, url, status, code in (
        (as_anonymous, "get", URL, 401, "not_authenticated"),
        (as_user, "get", URL, 403, "permission_denied"),
        (as_org_admin, "put", "/api/v1/orgs/orgs/current/", 405, "method_not_allowed"),
        (as_org_admin, "get", f"{URL}{new_id()}/", 404, "object_does_not_exist"),
    ):
        answer = getattr(client, method)(url)
        assert (answer.status_code, answer.json()["code"]) == (status, code)
        assert answer.json()["detail"]


def test_invalid_json_is_a_parse_error(as_org_admin: APIClient) -> None:
    answer = as_org_admin.generic("POST", URL, b"{", content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (400, "parse_error")


def test_body_with_an_unknown_content_type_is_refused(as_org_admin: APIClient) -> None:
    answer = as_org_admin.generic("POST", URL, b"<a/>", content_type="application/xml")
    assert answer.status_code == 415


def test_unknown_path_is_a_json_404(as_anonymous: APIClient) -> None:
    answer = as_anonymous.get("/api/v1/no/such/thing/")
    assert (answer.status_code, answer.json()) == (404, {"error": "Not found"})


def test_k23_server_error_reveals_nothing_internal(
    as_org_admin: APIClient, monkeypatch: pytest.MonkeyPatch, groups: list[UserGroup]
) -> None:
    def explode(*_: object) -> None:
        raise RuntimeError("SELECT secret FROM /etc/postern")

    monkeypatch.setattr("postern.apps.users.groups.api.UserGroupViewSet.visible_rows", explode)
    as_org_admin.raise_request_exception = False
    answer = as_org_admin.get(URL)
    assert (answer.status_code, answer.json()) == (500, {"error": "Server internal error"})


def test_times_are_in_the_zone_of_the_client(as_org_admin: APIClient, groups: list[UserGroup]) -> None:
    date_created = as_org_admin.get(URL, headers={"X-TZ": "Asia/Shanghai"}).json()[0]["date_created"]
    created = groups[0].date_created.astimezone(timezone.get_fixed_timezone(480))
    assert date_created == created.strftime("%Y/%m/%d %H:%M:%S +0800")
    for odd in ("undefined", "../../etc/passwd", "x" * 200):
        assert as_org_admin.get(URL, headers={"X-TZ": odd}).status_code == 200


def test_group_has_the_name_of_its_creator(
    as_org_admin: APIClient, people: dict[str, User], make_user: Callable[..., User]
) -> None:
    answer = as_org_admin.post(URL, {"name": "made", "comment": "c", "unknown": 1})
    assert answer.status_code == 201
    assert people["org_admin"].username in answer.json()["created_by"]
    assert answer.json()["org_id"] == str(DEFAULT_ORG_ID)
    assert answer.json()["org_name"] == "Default"


@pytest.mark.spec("S7-042", "S7-043", "S7-044", "S7-045")
def test_generic_calls_make_show_change_and_delete_an_object(as_org_admin: APIClient) -> None:
    made = as_org_admin.post(URL, {"name": "made"})
    assert made.status_code == 201
    url = f"{URL}{made.json()['id']}/"
    assert as_org_admin.get(url).json()["name"] == "made"
    changed = as_org_admin.put(url, {"name": "changed", "comment": "why"})
    assert (changed.status_code, changed.json()["name"]) == (200, "changed")
    assert set(as_org_admin.put(url, {}).json()) == {"name"}
    assert as_org_admin.delete(url).status_code == 204
    assert as_org_admin.get(url).status_code == 404


@pytest.mark.spec("S7-011")
def test_options_describe_each_field_as_the_forms_need_it(as_org_admin: APIClient) -> None:
    fields = as_org_admin.options("/api/v1/assets/system-users/?draw=1&display=1").json()["actions"]
    name, protocol = fields["POST"]["name"], fields["POST"]["protocol"]
    assert (name["type"], name["required"], name["max_length"]) == ("string", True, 128)
    assert name["label"]
    assert protocol["type"] == "choice"
    assert {"value": "ssh", "display_name": protocol["choices"][0]["display_name"]} in protocol["choices"]
    assert fields["GET"]["name"]["filter"] is True
    secret = fields["POST"]["password"]
    assert (secret["write_only"], secret["read_only"]) == (True, False)
    assert "password" not in {name for name, field in fields["GET"].items() if not field["write_only"]}


def test_k73_options_never_show_the_default_of_a_secret(as_org_admin: APIClient) -> None:
    fields = as_org_admin.options("/api/v1/assets/system-users/").json()["actions"]["POST"]
    assert [name for name, field in fields.items() if field["write_only"] and "default" in field] == []


def test_k41_free_text_has_a_maximum_that_the_form_does_not_get(as_org_admin: APIClient) -> None:
    assert as_org_admin.post(URL, {"name": "long", "comment": "x" * 4_096}).status_code == 201
    answer = as_org_admin.post(URL, {"name": "longer", "comment": "x" * 4_097})
    assert (answer.status_code, set(answer.json())) == (400, {"comment"})
    assert "max_length" not in as_org_admin.options(URL).json()["actions"]["POST"]["comment"]
