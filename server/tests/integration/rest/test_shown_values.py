"""The fast rendering of rows equals the output of Django REST framework, field by field."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone as django_timezone
from rest_framework import serializers

from factories.grants import make_asset, make_node
from postern.apps.assets.assets.api.serializers import AssetSerializer
from postern.apps.assets.models import Asset, HostKey, Label
from postern.apps.vault.models import SystemUserAsset
from postern.foundation.rest.serializers import ResourceSerializer
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db

#: An ordinary zone, a zone behind UTC by a half hour, one whose offset had seconds before 1912, and UTC.
ZONES = [ZoneInfo("Asia/Shanghai"), ZoneInfo("America/St_Johns"), ZoneInfo("Africa/Abidjan"), UTC]
INSTANTS = [
    datetime(2026, 11, 21, 15, 47, 3, 999_999, tzinfo=UTC),
    datetime(1880, 1, 1, tzinfo=UTC),
    datetime(987, 6, 5, 4, 3, 2, tzinfo=UTC),
    datetime(2024, 2, 29, 23, 59, 59, tzinfo=timezone(timedelta(hours=-11, minutes=-30))),
    datetime(1, 1, 1, tzinfo=UTC),
]


class _Everything(ResourceSerializer):
    """The different ways in which fields get their values."""

    name_of_platform = serializers.CharField(source="platform.name", read_only=True)
    missing = serializers.CharField(source="platform.nothing", read_only=True)
    missing_too = serializers.CharField(source="nothing", read_only=True, default="default")
    called = serializers.CharField(source="get_connectivity_display", read_only=True)
    computed = serializers.CharField(source="hardware_info", read_only=True)
    number_as_text = serializers.CharField(source="cpu_count", read_only=True)
    hex_id = serializers.UUIDField(source="id", format="hex", read_only=True)
    day = serializers.DateTimeField(source="date_created", format="%d.%m.%Y", read_only=True)

    class Meta:
        model = Asset
        fields = (
            "id", "name_of_platform", "missing", "missing_too", "called", "computed", "number_as_text", "hex_id", "day",
            "platform", "labels", "nodes", "connectivity", "is_active", "cpu_count", "cpu_cores", "date_created", "date_verified",
        )  # fmt: skip


class _Dated(ResourceSerializer):
    class Meta:
        model = Asset
        fields = ("id", "date_created")


def _asset() -> Asset:
    asset = make_asset("web-1", nodes=[make_node("web")])
    asset.labels.add(Label.objects.create(org_id=DEFAULT_ORG_ID, name="env", value="prod"))
    Asset.objects.filter(pk=asset.pk).update(cpu_count=4, vendor="Dell", date_created=INSTANTS[0])
    return Asset.objects.get(pk=asset.pk)


@pytest.mark.parametrize("kind", [_Everything, AssetSerializer])
def test_row_is_rendered_as_by_the_framework(kind: type[ResourceSerializer]) -> None:
    row, context = _asset(), {"admin_user_names": {}}
    plain = serializers.Serializer.to_representation(kind(context=context), row)
    rendered = kind(context=context).to_representation(row)
    assert (rendered, list(rendered)) == (dict(plain), list(plain))
    assert rendered["nodes"]
    assert rendered["labels"]


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("instant", INSTANTS)
def test_instants_are_rendered_as_by_strftime(zone: Any, instant: datetime) -> None:
    row = Asset(hostname="h", ip="i", org_id=DEFAULT_ORG_ID, date_created=instant, date_updated=instant)
    with django_timezone.override(zone):
        try:
            expected: Any = instant.astimezone(zone).strftime("%Y/%m/%d %H:%M:%S %z")
        except OverflowError:
            with pytest.raises(serializers.ValidationError):
                _Dated().to_representation(row)
            return
        assert _Dated().to_representation(row)["date_created"] == expected


def test_foreign_key_is_rendered_without_a_query(django_assert_num_queries: Any) -> None:
    asset = _asset()

    class Binding(ResourceSerializer):
        class Meta:
            model = SystemUserAsset
            fields = ("id", "asset", "systemuser")

    class Key(ResourceSerializer):
        class Meta:
            model = HostKey
            fields = ("id", "asset")

    bound = SystemUserAsset(asset_id=asset.pk, systemuser_id=None)
    with django_assert_num_queries(0):
        assert Binding().to_representation(bound)["asset"] == asset.pk
        assert Binding().to_representation(bound)["systemuser"] is None
        assert Key().to_representation(HostKey(asset_id=asset.pk))["asset"] == asset.pk
