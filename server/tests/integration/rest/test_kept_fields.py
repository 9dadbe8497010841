"""Serializer fields that are cached for each class give DRF's own output in every language and time zone, after every
change.
"""

from typing import Any
from unittest import mock

import pytest
from rest_framework.serializers import ModelSerializer
from rest_framework.test import APIClient

from factories.grants import make_asset
from postern.apps.assets.models import Asset, Label, Platform
from postern.apps.orgs.facade import create_organization
from postern.apps.orgs.models import Organization
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.rest.representation import CachedFields, QuickRows
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db
ASSETS = "/api/v1/assets/assets/"


@pytest.fixture
def branch(db: None) -> Organization:
    """Two assets in the default organization, one of them labelled, and one asset in a branch organization."""
    labelled = make_asset("web-1")
    labelled.labels.add(Label.objects.create(org_id=DEFAULT_ORG_ID, name="stage", value="live"))
    make_asset("web-2")
    organization = create_organization(actor=SYSTEM, name="Branch")
    make_asset("web-3", org_id=organization.pk)
    return organization


def _rows(client: APIClient, org: str = "default", **asked: str) -> Any:
    headers = {
        "Accept-Language": asked.pop("language", "en"),
        "X-TZ": asked.pop("zone", "UTC"),
        "X-JMS-ORG": org,
    }
    answer = client.get(ASSETS, {"order": "hostname", "limit": "15", **asked}, headers=headers)
    assert answer.status_code == 200
    return answer.json()["results"]


def _as_drf_would(client: APIClient, org: str = "default", **asked: str) -> Any:
    with (
        mock.patch.object(QuickRows, "to_representation", ModelSerializer.to_representation),
        mock.patch.object(CachedFields, "get_fields", ModelSerializer.get_fields),
    ):
        return _rows(client, org, **asked)


def test_list_does_not_depend_on_earlier_requests(as_admin: APIClient, branch: Organization) -> None:
    kinds: list[tuple[str, dict[str, str]]] = [
        ("default", {}),
        (str(branch.pk), {}),
        ("default", {"language": "zh-hans"}),
        ("default", {"zone": "Asia/Shanghai"}),
        ("default", {"zone": "Asia/Kolkata"}),
        ("default", {"fields_size": "mini"}),
        ("default", {"fields": "id,org_name"}),
        ("default", {"fields!": "comment"}),
        ("root", {}),
    ]
    expected = [_as_drf_would(as_admin, org, **asked) for org, asked in kinds]
    assert [len(rows) for rows in expected] == [2, 1, 2, 2, 2, 2, 2, 2, 3]
    assert len({str(rows) for rows in expected}) >= 6, "the kinds of questions have different answers"
    for _ in range(2):
        assert [_rows(as_admin, org, **asked) for org, asked in kinds] == expected


def test_next_request_sees_changes_of_related_rows(as_admin: APIClient, branch: Organization) -> None:
    before = _rows(as_admin)[0]
    assert (before["labels_display"], before["org_name"]) == (["stage:live"], "Default")
    Label.objects.update(value="test")
    Platform.objects.filter(pk=Asset.objects.get(hostname="web-1").platform_id).update(charset="gbk")
    Organization.objects.filter(pk=DEFAULT_ORG_ID).update(name="Renamed")
    after = _rows(as_admin)[0]
    assert (after["labels_display"], after["org_name"], after["charset"]) == (["stage:test"], "Renamed", "gbk")


def test_single_object_equals_its_row_in_the_list(as_admin: APIClient, branch: Organization) -> None:
    for row in _rows(as_admin):
        assert as_admin.get(f"{ASSETS}{row['id']}/", headers={"Accept-Language": "en", "X-TZ": "UTC"}).json() == row
