"""The cookie of an organization that is gone, or that the person has left, locks nobody out."""

from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

from endpoints import HTTP, PASSWORD, SIGN_IN, Endpoint
from postern.apps.orgs.models import Organization
from postern.apps.users.models import Membership, User
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db

API = "/api/v1/"
COOKIE = "X-JMS-ORG"


@pytest.fixture
def left(make_user: Callable[..., User]) -> tuple[User, Organization]:
    """A person of the default organization, and an organization to which they do not belong any more."""
    org = Organization.objects.create(name="Branch")
    user = make_user("ann", org_role="Admin")
    user.set_password(PASSWORD)
    user.save()
    return user, org


@pytest.fixture(params=["gone", "left", "nonsense"])
def stale(request: pytest.FixtureRequest, left: tuple[User, Organization]) -> str:
    """Values of a cookie that means nothing any more."""
    _user, org = left
    if request.param == "gone":
        value = str(org.pk)
        org.delete()
        return value
    return str(org.pk) if request.param == "left" else "no such organization"


def test_stale_organization_lets_people_sign_in_and_the_console_find_another(
    left: tuple[User, Organization], stale: str
) -> None:
    client = APIClient()
    client.cookies[COOKIE] = stale
    assert client.get(f"{API}settings/public/").status_code == 200
    assert client.get("/core/auth/login/").status_code in {200, 302, 503}
    answer = client.post(SIGN_IN, {"username": "ann", "password": PASSWORD})
    assert answer.status_code == 200, answer.content
    profile = client.get(f"{API}users/profile/")
    assert (profile.status_code, profile.json()["current_org_roles"]) == (200, ["Admin"])
    current = client.get(f"{API}orgs/orgs/current/")
    assert (current.status_code, current.json()["id"]) == (200, str(DEFAULT_ORG_ID))
    client.cookies[COOKIE] = current.json()["id"]
    assert client.get(f"{API}users/users/").status_code == 200


def test_stale_organization_falls_back_to_one_of_the_person(
    left: tuple[User, Organization], stale: str, client_of: Callable[[User], APIClient]
) -> None:
    user, _org = left
    other = Organization.objects.create(name="Other")
    Membership.objects.filter(user=user).delete()
    Membership.objects.create(user=user, org=other, role="User")
    client = client_of(user)
    client.cookies[COOKIE] = stale
    assert client.get(f"{API}orgs/orgs/current/").json()["name"] == "Other"
    assert client.get(f"{API}users/profile/").json()["current_org_roles"] == ["User"]


def test_k68_stale_organization_never_shows_or_changes_objects_of_another_one(
    left: tuple[User, Organization], stale: str, client_of: Callable[[User], APIClient]
) -> None:
    """Lists and writes answer with a code by which the console knows what to do."""
    client = client_of(left[0])
    client.cookies[COOKIE] = stale
    wanted = (
        (403, "organization_closed") if Organization.objects.filter(pk=left[1].pk, name="Branch").exists() else None
    )
    if stale == "no such organization" or wanted is None:
        wanted = (404, "organization_unknown")
    for answer in (
        client.get(f"{API}users/users/"),
        client.get(f"{API}assets/assets/"),
        client.post(f"{API}users/groups/", {"name": "made"}),
    ):
        assert (answer.status_code, answer.json()["code"]) == wanted
    # Whoever names the organization in the request itself is told so everywhere.
    for headers in ({COOKIE: stale},):
        answer = client.get(f"{API}orgs/orgs/current/", headers=headers)
        assert (answer.status_code, answer.json()["code"]) == wanted


def test_person_without_any_organization_reads_their_profile_and_nothing_else(
    left: tuple[User, Organization], stale: str, client_of: Callable[[User], APIClient]
) -> None:
    user, _org = left
    Membership.objects.filter(user=user).delete()
    client = client_of(user)
    client.cookies[COOKIE] = stale
    assert client.get(f"{API}users/profile/").status_code == 200
    assert client.get(f"{API}users/profile/invitations/").status_code == 200
    assert client.get(f"{API}orgs/orgs/current/").status_code == 403


@pytest.mark.parametrize("endpoint", [one for one in HTTP if one.right in {"anyone", "page"}], ids=str)
def test_pages_that_are_open_to_everybody_do_not_ask_for_an_organization(endpoint: Endpoint) -> None:
    statuses = []
    for cookie in (None, "no such organization"):
        client = APIClient()
        if cookie:
            client.cookies[COOKIE] = cookie
        statuses.append(
            client.generic(endpoint.method, endpoint.url, "{}", content_type="application/json").status_code
        )
    assert statuses[0] == statuses[1]
