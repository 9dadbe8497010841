"""The list of organizations and the current organization of a request."""

import pytest
from django.core.management import call_command
from rest_framework.test import APIClient

from postern.apps.orgs.models import Organization
from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID

pytestmark = pytest.mark.django_db

CURRENT = "/api/v1/orgs/orgs/current/"


def test_default_organization_exists_after_migration() -> None:
    assert Organization.objects.get(pk=DEFAULT_ORG_ID).name == "Default"
    call_command("migrate", verbosity=0)
    assert Organization.objects.count() == 1


@pytest.mark.spec("S3-004", "S3-005", "S7-031")
def test_current_organization_without_a_choice_is_the_default(as_user: APIClient) -> None:
    assert as_user.get(CURRENT).json() == {
        "id": str(DEFAULT_ORG_ID),
        "name": "Default",
        "is_default": True,
        "is_root": False,
        "comment": "",
    }


@pytest.mark.parametrize("named", [str(ROOT_ORG_ID), "root", "ROOT"])
def test_current_organization_root_is_for_roles_that_see_everything(
    as_admin: APIClient, as_org_admin: APIClient, named: str
) -> None:
    current = as_admin.get(CURRENT, headers={"X-JMS-ORG": named}).json()
    assert (current["id"], current["name"], current["is_root"]) == (str(ROOT_ORG_ID), "GLOBAL", True)
    assert as_org_admin.get(CURRENT, headers={"X-JMS-ORG": named}).status_code == 403


@pytest.mark.spec("S7-032")
def test_organization_is_taken_from_query_then_header_then_cookie(as_admin: APIClient) -> None:
    other = Organization.objects.create(name="Other")
    as_admin.cookies["X-JMS-ORG"] = str(ROOT_ORG_ID)
    assert as_admin.get(CURRENT).json()["is_root"]
    assert as_admin.get(CURRENT, headers={"X-JMS-ORG": "default"}).json()["is_default"]
    answer = as_admin.get(f"{CURRENT}?oid={other.pk}", headers={"X-JMS-ORG": "default"})
    assert answer.json()["name"] == "Other"
    assert as_admin.get(CURRENT, headers={"X-JMS-ORG": "Other"}).json()["id"] == str(other.pk)


@pytest.mark.parametrize("named", ["nobody", "0", "a" * 500, "x\x00y", "00000000-0000-0000-0000-00000000000F", "%"])
def test_k68_unknown_organization_is_never_replaced_by_another(as_admin: APIClient, named: str) -> None:
    answer = as_admin.get(CURRENT, {"oid": named})
    assert (answer.status_code, answer.json()["code"]) == (404, "organization_unknown")


@pytest.mark.spec("S7-046")
@pytest.mark.usefixtures("licensed")
def test_organization_list_is_for_the_system_administrator(
    as_admin: APIClient, as_org_admin: APIClient, as_anonymous: APIClient
) -> None:
    for url in ("/api/v1/orgs/orgs/", "/api/v1/xpack/orgs/"):
        row = as_admin.get(url).json()[0]
        assert (row["id"], row["is_default"], row["is_root"]) == (str(DEFAULT_ORG_ID), True, False)
        assert as_org_admin.get(url).status_code == 403
        assert as_anonymous.get(url).status_code == 401
