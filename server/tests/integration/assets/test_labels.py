"""The API `assets/labels/`, and the labels of assets."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from factories.grants import make_asset
from postern.apps.assets.models import Asset, Label
from postern.apps.audits.models import AuditEvent
from postern.apps.orgs.models import Organization
from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID

pytestmark = pytest.mark.django_db

URL = "/api/v1/assets/labels/"
ASSETS = "/api/v1/assets/assets/"


def label(name: str = "env", value: str = "prod", **more: Any) -> Label:
    made: Label = Label.objects.create(org_id=DEFAULT_ORG_ID, name=name, value=value, **more)
    return made


@pytest.mark.spec("S1-023")
def test_label_has_the_fields_of_the_contract(as_org_admin: APIClient) -> None:
    asset = make_asset()
    made = as_org_admin.post(URL, {"name": "env", "value": "prod", "assets": [str(asset.pk)]})
    assert made.status_code == 201, made.data
    row = made.json()
    assert set(row) == {
        "id", "name", "value", "category", "category_display", "is_active", "date_created", "comment", "asset_count",
        "assets", "org_id", "org_name", "get_category_display",
    }  # fmt: skip
    assert (row["category"], row["category_display"], row["is_active"]) == ("U", row["get_category_display"], True)
    assert (row["asset_count"], row["assets"], row["org_name"]) == (1, [str(asset.pk)], "Default")
    assert as_org_admin.get(f"{URL}{row['id']}/").json() == row
    assert set(as_org_admin.get(f"{URL}?fields_size=mini").json()[0]) == {"id", "name"}


def test_label_pair_is_unique_in_the_organization(as_org_admin: APIClient, as_admin: APIClient) -> None:
    first = label()
    again = as_org_admin.post(URL, {"name": "env", "value": "prod"})
    assert (again.status_code, set(again.json())) == (400, {"name", "value"})
    assert as_org_admin.post(URL, {"name": "env", "value": "test"}).status_code == 201
    renamed = as_org_admin.patch(f"{URL}{first.pk}/", {"value": "test"})
    assert (renamed.status_code, set(renamed.json())) == (400, {"name", "value"})
    branch = Organization.objects.create(name="Branch")
    elsewhere = as_admin.post(URL, {"name": "env", "value": "prod"}, headers={"X-JMS-ORG": str(branch.pk)})
    assert elsewhere.status_code == 201
    in_root = as_admin.post(URL, {"name": "a", "value": "b"}, headers={"X-JMS-ORG": str(ROOT_ORG_ID)})
    assert in_root.status_code == 400


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, {"name", "value"}),
        ({"name": "a:b", "value": "c"}, {"name"}),
        ({"name": "a", "value": "b#c"}, {"value"}),
        ({"name": "n" * 129, "value": "v"}, {"name"}),
        ({"name": "a", "value": "b", "assets": ["3f2c7a52-0000-4000-8000-000000000000"]}, {"assets"}),
    ],
)
def test_label_with_a_bad_value_is_a_field_error(
    as_org_admin: APIClient, body: dict[str, Any], fields: set[str]
) -> None:
    answer = as_org_admin.post(URL, body)
    assert (answer.status_code, set(answer.json())) == (400, fields)
    assert not Label.objects.exists()


def test_labels_are_searched_filtered_ordered_and_paged(as_org_admin: APIClient) -> None:
    prod, test = label("env", "prod"), label("env", "test")
    label("tier", "core")
    for name in ("a", "b"):
        make_asset(name, labels=[test])
    make_asset("c", labels=[prod])

    def values(query: str) -> list[str]:
        body = as_org_admin.get(f"{URL}?{query}").json()
        return [row["value"] for row in (body["results"] if isinstance(body, dict) else body)]

    assert values("") == ["prod", "test", "core"]
    assert values("search=TEST") == ["test"]
    assert values("search=env") == ["prod", "test"]
    assert values("name=env&value=prod") == ["prod"]
    assert values("order=-asset_count") == ["test", "prod", "core"]
    assert values("limit=1&offset=1") == ["test"]
    fields = as_org_admin.options(URL).json()["actions"]["GET"]
    assert [name for name, field in fields.items() if field.get("filter")] == ["name", "value"]
    assert fields["asset_count"]["order"]


def test_bulk_writes_of_labels_are_all_or_nothing(as_org_admin: APIClient) -> None:
    made = as_org_admin.post(URL, [{"name": "env", "value": "prod"}, {"name": "env", "value": "test"}])
    assert made.status_code == 201
    ids = [row["id"] for row in made.json()]
    bad = as_org_admin.post(URL, [{"name": "env", "value": "dev"}, {"name": "env", "value": "prod"}])
    assert (bad.status_code, bad.json()[0], set(bad.json()[1])) == (400, {}, {"name", "value"})
    assert Label.objects.count() == 2
    changed = as_org_admin.patch(URL, [{"id": label_id, "comment": "kept"} for label_id in ids])
    assert [row["comment"] for row in changed.json()] == ["kept", "kept"]
    assert as_org_admin.delete(URL).status_code == 400
    spm = as_org_admin.post("/api/v1/common/resources/cache/", {"resources": ids[:1]}).json()["spm"]
    assert as_org_admin.delete(f"{URL}?spm={spm}").status_code == 204
    assert [str(row.pk) for row in Label.objects.all()] == ids[1:]


def test_each_write_of_a_label_is_audited_with_its_assets(as_org_admin: APIClient) -> None:
    a, b = make_asset("a"), make_asset("b")
    made = as_org_admin.post(URL, {"name": "env", "value": "prod", "assets": [str(a.pk)]}).json()
    as_org_admin.patch(f"{URL}{made['id']}/", {"value": "live", "assets": [str(b.pk)]})
    as_org_admin.delete(f"{URL}{made['id']}/")
    rows = AuditEvent.objects.filter(event__startswith="label.").order_by("sequence")
    recorded = [(row.event, row.old, row.new) for row in rows]
    assert recorded == [
        ("label.created", recorded[0][1], {"name": "env", "value": "prod", "assets": ["a"]}),
        ("label.updated", {"value": "prod", "assets": ["a"]}, {"value": "live", "assets": ["b"]}),
        ("label.deleted", {"name": "env", "value": "live", "assets": ["b"]}, recorded[2][2]),
    ]
    assert (recorded[0][1] or {}, recorded[2][2] or {}) == ({}, {})
    assert Asset.objects.count() == 2


def test_audit_record_of_a_label_with_many_assets_is_shortened(as_org_admin: APIClient) -> None:
    assets = [make_asset(f"web-{number:03}") for number in range(60)]
    row = label()
    as_org_admin.patch(f"{URL}{row.pk}/", {"assets": [str(asset.pk) for asset in assets]})
    event = AuditEvent.objects.get(event="label.updated")
    hostnames = (event.new or {})["assets"]
    assert (len(hostnames), hostnames[0], hostnames[-1]) == (51, "web-000", "… (60)")


def test_assets_get_labels_singly_and_in_bulk_and_are_filtered_by_them(as_org_admin: APIClient) -> None:
    prod, core = label("env", "prod"), label("tier", "core")
    a, b = make_asset("a"), make_asset("b", labels=[prod])
    make_asset("c")
    items = [{"id": str(asset.pk), "labels": [str(prod.pk), str(core.pk)]} for asset in (a, b)]
    changed = as_org_admin.patch(ASSETS, items)
    assert [row["labels_display"] for row in changed.json()] == [["env:prod", "tier:core"]] * 2

    def names(query: str) -> list[str]:
        return [row["hostname"] for row in as_org_admin.get(f"{ASSETS}?{query}").json()]

    assert names("label=env:prod&label=tier:core") == ["a", "b"]
    as_org_admin.patch(f"{ASSETS}{a.pk}/", {"labels": [str(core.pk)]})
    assert names("label=env:prod&label=tier:core") == ["b"]
    assert names("label=tier%23core") == ["a", "b"]
    assert names("label=") == ["a", "b", "c"]
    row = as_org_admin.get(f"{ASSETS}{a.pk}/").json()
    assert (row["is_active"], row["comment"], row["nodes_display"]) == (True, "", ["/Default"])


@pytest.mark.parametrize("query", ["protocols=%20", "protocols=/", "protocols__icontains=%20/", "label=%20", "ips=,"])
def test_bulk_delete_with_an_empty_filter_deletes_nothing(as_org_admin: APIClient, query: str) -> None:
    make_asset("a")
    as_org_admin.delete(f"{ASSETS}?{query}")
    assert Asset.objects.count() == 1


def test_labels_are_closed_to_other_roles(as_user: APIClient, as_auditor: APIClient, as_anonymous: APIClient) -> None:
    row = label()
    for client in (as_user, as_auditor, as_anonymous):
        assert client.get(URL).status_code in {401, 403}
        assert client.delete(f"{URL}{row.pk}/").status_code in {401, 403}
    assert Label.objects.filter(pk=row.pk).exists()


def test_every_field_of_people_groups_assets_and_labels_has_a_chinese_name(as_org_admin: APIClient) -> None:
    plain: dict[str, str] = {}
    for path in ("users/users/", "users/groups/", "assets/assets/", "assets/labels/", "assets/nodes/"):
        actions = as_org_admin.options(f"/api/v1/{path}", headers={"Accept-Language": "zh-hans"}).json()["actions"]
        for fields in actions.values():
            plain |= {f"{path}{name}": field["label"] for name, field in fields.items() if field["label"].isascii()}
    assert {name for name in plain if name.rpartition("/")[2] not in {"id", "ip"}} == set()
