"""`?dry_run=1`: what an import would do. Nothing stays, the right is that of the write, and each refusal says what helps."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from django.core.cache import cache
from rest_framework.test import APIClient
from spreadsheets import ASSETS, GROUPS, LISTS, body_of, uploaded

from factories.grants import make_node
from factories.settlements import settle
from postern.apps.assets.models import Asset, Node
from postern.apps.orgs.models import Organization
from postern.apps.users.models import User, UserGroup
from postern.foundation.bus import events
from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID
from writes.database import differences, snapshot, table_names

pytestmark = pytest.mark.django_db

USERS = "/api/v1/users/users/"
LABELS = "/api/v1/assets/labels/"
#: Rows that are written outside the write itself: the caller's session, and what a request counts.
_OF_THE_REQUEST: Final = frozenset({"django_session"})


def _checked(client: APIClient, url: str, *rows: Any, method: str = "post") -> list[dict[str, Any]]:
    answer = getattr(client, method)(f"{url}?dry_run=1", list(rows), format="json")
    assert answer.status_code == 200, answer.json()
    outcomes: list[dict[str, Any]] = answer.json()
    assert len(outcomes) == len(rows)
    return outcomes


@pytest.fixture
def settled(make_user: Callable[..., User]) -> dict[str, Any]:
    return settle(DEFAULT_ORG_ID, "one", make_user, dynamic="telnet")


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Events whose subscribers were called: after a commit."""
    seen: list[object] = []
    monkeypatch.setattr(events.Bus, "_publish", lambda _bus, event: seen.append(event))
    return seen


@pytest.fixture
def nothing_stays(published: list[object], django_capture_on_commit_callbacks: Any) -> Iterator[None]:
    """Fails when the test leaves a row, an audit record, a message, an event, or other work to be done after a commit."""
    tables = [table for table in table_names() if table not in _OF_THE_REQUEST]
    before, cached = snapshot(tables), dict(getattr(cache, "_cache", {}))
    with django_capture_on_commit_callbacks(execute=True) as callbacks:
        yield
    assert differences(before, snapshot(tables)) == {}
    assert callbacks == []
    assert published == []
    assert dict(getattr(cache, "_cache", {})) == cached


def test_fixture_notices_a_write(as_org_admin: APIClient) -> None:
    tables = table_names()
    before = snapshot(tables)
    assert as_org_admin.post(GROUPS, {"name": "ops"}).status_code == 201
    assert {"users_usergroup", "audits_auditevent"} <= differences(before, snapshot(tables)).keys()


@pytest.mark.parametrize("url", LISTS)
def test_check_of_each_importable_list_leaves_nothing(
    as_admin: APIClient, settled: dict[str, Any], url: str, request: pytest.FixtureRequest
) -> None:
    """With the example row of the template, which a real import accepts."""
    as_admin.cookies["django_language"] = "en"
    (row,) = uploaded(as_admin, url, body_of(as_admin.get(url, {"format": "csv", "template": "import", "limit": 1})))
    request.getfixturevalue("nothing_stays")
    [alone] = _checked(as_admin, url, row)
    assert alone["outcome"] == "create", alone
    first, wrong, second = _checked(as_admin, url, row, "x", row)
    assert (first, second) == (alone, alone)
    assert (wrong["outcome"], list(wrong["errors"])) == ("refused", ["non_field_errors"])


@pytest.mark.parametrize("url", [url for url in LISTS if not url.endswith(("-relations/", "-relation/"))])
def test_check_of_changes_leaves_nothing_and_compares(
    as_admin: APIClient, settled: dict[str, Any], url: str, request: pytest.FixtureRequest
) -> None:
    as_admin.cookies["django_language"] = "en"
    file = body_of(as_admin.get(url, {"format": "csv", "template": "update", "limit": 1}))
    (row,) = uploaded(as_admin, url, file)
    request.getfixturevalue("nothing_stays")
    [same] = _checked(as_admin, url, row, method="put")
    assert (same["outcome"], same.get("changes")) == ("update", {}), same
    name = next((name for name in ("comment", "name", "hostname") if name in row), None)
    if name is not None:
        [changed] = _checked(as_admin, url, {**row, name: "another text"}, method="put")
        assert changed["changes"][name]["after"] == "another text"
    gone = {**row, "id": "00000000-0000-0000-0000-00000000dead"}
    [_first, second] = _checked(as_admin, url, row, gone, method="put")
    assert second["errors"].keys() == {"id"}


def test_check_of_a_user_with_a_password_leaves_nothing(in_english: APIClient, request: pytest.FixtureRequest) -> None:
    request.getfixturevalue("nothing_stays")
    person = {"name": "Ann", "username": "ann", "email": "ann@example.invalid", "password_strategy": "custom"}
    weak, strong = _checked(
        in_english, USERS, {**person, "password": "short"}, {**person, "password": "quiet-Watch-at-gate-1"}
    )
    assert weak["errors"].keys() == {"password"}
    assert strong["outcome"] == "create"
    assert {tuple(one["fields"]) for one in strong["unique"]} >= {("username",), ("email",)}


def test_secret_of_a_changed_row_is_named_and_never_answered(in_english: APIClient) -> None:
    url = "/api/v1/assets/system-users/"
    account = {"name": "deploy", "username": "deploy", "protocol": "ssh", "password": "first-Secret-1"}
    made = in_english.post(url, account, format="json").json()
    answer = in_english.put(
        f"{url}?dry_run=1", [{**account, "id": made["id"], "password": "second-Secret-2"}], format="json"
    )
    assert answer.json()[0]["changes"] == {"password": {"is_secret": True}}
    assert b"Secret" not in answer.content


# --- the right ---


@pytest.mark.parametrize("method", ["post", "put"])
@pytest.mark.parametrize("person", ["anonymous", "user", "auditor"])
def test_check_needs_the_right_of_the_write(
    people: dict[str, User], client_of: Callable[[User | None], APIClient], method: str, person: str
) -> None:
    client = client_of(people.get(person))
    answers = [
        getattr(client, method)(f"{GROUPS}{end}", [{"name": "ops"}], format="json") for end in ("", "?dry_run=1")
    ]
    assert answers[0].status_code in {401, 403}
    assert (answers[1].status_code, answers[1].json()) == (answers[0].status_code, answers[0].json())


def test_check_in_the_root_organization_is_refused_like_the_write(as_admin: APIClient) -> None:
    root = {"X-JMS-ORG": str(ROOT_ORG_ID)}
    write, check = (as_admin.post(f"{ASSETS}{end}", [{}], format="json", headers=root) for end in ("", "?dry_run=1"))
    assert write.status_code == check.status_code == 400
    assert write.json() == check.json()


def test_rows_of_another_organization_are_not_found_and_not_named(
    as_org_admin: APIClient,
) -> None:
    other = Organization.objects.create(name="elsewhere")
    group = UserGroup.objects.create(org_id=other.pk, name="foreign")
    [changed] = _checked(as_org_admin, GROUPS, {"id": str(group.pk), "name": "mine"}, method="put")
    assert changed["errors"].keys() == {"id"}
    [made] = _checked(as_org_admin, GROUPS, {"name": "foreign"})
    assert made["outcome"] == "create"


@pytest.mark.parametrize(
    ("method", "url", "body"),
    [
        ("patch", GROUPS, [{"name": "ops"}]),
        ("delete", f"{GROUPS}", None),
        ("post", "/api/v1/assets/favorite-assets/", {}),
        ("post", "/api/v1/perms/new-hosts/", {}),
        ("post", f"{USERS}invite/", [{"user": "ann", "role": "User"}]),
        ("post", "/api/v1/common/resources/cache/", {"resources": []}),
    ],
)
def test_call_that_cannot_be_tried_is_refused_and_writes_nothing(
    as_admin: APIClient, request: pytest.FixtureRequest, method: str, url: str, body: Any
) -> None:
    request.getfixturevalue("nothing_stays")
    answer = getattr(as_admin, method)(f"{url}?dry_run=1", body, format="json")
    assert (answer.status_code, list(answer.json())) == (400, ["dry_run"])


@pytest.mark.parametrize("value", ["0", "true", ""])
def test_other_value_of_the_parameter_never_writes(
    as_org_admin: APIClient, request: pytest.FixtureRequest, value: str
) -> None:
    request.getfixturevalue("nothing_stays")
    answer = as_org_admin.post(f"{GROUPS}?dry_run={value}", [{"name": "ops"}], format="json")
    assert (answer.status_code, list(answer.json())) == (400, ["dry_run"])


@pytest.mark.parametrize("url", LISTS)
def test_check_takes_a_list_of_at_most_a_thousand_rows(as_admin: APIClient, url: str) -> None:
    for body in ({}, [{}] * 1001):
        assert as_admin.post(f"{url}?dry_run=1", body, format="json").status_code == 400
    assert _checked(as_admin, url, *[]) == []
    assert [one["outcome"] for one in _checked(as_admin, url, "x", None, 3)] == ["refused"] * 3


# --- what helps ---


def _asset(**more: Any) -> dict[str, Any]:
    return {"hostname": "web-1", "ip": "203.0.113.1", "platform": "Linux", "protocols": ["ssh/22"], **more}


def _correction(outcome: dict[str, Any]) -> tuple[Any, ...]:
    [only] = outcome["corrections"]
    return only["field"], only["value"], only["label"]


@pytest.mark.parametrize(
    ("field", "written", "corrected"),
    [
        ("platform", "Linnux", "Linux"),
        ("platform", "linux", "Linux"),
        ("protocols", ["ssh:22"], ["ssh/22"]),
        ("protocols", ["ssh/22", "RDP 3389"], ["ssh/22", "rdp/3389"]),
        ("protocols", "ssh：22", ["ssh/22"]),
        ("nodes", ["/Default/Shangai DC"], ["/Default/Shanghai DC"]),
        ("nodes", ["Shanghai DC"], ["/Default/Shanghai DC"]),
        ("labels", ["prod"], ["env:prod"]),
        ("ip", "２０３.０.１１３.９", "203.0.113.9"),
    ],
)
def test_obvious_correction_is_offered_and_is_accepted(
    in_english: APIClient, field: str, written: Any, corrected: Any
) -> None:
    root = Node.objects.get(org_id=DEFAULT_ORG_ID, parent=None)
    root_name = root.full_value.strip("/")
    make_node(parent=root, value="Shanghai DC")
    in_english.post(LABELS, {"name": "env", "value": "prod"})

    def placed(value: Any) -> Any:
        return [text.replace("/Default/", f"/{root_name}/") for text in value] if field == "nodes" else value

    [wrong] = _checked(in_english, ASSETS, _asset(**{field: placed(written)}))
    if wrong["outcome"] == "create":  # the server understands it already
        assert field == "ip" or written == "linux"
        return
    assert _correction(wrong)[:2] == (field, placed(corrected))
    [right] = _checked(in_english, ASSETS, _asset(**{field: placed(corrected)}))
    assert right["outcome"] == "create"


def test_refused_cells_are_explained_in_sentences(in_english: APIClient) -> None:
    row = _asset(nodes=["/Default/Nowhere"], is_active="maybe")
    [wrong] = _checked(in_english, ASSETS, row)
    assert wrong["errors"] == {
        "nodes": [
            'There is no node "/Default/Nowhere" in this organization. Correct the name, or create the object first.'
        ],
        "is_active": ["Must be yes or no."],
    }


@pytest.mark.parametrize(
    ("field", "written"),
    [("platform", "Plan 9"), ("protocols", ["gopher/70"]), ("labels", ["prod"]), ("ip", "10.0.0.300")],
)
def test_no_correction_is_offered_where_none_is_obvious(in_english: APIClient, field: str, written: Any) -> None:
    for name in ("env", "stage"):
        in_english.post(LABELS, {"name": name, "value": "prod"})
    [wrong] = _checked(in_english, ASSETS, _asset(**{field: written}))
    assert (wrong["outcome"], wrong["corrections"]) == ("refused", [])


def test_taken_name_names_the_object_that_has_it(in_english: APIClient, assets: list[dict[str, Any]]) -> None:
    [wrong] = _checked(in_english, ASSETS, _asset())
    assert wrong["errors"].keys() == {"hostname"}
    assert wrong["taken_by"] == {"id": assets[0]["id"], "name": str(Asset.objects.get(pk=assets[0]["id"]))}
    [instead] = _checked(in_english, ASSETS, {**_asset(ip="203.0.113.7"), "id": assets[0]["id"]}, method="put")
    assert instead["changes"]["ip"] == {"before": "203.0.113.1", "after": "203.0.113.7"}
    assert "hostname" not in instead["changes"]


def test_relations_are_compared_by_name(in_english: APIClient, assets: list[dict[str, Any]]) -> None:
    in_english.post(LABELS, {"name": "env", "value": "prod"})
    row = {**_asset(labels=["env:prod"]), "id": assets[0]["id"]}
    [outcome] = _checked(in_english, ASSETS, row, method="put")
    assert outcome["changes"]["labels"] == {"before": ["stage:生产"], "after": ["env:prod"]}


def test_same_name_twice_is_found_by_the_client_whatever_else_differs(in_english: APIClient) -> None:
    first, second, other = _checked(
        in_english, ASSETS, _asset(), _asset(ip="203.0.113.2", comment="again"), _asset(hostname="web-2")
    )
    assert [one["outcome"] for one in (first, second, other)] == ["create"] * 3
    by_name = [
        {one["value"] for one in row["unique"] if one["fields"] == ["hostname"]} for row in (first, second, other)
    ]
    assert by_name[0] == by_name[1] != by_name[2]
    assert all(re.fullmatch(r"[0-9a-f]{32}", value) for values in by_name for value in values)


def test_one_row_twice_in_a_call_is_compared_with_the_stored_row_each_time(
    in_english: APIClient, assets: list[dict[str, Any]]
) -> None:
    rows = [{**_asset(comment=text), "id": assets[0]["id"]} for text in ("one", "two")]
    outcomes = _checked(in_english, ASSETS, *rows, method="put")
    assert [one["changes"]["comment"]["before"] for one in outcomes] == [assets[0]["comment"]] * 2


def test_checking_many_rows_costs_few_queries(in_english: APIClient, django_assert_max_num_queries: Any) -> None:
    rows = [_asset(hostname=f"web-{number}") for number in range(200)]
    with django_assert_max_num_queries(2 * len(rows) + 60):
        outcomes = _checked(in_english, ASSETS, *rows)
    assert {one["outcome"] for one in outcomes} == {"create"}
    assert not Asset.objects.filter(hostname="web-7").exists()
