"""`render-to-json/`, import templates, and the round trip: importing an export changes nothing."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings
from hostile_files import workbook
from rest_framework.test import APIClient
from spreadsheets import ASSETS, GROUPS, READERS, Table, body_of

from postern.apps.assets.models import Asset
from postern.apps.audits.models import AuditEvent
from postern.apps.users.models import User, UserGroup
from postern.foundation.requests.middleware import body_limit_bytes
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db

FORMATS = ("csv", "xlsx")
TYPES = {"csv": "text/csv", "xlsx": "text/xlsx"}
OFFICE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def _written(rows: Table, file_format: str) -> bytes:
    """A file as a user's own program writes it: csv by the standard library, xlsx by openpyxl."""
    if file_format == "xlsx":
        return workbook(*(tuple(row) for row in rows))
    file = io.StringIO()
    csv.writer(file).writerows(rows)
    return file.getvalue().encode()


def _read(client: APIClient, list_url: str, data: bytes, content_type: str) -> dict[str, Any]:
    answer = client.generic("POST", f"{list_url}render-to-json/", data, content_type=content_type)
    body: dict[str, Any] = json.loads(body_of(answer))
    assert answer["Content-Type"] == "application/json"
    return body


@pytest.mark.spec("S7-067", "S7-068", "S7-069", "S3-070")
@pytest.mark.parametrize("file_format", FORMATS)
def test_raw_file_is_answered_with_titles_and_data(in_english: APIClient, file_format: str) -> None:
    rows = [["*Name", "What is this", "Comment", "users"], ["ops", "x", "first\nsecond", "['a', 'b']"], ["dev"]]
    body = _read(in_english, GROUPS, _written(rows, file_format), TYPES[file_format])
    assert body == {
        "title": [["*Name", "name"], ["What is this", ""], ["Comment", "comment"], ["users", "users"]],
        "data": [{"name": "ops", "comment": "first\nsecond", "users": ["a", "b"]}, {"name": "dev"}],
    }


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_columns_are_found_by_labels_of_both_languages_and_by_name(as_org_admin: APIClient, language: str) -> None:
    as_org_admin.cookies["django_language"] = language
    for titles in (["*Hostname", "IP", "Platform"], ["*主机名", "IP", "系统平台"], ["hostname", "ip", "*platform"]):
        body = _read(as_org_admin, ASSETS, _written([titles, ["a", "203.0.113.1", "Linux"]], "csv"), "text/csv")
        assert [field for _title, field in body["title"]] == ["hostname", "ip", "platform"]
        assert body["data"] == [{"hostname": "a", "ip": "203.0.113.1", "platform": "Linux"}]


def test_type_of_an_unnamed_file_is_detected_from_its_content(in_english: APIClient) -> None:
    rows: Table = [["name"], ["ops"]]
    for content_type in (OFFICE, "application/octet-stream", "application/xlsx"):
        assert _read(in_english, GROUPS, _written(rows, "xlsx"), content_type)["data"] == [{"name": "ops"}]
    for content_type in ("application/octet-stream", "text/plain", "text/csv; charset=utf-8"):
        assert _read(in_english, GROUPS, _written(rows, "csv"), content_type)["data"] == [{"name": "ops"}]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gbk", "gb18030"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_csv_in_each_encoding_with_each_usual_separator_is_read(
    in_english: APIClient, encoding: str, separator: str
) -> None:
    text = separator.join(["名称", "备注"]) + "\r\n" + separator.join(["运维", '"第一行\n""第二行"""']) + "\r\n"
    body = _read(in_english, GROUPS, text.encode(encoding), "text/csv")
    assert body["data"] == [{"name": "运维", "comment": '第一行\n"第二行"'}]


def test_workbook_is_read_with_numbers_times_and_formulas_as_text(in_english: APIClient) -> None:
    file = workbook(("hostname", "cpu_count", "memory", "is_active", "comment"), ("a", 4, 1.5, True, "=1+1"))
    (row,) = _read(in_english, ASSETS, file, "text/xlsx")["data"]
    assert row["cpu_count"] == "4"
    assert row["memory"] == "1.5"
    assert row["is_active"] == "True"
    assert row.get("comment", "") in {"", "0"}  # no program has computed the formula, and the import does not either


@pytest.mark.spec("S5-033")
def test_upload_of_several_files_is_refused(in_english: APIClient) -> None:
    files = {f"file{number}": io.BytesIO(b"name\r\nops\r\n") for number in (1, 2)}
    for number, file in enumerate(files.values()):
        file.name = f"{number}.csv"
    answer = in_english.post(f"{GROUPS}render-to-json/", files, format="multipart")
    assert answer.status_code == 400
    assert answer.json().keys() <= {"error", "detail", "code"}
    assert not UserGroup.objects.filter(name="ops").exists()


def test_twenty_thousand_rows_are_read(in_english: APIClient) -> None:
    rows: Table = [["hostname", "ip", "platform"], *([f"web-{n}", "203.0.113.1", "Linux"] for n in range(20_000))]
    for file_format in FORMATS:
        data = _read(in_english, ASSETS, _written(rows, file_format), TYPES[file_format])["data"]
        assert len(data) == 20_000
        assert data[-1] == {"hostname": "web-19999", "ip": "203.0.113.1", "platform": "Linux"}


@pytest.mark.parametrize("person", ["anonymous", "user", "auditor"])
def test_reading_a_file_needs_the_right_to_create(
    people: dict[str, User], client_of: Callable[[User | None], APIClient], person: str
) -> None:
    answer = client_of(people.get(person)).generic("POST", f"{GROUPS}render-to-json/", b"name\r\nops\r\n")
    assert answer.status_code in {401, 403}


def test_reading_a_file_changes_nothing(in_english: APIClient) -> None:
    before = UserGroup.objects.count(), AuditEvent.objects.count()
    _read(in_english, GROUPS, b"name\r\nops\r\n", "text/csv")
    assert (UserGroup.objects.count(), AuditEvent.objects.count()) == before


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/assets/platforms/",
        "/api/v1/assets/favorite-assets/",
        "/api/v1/orgs/orgs/",
        "/api/v1/audits/login-logs/",
    ],
)
def test_lists_without_import_have_no_such_path(as_admin: APIClient, path: str) -> None:
    answer = as_admin.generic("POST", f"{path}render-to-json/", b"name\r\nops\r\n", content_type="text/csv")
    assert answer.status_code in {404, 405}


# --- the limit ---


@pytest.mark.spec("S5-034", "S9-014")
def test_limit_of_a_file_is_ten_megabytes_by_default_and_in_the_public_settings(
    in_english: APIClient, as_anonymous: APIClient
) -> None:
    assert settings.POSTERN.import_max_mb == 10
    assert as_anonymous.get("/api/v1/settings/public/").json()["data"]["IMPORT_MAX_MB"] == 10
    row = b"web,203.0.113.1," + b"x" * 1_000 + b"\r\n"
    fits = b"hostname,ip,comment\r\n" + row * ((10 << 20) // len(row) - 1)
    assert _read(in_english, ASSETS, fits, "text/csv")["data"]
    answer = in_english.generic("POST", f"{ASSETS}render-to-json/", fits + row * 2, content_type="text/csv")
    assert (answer.status_code, answer.json()) == (
        400,
        {"detail": "The file is larger than 10 MB.", "code": "parse_error"},
    )


@pytest.mark.spec("S5-034")
def test_setting_changes_the_limit(in_english: APIClient, as_anonymous: APIClient) -> None:
    class Smaller:
        def __getattr__(self, name: str) -> Any:
            return 1 if name == "import_max_mb" else getattr(before, name)

    before = settings.POSTERN
    data = b"name\r\n" + b"x" * 100 + b"\r\n"
    with override_settings(POSTERN=Smaller()):
        assert as_anonymous.get("/api/v1/settings/public/").json()["data"]["IMPORT_MAX_MB"] == 1
        assert _read(in_english, GROUPS, data, "text/csv")["data"]
        answer = in_english.generic("POST", f"{GROUPS}render-to-json/", data * 11_000, content_type="text/csv")
        assert answer.json()["detail"] == "The file is larger than 1 MB."


def test_k54_only_import_paths_allow_larger_bodies() -> None:
    usual = settings.BODY_MAX_BYTES
    assert body_limit_bytes(f"{ASSETS}render-to-json/") == 11 << 20
    for path in (
        ASSETS,
        "/render-to-json/",
        f"{ASSETS}render-to-json/x",
        f"{ASSETS}render-to-json",
        "/ui/render-to-json/",
    ):
        assert body_limit_bytes(path) == usual


# --- templates ---


@pytest.mark.spec("S7-072", "S7-073", "S7-074")
@pytest.mark.parametrize("file_format", FORMATS)
def test_import_template_has_writable_fields_without_id_and_one_example_row(
    in_english: APIClient, assets: list[dict[str, Any]], file_format: str
) -> None:
    query = {"format": file_format, "template": "import", "limit": 1}
    table = READERS[file_format](body_of(in_english.get(ASSETS, query)))
    posted = in_english.options(ASSETS).json()["actions"]["POST"]
    expected = {
        ("*" if field["required"] else "") + field["label"] for field in posted.values() if not field["read_only"]
    }
    assert set(table[0]) == expected
    assert {"*Hostname", "*IP", "*Platform", "Protocols"} <= set(table[0])
    assert not {"ID", "Date created", "Organization"} & set(table[0])
    assert len(table) == 2
    assert table[1][table[0].index("*Hostname")] == "web-example", "a name that is still free"


@pytest.mark.spec("S7-072", "S7-073")
def test_import_template_of_an_empty_list_has_an_invented_row(in_english: APIClient) -> None:
    table = READERS["csv"](body_of(in_english.get(ASSETS, {"format": "csv", "template": "import"})))
    row = dict(zip(table[0], table[1], strict=True))
    assert len(table) == 2
    assert row["*Hostname"]
    assert row["Protocols"] == "ssh/22"
    assert row["Nodes"] == "/Default"
    assert row["Active"] == "Yes"


@pytest.mark.spec("S7-072", "S7-073", "S7-074")
@pytest.mark.parametrize("file_format", FORMATS)
def test_update_template_has_ids_and_the_selected_rows_or_one(
    in_english: APIClient, assets: list[dict[str, Any]], file_format: str
) -> None:
    def template(**query: Any) -> Table:
        answer = in_english.get(ASSETS, {"format": file_format, "template": "update", **query})
        return READERS[file_format](body_of(answer))

    spm = in_english.post("/api/v1/common/resources/cache/", {"resources": [asset["id"] for asset in assets]}).json()[
        "spm"
    ]
    chosen = template(spm=spm)
    assert chosen[0][0] == "ID"
    assert {row[0] for row in chosen[1:]} == {asset["id"] for asset in assets}
    assert [row[0] for row in template(ids=assets[1]["id"])[1:]] == [assets[1]["id"]]
    assert len(template(limit=1)) == len(template()) == 2
    assert not {"Date created", "Organization", "Connectivity"} & set(chosen[0])


def test_template_is_audited_like_an_export(in_english: APIClient, assets: list[dict[str, Any]]) -> None:
    body_of(in_english.get(ASSETS, {"format": "csv", "template": "update", "limit": 1}))
    event = AuditEvent.objects.get(event="asset.exported")
    assert event.new is not None
    assert (event.new["rows"], event.new["kind"]) == (1, "update")


def test_list_without_import_has_no_template(as_admin: APIClient) -> None:
    answer = as_admin.get("/api/v1/assets/platforms/", {"format": "csv", "template": "import"})
    assert (answer.status_code, set(answer.json())) == (400, {"template"})


# --- round trip ---

#: Values that careless file formats change.
TRICKY = (
    "=1+1",
    "+86 138 0000 0000",
    "-1",
    "@home",
    "'=1",
    "'quoted'",
    "['a', 'b']",
    '{"a": 1}',
    "[not a list",
    "first\nsecond",
    'say "hello", twice',
    "生产；环境，一",
    "007",
    "1e5",
    "TRUE",
    "2026-11-21",
    "a\tb;c,d",
    "http://example.test/?a=1&b=<2>",
)


@pytest.mark.spec("S7-071")
@pytest.mark.parametrize("query", [{}, {"template": "update", "limit": "100"}], ids=["export", "update template"])
@pytest.mark.parametrize("file_format", FORMATS)
def test_k71_importing_an_export_changes_nothing(
    in_english: APIClient, assets: list[dict[str, Any]], file_format: str, query: dict[str, str]
) -> None:
    for number, text in enumerate(TRICKY):
        payload = {
            "hostname": f"tricky-{number}",
            "ip": "203.0.113.9",
            "platform": "Linux",
            "comment": text,
            "vendor": " ".join(text.split())[:60],  # a name has one line
        }
        assert in_english.post(ASSETS, payload).status_code == 201
    before = in_english.get(ASSETS, {"order": "hostname"}).json()
    data = body_of(in_english.get(ASSETS, {"format": file_format, **query}))
    rows = _read(in_english, ASSETS, data, TYPES[file_format])["data"]
    assert {row["id"] for row in rows} == {row["id"] for row in before}
    for row in rows:
        answer = in_english.put(f"{ASSETS}{row['id']}/", {**row, "@status": "pending"})
        assert answer.status_code == 200, answer.json()
    after = in_english.get(ASSETS, {"order": "hostname"}).json()
    assert [{**row, "date_updated": None} for row in after] == [{**row, "date_updated": None} for row in before]


@pytest.mark.spec("S7-070")
@pytest.mark.parametrize("file_format", FORMATS)
def test_rows_of_an_import_template_are_created_with_one_post_each(
    in_english: APIClient, assets: list[dict[str, Any]], file_format: str
) -> None:
    answer = in_english.get(ASSETS, {"format": file_format, "template": "import", "limit": 1})
    table = READERS[file_format](body_of(answer))
    name, address = table[0].index("*Hostname"), table[0].index("*IP")
    filled = [list(table[1]) for _ in range(3)]
    for number, row in enumerate(filled):
        row[name], row[address] = f"new-{number}", f"203.0.113.{100 + number}"
    data = _written([table[0], *filled], file_format)
    for row in _read(in_english, ASSETS, data, TYPES[file_format])["data"]:
        made = in_english.post(ASSETS, {**row, "@status": "pending"})
        assert made.status_code == 201, made.json()
    made_rows = Asset.objects.filter(hostname__startswith="new-")
    assert made_rows.count() == 3
    assert {str(protocol) for row in made_rows for protocol in row.protocol_rows.all()} == {"ssh/22"}


def test_group_with_members_survives_the_round_trip(in_english: APIClient, people: dict[str, User]) -> None:
    made = in_english.post(GROUPS, {"name": "ops", "users": [str(people["user"].pk)]}).json()
    data = body_of(in_english.get(GROUPS, {"format": "xlsx"}))
    (row,) = _read(in_english, GROUPS, data, "text/xlsx")["data"]
    assert row["users"] == [str(people["user"].pk)]
    assert in_english.put(f"{GROUPS}{made['id']}/", row).json()["users"] == made["users"]
    assert UserGroup.objects.get(org_id=DEFAULT_ORG_ID).name == "ops"


def test_users_survive_the_round_trip(in_english: APIClient, people: dict[str, User]) -> None:
    url = "/api/v1/users/users/"
    before = in_english.get(url, {"username": "uma"}).json()[0]
    data = body_of(in_english.get(url, {"format": "csv", "username": "uma"}))
    (row,) = _read(in_english, url, data, "text/csv")["data"]
    answer = in_english.put(f"{url}{row['id']}/", row)
    assert answer.status_code == 200, answer.json()
    assert in_english.get(url, {"username": "uma"}).json()[0] == before
