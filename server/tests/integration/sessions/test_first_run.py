"""The checklist from an empty organization to the first connection derives each tick from stored rows."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from factories.grants import grant, make_asset, make_system_user
from factories.settlements import settle
from postern.apps.assets.facade import ensure_root_node, note_connectivity
from postern.apps.assets.models import Asset
from postern.apps.orgs.models import Organization
from postern.apps.perms.models import AssetPermission
from postern.apps.preferences.models import PreferenceValue
from postern.apps.sessions.models import Session
from postern.apps.users.models import SystemRole, User
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.ids import DEFAULT_ORG_ID
from postern.kernel.sentences import Sentence

pytestmark = pytest.mark.django_db

URL = "/api/v1/first-run/"


def done(client: APIClient) -> set[str]:
    answer = client.get(URL)
    assert answer.status_code == 200, answer.content
    return {step for step, is_done in answer.json()["steps"].items() if is_done}


def test_each_step_is_ticked_by_the_rows_that_it_leaves(
    client_of: Callable[[User | None], APIClient], make_user: Callable[..., User]
) -> None:
    as_admin = client_of(make_user("adam", role=SystemRole.ADMIN))
    assert done(as_admin) == set()
    system_user = make_system_user("deploy")
    assert done(as_admin) == {"account"}
    asset = make_asset("web-01")
    assert done(as_admin) == {"account", "host"}
    person = make_user("li")
    assert done(as_admin) == {"account", "host", "person"}
    grant("web", users=[], user_groups=[], assets=[asset], nodes=[], system_users=[system_user])
    assert done(as_admin) == {"account", "host", "person"}, "a permission for nobody opens nothing"
    permission = grant("for li", users=[person], user_groups=[], assets=[asset], nodes=[], system_users=[system_user])
    assert done(as_admin) == {"account", "host", "person", "permission"}
    AssetPermission.objects.filter(pk=permission.pk).update(date_expired=timezone.now())
    assert "permission" not in done(as_admin), "one that has ended does not count"
    Session.objects.create(
        org_id=DEFAULT_ORG_ID, user_id=person.pk, user="Li(li)", username="li", asset_id=asset.pk, asset="web-01",
        system_user_id=system_user.pk, system_user="deploy",
    )  # fmt: skip
    assert "connect" in done(as_admin)


def test_step_of_the_host_tells_whether_a_host_was_reached(as_org_admin: APIClient) -> None:
    def host() -> Any:
        return as_org_admin.get(URL).json()["host"]

    assert host() is None
    first = make_asset("web-01")
    assert host() == {"id": str(first.pk), "hostname": "web-01", "connectivity": "unknown", "connectivity_reason": ""}
    note_connectivity(first.pk, is_reachable=False, reason=Sentence("connection refused"))
    assert (host()["connectivity"], host()["connectivity_reason"]) == ("failed", "connection refused")
    second = make_asset("web-02")
    assert host()["hostname"] == "web-02", "the newest is the one that was just added"
    note_connectivity(first.pk, is_reachable=True)
    assert (host()["hostname"], host()["connectivity"]) == ("web-01", "ok")
    assert second.connectivity == "unknown"
    elsewhere = Organization.objects.create(name="Other")
    Asset.objects.update(org_id=elsewhere.pk)
    assert host() is None


def test_site_address_is_asked_for_until_it_is_reachable_or_set(as_admin: APIClient, settings: Any) -> None:
    assert as_admin.get(URL).json()["site_url"].startswith("http://localhost")
    assert "site_url" not in done(as_admin)
    answer = as_admin.patch(
        "/api/v1/settings/setting/?category=basic", {"SITE_URL": "https://postern.example.com"}, format="json"
    )
    assert answer.status_code == 200
    assert "site_url" in done(as_admin)
    assert as_admin.get(URL).json()["site_url"] == "https://postern.example.com"
    PreferenceValue.objects.all().delete()
    assert "site_url" not in done(as_admin)


def test_rows_of_another_organization_do_not_count(as_org_admin: APIClient, make_user: Callable[..., User]) -> None:
    org = Organization.objects.create(name="Other")
    ensure_root_node(actor=SYSTEM, org_id=org.pk, name="Other")
    settle(org.pk, "two", make_user)
    assert done(as_org_admin) & {"account", "host", "permission", "connect"} == set()


def test_checklist_takes_the_same_queries_with_more_rows(
    as_admin: APIClient, make_user: Callable[..., User], django_assert_max_num_queries: Any
) -> None:
    settle(DEFAULT_ORG_ID, "one", make_user)
    done(as_admin)
    with django_assert_max_num_queries(12):
        done(as_admin)
