"""The example row of every import template can be imported unchanged, in both languages, and common spellings are
understood.
"""

import csv
import io
import json
import re
from collections.abc import Callable
from typing import Any, Final

import pytest
from rest_framework.test import APIClient
from spreadsheets import LISTS, body_of, uploaded

from factories.grants import make_asset, make_node, make_system_user
from factories.settlements import settle
from postern.apps.assets.labels.actions import LABELS
from postern.apps.users.models import User
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db

ASSETS = "/api/v1/assets/assets/"
_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-")


@pytest.fixture
def settled(make_user: Callable[..., User]) -> dict[str, Any]:
    return settle(DEFAULT_ORG_ID, "one", make_user, dynamic="telnet")


def _file(*rows: list[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


@pytest.mark.parametrize("language", ["en", pytest.param("zh-hans", marks=pytest.mark.any_database)])
@pytest.mark.parametrize("url", LISTS)
def test_unchanged_template_can_be_imported(
    as_admin: APIClient, settled: dict[str, Any], url: str, language: str
) -> None:
    as_admin.cookies["django_language"] = language
    for _again in range(2):  # the second template must not conflict with the imported first one
        file = body_of(as_admin.get(url, {"format": "csv", "template": "import", "limit": 1}))
        (row,) = uploaded(as_admin, url, file)
        made = as_admin.post(url, row, format="json", headers={"Prefer": "handling=strict"})
        assert made.status_code == 201, (made.json(), row)
        if url.endswith(("-relations/", "-relation/")):
            return  # an existing link is not created again


def test_example_of_a_permission_names_no_users_and_assets(as_org_admin: APIClient, settled: dict[str, Any]) -> None:
    url = "/api/v1/perms/asset-permissions/"
    (row,) = uploaded(as_org_admin, url, body_of(as_org_admin.get(url, {"format": "csv", "template": "import"})))
    assert not row.keys() & {"users", "user_groups", "assets", "nodes", "users_display", "user_groups_display"}
    assert row["system_users"]


@pytest.mark.parametrize("separator", [", ", "；", "、"])
def test_assets_can_be_written_as_the_console_shows_them(as_org_admin: APIClient, separator: str) -> None:
    node = make_node("web")
    for value in ("prod", "test"):
        LABELS.create(actor=SYSTEM, org_id=DEFAULT_ORG_ID, values={"name": "env", "value": value})
    make_system_user("keeper", type="admin")
    (row,) = uploaded(
        as_org_admin,
        ASSETS,
        _file(
            ["Hostname", "IP", "系统平台", "Protocols", "Nodes", "Labels", "Is active", "Admin user"],
            [
                "web-1",
                "192.0.2.1",
                "Linux",
                separator.join(["ssh/22", "rdp/3389"]),
                node.full_value,
                separator.join(["env:prod", "env:test"]),
                "是",
                "keeper",
            ],
        ),
    )
    made = as_org_admin.post(ASSETS, row, format="json")
    assert made.status_code == 201, made.json()
    asset = as_org_admin.get(f"{ASSETS}{made.json()['id']}/").json()
    assert asset["protocols"] == ["ssh/22", "rdp/3389"]
    assert asset["nodes_display"] == [node.full_value]
    assert asset["labels_display"] == ["env:prod", "env:test"]
    assert asset["is_active"] is True
    assert asset["admin_user_display"].startswith("keeper")


@pytest.mark.parametrize(
    ("header", "cells", "wanted"),
    [
        (["Name", "Login mode"], ["deploy", "Automatic managed"], {"login_mode": "auto"}),
        (["名称", "登录模式"], ["deploy", "托管密码"], {"login_mode": "auto"}),
        (["Name", "Login mode"], ["deploy", "auto"], {"login_mode": "auto"}),
    ],
)
def test_choices_are_accepted_by_label_and_by_value(
    as_org_admin: APIClient, header: list[str], cells: list[str], wanted: dict[str, Any]
) -> None:
    (row,) = uploaded(as_org_admin, "/api/v1/assets/system-users/", _file(header, cells))
    assert row == {"name": "deploy", **wanted}


def test_actions_of_a_permission_are_accepted_by_label(as_org_admin: APIClient, settled: dict[str, Any]) -> None:
    url = "/api/v1/perms/asset-permissions/"
    (row,) = uploaded(
        as_org_admin,
        url,
        _file(
            ["Name", "Users", "User groups", "Assets", "System users", "Actions"],
            ["night", "one-person", "one group", "one-host", "one root", "Connect, Upload file"],
        ),
    )
    made = as_org_admin.post(url, row, format="json")
    assert made.status_code == 201, made.json()
    assert made.json()["users"] == [str(settled["users/users"].pk)]
    assert made.json()["user_groups_display"] == ["one group"]
    assert {"connect", "upload_file"} <= set(made.json()["actions"])
    assert "download_file" not in made.json()["actions"]


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("labels", ["env:prod"], ("env:prod", "create the object first")),
        ("nodes", ["/Default/nowhere"], ("/Default/nowhere", "create the object first")),
        ("platform", "Linnux", ("Linnux",)),
        ("protocols", ["ssh:22"], ("ssh/22",)),
        ("admin_user", "keeper", ()),
        ("ip", "300.1.1.1", ("IP",)),
    ],
)
def test_wrong_cell_gets_an_error_with_a_next_step(
    as_org_admin: APIClient, field: str, value: Any, words: tuple[str, ...]
) -> None:
    as_org_admin.cookies["django_language"] = "en"
    body = {"hostname": "web-1", "ip": "192.0.2.1", "platform": "Linux", field: value}
    answer = as_org_admin.post(ASSETS, body, format="json")
    assert answer.status_code == 400
    assert list(answer.json()) == [field]
    error_text = json.dumps(answer.json(), ensure_ascii=False)
    assert all(word in error_text.replace('\\"', '"') for word in words), error_text


def test_ambiguous_name_is_refused(as_org_admin: APIClient) -> None:
    make_asset("web-1", ip="192.0.2.1")
    make_asset("web-2", ip="192.0.2.1")
    answer = as_org_admin.post("/api/v1/assets/labels/", {"name": "a", "value": "b", "assets": ["192.0.2.1"]})
    assert answer.status_code == 400
    assert list(answer.json()) == ["assets"]


@pytest.mark.parametrize("url", [url for url in LISTS if not url.endswith(("-relations/", "-relation/"))])
def test_unchanged_update_template_changes_nothing_and_names_other_objects(
    as_admin: APIClient, settled: dict[str, Any], url: str
) -> None:
    before = as_admin.get(url).json()
    file = body_of(as_admin.get(url, {"format": "csv", "template": "update", "limit": 100}))
    for line in csv.DictReader(io.StringIO(file.decode("utf-8-sig"))):
        assert [title for title, cell in line.items() if title != "ID" and _UUID.search(cell)] == []
    for row in uploaded(as_admin, url, file):
        answer = as_admin.put(f"{url}{row['id']}/", row, format="json", headers={"Prefer": "handling=strict"})
        assert answer.status_code == 200, (answer.json(), row)
    assert as_admin.get(url).json() == before
