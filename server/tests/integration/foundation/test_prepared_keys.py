"""Rows that are read by key with compiled queries equal those of the queryset, for any number of keys."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from factories.grants import make_asset
from postern.apps.assets.models import Asset
from postern.apps.assets.tree.actions import ensure_root
from postern.apps.orgs.models import Organization
from postern.apps.users.models import User
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.caller.scope import DEFAULT, ROOT, OrgScope
from postern.foundation.database.prepared_keys import MOST_KEYS
from postern.foundation.rest.relations import rows_by_key, rows_in_scope
from postern.kernel.ids import new_id

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("count", [0, 1, 2, 3, 17])
def test_rows_of_any_number_of_keys_equal_those_of_the_queryset(count: int) -> None:
    assets = [make_asset(f"web-{number:02}") for number in range(20)][:count]
    keys = [new_id(), *(asset.pk for asset in assets)]
    expected = rows_in_scope(Asset.objects.all(), DEFAULT).in_bulk(keys)
    found = rows_by_key(Asset, keys, DEFAULT)
    assert found == expected
    assert [vars(found[key])["hostname"] for key in expected] == [row.hostname for row in expected.values()]


def test_many_keys_are_read_in_chunks() -> None:
    asset = make_asset("web-1")
    with CaptureQueriesContext(connection) as queries:
        assert list(rows_by_key(Asset, [*(new_id() for _ in range(MOST_KEYS)), asset.pk], DEFAULT)) == [asset.pk]
    assert len(queries) == 2


def test_rows_of_other_organizations_are_left_out(make_user: Callable[..., User]) -> None:
    other = Organization.objects.create(name="other")
    here, there = make_user("ann"), make_user("bob", org_id=other.pk)
    ensure_root(actor=SYSTEM, org_id=other.pk, name=other.name)
    own, foreign = make_asset("web-1"), make_asset("web-2", org_id=other.pk)
    for scope, user, asset in ((DEFAULT, here, own), (OrgScope(other.pk), there, foreign)):
        assert list(rows_by_key(User, [here.pk, there.pk], scope)) == [user.pk]
        assert list(rows_by_key(Asset, [own.pk, foreign.pk], scope)) == [asset.pk]
    for everywhere in (ROOT, None):
        assert set(rows_by_key(User, [here.pk, there.pk], everywhere)) == {here.pk, there.pk}
        assert set(rows_by_key(Asset, [own.pk, foreign.pk], everywhere)) == {own.pk, foreign.pk}
