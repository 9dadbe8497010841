from typing import Any

import pytest
from rest_framework.test import APIClient

from factories.grants import make_asset, make_node, make_system_user
from postern.apps.assets.models import Asset, Label, Platform
from postern.apps.assets.nodes.actions import root_of
from postern.apps.assets.platforms import actions as platforms
from postern.apps.assets.tree.actions import ensure_root
from postern.apps.audits.models import AuditEvent
from postern.apps.orgs.models import Organization
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.rest.filters import parse_instant
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID

pytestmark = pytest.mark.django_db

URL = "/api/v1/assets/assets/"


def body(**changes: Any) -> dict[str, Any]:
    return {
        "hostname": "web-1",
        "ip": "192.0.2.7",
        "platform": "Linux",
        "protocols": ["ssh/2222", "rdp/3389"],
        **changes,
    }


@pytest.mark.spec("S3-028", "S3-030", "S3-031")
def test_create_asset_returns_all_its_fields(as_org_admin: APIClient) -> None:
    label = Label.objects.create(org_id=DEFAULT_ORG_ID, name="env", value="prod")
    admin = make_system_user("adm", type="admin")
    sent = body(
        public_ip="198.51.100.1",
        number="A-1",
        vendor="Dell",
        model="R650",
        sn="S1",
        cpu_model="Xeon",
        cpu_count=2,
        cpu_cores=32,
        memory="256G",
        disk_total="2T",
        disk_info="nvme",
        os="Debian",
        os_version="12",
        os_arch="x86_64",
        comment="c",
        admin_user=str(admin.pk),
        labels=[str(label.pk)],
    )
    answer = as_org_admin.post(URL, sent)
    assert answer.status_code == 201, answer.data
    made = answer.json()
    for name, value in sent.items():
        assert made[name] == value
    assert made["admin_user_display"] == "adm(root)"
    assert made["nodes_display"] == ["/Default"]
    assert made["nodes"] == [str(root_of(DEFAULT_ORG_ID).pk)]
    assert (made["connectivity"], made["org_id"], made["org_name"]) == ("unknown", str(DEFAULT_ORG_ID), "Default")
    assert made["hardware_info"] == "Dell 32 Core 256G"
    assert made["labels_display"] == ["env:prod"]
    assert made["created_by"].startswith("Olaf")
    event = AuditEvent.objects.get(event="asset.created")
    assert (event.new or {})["hostname"] == "web-1"


@pytest.mark.spec("S3-032")
def test_asset_has_number_charset_and_ssh_port(as_org_admin: APIClient, as_admin: APIClient) -> None:
    platform = {"name": "Old-Linux", "base": "Linux", "charset": "gbk"}
    assert as_admin.post("/api/v1/assets/platforms/", platform).status_code == 201
    made = as_org_admin.post(URL, body(number="A-7", platform="Old-Linux", protocols=["ssh/2022"])).json()
    assert (made["number"], made["charset"], made["protocols"]) == ("A-7", "gbk", ["ssh/2022"])
    assert as_org_admin.get(f"{URL}{made['id']}/platform/").json()["charset"] == "gbk"


@pytest.mark.spec("S3-033")
def test_asset_has_its_creator_and_the_times_of_creation_and_change(as_org_admin: APIClient) -> None:
    made = as_org_admin.post(URL, body()).json()
    assert made["created_by"] == "Olaf(olaf)"
    assert parse_instant(made["date_created"]) <= parse_instant(made["date_updated"]) <= clock.now()
    stored = Asset.objects.get(pk=made["id"])
    as_org_admin.patch(f"{URL}{made['id']}/", {"comment": "moved"})
    changed = Asset.objects.get(pk=made["id"])
    assert changed.date_created == stored.date_created
    assert changed.date_updated > stored.date_updated


def test_create_asset_without_protocols_gets_ssh_and_the_root_node(as_org_admin: APIClient) -> None:
    made = as_org_admin.post(URL, {"hostname": "h", "ip": "h.example.test", "platform": "Linux"}).json()
    assert made["protocols"] == ["ssh/22"]
    made = as_org_admin.post(
        URL, {"hostname": "w", "ip": "w.example.test", "platform": "Windows", "protocol": "rdp"}
    ).json()
    assert made["protocols"] == ["rdp/3389"]
    sent = [{"hostname": f"m{port}", "ip": "192.0.2.1", "platform": "Linux", "port": port} for port in (22, 2022)]
    assert [asset["protocols"] for asset in as_org_admin.post(URL, sent).json()] == [["ssh/22"], ["ssh/2022"]]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"hostname": ""}, "hostname"),
        ({"hostname": "x" * 129}, "hostname"),
        ({"hostname": "a\nb"}, "hostname"),
        ({"ip": "not an address"}, "ip"),
        ({"ip": "10.0.0.300"}, "ip"),
        ({"ip": "10.0.0.1/24"}, "ip"),
        ({"ip": "-oProxyCommand=x"}, "ip"),
        ({"platform": "Solaris"}, "platform"),
        ({"protocols": []}, "protocols"),
        ({"protocols": ["ssh/0"]}, "protocols"),
        ({"protocols": ["mysql/3306"]}, "protocols"),
        ({"protocols": ["ssh/22", "ssh/2222"]}, "protocols"),
        ({"protocols": ["ssh/22", "rdp/1", "vnc/1", "telnet/1", "ssh/1"]}, "protocols"),
        ({"nodes": []}, "nodes"),
        ({"nodes": ["3f2c7a52-0000-4000-8000-000000000000"]}, "nodes"),
        ({"admin_user": "3f2c7a52-0000-4000-8000-000000000000"}, "admin_user"),
        ({"labels": ["nonsense"]}, "labels"),
        ({"cpu_count": -1}, "cpu_count"),
    ],
)
def test_create_asset_with_a_bad_value_is_a_field_error(
    as_org_admin: APIClient, changes: dict[str, Any], field: str
) -> None:
    answer = as_org_admin.post(URL, body(**changes))
    assert answer.status_code == 400
    assert set(answer.json()) == {field}
    assert not Asset.objects.exists()


def test_create_asset_with_a_bad_port_names_the_item(as_org_admin: APIClient) -> None:
    answer = as_org_admin.post(URL, body(protocols=["ssh/22", "rdp/65536"]))
    assert list(answer.json()["protocols"]) == ["1"]


def test_create_asset_with_a_taken_hostname_is_refused_also_in_the_root_organization(
    as_org_admin: APIClient, as_admin: APIClient
) -> None:
    assert as_org_admin.post(URL, body()).status_code == 201
    answer = as_org_admin.post(URL, body(ip="192.0.2.8"))
    assert answer.json() == {"hostname": answer.json()["hostname"]}
    refused = as_admin.post(URL, body(hostname="other"), headers={"X-JMS-ORG": str(ROOT_ORG_ID)})
    assert refused.status_code == 400
    assert refused.json()["code"] == "root_org_read_only"


def test_list_assets_filters_by_node_label_address_and_protocol(as_org_admin: APIClient) -> None:
    web = make_node("web")
    deep = make_node("deep", parent=web)
    label = Label.objects.create(org_id=DEFAULT_ORG_ID, name="env", value="prod")
    a = make_asset("a", ip="192.0.2.1", nodes=[web], labels=[label])
    b = make_asset("b", ip="192.0.2.2", nodes=[deep, web], protocols=["rdp/3389"])
    c = make_asset("c", ip="192.0.2.3", platform="Windows", is_active=False)

    def names(query: str) -> list[str]:
        answer = as_org_admin.get(f"{URL}?{query}")
        assert answer.status_code == 200, answer.data
        return [row["hostname"] for row in answer.json()]

    assert names("order=hostname") == ["a", "b", "c"]
    assert names("order=-hostname") == ["c", "b", "a"]
    assert names(f"node={web.pk}") == ["a", "b"]
    assert names(f"node={deep.pk}&show_current_asset=0") == ["b"]
    assert names(f"node_id={root_of(DEFAULT_ORG_ID).pk}&show_current_asset=1") == ["c"]
    assert names(f"node_id={root_of(DEFAULT_ORG_ID).pk}") == ["a", "b", "c"]
    assert names("node=3f2c7a52-0000-4000-8000-000000000000") == []
    assert names("label=env:prod") == ["a"]
    assert names("label=env%23prod") == ["a"]
    assert names("label=env:dev") == []
    assert names("ips=192.0.2.1,192.0.2.3") == ["a", "c"]
    assert names("protocols__icontains=rdp") == ["b"]
    assert names("protocols__icontains=ssh/2") == ["a", "c"]
    assert names("platform__base=Windows") == ["c"]
    assert names("is_active=false") == ["c"]
    assert names("search=192.0.2.2") == ["b"]
    assert names(f"ids={a.pk},{c.pk}") == ["a", "c"]
    page = as_org_admin.get(f"{URL}?limit=2&offset=1&order=hostname").json()
    assert (page["count"], [row["id"] for row in page["results"]]) == (3, [str(b.pk), str(c.pk)])


def test_k22_undeclared_filters_and_orders_are_ignored(as_org_admin: APIClient) -> None:
    make_asset("a")
    for query in ("platform__name__startswith=X", "created_by=nobody", "order=platform__comment", "dense_id=99"):
        assert len(as_org_admin.get(f"{URL}?{query}").json()) == 1


def test_bulk_update_of_assets_is_all_or_nothing(as_org_admin: APIClient) -> None:
    assets = [make_asset(), make_asset()]
    sent = [{"pk": str(asset.pk), "is_active": False} for asset in assets]
    answer = as_org_admin.patch(URL, sent)
    assert answer.status_code == 200
    assert Asset.objects.filter(is_active=False).count() == 2
    broken = [{"id": str(assets[0].pk), "is_active": True}, {"id": str(assets[1].pk), "ip": "no address"}]
    answer = as_org_admin.patch(URL, broken)
    assert answer.status_code == 400
    assert answer.json()[0] == {}
    assert set(answer.json()[1]) == {"ip"}
    assert Asset.objects.filter(is_active=False).count() == 2
    assert as_org_admin.patch(URL, [{"is_active": True}]).json() == [["id or pk not in data"]]


def test_patch_asset_changes_only_what_is_sent(as_org_admin: APIClient) -> None:
    node = make_node()
    asset = make_asset(protocols=["ssh/22", "vnc/5901"], nodes=[node])
    answer = as_org_admin.patch(f"{URL}{asset.pk}/", {"comment": "changed"})
    assert answer.json()["protocols"] == ["ssh/22", "vnc/5901"]
    assert answer.json()["nodes"] == [str(node.pk)]
    answer = as_org_admin.patch(
        f"{URL}{asset.pk}/", {"protocols": ["rdp/3390"], "nodes_display": ["/Default/new/deep"]}
    )
    assert answer.json()["protocols"] == ["rdp/3390"]
    assert answer.json()["nodes_display"] == ["/Default/new/deep"]
    event = AuditEvent.objects.filter(event="asset.updated").latest("sequence")
    assert event.old["protocols"] == ["ssh/22", "vnc/5901"]
    assert event.new["protocols"] == ["rdp/3390"]


def test_put_asset_does_not_reset_protocols_that_are_not_sent(as_org_admin: APIClient) -> None:
    asset = make_asset("kept", protocols=["rdp/3390"])
    answer = as_org_admin.put(f"{URL}{asset.pk}/", {"hostname": "kept", "ip": "192.0.2.9", "platform": "Linux"})
    assert answer.status_code == 200
    assert answer.json()["protocols"] == ["rdp/3390"]


def test_bulk_delete_of_assets_needs_a_selection(as_org_admin: APIClient) -> None:
    asset, other = make_asset("a"), make_asset("b")
    assert as_org_admin.delete(URL).status_code == 400
    spm = as_org_admin.post("/api/v1/common/resources/cache/", {"resources": [str(asset.pk)]}).json()["spm"]
    assert as_org_admin.delete(f"{URL}?spm={spm}").status_code == 204
    assert list(Asset.objects.all()) == [other]
    assert as_org_admin.delete(f"{URL}{other.pk}/").status_code == 204
    assert AuditEvent.objects.filter(event="asset.deleted").count() == 2


def test_k16_asset_of_another_organization_is_not_found(as_org_admin: APIClient) -> None:
    org = Organization.objects.create(name="Other")
    ensure_root(actor=SYSTEM, org_id=org.pk, name="Other")
    foreign = make_asset("foreign", org_id=org.pk)
    assert as_org_admin.get(URL).json() == []
    for call in (as_org_admin.get, as_org_admin.delete):
        assert call(f"{URL}{foreign.pk}/").status_code == 404
    assert as_org_admin.patch(f"{URL}{foreign.pk}/", {"comment": "x"}).status_code == 404
    assert as_org_admin.patch(URL, [{"id": str(foreign.pk), "comment": "x"}]).status_code == 400
    assert as_org_admin.delete(f"{URL}?ids={foreign.pk}").status_code == 204
    node = make_node()
    assert (
        as_org_admin.put(f"/api/v1/assets/nodes/{node.pk}/assets/add/", {"assets": [str(foreign.pk)]}).status_code
        == 400
    )
    assert Asset.objects.filter(pk=foreign.pk, comment="").exists()


@pytest.mark.parametrize("role", ["as_anonymous", "as_user", "as_auditor"])
def test_assets_are_for_administrators(role: str, request: pytest.FixtureRequest) -> None:
    client: APIClient = request.getfixturevalue(role)
    expected = 401 if role == "as_anonymous" else 403
    assert client.get(URL).status_code == expected
    assert client.post(URL, body()).status_code == expected


def test_options_describe_the_form(as_org_admin: APIClient) -> None:
    actions = as_org_admin.options(URL).json()["actions"]
    post = actions["POST"]
    assert post["hostname"]["required"] is True
    assert (post["hostname"]["type"], post["hostname"]["max_length"]) == ("string", 128)
    assert (post["protocols"]["type"], post["protocols"]["default"]) == ("list", ["ssh/22"])
    assert post["protocols"]["child"]["type"] == "regex"
    assert (post["protocols"]["min_length"], post["protocols"]["max_length"]) == (1, 5)
    assert post["nodes"]["type"] == "field"
    assert post["connectivity"]["read_only"] is True
    assert [choice["value"] for choice in post["protocol"]["choices"]] == ["ssh", "rdp", "telnet", "vnc", "winrm"]
    assert actions["GET"]["hostname"]["filter"] is True
    assert "PATCH" in actions


@pytest.mark.spec("S3-034")
def test_connectivity_is_reachable_unreachable_or_unknown(as_org_admin: APIClient) -> None:
    answer = as_org_admin.options(URL, headers={"Accept-Language": "en"}).json()
    choices = answer["actions"]["GET"]["connectivity"]["choices"]
    assert {choice["value"]: choice["display_name"] for choice in choices} == {
        "unknown": "Unknown",
        "ok": "Reachable",
        "failed": "Unreachable",
    }


@pytest.mark.parametrize("count", [1, 8])
def test_list_assets_takes_a_fixed_number_of_queries(
    as_org_admin: APIClient, count: int, django_assert_num_queries: Any
) -> None:
    admin = make_system_user(type="admin")
    for _ in range(count):
        make_asset(nodes=[make_node()], admin_user_id=admin.pk)
    as_org_admin.get(URL)
    with django_assert_num_queries(8):
        as_org_admin.get(f"{URL}?limit=20")


def test_seven_built_in_platforms_cannot_be_deleted(as_admin: APIClient, as_org_admin: APIClient) -> None:
    rows = as_org_admin.get("/api/v1/assets/platforms/").json()
    assert [(row["id"], row["name"]) for row in rows] == list(
        enumerate(["Linux", "Unix", "MacOS", "BSD", "Windows", "Windows2016", "Other"], start=1)
    )
    assert rows[5]["meta"] == {"security": "tls"}
    assert as_admin.patch("/api/v1/assets/platforms/1/", {"comment": "x"}).status_code == 403
    assert as_admin.delete("/api/v1/assets/platforms/1/").status_code == 403
    assert as_org_admin.post("/api/v1/assets/platforms/", {"name": "mine", "base": "Linux"}).status_code == 403
    made = as_admin.post(
        "/api/v1/assets/platforms/",
        {"name": "Win11", "base": "Windows", "meta": {"security": "nla", "console": "true"}},
    )
    assert made.status_code == 201, made.data
    assert made.json()["id"] > 7
    assert made.json()["internal"] is False
    assert as_admin.delete(f"/api/v1/assets/platforms/{made.json()['id']}/").status_code == 204
    assert Platform.objects.count() == 7


def test_platform_in_use_is_not_deleted(as_admin: APIClient) -> None:
    made = as_admin.post("/api/v1/assets/platforms/", {"name": "mine", "base": "Linux"}).json()
    make_asset(platform="mine")
    answer = as_admin.delete(f"/api/v1/assets/platforms/{made['id']}/")
    assert (answer.status_code, answer.json()["code"]) == (400, "referenced_by_others")


def test_favorites_belong_to_their_user(as_user: APIClient, as_org_admin: APIClient) -> None:
    asset = make_asset()
    url = "/api/v1/assets/favorite-assets/"
    assert as_user.post(url, {"asset": str(asset.pk)}).status_code == 201
    assert as_user.post(url, {"asset": str(asset.pk)}).status_code == 201
    assert [row["asset"] for row in as_user.get(url).json()] == [str(asset.pk)]
    assert as_org_admin.get(url).json() == []
    assert as_org_admin.delete(f"{url}?asset={asset.pk}").status_code == 204
    assert len(as_user.get(url).json()) == 1
    assert as_user.delete(f"{url}?asset={asset.pk}").status_code == 204
    assert as_user.get(url).json() == []


def test_change_of_one_field_of_a_platform_keeps_concurrent_changes_of_others() -> None:
    stale = platforms.create_platform(actor=SYSTEM, values={"name": "Router", "base": "Other"})
    Platform.objects.filter(pk=stale.pk).update(comment="of the branch")
    platforms.update_platform(actor=SYSTEM, platform=stale, values={"name": "Switch"})
    row = Platform.objects.get(pk=stale.pk)
    assert (row.name, row.comment) == ("Switch", "of the branch")
