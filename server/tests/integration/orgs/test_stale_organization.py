"""The cookie of an organization that was deleted, or that the user left, does not lock the user out."""

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
    """A user of the default organization, and another organization in which the user is no longer a member."""
    org = Organization.objects.create(name="Branch")
    user = make_user("ann", org_role="Admin")
    user.set_password(PASSWORD)
    user.save()
    return user, org


@pytest.fixture(params=["gone", "left", "nonsense"])
def stale(request: pytest.FixtureRequest, left: tuple[User, Organization]) -> str:
    """A cookie value that is no longer valid."""
    _user, org = left
    if request.param == "gone":
        value = str(org.pk)
        org.delete()
        return value
    return str(org.pk) if request.param == "left" else "no such organization"


def test_stale_organization_allows_sign_in_and_the_console_to_find_another(
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


def test_stale_organization_falls_back_to_an_organization_of_the_user(
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
    """Lists and writes answer with a code that tells the console to choose another organization."""
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
    # A stale organization in a header of the request is an error in every call.
    for headers in ({COOKIE: stale},):
        answer = client.get(f"{API}orgs/orgs/current/", headers=headers)
        assert (answer.status_code, answer.json()["code"]) == wanted


def test_user_without_an_organization_can_read_only_their_profile(
    left: tuple[User, Organization], stale: str, client_of: Callable[[User], APIClient]
) -> None:
    user, _org = left
    Membership.objects.filter(user=user).delete()
    client = client_of(user)
    client.cookies[COOKIE] = stale
    assert client.get(f"{API}users/profile/").status_code == 200
    assert client.get(f"{API}users/profile/invitations/").status_code == 200
    assert client.get(f"{API}orgs/orgs/current/").status_code == 403


@pytest.mark.parametrize("endpoint", [endpoint for endpoint in HTTP if endpoint.right in {"anyone", "page"}], ids=str)
def test_public_pages_do_not_depend_on_the_organization(endpoint: Endpoint) -> None:
    statuses = []
    for cookie in (None, "no such organization"):
        client = APIClient()
        if cookie:
            client.cookies[COOKIE] = cookie
        statuses.append(
            client.generic(endpoint.method, endpoint.url, "{}", content_type="application/json").status_code
        )
    assert statuses[0] == statuses[1]
