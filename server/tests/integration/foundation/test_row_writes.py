"""Reusable write statements: they write the same as `save`."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from postern.apps.assets.models import Asset, AssetProtocol, Platform
from postern.apps.audits.models import AuditEvent
from postern.foundation.database import row_writes
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID, new_id

pytestmark = pytest.mark.django_db


def _asset(number: int, **columns: Any) -> Asset:
    linux = Platform.objects.get(name="Linux")
    return Asset(
        hostname=f"h{number}", ip="192.0.2.1", platform=linux, dense_id=number, org_id=DEFAULT_ORG_ID, **columns
    )


@pytest.mark.parametrize("count", [0, 1, 3])
def test_inserted_rows_equal_those_of_save(count: int) -> None:
    rows = [_asset(number, cpu_count=number, admin_user_id=new_id()) for number in range(count)]
    row_writes.insert(rows)
    saved = _asset(99, cpu_count=1)
    saved.save(force_insert=True)
    stored = {row.pk: row for row in Asset.objects.exclude(pk=saved.pk)}
    names = [field.attname for field in Asset._meta.concrete_fields]
    assert len(stored) == count
    for row in rows:
        assert not row._state.adding
        assert [getattr(stored[row.pk], name) for name in names] == [getattr(row, name) for name in names]
        assert abs(row.date_created - clock.now()) < timedelta(minutes=5)


def test_generated_keys_json_and_null_are_stored() -> None:
    asset = _asset(1)
    row_writes.insert([asset])
    row_writes.insert(
        [AssetProtocol(asset=asset, name="ssh", port=22), AssetProtocol(asset=asset, name="rdp", port=3389)]
    )
    assert len(set(AssetProtocol.objects.values_list("pk", flat=True))) == 2
    common = {
        "org_id": DEFAULT_ORG_ID,
        "event": "x",
        "action": "other",
        "actor_kind": "user",
        "user": "u",
        "resource_type": "t",
    }
    values = {"ключ": ["值", None, 1, {"a": True}]}
    row_writes.insert(
        [AuditEvent(**common, sequence=10**6, new=values), AuditEvent(**common, sequence=10**6 + 1, old=values)]
    )
    first, second = AuditEvent.objects.filter(event="x").order_by("sequence")
    assert (first.old, first.new, second.old, second.new) == (None, values, values, None)
    assert AuditEvent.objects.filter(event="x", old__isnull=True).count() == 1


def test_only_the_named_columns_of_the_given_rows_are_changed() -> None:
    rows = [_asset(number) for number in range(3)]
    row_writes.insert(rows)
    before = {row.pk: row.date_updated for row in Asset.objects.all()}
    for row in rows[:2]:
        row.comment, row.vendor, row.ip = f"changed {row.hostname}", None, "198.51.100.1"
    row_writes.change(rows[:2], ("comment", "vendor", "date_updated"))
    row_writes.change(rows, ())
    row_writes.change([], ("comment",))
    stored = [Asset.objects.get(pk=row.pk) for row in rows]
    assert [row.comment for row in stored] == ["changed h0", "changed h1", ""]
    assert {row.ip for row in stored} == {"192.0.2.1"}
    assert [row.date_updated > before[row.pk] for row in stored] == [True, True, False]


def test_row_that_is_present_is_left_out_when_asked() -> None:
    rows = [_asset(number) for number in range(2)]
    row_writes.insert(rows[:1])
    row_writes.insert(rows, unless_present=True)
    assert set(Asset.objects.values_list("pk", flat=True)) == {row.pk for row in rows}
    with pytest.raises(IntegrityError), transaction.atomic():
        row_writes.insert(rows)


def test_only_the_given_rows_are_deleted() -> None:
    rows = [_asset(number) for number in range(3)]
    row_writes.insert(rows)
    row_writes.delete([])
    row_writes.delete(rows[:2])
    assert list(Asset.objects.all()) == [rows[2]]
