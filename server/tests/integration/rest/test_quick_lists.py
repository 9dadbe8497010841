"""Serializers that are kept show what a new one would show: in whichever language and zone, and after every change."""

from typing import Any
from unittest import mock

import pytest
from rest_framework.fields import CharField, SerializerMethodField
from rest_framework.test import APIClient

from factories.grants import make_asset
from postern.apps.assets.models import Asset, Label, Platform
from postern.apps.orgs.facade import create_organization
from postern.apps.orgs.models import Organization
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.rest import quick_lists, serializers
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db
ASSETS = "/api/v1/assets/assets/"


@pytest.fixture
def branch(db: None) -> Organization:
    """Two assets at home, one of them labelled, and one in a branch."""
    labelled = make_asset("web-1")
    labelled.labels.add(Label.objects.create(org_id=DEFAULT_ORG_ID, name="stage", value="live"))
    make_asset("web-2")
    found = create_organization(actor=SYSTEM, name="Branch")
    make_asset("web-3", org_id=found.pk)
    return found


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
        mock.patch.object(quick_lists, "shown", return_value=None),
        mock.patch.object(serializers, "shown", return_value=None),
    ):
        return _rows(client, org, **asked)


def test_list_is_the_same_whoever_asked_before(as_admin: APIClient, branch: Organization) -> None:
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


def test_next_request_sees_what_has_changed_beside_the_row(as_admin: APIClient, branch: Organization) -> None:
    before = _rows(as_admin)[0]
    assert (before["labels_display"], before["org_name"]) == (["stage:live"], "Default")
    Label.objects.update(value="test")
    Platform.objects.filter(pk=Asset.objects.get(hostname="web-1").platform_id).update(charset="gbk")
    Organization.objects.filter(pk=DEFAULT_ORG_ID).update(name="Renamed")
    after = _rows(as_admin)[0]
    assert (after["labels_display"], after["org_name"], after["charset"]) == (["stage:test"], "Renamed", "gbk")


def test_one_object_is_shown_as_in_the_list(as_admin: APIClient, branch: Organization) -> None:
    for row in _rows(as_admin):
        assert as_admin.get(f"{ASSETS}{row['id']}/", headers={"Accept-Language": "en", "X-TZ": "UTC"}).json() == row


def test_kept_serializers_hold_nothing_of_the_request_and_are_bounded(
    as_admin: APIClient, branch: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick_lists, "_MOST", 3)
    quick_lists._kept.free.clear()
    for number in range(5):
        _rows(as_admin, fields=f"id,hostname,{number}")
        assert 1 <= len(quick_lists._kept.free) <= 3
    assert [one._context for one in quick_lists._kept.free.values()] == [{}] * len(quick_lists._kept.free)


class _Request:
    method, query_params = "GET", dict[str, str]()


def _shown(kind: Any, *hostnames: str) -> Any:
    return quick_lists.shown(kind(context={"request": _Request()}), [Asset(hostname=name) for name in hostnames])


class _Plain(serializers.ResourceSerializer):
    class Meta:
        model = Asset
        fields: tuple[str, ...] = ("hostname",)


def test_serializer_is_kept_without_saying_so() -> None:
    assert _shown(_Plain, "web-1", "web-2") == [{"hostname": "web-1"}, {"hostname": "web-2"}]


def test_serializer_that_remembers_anything_is_not_kept() -> None:
    class Counting(_Plain):
        place = SerializerMethodField()
        _seen = 0

        class Meta(_Plain.Meta):
            fields = ("hostname", "place")

        def get_place(self, asset: Asset) -> int:
            self._seen += 1
            return self._seen

    class OfTheFirst(Counting):
        def get_place(self, asset: Asset) -> int:
            self._seen = self._seen or len(asset.hostname)  # the same for all rows of one answer, but not of the next
            return self._seen

    for kind in (Counting, OfTheFirst):
        for _ in range(2):
            assert _shown(kind, "web-1", "web-2") is None


def test_field_that_remembers_anything_is_not_kept() -> None:
    class Remembering(CharField):
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.known: dict[str, str] = {}

        def to_representation(self, value: Any) -> str:
            return self.known.setdefault(value, value.upper())

    class Remembered(_Plain):
        hostname = Remembering()

    assert _shown(Remembered, "web-1") is None


def test_serializer_with_fields_of_its_own_making_is_not_kept() -> None:
    class OfTheCaller(_Plain):
        def get_fields(self) -> Any:
            return super().get_fields() if self.context.get("actor") else {}

    assert _shown(OfTheCaller, "web-1") is None


def test_kept_serializer_shows_each_row_as_if_it_were_the_only_one() -> None:
    class WithInstance(_Plain):
        own = SerializerMethodField()

        class Meta(_Plain.Meta):
            fields = ("own",)

        def get_own(self, asset: Asset) -> bool:
            return self.instance is asset

    assert _shown(WithInstance, "web-1", "web-2") == [{"own": True}, {"own": True}]
