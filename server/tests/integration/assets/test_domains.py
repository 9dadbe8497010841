from functools import partial
from typing import Any

import pytest
from rest_framework.test import APIClient

from factories.at_once import at_once
from factories.grants import make_asset, make_domain, make_gateway
from postern.apps.assets.domains.actions import update_domain
from postern.apps.assets.domains.errors import WayRefused
from postern.apps.assets.models import Asset, Domain
from postern.apps.audits.models import AuditEvent
from postern.apps.users.models import User
from postern.foundation import installation
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.ids import new_id

pytestmark = pytest.mark.django_db

URL = "/api/v1/assets/domains/"
ASSETS = "/api/v1/assets/assets/"


@pytest.mark.spec("S1-018")
def test_domain_counts_its_assets_and_gateways(as_org_admin: APIClient) -> None:
    inside, other = make_asset("in-1"), make_asset("out-1")
    made = as_org_admin.post(URL, {"name": "branch", "assets": [str(inside.pk)], "comment": "Bern"})
    assert made.status_code == 201, made.json()
    domain = Domain.objects.get(pk=made.json()["id"])
    make_gateway("gate-1", domain)
    make_gateway("gate-2", domain)
    row = as_org_admin.get(f"{URL}{domain.pk}/").json()
    assert (row["name"], row["asset_count"], row["gateway_count"], row["application_count"]) == ("branch", 1, 2, 0)
    assert row["assets"] == [str(inside.pk)]
    assert as_org_admin.get(f"{ASSETS}{inside.pk}/").json()["domain_display"] == "branch"
    assert [row["hostname"] for row in as_org_admin.get(f"{ASSETS}?domain={domain.pk}").json()] == ["in-1"]
    changed = as_org_admin.patch(f"{URL}{domain.pk}/", {"assets": [str(other.pk)]})
    assert changed.json()["assets"] == [str(other.pk)]
    assert set(Asset.objects.filter(domain=domain)) == {other}
    events = AuditEvent.objects.filter(event="asset.updated").order_by("sequence")
    assert [(event.old, event.new) for event in events] == [
        ({"domain_id": None}, {"domain_id": str(domain.pk)}),
        ({"domain_id": str(domain.pk)}, {"domain_id": None}),
        ({"domain_id": None}, {"domain_id": str(domain.pk)}),
    ]


@pytest.mark.spec("S3-029")
def test_asset_gets_and_leaves_a_domain(as_org_admin: APIClient) -> None:
    domain, asset = make_domain("branch"), make_asset()
    body = {"hostname": "new-1", "ip": "203.0.113.4", "platform": "Linux", "domain": str(domain.pk)}
    made = as_org_admin.post(ASSETS, body).json()
    assert (made["domain"], made["domain_display"]) == (str(domain.pk), "branch")
    items = [{"id": made["id"], "domain": None}, {"id": str(asset.pk), "domain": str(domain.pk)}]
    assert as_org_admin.patch(ASSETS, items).status_code == 200
    assert set(Asset.objects.filter(domain=domain)) == {asset}


def test_domain_in_use_is_not_deleted(as_org_admin: APIClient) -> None:
    """An asset that lost its domain would be connected to directly."""
    outer = make_domain("outer")
    inner = make_domain("inner", through=outer, assets=[make_asset("in-1", ip="192.0.2.8")])
    make_gateway("gate-1", outer)
    for domain, users in ((outer, ("inner", "gate-1")), (inner, ("in-1",))):
        answer = as_org_admin.delete(f"{URL}{domain.pk}/")
        assert answer.status_code == 400
        assert all(name in answer.json()["detail"] for name in users)
    empty = make_domain("empty")
    assert as_org_admin.delete(f"{URL}{empty.pk}/").status_code == 204


def test_circles_and_long_ways_are_refused_with_the_field(as_org_admin: APIClient) -> None:
    first = make_domain("one")
    chain = [first]
    for name in ("two", "three", "four"):
        chain.append(make_domain(name, through=chain[-1]))
    circle = as_org_admin.patch(f"{URL}{first.pk}/", {"reached_through": str(chain[2].pk)})
    assert circle.status_code == 400
    assert "three" in circle.json()["reached_through"][0]
    assert as_org_admin.patch(f"{URL}{first.pk}/", {"reached_through": str(first.pk)}).status_code == 400
    fifth = as_org_admin.post(URL, {"name": "five", "reached_through": str(chain[3].pk)})
    assert fifth.status_code == 400
    assert list(fifth.json()) == ["reached_through"]
    before = as_org_admin.patch(f"{URL}{first.pk}/", {"reached_through": str(make_domain("zero").pk)})
    assert before.status_code == 400


def test_domains_and_assets_of_other_organizations_cannot_be_named(as_org_admin: APIClient) -> None:
    foreign = Domain.objects.create(org_id=new_id(), name="theirs")
    assert "reached_through" in as_org_admin.post(URL, {"name": "a", "reached_through": str(foreign.pk)}).json()
    asset = make_asset()
    assert "domain" in as_org_admin.patch(f"{ASSETS}{asset.pk}/", {"domain": str(foreign.pk)}).json()
    assert as_org_admin.get(f"{URL}{foreign.pk}/").status_code == 404


@pytest.mark.parametrize(("path", "key"), [("domains/?gateway=1", "gateways"), ("assets/{asset}/gateways/", "")])
def test_k73_gateways_are_listed_without_secrets(
    as_org_admin: APIClient, as_user: APIClient, people: dict[str, User], path: str, key: str
) -> None:
    asset = make_asset()
    domain = make_domain("branch", assets=[asset])
    make_gateway("b-gate", domain, password="canary-77", comment="")
    make_gateway("a-gate", domain)
    url = "/api/v1/assets/" + path.format(asset=asset.pk)
    answer = as_org_admin.get(url)
    assert "canary-77" not in answer.content.decode()
    body: Any = answer.json()
    rows = body[0][key] if key else body
    assert [row["name"] for row in rows] == ["a-gate", "b-gate"]
    assert not {"password", "private_key", "public_key"} & set(rows[0])
    assert as_user.get(url).status_code == 403


@pytest.mark.django_db(transaction=True)
def test_two_administrators_cannot_close_a_circle_together() -> None:
    installation.run()
    one, two = make_domain("one"), make_domain("two")

    def lead(domain: Domain, through: Domain) -> bool:
        try:
            update_domain(actor=SYSTEM, domain=domain, values={"reached_through": through})
        except WayRefused:
            return False
        return True

    assert sorted(at_once(partial(lead, one, two), partial(lead, two, one))) == [False, True]
