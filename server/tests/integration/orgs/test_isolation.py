"""For every route: objects of another organization are not found (K16, K63), and the root organization is read-only
(K68).

The routes come from the URL configuration. A new route either belongs to a resource that `settlements` makes in two
organizations, or is listed below with the reason why it does not depend on the organization.
"""

import re
from collections.abc import Callable
from typing import Any, Final

import pytest
from django.forms.models import model_to_dict
from rest_framework.test import APIClient

from declarations import PLAIN
from endpoints import HTTP, Endpoint
from factories.settlements import settle
from postern.apps.assets.tree.actions import ensure_root
from postern.apps.orgs.models import Organization
from postern.apps.users.models import User
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("secrets_need_no_code")]

API: Final = "/api/v1/"

#: Prefixes of paths that do not depend on the organization, with the reason.
ELSEWHERE: Final = {
    "acls/login-acls/": "about people, who belong to several organizations: test_login_acls",
    "audits/verification/": "everything is verified at once; whose numbers are shown: test_verification_on_request",
    "authentication/": "a person's own sign-ins, keys and tokens",
    "assets/platforms/": "shared by all organizations",
    "assets/system-users/<system_user_id>/temp-auth/": "for the caller; decided by their permissions",
    "assets/entered-credentials/": "the caller's own: test_entered_credentials",
    "applications/remote-apps/": "for proxies, which serve all organizations: test_remote_app_connections",
    "assets/favorite-assets/": "a person's own stars",
    "audits/login-logs/": "of people, who belong to several organizations: test_logs_api",
    "audits/password-change-logs/": "of people: test_logs_api",
    "common/resources/cache/": "keeps ids for one person; what they are used for checks each of them again",
    "terminal/recording-hits/": "rows of an index beside its sessions: test_recording_hits",
    "index/": "figures of the organization of the request, of all in the global one: test_dashboard",
    "first-run/": "what the organization of the request has, yes or no: test_first_run",
    "health/": "no data",
    "notifications/": "a person's own messages, and settings of the installation",
    "orgs/": "the organizations themselves, for super administrators",
    "perms/apply/": "a file is for one organization and names things by name: plans/test_plan_api",
    "perms/asset-permissions/cache/refresh/": "changes nothing",
    "perms/export/": "as perms/apply/",
    "perms/plan/": "as perms/apply/",
    "perms/preview/": "its own test sends ids of another organization: test_preview_api",
    "perms/new-hosts/": "its own test sends ids of another organization: test_new_hosts",
    "perms/system-users-permission/": "what is granted to the caller",
    "perms/users/<user_id>/asset-permissions/cache/": "changes nothing",
    "perms/users/assets/": "what is granted to the caller, in all organizations",
    "perms/users/applications/": "as above",
    "perms/users/asset-permissions/cache/": "changes nothing",
    "perms/users/nodes": "what is granted to the caller, in all organizations",
    "users/otp/reset/": "always refused",
    "users/users/<pk>/pubkey/update/": "the caller's own key: test_own_profile",
    "perms/users/ungroup/": "what is granted to the caller, in all organizations",
    "ops/celery/period-tasks/": "of the installation, for system administrators",
    "ops/command-executions/": "the caller's own, and for auditors those of the organization: test_batch_commands",
    "ops/command-snippets/": "the caller's own: test_command_snippets",
    "settings/": "of the installation",
    "terminal/components/": "of the installation",
    "terminal/replay-storages/": "of the installation, for super administrators",
    "terminal/command-storages/": "of the installation; its tree counts the commands of the organization: test_storages",
    "terminal/retention/": "figures and days of the organization of the request: test_retention_rules",
    "terminal/recent-assets/": "the caller's own sessions: test_sessions_api",
    "terminal/terminal-registrations/": "proxies belong to no organization",
    "terminal/terminals/": "proxies belong to no organization",
    "users/connection-token/": "for the caller; decided by his permissions",
    "users/profile/": "the caller",
    "users/service-account-registrations/": "a new account belongs to no organization: test_service_account_registration",
    "users/member-invitations/": "into other organizations, of members of this one: test_invitations",
    "users/users/suggestion/": "names people of the organizations that the caller administers: test_invitations",
    "users/users/invite/": "asks people of anywhere to join the organization of the request: test_invitations",
    "xpack/": "the organizations themselves, and the licence",
    "terminal/ssh-address/": "where the SSH front is, for everybody",
}

#: The resources of the arguments in paths. `<pk>` is an object of the resource itself.
PLACES: Final = {
    "user_id": "users/users",
    "group_id": "users/groups",
    "asset_id": "assets/assets",
    "application_id": "applications/applications",
    "node_id": "assets/nodes",
    "filter_id": "assets/cmd-filters",
    "filter_pk": "assets/cmd-filters",
    "execution_pk": "ops/adhoc-executions",
    "system_user_id": "assets/system-users",
}


@pytest.fixture
def ours(make_user: Callable[..., User]) -> dict[str, Any]:
    return settle(DEFAULT_ORG_ID, "ours", make_user)


@pytest.fixture
def theirs(make_user: Callable[..., User]) -> dict[str, Any]:
    org = Organization.objects.create(name="Theirs")
    ensure_root(actor=SYSTEM, org_id=org.pk, name="Theirs")
    return settle(org.pk, "theirs", make_user)


#: Required query parameters of lists.
DEMANDED: Final = {"terminal/commands": "?command_storage_id=default"}

RESOURCES: Final = (
    "users/users",
    "users/groups",
    "users/invitations",
    "users/users-groups-relations",
    "assets/assets",
    "assets/nodes",
    "assets/domains",
    "assets/accounts",
    "assets/account-secrets",
    "assets/gateways",
    "assets/host-keys",
    "assets/system-users",
    "assets/admin-users",
    "assets/system-users-assets-relations",
    "assets/system-users-nodes-relations",
    "assets/system-users-users-relations",
    "applications/accounts",
    "applications/account-secrets",
    "applications/applications",
    "perms/application-permissions",
    "perms/application-permissions-users-relations",
    "perms/application-permissions-user-groups-relations",
    "perms/application-permissions-applications-relations",
    "perms/application-permissions-system-users-relations",
    "perms/asset-permissions",
    "perms/asset-permissions-users-relations",
    "perms/asset-permissions-user-groups-relations",
    "perms/asset-permissions-assets-relations",
    "perms/asset-permissions-nodes-relations",
    "perms/asset-permissions-system-users-relations",
    "perms/reviews/asset-permissions",
    "perms/reviews/application-permissions",
    "terminal/sessions",
    "terminal/commands",
    "terminal/holds",
    "terminal/tasks",
    "ops/celery/task",
    "ops/ansible/task",
    "ops/adhoc",
    "ops/adhoc-executions",
    "audits/command-execution-logs",
    "audits/command-executions-hosts-relations",
    "audits/events",
    "audits/forwarded-connections",
    "audits/ftp-logs",
    "audits/operate-logs",
    *(resource.path for resource in PLAIN),
)


def tail(endpoint: Endpoint) -> str:
    return endpoint.path.removeprefix(API)


def resource_of(endpoint: Endpoint) -> str | None:
    """The resource of a route; None for the routes in `ELSEWHERE`."""
    path = tail(endpoint)
    if any(path.startswith(prefix) for prefix in ELSEWHERE):
        return None
    if path.startswith(("perms/users/", "perms/user-groups/", "perms/history/")):
        return "granted"
    return max((name for name in RESOURCES if path.startswith(f"{name}/")), key=len, default="unknown")


ROUTES: Final = [
    endpoint
    for endpoint in HTTP
    if endpoint.path.startswith(API) and endpoint.right != "page" and resource_of(endpoint)
]
LISTS: Final = [endpoint for endpoint in ROUTES if tail(endpoint).removesuffix("/") in RESOURCES]
ROWS: Final = [endpoint for endpoint in ROUTES if "<" in endpoint.path]


def url_of(endpoint: Endpoint, rows: dict[str, Any]) -> str:
    """The URL of the route with the ids of these rows."""

    def place(match: "re.Match[str]") -> str:
        if match[1].startswith("int:"):
            return "1"
        resource = PLACES.get(match[1]) or resource_of(endpoint) or ""
        return str(rows[resource].pk)

    return re.sub(r"<([^>]+)>", place, endpoint.path)


def call(client: APIClient, endpoint: Endpoint, url: str, body: Any = None, org: object = DEFAULT_ORG_ID) -> Any:
    client.raise_request_exception = False
    method = getattr(client, endpoint.method.lower())
    sent = {} if endpoint.method == "GET" else {"data": {} if body is None else body, "format": "json"}
    return method(url, headers={"X-JMS-ORG": str(org)}, **sent)


def state(rows: dict[str, Any]) -> dict[str, Any]:
    """The present state of each row in the database. Deleted rows are left out."""
    fresh = {name: type(row).objects.filter(pk=row.pk).first() for name, row in rows.items()}
    return {name: model_to_dict(row) for name, row in fresh.items() if row is not None}


def test_every_route_belongs_to_a_resource_or_has_a_reason() -> None:
    unknown = sorted({tail(endpoint) for endpoint in ROUTES if resource_of(endpoint) == "unknown"})
    assert unknown == [], "add the resource to factories/settlements.py, or name the path in ELSEWHERE"
    assert {resource_of(endpoint) for endpoint in ROUTES} - {"granted"} == set(RESOURCES)
    idle = [prefix for prefix in ELSEWHERE if not any(tail(endpoint).startswith(prefix) for endpoint in HTTP)]
    assert idle == []


def test_settlements_have_every_resource(ours: dict[str, Any]) -> None:
    assert set(ours) == set(RESOURCES)


@pytest.mark.parametrize("role", ["as_org_admin", "as_admin"])
def test_k16_lists_have_only_rows_of_the_organization_of_the_request(
    role: str, request: pytest.FixtureRequest, ours: dict[str, Any], theirs: dict[str, Any]
) -> None:
    client: APIClient = request.getfixturevalue(role)
    for endpoint in LISTS:
        if endpoint.method != "GET":
            continue
        name = resource_of(endpoint) or ""
        answer = call(client, endpoint, endpoint.path + DEMANDED.get(name, ""))
        assert answer.status_code == 200, endpoint
        ids = {str(row["id"]) for row in answer.json()}
        assert str(ours[name].pk) in ids, endpoint
        assert str(theirs[name].pk) not in ids, endpoint


@pytest.mark.parametrize("role", ["as_org_admin", "as_admin"])
def test_k63_rows_of_another_organization_are_not_found_by_any_route_and_stay_unchanged(
    role: str, request: pytest.FixtureRequest, ours: dict[str, Any], theirs: dict[str, Any]
) -> None:
    client: APIClient = request.getfixturevalue(role)
    before, wrong = state(theirs), []
    for endpoint in ROWS:
        status = call(client, endpoint, url_of(endpoint, theirs)).status_code
        # No administrator of an organization has the right to delete an account, so 403 is correct there.
        if status != 404 and not (status == 403 and role == "as_org_admin" and endpoint.right == "super_user"):
            wrong.append(f"{endpoint.method} {endpoint.path}: {status}")
    assert wrong == []
    assert state(theirs) == before


@pytest.mark.parametrize("role", ["as_org_admin", "as_admin"])
def test_k63_bulk_calls_do_not_change_rows_of_another_organization(
    role: str, request: pytest.FixtureRequest, ours: dict[str, Any], theirs: dict[str, Any]
) -> None:
    client: APIClient = request.getfixturevalue(role)
    before = state(theirs)
    for endpoint in LISTS:
        row = theirs[resource_of(endpoint) or ""]
        if endpoint.method == "DELETE":
            call(client, endpoint, f"{endpoint.path}?ids={row.pk}")
        elif endpoint.method in {"PUT", "PATCH"}:
            answer = call(client, endpoint, endpoint.path, [{"id": str(row.pk), "name": "mine", "comment": "mine"}])
            assert answer.status_code == 400, endpoint
    for order in ("kill", "lock", "unlock"):
        url = f"/api/v1/terminal/tasks/{order}-session/"
        answer = client.post(url, [str(theirs["terminal/sessions"].pk)], format="json")
        assert answer.json().get("ok", []) == []
    assert state(theirs) == before


def test_k68_organization_is_closed_to_the_administrator_of_another(
    as_org_admin: APIClient, ours: dict[str, Any], theirs: dict[str, Any]
) -> None:
    org_id = theirs["assets/assets"].org_id
    for endpoint in ROUTES:
        url = url_of(endpoint, theirs)
        for org in (org_id, ROOT_ORG_ID):
            assert call(as_org_admin, endpoint, url, org=org).status_code == 403, endpoint


def test_root_organization_lists_the_rows_of_all(
    as_admin: APIClient, ours: dict[str, Any], theirs: dict[str, Any]
) -> None:
    for endpoint in LISTS:
        if endpoint.method != "GET":
            continue
        name = resource_of(endpoint) or ""
        url = endpoint.path + DEMANDED.get(name, "")
        ids = {str(row["id"]) for row in call(as_admin, endpoint, url, org=ROOT_ORG_ID).json()}
        assert {str(ours[name].pk), str(theirs[name].pk)} <= ids, endpoint


@pytest.mark.spec("S2-217")
def test_k68_nothing_is_created_in_the_root_organization(
    as_admin: APIClient, ours: dict[str, Any], theirs: dict[str, Any]
) -> None:
    creating = [endpoint for endpoint in LISTS if endpoint.method == "POST"]
    assert len(creating) >= 15
    counts = {name: type(row).objects.count() for name, row in ours.items()}
    for endpoint in creating:
        for body in ({}, {"name": "x"}, [{"name": "x"}]):
            answer = call(as_admin, endpoint, endpoint.path, body, org=ROOT_ORG_ID)
            assert (answer.status_code, answer.json()["code"]) == (400, "root_org_read_only"), endpoint
            assert answer.json()["detail"]
    assert {name: type(row).objects.count() for name, row in ours.items()} == counts


#: Writes that the root organization permits: they belong to no organization, or only withdraw access.
ALSO_IN_ROOT: Final = (
    "assets/cmd-filters/<pk>/try-line/",  # judges lines and changes nothing
    "assets/cmd-filters/<filter_id>/recent-commands/",  # judges stored commands and changes nothing
    "users/users/",  # some accounts belong to no organization
    "terminal/",  # watching, verifying and terminating sessions
    "audits/verification/",  # reads all logs and changes nothing of an organization
)


def test_k68_nothing_is_changed_or_deleted_in_the_root_organization(
    as_admin: APIClient, ours: dict[str, Any], theirs: dict[str, Any]
) -> None:
    before, wrong = (state(ours), state(theirs)), []
    for endpoint in ROUTES:
        if endpoint.method == "GET" or tail(endpoint).startswith(ALSO_IN_ROOT):
            continue
        body: Any = {}
        if endpoint in LISTS and endpoint.method in {"PUT", "PATCH"}:
            body = [{"id": str(theirs[resource_of(endpoint) or ""].pk)}]
        url = url_of(endpoint, theirs)
        if endpoint in LISTS and endpoint.method == "DELETE":
            url += f"?ids={theirs[resource_of(endpoint) or ''].pk}"
        answer = call(as_admin, endpoint, url, body, org=ROOT_ORG_ID)
        if answer.status_code != 400 or answer.json().get("code") != "root_org_read_only":
            wrong.append(f"{endpoint.method} {endpoint.path}: {answer.status_code}")
    assert wrong == []
    assert (state(ours), state(theirs)) == before
