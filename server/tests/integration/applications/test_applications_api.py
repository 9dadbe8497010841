import json
from typing import Any

import pytest
from django.db import connection
from rest_framework.test import APIClient

from factories.grants import make_application, make_asset, make_domain
from postern.apps.applications.kinds.declarations import DECLARATIONS, Form
from postern.apps.applications.managed.places import place_of
from postern.apps.applications.models import Application
from postern.apps.assets.tree.actions import ensure_root
from postern.apps.audits.models import AuditEvent
from postern.apps.orgs.models import Organization
from postern.apps.vault import facade as vault
from postern.apps.vault.models import SealedSecret
from postern.foundation import licensing
from postern.foundation.caller.actor import SYSTEM

pytestmark = pytest.mark.django_db

URL = "/api/v1/applications/applications/"
CANARY = "canary-77ab-password"
DATABASE = {"host": "192.0.2.20", "database": "orders"}
HOST = {"asset": "{asset}"}
#: The least that an application of each type needs.
LEAST: dict[str, dict[str, Any]] = {
    **dict.fromkeys(("mysql", "oracle", "postgresql", "mariadb"), DATABASE),
    **dict.fromkeys(("chrome", "mysql_workbench", "vmware_client"), HOST),
    "custom": {"asset": "{asset}", "path": r"C:\tool.exe"},
    "k8s": {"cluster": "https://192.0.2.30:6443"},
}


def body_of(answer: Any) -> bytes:
    """The whole body of a streamed answer."""
    return b"".join(answer.streaming_content)


def body(kind: str = "mysql", name: str = "orders", **attrs: Any) -> dict[str, Any]:
    least = LEAST[kind]
    if "asset" in least and "asset" not in attrs:
        attrs["asset"] = str(make_asset(platform="Windows", protocols=["rdp/3389"]).pk)
    return {"name": name, "category": DECLARATIONS[kind].category.value, "type": kind, "attrs": {**least, **attrs}}


def made(client: APIClient, kind: str = "mysql", name: str = "orders", **attrs: Any) -> dict[str, Any]:
    answer = client.post(URL, body(kind, name, **attrs), format="json")
    assert answer.status_code == 201, answer.json()
    row: dict[str, Any] = answer.json()
    return row


@pytest.mark.spec("S1-003", "S3-022", "S3-023", "S3-024", "S3-025", "S3-026", "S3-027")
@pytest.mark.usefixtures("licensed")
@pytest.mark.parametrize("kind", DECLARATIONS)
def test_each_type_is_made_read_and_described_by_its_declaration(as_org_admin: APIClient, kind: str) -> None:
    declared = DECLARATIONS[kind]
    values = {
        one.name: {Form.PORT: 8443, Form.SECRET: CANARY, Form.HOST: "db.example.test"}.get(one.form, f"a {one.name}")
        for one in declared.attributes
        if one.form is not Form.ASSET
    }
    row = made(as_org_admin, kind, **values)
    assert (row["category"], row["type"]) == (declared.category.value, kind)
    assert row["type_display"]
    assert row["category_display"]
    shown = as_org_admin.get(f"{URL}{row['id']}/").json()["attrs"]
    public = {name: value for name, value in values.items() if name not in declared.secrets}
    assert {name: shown[name] for name in public} == public
    assert set(shown) - set(public) <= {"asset", "asset_info"}
    described = as_org_admin.options(f"{URL}?type={kind}").json()["actions"]["POST"]["attrs"]
    assert described["type"] == "nested object"
    fields = described["children"]
    for one in declared.attributes:
        assert fields[one.name]["write_only"] is (one.form is Form.SECRET)
        assert fields[one.name]["required"] is (one.required and one.form is not Form.SECRET)
        if one.default is not None:
            assert fields[one.name]["default"] == one.default
    of_row = as_org_admin.options(f"{URL}{row['id']}/").json()["actions"]["PUT"]["attrs"]["children"]
    assert set(of_row) == set(fields)


@pytest.mark.usefixtures("licensed")
def test_missing_attributes_get_the_defaults_of_the_type(as_org_admin: APIClient) -> None:
    assert made(as_org_admin, "postgresql", "one")["attrs"] == {**DATABASE, "port": 5432}
    shown = made(as_org_admin, "chrome", "two")["attrs"]
    assert shown["path"].endswith("chrome.exe")
    host = Application.objects.get(name="two").asset
    assert shown["asset_info"] == {"id": str(host.pk), "hostname": host.hostname}


@pytest.mark.usefixtures("licensed")
@pytest.mark.parametrize(
    ("kind", "attrs", "field"),
    [
        ("mysql", {"host": ""}, "host"),
        ("mysql", {"host": None}, "host"),
        ("mysql", {"host": "not a host/22"}, "host"),
        ("mysql", {"port": 0}, "port"),
        ("mysql", {"port": 65536}, "port"),
        ("mysql", {"port": "x"}, "port"),
        ("mysql", {"database": "x" * 129}, "database"),
        ("mysql", {"database": "ord\u200bers"}, "database"),
        ("k8s", {"cluster": "x" * 1025}, "cluster"),
        ("custom", {"path": ""}, "path"),
        ("chrome", {"asset": "6f1c2b9e-6f58-4c0e-9d0c-2b7f6f0a4d11"}, "asset"),
        ("chrome", {"chrome_password": "x" * 129}, "chrome_password"),
    ],
)
def test_bad_attributes_are_refused_by_name(
    as_org_admin: APIClient, kind: str, attrs: dict[str, Any], field: str
) -> None:
    answer = as_org_admin.post(URL, body(kind, **attrs), format="json")
    assert answer.status_code == 400
    assert list(answer.json()["attrs"]) == [field]
    assert not Application.objects.exists()


@pytest.mark.parametrize("attrs", [None, {}, {"port": 1}])
def test_missing_attributes_are_named(as_org_admin: APIClient, attrs: Any) -> None:
    answer = as_org_admin.post(URL, {**body(), "attrs": attrs}, format="json")
    assert set(answer.json()["attrs"]) == {"host", "database"}
    without = {name: value for name, value in body().items() if name != "attrs"}
    assert set(as_org_admin.post(URL, without, format="json").json()["attrs"]) == {"host", "database"}


@pytest.mark.parametrize("attrs", ["text", 7, ["a"]])
def test_attributes_that_are_no_object_are_refused(as_org_admin: APIClient, attrs: Any) -> None:
    answer = as_org_admin.post(URL, {**body(), "attrs": attrs}, format="json")
    assert (answer.status_code, list(answer.json())) == (400, ["attrs"])


def test_type_must_exist_and_belong_to_its_category(as_org_admin: APIClient) -> None:
    for change, field in (({"type": "nothing"}, "type"), ({"type": None}, "type"), ({"category": "cloud"}, "type")):
        answer = as_org_admin.post(URL, {**body(), **change}, format="json")
        assert (answer.status_code, list(answer.json())) == (400, [field])


def test_type_and_category_stay(as_org_admin: APIClient) -> None:
    row = made(as_org_admin)
    for change in ({"type": "oracle"}, {"category": "cloud"}):
        answer = as_org_admin.patch(f"{URL}{row['id']}/?type=oracle", change, format="json")
        assert (answer.status_code, list(answer.json())) == (400, list(change))


def test_attributes_that_are_not_sent_stay(as_org_admin: APIClient) -> None:
    row = made(as_org_admin, port=3307)
    changed = as_org_admin.patch(f"{URL}{row['id']}/", {"attrs": {"database": "archive"}}, format="json").json()
    assert changed["attrs"] == {"host": "192.0.2.20", "port": 3307, "database": "archive"}
    put = {**body(), "attrs": {"host": "192.0.2.21"}}
    assert as_org_admin.put(f"{URL}{row['id']}/", put, format="json").json()["attrs"] == {
        "host": "192.0.2.21",
        "port": 3307,
        "database": "archive",
    }
    # Attributes of other types are not stored.
    as_org_admin.patch(f"{URL}{row['id']}/", {"attrs": {"cluster": "x", "chrome_password": CANARY}}, format="json")
    assert set(Application.objects.get().attrs) == {"host", "port", "database"}
    assert not SealedSecret.objects.filter(table="applications_application").exists()


@pytest.mark.usefixtures("licensed")
def test_k73_secret_is_sealed_kept_replaced_and_removed(as_org_admin: APIClient) -> None:
    row = made(as_org_admin, "chrome", chrome_password=CANARY, chrome_username="shop")
    place = place_of(Application.objects.get(), "chrome_password")

    def stored() -> str | None:
        secret = vault.get_secret(place)
        return secret.reveal() if secret is not None else None

    assert stored() == CANARY
    url = f"{URL}{row['id']}/"
    for kept in ({}, {"chrome_password": ""}, {"chrome_username": "desk"}):
        as_org_admin.patch(url, {"attrs": kept}, format="json")
        assert stored() == CANARY
    as_org_admin.patch(url, {"attrs": {"chrome_password": CANARY + "2"}}, format="json")
    assert stored() == CANARY + "2"
    for answer in (
        as_org_admin.get(URL, {"type": "chrome"}),
        as_org_admin.get(url),
        as_org_admin.options(url),
        as_org_admin.options(f"{URL}?type=chrome"),
        as_org_admin.get(URL, {"search": CANARY}),
    ):
        assert CANARY not in answer.content.decode()
    export = as_org_admin.get(URL, {"format": "csv", "type": "chrome"})
    assert CANARY.encode() not in body_of(export)
    assert as_org_admin.get(url).json()["stored_secrets"] == ["chrome_password"]
    as_org_admin.patch(url, {"attrs": {"chrome_password": None}}, format="json")
    assert stored() is None
    assert as_org_admin.get(url).json()["stored_secrets"] == []
    records = list(AuditEvent.objects.filter(event="application.updated").order_by("sequence"))
    assert CANARY not in json.dumps([[one.old, one.new] for one in records])
    assert [(one.old or {}).get("chrome_password", "-") for one in records[-2:]] == ["******", "******"]
    assert [(one.new or {}).get("chrome_password", "-") for one in records[-2:]] == ["******", None]
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM applications_application")
        assert CANARY not in str(cursor.fetchall())


@pytest.mark.usefixtures("licensed")
def test_deleting_removes_the_secrets(as_org_admin: APIClient) -> None:
    row = made(as_org_admin, "custom", custom_password=CANARY)
    assert SealedSecret.objects.filter(table="applications_application").count() == 1
    assert as_org_admin.delete(f"{URL}{row['id']}/").status_code == 204
    assert not SealedSecret.objects.filter(table="applications_application").exists()
    gone = AuditEvent.objects.filter(resource_type="Application", action="delete").get()
    assert (gone.old["custom_password"], gone.old["name"]) == ("******", "orders")


@pytest.mark.usefixtures("licensed")
def test_lists_show_the_attributes_that_the_query_asks_for(as_org_admin: APIClient) -> None:
    made(as_org_admin, "mysql", "orders")
    made(as_org_admin, "k8s", "cluster-1")
    made(as_org_admin, "chrome", "browser", chrome_target="https://shop.example.test")
    made(as_org_admin, "vmware_client", "vsphere")
    assert [row["attrs"] for row in as_org_admin.get(URL).json()] == [{}] * 4
    (database,) = as_org_admin.get(URL, {"category": "db"}).json()
    assert database["attrs"] == {"host": "192.0.2.20", "port": 3306, "database": "orders"}
    remote = as_org_admin.get(URL, {"category": "remote_app"}).json()
    assert [set(row["attrs"]) for row in remote] == [{"asset_info", "asset", "path"}] * 2
    (chrome,) = as_org_admin.get(URL, {"type": "chrome"}).json()
    assert chrome["attrs"]["chrome_target"] == "https://shop.example.test"
    assert "chrome_password" not in chrome["attrs"]
    for query, names in (
        ({"type__in": "mysql,k8s"}, ["cluster-1", "orders"]),
        ({"search": "vmware"}, ["vsphere"]),
        ({"search": "cloud"}, ["cluster-1"]),
        ({"name": "orders"}, ["orders"]),
        ({"order": "-name"}, ["vsphere", "orders", "cluster-1", "browser"]),
    ):
        assert [row["name"] for row in as_org_admin.get(URL, query).json()] == names, query


@pytest.mark.spec("S6-033", "S2-057")
def test_remote_apps_need_a_licence(as_org_admin: APIClient) -> None:
    answer = as_org_admin.post(URL, body("chrome"), format="json")
    assert (answer.status_code, answer.json()["code"]) == (403, "licence_required")
    for query in ({"category": "remote_app"}, {"type": "custom"}, {"type__in": "mysql,chrome"}):
        answer = as_org_admin.get(URL, query)
        assert (answer.status_code, answer.json()["code"]) == (403, "licence_required"), query
    made(as_org_admin, "mysql")


@pytest.mark.spec("S6-033")
def test_remote_apps_of_a_licence_that_ended_are_closed(as_org_admin: APIClient, licensed: None) -> None:
    row, other = made(as_org_admin, "chrome", "browser"), made(as_org_admin, "mysql", "orders")
    with licensing.LICENCE.replaced(lambda: False):
        assert [one["name"] for one in as_org_admin.get(URL).json()] == ["orders"]
        url = f"{URL}{row['id']}/"
        calls = [
            as_org_admin.get(url),
            as_org_admin.patch(url, {"comment": "x"}),
            as_org_admin.put(url, body("chrome"), format="json"),
            as_org_admin.delete(url),
        ]
        assert [(one.status_code, one.json()["code"]) for one in calls] == [(403, "licence_required")] * 4
        items = [{"id": row["id"], "comment": "x"}, {"id": other["id"], "comment": "x"}]
        assert as_org_admin.patch(URL, items, format="json").status_code == 400
        as_org_admin.delete(f"{URL}?ids={row['id']}")
        assert "browser" not in json.dumps(as_org_admin.get(f"{URL}tree/").json())
    assert Application.objects.get(pk=row["id"]).comment == ""


def test_two_organizations_may_have_the_same_name_but_not_one(as_org_admin: APIClient) -> None:
    make_application("orders", org_id=Organization.objects.create(name="Other").pk)
    made(as_org_admin, name="orders")
    answer = as_org_admin.post(URL, body(name="orders"), format="json")
    assert (answer.status_code, list(answer.json())) == (400, ["name"])


@pytest.mark.usefixtures("licensed")
def test_k16_objects_of_another_organization_do_not_exist(as_org_admin: APIClient) -> None:
    other = Organization.objects.create(name="Other").pk
    ensure_root(actor=SYSTEM, org_id=other, name="Other")
    zone, host = make_domain(org_id=other), make_asset(platform="Windows", org_id=other)
    foreign = make_application("theirs", org_id=other)
    answer = as_org_admin.post(URL, {**body(), "domain": str(zone.pk)}, format="json")
    assert (answer.status_code, list(answer.json())) == (400, ["domain"])
    for asset in (str(host.pk), host.hostname):
        answer = as_org_admin.post(URL, body("chrome", asset=asset), format="json")
        assert (answer.status_code, list(answer.json()["attrs"])) == (400, ["asset"])
    own = made(as_org_admin)
    items = [{"id": own["id"], "comment": "x"}, {"id": str(foreign.pk), "comment": "x"}]
    assert as_org_admin.patch(URL, items, format="json").status_code == 400
    as_org_admin.delete(f"{URL}?ids={foreign.pk}")
    assert Application.objects.filter(pk=foreign.pk, comment="").exists()
    assert Application.objects.get(pk=own["id"]).comment == ""


@pytest.mark.usefixtures("licensed")
def test_bulk_calls_check_each_row_by_its_own_type(as_org_admin: APIClient) -> None:
    made_rows = as_org_admin.post(URL, [body("mysql", "a"), body("k8s", "b"), body("chrome", "c")], format="json")
    assert made_rows.status_code == 201, made_rows.json()
    database, cluster, chrome = (row["id"] for row in made_rows.json())
    changes = [
        {"id": database, "attrs": {"database": "x"}},
        {"id": cluster, "attrs": {"cluster": "y"}},
        {"id": chrome, "attrs": {"chrome_target": "z"}},
    ]
    stray = {"id": chrome, "attrs": {"chrome_target": "z", "database": "not of this type"}}
    refused = as_org_admin.patch(URL, [changes[0], stray], format="json")
    assert (refused.status_code, [list(errors) for errors in refused.json()]) == (400, [[], ["attrs"]])
    assert as_org_admin.patch(URL, changes, format="json").status_code == 200
    rows = {row.name: row.attrs for row in Application.objects.all()}
    assert (rows["a"]["database"], rows["b"]["cluster"], rows["c"]["chrome_target"]) == ("x", "y", "z")
    refused = as_org_admin.patch(URL, [{"id": cluster, "attrs": {"cluster": ""}}, changes[0]], format="json")
    assert [list(one) for one in refused.json()] == [["attrs"], []]
    refused = as_org_admin.post(URL, [body("mysql", "d"), body("k8s", "e", cluster="")], format="json")
    assert [list(one) for one in refused.json()] == [[], ["attrs"]]
    assert as_org_admin.delete(URL).status_code == 400
    assert as_org_admin.delete(f"{URL}?type=k8s").status_code == 204
    assert sorted(Application.objects.values_list("name", flat=True)) == ["a", "c"]


@pytest.mark.usefixtures("licensed")
@pytest.mark.parametrize("file_format", ["csv", "xlsx"])
@pytest.mark.parametrize("kind", ["mysql", "chrome", "k8s"])
def test_exported_file_can_be_imported(as_org_admin: APIClient, kind: str, file_format: str) -> None:
    row = made(as_org_admin, kind, "orders")
    before = as_org_admin.get(f"{URL}{row['id']}/").json()
    file = body_of(as_org_admin.get(URL, {"format": file_format}))
    answer = as_org_admin.generic("POST", f"{URL}render-to-json/", file, content_type=f"text/{file_format}")
    (item,) = json.loads(body_of(answer))["data"]
    again = as_org_admin.post(URL, {**item, "name": "copy", "id": None}, format="json")
    assert again.status_code == 201, again.json()
    assert again.json()["attrs"] == before["attrs"]


@pytest.mark.usefixtures("licensed")
def test_remote_app_loses_its_host_with_the_asset(as_org_admin: APIClient) -> None:
    row = made(as_org_admin, "chrome")
    as_org_admin.delete(f"/api/v1/assets/assets/{row['attrs']['asset']}/")
    shown = as_org_admin.get(f"{URL}{row['id']}/").json()["attrs"]
    assert (shown["asset"], shown["asset_info"]) == (None, {})


def test_domain_counts_its_applications_and_is_kept_for_them(as_org_admin: APIClient) -> None:
    zone = make_domain("zone")
    row = as_org_admin.post(URL, {**body(), "domain": str(zone.pk)}, format="json").json()
    url = f"/api/v1/assets/domains/{zone.pk}/"
    assert as_org_admin.get(url).json()["application_count"] == 1
    refused = as_org_admin.delete(url)
    assert (refused.status_code, "orders" in refused.json()["detail"]) == (400, True)
    as_org_admin.patch(f"{URL}{row['id']}/", {"domain": None}, format="json")
    assert as_org_admin.delete(url).status_code == 204


@pytest.mark.usefixtures("licensed")
def test_tree_shows_categories_types_and_applications(as_org_admin: APIClient) -> None:
    row = made(as_org_admin, "mysql", "orders")
    as_org_admin.cookies["django_language"] = "en"
    nodes = {node["id"]: node for node in as_org_admin.get(f"{URL}tree/?show_count=1").json()}
    root, category, kind = nodes["applications"], nodes["applications_db"], nodes["applications_mysql"]
    assert (root["pId"], root["meta"]["type"], root["name"]) == ("", "applications_root", "Applications (1)")
    assert (category["pId"], category["meta"]["data"]["value"], category["name"]) == (
        "applications",
        "db",
        "Database (1)",
    )
    assert (kind["pId"], kind["name"], kind["isParent"]) == ("applications_db", "MySQL (1)", True)
    leaf = nodes[row["id"]]
    assert (leaf["pId"], leaf["isParent"], leaf["iconSkin"]) == ("applications_mysql", False, "database")
    assert leaf["meta"] == {"type": "application", "data": {"category": "db", "type": "mysql"}}
    assert nodes["applications_chrome"]["name"] == "Chrome (0)"
    only = as_org_admin.get(f"{URL}tree/?category=cloud").json()
    assert row["id"] not in {node["id"] for node in only}


def test_ordinary_users_and_auditors_manage_no_applications(as_user: APIClient, as_auditor: APIClient) -> None:
    row = make_application()
    for client in (as_user, as_auditor):
        assert client.post(URL, body(), format="json").status_code == 403
        assert client.patch(f"{URL}{row.pk}/", {"comment": "x"}).status_code == 403
    assert as_user.get(URL).status_code == 403
