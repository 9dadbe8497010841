"""Platforms: who may write them, what protects them, their settings, and their effect on sessions."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from factories.grants import make_asset
from postern.apps.assets.models import Asset, Platform
from postern.apps.audits.models import AuditEvent
from postern.kernel.ids import new_id

pytestmark = pytest.mark.django_db
URL = "/api/v1/assets/platforms/"


def made(client: APIClient, **values: Any) -> dict[str, Any]:
    answer = client.post(URL, {"name": "mine", "base": "Linux", **values})
    assert answer.status_code == 201, answer.data
    body: dict[str, Any] = answer.json()
    return body


@pytest.mark.spec("S6-020", "S2-053")
def test_platforms_are_read_by_administrators_and_written_by_system_administrators(
    as_admin: APIClient, as_org_admin: APIClient, as_auditor: APIClient, as_user: APIClient
) -> None:
    own = made(as_admin)
    for reader in (as_auditor, as_user):
        assert reader.get(URL).status_code == 403
    assert [row["name"] for row in as_org_admin.get(URL).json()][-1] == "mine"
    assert as_org_admin.post(URL, {"name": "theirs", "base": "Linux"}).status_code == 403
    assert as_org_admin.patch(f"{URL}{own['id']}/", {"comment": "x"}).status_code == 403
    assert as_org_admin.delete(f"{URL}{own['id']}/").status_code == 403
    assert as_admin.patch(f"{URL}{own['id']}/", {"comment": "x"}).json()["comment"] == "x"
    assert as_admin.delete(f"{URL}{own['id']}/").status_code == 204


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
def test_built_in_platforms_say_why_they_stay(as_admin: APIClient, method: str) -> None:
    as_admin.credentials(HTTP_ACCEPT_LANGUAGE="en")
    before = Platform.objects.values().get(pk=1)
    answer = getattr(as_admin, method)(f"{URL}1/", {"name": "Linux2", "base": "Unix", "internal": False})
    assert answer.status_code == 403
    assert answer.json()["detail"] == "The platform Linux is built in and cannot be changed or deleted."
    assert Platform.objects.values().get(pk=1) == before


def test_number_of_assets_counts_all_organizations_and_only_system_administrators_see_it(
    as_admin: APIClient, as_org_admin: APIClient
) -> None:
    platform = made(as_admin)
    assert platform["asset_count"] == 0
    make_asset("here", platform="mine")
    Asset.objects.filter(pk=make_asset("there", platform="mine").pk).update(org_id=new_id())
    assert as_admin.get(f"{URL}{platform['id']}/").json()["asset_count"] == 2
    counts = {row["name"]: row["asset_count"] for row in as_admin.get(URL).json()}
    assert (counts["mine"], counts["Linux"]) == (2, 0)
    assert as_admin.patch(f"{URL}{platform['id']}/", {"comment": "x"}).json()["asset_count"] == 2
    assert {row["asset_count"] for row in as_org_admin.get(URL).json()} == {None}


def test_deletion_of_a_used_platform_names_assets_and_writes_nothing(
    as_admin: APIClient, django_assert_max_num_queries: Any
) -> None:
    as_admin.credentials(HTTP_ACCEPT_LANGUAGE="en")
    platform = made(as_admin)
    for number in range(5):
        make_asset(f"web-{number}", platform="mine")
    events = AuditEvent.objects.count()
    with django_assert_max_num_queries(30):
        answer = as_admin.delete(f"{URL}{platform['id']}/")
    assert (answer.status_code, answer.json()["code"]) == (400, "referenced_by_others")
    assert answer.json()["detail"] == (
        "The platform mine cannot be deleted, because assets use it: web-0 (Default), web-1 (Default), web-2 (Default)"
        " and 2 more. Give them another platform first."
    )
    assert Platform.objects.filter(pk=platform["id"]).exists()
    assert AuditEvent.objects.count() == events
    Asset.objects.update(platform_id=1)
    assert as_admin.delete(f"{URL}{platform['id']}/").status_code == 204


def test_windows_settings_are_checked_and_leave_with_the_base(as_admin: APIClient) -> None:
    platform = made(as_admin, base="Windows", meta={"security": "nla", "console": "true"})
    url = f"{URL}{platform['id']}/"
    assert platform["meta"] == {"security": "nla", "console": "true"}
    refused = as_admin.patch(url, {"meta": {"security": "none"}})
    assert (refused.status_code, list(refused.json())) == (400, ["meta"])
    assert as_admin.patch(url, {"comment": "x"}).json()["meta"] == {"security": "nla", "console": "true"}
    assert as_admin.patch(url, {"base": "Linux"}).json()["meta"] is None
    assert made(as_admin, name="bsd", base="BSD", meta={"security": "nla"})["meta"] is None


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "with space"}, "name"),
        ({"name": "Linux"}, "name"),
        ({"name": "x" * 51}, "name"),
        ({"base": "Plan9"}, "base"),
        ({"charset": "ebcdic"}, "charset"),
    ],
)
def test_bad_values_are_field_errors(as_admin: APIClient, values: dict[str, str], field: str) -> None:
    answer = as_admin.post(URL, {"name": "mine", "base": "Linux", **values})
    assert (answer.status_code, list(answer.json())) == (400, [field])
