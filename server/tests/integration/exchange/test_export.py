"""Export with `?format=csv|xlsx`: content, rights, audit records and cost."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.db import connection
from django.test import AsyncRequestFactory
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient, force_authenticate
from spreadsheets import ASSETS, GROUPS, READERS, Table, body_of

from postern.apps.assets.assets.api.views import AssetViewSet
from postern.apps.audits import facade as audits
from postern.apps.audits.models import AuditEvent
from postern.apps.users.groups.api import UserGroupViewSet
from postern.apps.users.models import User, UserGroup
from postern.foundation.rest import fresh_mfa
from postern.foundation.rest.exchange import rows, trail
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db

FORMATS = ("csv", "xlsx")


def _table(client: APIClient, url: str, file_format: str, **query: Any) -> Table:
    return READERS[file_format](body_of(client.get(url, {"format": file_format, **query})))


def _column(table: Table, title: str) -> list[Any]:
    position = table[0].index(title)
    return [row[position] for row in table[1:]]


@pytest.mark.spec("S7-064")
@pytest.mark.parametrize("file_format", FORMATS)
def test_export_has_the_readable_fields_of_every_row(
    in_english: APIClient, assets: list[dict[str, Any]], file_format: str
) -> None:
    table = _table(in_english, ASSETS, file_format)
    listed = in_english.get(ASSETS).json()
    labels = {name: field["label"] for name, field in in_english.options(ASSETS).json()["actions"]["GET"].items()}
    assert len(table) == 1 + len(listed)
    assert len(table[0]) == len(listed[0]) - 1  # all fields except org_id
    assert len(set(table[0])) == len(table[0])
    assert "*Hostname" in table[0]
    assert labels["org_id"] not in table[0]
    for name in ("comment", "vendor", "org_name"):
        assert labels[name] in table[0]
    assert _column(table, "*Hostname") == [row["hostname"] for row in listed]
    assert _column(table, "Comment") == [row["comment"] for row in listed]
    assert _column(table, "Protocols") == ["['ssh/22', 'rdp/3389']", "['rdp/3389']"]
    assert _column(table, "Date created") == [row["date_created"] for row in listed]
    assert [str(cell) for cell in _column(table, "CPU count")] == ["", "4"]
    assert [str(cell) for cell in _column(table, "Active")] == ["True", "False"]
    assert _column(table, "Vendor") == ["", ""]


@pytest.mark.spec("S7-064", "S3-070")
@pytest.mark.parametrize(
    ("file_format", "content_type"), [("csv", "text/csv; charset=utf-8"), ("xlsx", "application/xlsx")]
)
def test_export_is_a_streamed_download_with_the_file_name_of_the_contract(
    in_english: APIClient, assets: list[dict[str, Any]], file_format: str, content_type: str
) -> None:
    answer = in_english.get(ASSETS, {"format": file_format})
    assert answer.streaming
    assert answer["Content-Type"] == content_type
    named = re.fullmatch(r'attachment; filename="(.+)"', answer["Content-Disposition"])
    assert named
    assert re.fullmatch(rf"asset_\d{{4}}-\d\d-\d\d_\d\d-\d\d-\d\d\.{file_format}", named[1])
    assert int(answer["Content-Length"]) == len(body_of(answer))


def test_export_uses_language_and_time_zone_of_the_user(in_english: APIClient, assets: list[dict[str, Any]]) -> None:
    in_english.cookies["django_language"] = "zh-hans"
    answer = in_english.get(ASSETS, {"format": "csv"}, headers={"X-TZ": "Asia/Shanghai"})
    table = READERS["csv"](body_of(answer))
    assert "*主机名" in table[0]
    assert all(str(cell).endswith("+0800") for cell in _column(table, "创建日期"))


@pytest.mark.spec("S7-065")
@pytest.mark.parametrize("file_format", FORMATS)
def test_export_of_selected_rows_takes_spm_or_ids(
    in_english: APIClient, assets: list[dict[str, Any]], file_format: str
) -> None:
    chosen = assets[1]["id"]
    spm = in_english.post("/api/v1/common/resources/cache/", {"resources": [chosen]}).json()["spm"]
    assert _column(_table(in_english, ASSETS, file_format, spm=spm), "*Hostname") == ["数据库-2"]
    assert _column(_table(in_english, ASSETS, file_format, ids=chosen), "*Hostname") == ["数据库-2"]
    lapsed = in_english.get(ASSETS, {"format": file_format, "spm": "unknown"})
    assert (lapsed.status_code, lapsed.json()["code"]) == (400, "selection_required")


@pytest.mark.spec("S7-066")
@pytest.mark.parametrize("file_format", FORMATS)
def test_export_applies_the_filters_search_and_order_of_the_list(
    in_english: APIClient, assets: list[dict[str, Any]], file_format: str
) -> None:
    def names(**query: Any) -> list[Any]:
        return _column(_table(in_english, ASSETS, file_format, **query), "*Hostname")

    assert names(hostname="web-1") == ["web-1"]
    assert names(is_active="false") == ["数据库-2"]
    assert names(search="WEB") == ["web-1"]
    assert names(order="hostname") == list(reversed(names(order="-hostname")))
    assert names(label="stage:生产") == ["web-1"]
    assert _table(in_english, ASSETS, file_format, fields="hostname,ip")[0] == ["*Hostname", "*IP"]
    assert in_english.get(ASSETS, {"format": file_format, "is_active": "perhaps"}).status_code == 400


def test_k73_export_and_templates_never_contain_a_secret(in_english: APIClient) -> None:
    secret = "canary-7f3a91"  # pragma: allowlist secret
    made = in_english.post(
        "/api/v1/assets/system-users/",
        {"name": "root", "username": "root", "protocol": "ssh", "password": secret, "private_key": ""},
    )
    assert made.status_code == 201
    for query in ({}, {"template": "import"}, {"template": "update"}):
        for file_format in FORMATS:
            table = _table(in_english, "/api/v1/assets/system-users/", file_format, **query)
            assert secret not in str(table)
            assert query or "Password" not in table[0]
            assert not query or _column(table, "Password") == [""]


@pytest.mark.parametrize("person", ["anonymous", "user", "auditor"])
def test_export_needs_the_right_of_the_list(
    people: dict[str, User], client_of: Callable[[User | None], APIClient], person: str
) -> None:
    client = client_of(people.get(person))
    for query in ({}, {"template": "import"}, {"template": "update"}):
        listed = client.get(ASSETS)
        answer = client.get(ASSETS, {"format": "csv", **query})
        assert answer.status_code == listed.status_code in {401, 403}
        assert answer.json()["code"] == listed.json()["code"]


def test_export_has_only_rows_that_the_user_sees(in_english: APIClient, assets: list[dict[str, Any]]) -> None:
    elsewhere = UserGroup.objects.create(name="theirs", org_id="6f1c2b9e-6f58-4c0e-9d0c-2b7f6f0a4d11")
    own = UserGroup.objects.create(name="ours", org_id=DEFAULT_ORG_ID)
    assert _column(_table(in_english, GROUPS, "csv"), "*Name") == ["ours"]
    assert _table(in_english, GROUPS, "csv", ids=f"{elsewhere.pk}")[1:] == []
    assert _column(_table(in_english, GROUPS, "csv", ids=f"{elsewhere.pk},{own.pk}"), "*Name") == ["ours"]


def test_k17_export_is_audited_with_user_list_count_and_filter(
    in_english: APIClient, assets: list[dict[str, Any]], people: dict[str, User]
) -> None:
    body_of(in_english.get(ASSETS, {"format": "xlsx", "search": "web", "order": "-hostname"}))
    event = AuditEvent.objects.get(event="asset.exported")
    assert (event.actor_id, event.resource_type, event.org_id) == (people["org_admin"].pk, "Asset", DEFAULT_ORG_ID)
    assert event.new == {
        "rows": 1,
        "kind": "export",
        "format": "xlsx",
        "query": {"search": "web", "order": "-hostname"},
    }
    assert not audits.verify_log().faults


def test_k17_nothing_is_exported_when_the_export_cannot_be_audited(
    in_english: APIClient, assets: list[dict[str, Any]]
) -> None:
    def full(_export: trail.Export) -> None:
        raise OSError("no room left")

    in_english.raise_request_exception = False
    with trail.RECORDER.replaced(full):
        answer = in_english.get(ASSETS, {"format": "csv"})
    assert (answer.status_code, answer.json()) == (500, {"error": "Server internal error"})


def test_refused_and_failed_exports_leave_no_audit_record(in_english: APIClient) -> None:
    for query in ({"format": "pdf"}, {"format": "csv", "template": "both"}):
        answer = in_english.get(ASSETS, query)
        assert answer.status_code == 400
        assert set(answer.json()) == {"format"} or set(answer.json()) == {"template"}
    assert not AuditEvent.objects.filter(event="asset.exported").exists()


def test_too_many_rows_are_refused_with_their_number_and_can_be_exported_in_parts(
    in_english: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "MAX_ROWS", 4)
    for number in range(5):
        UserGroup.objects.create(name=f"group {number}", org_id=DEFAULT_ORG_ID)
    answer = in_english.get(GROUPS, {"format": "csv"})
    assert (answer.status_code, answer.json()["code"]) == (400, "too_many_rows")
    assert "4" in answer.json()["detail"]
    assert "5" in answer.json()["detail"]
    first = _column(_table(in_english, GROUPS, "csv", limit=4), "*Name")
    rest = _column(_table(in_english, GROUPS, "csv", limit=4, offset=4), "*Name")
    assert first + rest == [f"group {number}" for number in range(5)]


def test_ten_thousand_rows_are_the_limit() -> None:
    assert rows.MAX_ROWS == 10_000


def test_export_takes_the_same_number_of_queries_for_1_and_1000_rows(in_english: APIClient) -> None:
    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert len(_table(in_english, GROUPS, "csv")) == 1 + UserGroup.objects.count()
        return len(queries)

    UserGroup.objects.create(name="first", org_id=DEFAULT_ORG_ID)
    cost()  # the first record in the log of an organization starts its chain
    cost_of_one = cost()
    UserGroup.objects.bulk_create(UserGroup(name=f"group {n}", org_id=DEFAULT_ORG_ID) for n in range(999))
    assert cost() == cost_of_one


def test_export_of_several_chunks_keeps_the_order_of_the_list(
    in_english: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "CHUNK_ROWS", 3)
    UserGroup.objects.bulk_create(UserGroup(name=f"group {n:02}", org_id=DEFAULT_ORG_ID) for n in range(10))
    names = _column(_table(in_english, GROUPS, "csv", order="-name"), "*Name")
    assert names == [f"group {n:02}" for n in reversed(range(10))]


def test_export_has_method_fields_as_the_list(in_english: APIClient, people: dict[str, User]) -> None:
    listed = in_english.get("/api/v1/users/users/").json()
    table = _table(in_english, "/api/v1/users/users/", "csv")
    assert _column(table, "Total role name") == [row["total_role_display"] for row in listed]
    assert _column(table, "Can update") == [str(row["can_update"]) for row in listed]
    assert _column(table, "Login blocked") == [str(row["login_blocked"]) for row in listed]


EXPORTED = (
    ASSETS,
    GROUPS,
    "/api/v1/users/users/",
    "/api/v1/users/users-groups-relations/",
    "/api/v1/assets/labels/",
    "/api/v1/assets/nodes/",
    "/api/v1/assets/platforms/",
    "/api/v1/assets/system-users/",
    "/api/v1/perms/asset-permissions/",
    "/api/v1/audits/operate-logs/",
    "/api/v1/audits/login-logs/",
    "/api/v1/terminal/sessions/",
)


@pytest.mark.parametrize("url", EXPORTED)
def test_every_list_can_be_exported_in_both_formats(
    as_admin: APIClient, assets: list[dict[str, Any]], url: str
) -> None:
    count = len(as_admin.get(url).json())
    for file_format in FORMATS:
        assert len(_table(as_admin, url, file_format)) == 1 + count


def test_options_name_the_formats_as_the_contract_does(in_english: APIClient) -> None:
    options = in_english.options(ASSETS).json()
    assert options["renders"] == ["application/json", "text/csv", "application/xlsx"]
    assert options["parses"] == [
        "application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "text/csv",
        "text/xlsx",
        "*/*",
    ]
    own = in_english.options("/api/v1/authentication/access-keys/").json()
    assert own["renders"] == ["application/json"]
    assert "text/csv" not in own["parses"]


@pytest.mark.parametrize("accept", ["text/csv", "application/xlsx", "text/html,*/*", "*/*"])
def test_only_the_format_parameter_requests_a_file(
    in_english: APIClient, assets: list[dict[str, Any]], accept: str
) -> None:
    answer = in_english.get(ASSETS, headers={"Accept": accept})
    assert answer["Content-Type"] == "application/json"
    assert body_of(in_english.get(ASSETS, {"format": "csv"}, headers={"Accept": accept}))


def test_list_of_credentials_cannot_be_exported(in_english: APIClient) -> None:
    answer = in_english.get("/api/v1/authentication/access-keys/", {"format": "csv"})
    assert (answer.status_code, set(answer.json())) == (400, {"format"})


def test_viewset_limits_the_fields_in_files(
    in_english: APIClient, assets: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(AssetViewSet, "exchange_fields", ("hostname", "ip", "connectivity"))
    assert _table(in_english, ASSETS, "csv")[0] == ["*Hostname", "*IP", "Connectivity"]
    assert _table(in_english, ASSETS, "csv", template="import")[0] == ["*Hostname", "*IP"]


def test_k71_export_that_needs_mfa_is_closed_until_verification(
    in_english: APIClient, assets: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(AssetViewSet, "export_needs_mfa", True)
    with fresh_mfa.CHECK.replaced(asked.append):
        assert body_of(in_english.get(ASSETS, {"format": "csv"}))
    assert len(asked) == 1

    def refuse(_request: Any) -> None:
        raise trail_closed

    trail_closed = PermissionError("no code was entered of late")
    with fresh_mfa.CHECK.replaced(refuse):
        with pytest.raises(PermissionError):
            in_english.get(ASSETS, {"format": "csv"})
        assert in_english.get(ASSETS).status_code == 200
    assert AuditEvent.objects.filter(event="asset.exported").count() == 1


@pytest.mark.django_db(transaction=True)
def test_export_is_streamed_in_pieces_under_asgi(people: dict[str, User]) -> None:
    UserGroup.objects.bulk_create(
        UserGroup(name=f"group {n}", org_id=DEFAULT_ORG_ID, comment="x" * 2_000) for n in range(200)
    )
    request = AsyncRequestFactory().get(GROUPS, {"format": "csv"})
    force_authenticate(request, people["org_admin"])
    view = sync_to_async(UserGroupViewSet.as_view({"get": "list"}))

    async def pieces() -> list[bytes]:
        answer = await view(request)
        assert answer.status_code == 200, answer.content
        assert answer.is_async
        return [piece async for piece in answer.streaming_content]

    got = async_to_sync(pieces)()
    assert len(got) > 3
    assert max(len(piece) for piece in got) <= 65_536
    assert len(READERS["csv"](b"".join(got))) == 201
