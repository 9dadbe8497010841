"""Creating, changing and deleting organizations, their members and the objects that they own."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from factories.grants import grant, make_asset, make_group, make_node, make_system_user
from postern.apps.assets.labels.actions import LABELS
from postern.apps.assets.models import Node, TreeVersion
from postern.apps.audits.models import AuditEvent
from postern.apps.orgs import facade
from postern.apps.orgs.models import Organization
from postern.apps.users.memberships.actions import set_org_roles
from postern.apps.users.memberships.errors import LastOrganizationAdministrator
from postern.apps.users.models import Membership, User
from postern.contracts.enums import RoleBits
from postern.foundation.caller.actor import SYSTEM, Actor, ActorKind
from postern.foundation.caller.scope import DEFAULT
from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID

ORGS = "/api/v1/orgs/orgs/"
XPACK = "/api/v1/xpack/orgs/"
RELATION = "/api/v1/orgs/org-member-relation/"
pytestmark = [pytest.mark.django_db]


def create_org(client: APIClient, name: str = "Branch", **more: Any) -> dict[str, Any]:
    answer = client.post(ORGS, {"name": name, **more})
    assert answer.status_code == 201, answer.content
    body: dict[str, Any] = answer.json()
    return body


@pytest.mark.usefixtures("licensed")
def test_organization_is_created_with_its_root_node_and_members(as_admin: APIClient, people: dict[str, User]) -> None:
    body = create_org(as_admin, comment="north", admins=[str(people["user"].pk)], users=[str(people["auditor"].pk)])
    assert (body["name"], body["comment"], body["is_default"], body["is_root"]) == ("Branch", "north", False, False)
    assert not {"users", "admins", "auditors"} & set(body)
    root = Node.objects.get(org_id=body["id"])
    assert (root.value, root.is_root) == ("Branch", True)
    organization = as_admin.get(f"{ORGS}{body['id']}/").json()
    assert (organization["admins"], organization["users"], organization["auditors"]) == (
        [str(people["user"].pk)],
        [str(people["auditor"].pk)],
        [],
    )
    assert AuditEvent.objects.filter(event="organization.created", resource="Branch").exists()


@pytest.mark.usefixtures("licensed")
@pytest.mark.parametrize("scope", [str(DEFAULT_ORG_ID), str(ROOT_ORG_ID)])
def test_organization_can_be_created_from_any_current_organization(as_admin: APIClient, scope: str) -> None:
    assert as_admin.post(ORGS, {"name": "Branch"}, headers={"X-JMS-ORG": scope}).status_code == 201


@pytest.mark.usefixtures("licensed")
def test_renamed_organization_renames_its_root_node(as_admin: APIClient) -> None:
    body = create_org(as_admin)
    answer = as_admin.patch(f"{ORGS}{body['id']}/", {"name": "South/East"})
    assert answer.json()["name"] == "South/East"
    assert Node.objects.get(org_id=body["id"]).value == "South-East"
    event = AuditEvent.objects.get(event="organization.updated")
    assert (event.old, event.new) == ({"name": "Branch"}, {"name": "South/East"})


@pytest.mark.usefixtures("licensed")
@pytest.mark.parametrize("name", ["root", "ROOT", "default", "GLOBAL", str(ROOT_ORG_ID), "Default", ""])
def test_reserved_empty_or_taken_organization_name_is_refused(as_admin: APIClient, name: str) -> None:
    answer = as_admin.post(ORGS, {"name": name})
    assert (answer.status_code, list(answer.json())) == (400, ["name"])
    assert Organization.objects.count() == 1
    assert as_admin.patch(f"{ORGS}{DEFAULT_ORG_ID}/", {"name": "Default"}).status_code == 200


@pytest.mark.usefixtures("licensed")
def test_members_of_a_role_are_replaced_and_other_members_stay(
    as_admin: APIClient, people: dict[str, User], make_user: Callable[..., User]
) -> None:
    ann, bob = make_user("ann", org_role=None), make_user("bob", org_role=None)
    body = create_org(as_admin, users=[str(ann.pk)], auditors=[str(people["auditor"].pk)])
    url = f"{ORGS}{body['id']}/"
    organization = as_admin.patch(url, {"users": [str(bob.pk)], "admins": None}).json()
    assert (organization["users"], organization["admins"], organization["auditors"]) == (
        [str(bob.pk)],
        [],
        [str(people["auditor"].pk)],
    )
    assert as_admin.patch(url, {"users": ["nonsense"]}).status_code == 400
    unknown = "6f1c2b9e-6f58-4c0e-9d0c-2b7f6f0a4d11"
    assert list(as_admin.patch(url, {"users": [unknown]}).json()) == ["users"]


@pytest.mark.usefixtures("licensed")
@pytest.mark.spec("S3-056", "S3-057")
def test_organization_counts_its_objects_with_one_query(as_admin: APIClient, make_user: Callable[..., User]) -> None:
    org_id = UUID(create_org(as_admin)["id"])
    user = make_user("ann", org_id=org_id)
    Membership.objects.create(user=user, org_id=org_id, role="Admin")
    asset, node = make_asset(org_id=org_id), make_node(org_id=org_id)
    system_user = make_system_user(org_id=org_id)
    make_system_user(org_id=org_id, type="admin")
    make_system_user(org_id=org_id, type="admin")
    group = make_group(users=[user], org_id=org_id)
    grant(users=[user], user_groups=[group], assets=[asset], nodes=[node], system_users=[system_user], org_id=org_id)
    statistics = as_admin.get(f"{ORGS}{org_id}/").json()["resource_statistics"]
    assert statistics == {
        "users_amount": 1,
        "groups_amount": 1,
        "assets_amount": 1,
        "nodes_amount": 2,
        "admin_users_amount": 2,
        "system_users_amount": 1,
        "domains_amount": 0,
        "gateways_amount": 0,
        "applications_amount": 0,
        "asset_perms_amount": 1,
        "app_perms_amount": 0,
    }

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert as_admin.get(f"{ORGS}?limit=15").status_code == 200
        return len(captured)

    few = queries()
    for number in range(5):
        create_org(as_admin, f"Branch {number}")
    assert queries() == few
    in_list = {row["id"]: row["resource_statistics"] for row in as_admin.get(ORGS).json()}
    assert in_list[str(org_id)] == statistics


@pytest.mark.usefixtures("licensed")
def test_only_counts_of_large_organizations_are_kept_for_a_minute(
    as_admin: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(facade, "_MANY_OBJECTS", 3)
    large, small = UUID(create_org(as_admin, "Large")["id"]), UUID(create_org(as_admin, "Small")["id"])

    def assets() -> list[int]:
        counted = facade.statistics([large, small])
        return [counted[org_id]["assets_amount"] for org_id in (large, small)]

    for _ in range(3):
        make_asset(org_id=large)
    make_asset(org_id=small)
    assert assets() == [3, 1]
    make_asset(org_id=large)
    make_asset(org_id=small)
    assert assets() == [3, 2], "the small one is counted anew"
    cache.clear()  # the minute is over
    assert assets() == [4, 2]


@pytest.mark.usefixtures("licensed")
def test_organization_is_deleted_with_its_root_node_only_when_empty(
    as_admin: APIClient, make_user: Callable[..., User]
) -> None:
    org_id = create_org(as_admin)["id"]
    url = f"{ORGS}{org_id}/"
    user = make_user("ann", org_id=org_id)
    LABELS.create(actor=SYSTEM, org_id=org_id, values={"name": "k", "value": "v"})
    refused = as_admin.delete(url, headers={"Accept-Language": "en"})
    assert refused.status_code == 403
    assert "People (1), Labels (1)" in refused.json()["detail"]
    user.delete()
    as_admin.delete(f"/api/v1/assets/labels/?oid={org_id}&name=k")
    assert as_admin.delete(url).status_code == 204
    assert not Organization.objects.filter(pk=org_id).exists()
    assert not Node.objects.filter(org_id=org_id).exists()
    assert not TreeVersion.objects.filter(org_id=org_id).exists()
    assert AuditEvent.objects.filter(event="organization.deleted").exists()


OWNED: dict[str, Callable[[Any], Any]] = {
    "group": lambda org_id: make_group(org_id=org_id),
    "asset": lambda org_id: make_asset(org_id=org_id),
    "node": lambda org_id: make_node(org_id=org_id),
    "system user": lambda org_id: make_system_user(org_id=org_id),
    "admin user": lambda org_id: make_system_user(org_id=org_id, type="admin"),
    "permission": lambda org_id: grant(system_users=[make_system_user(org_id=org_id)], org_id=org_id),
}


@pytest.mark.usefixtures("licensed")
@pytest.mark.parametrize("kind", OWNED)
def test_organization_that_owns_objects_is_not_deleted(as_admin: APIClient, kind: str) -> None:
    org_id = UUID(create_org(as_admin)["id"])
    OWNED[kind](org_id)
    assert as_admin.delete(f"{ORGS}{org_id}/").status_code == 403
    assert Organization.objects.filter(pk=org_id).exists()


@pytest.mark.usefixtures("licensed")
def test_default_and_current_organization_are_not_deleted_and_bulk_delete_is_refused(as_admin: APIClient) -> None:
    org_id = create_org(as_admin)["id"]
    for url in (f"{ORGS}{DEFAULT_ORG_ID}/", f"{ORGS}{org_id}/?oid={org_id}"):
        answer = as_admin.delete(url)
        assert (answer.status_code, answer.json()["code"]) == (403, "organization_in_use")
    for query in ("", f"?ids={org_id}", "?name=Branch"):
        assert as_admin.delete(f"{ORGS}{query}").status_code == 400
    assert Organization.objects.count() == 2


@pytest.mark.spec("S2-168")
@pytest.mark.usefixtures("licensed")
@pytest.mark.parametrize("role", ["user", "auditor", "org_admin", "system_auditor"])
def test_organizations_are_for_super_administrators_only(
    role: str, people: dict[str, User], client_of: Callable[..., APIClient], as_admin: APIClient
) -> None:
    client, detail_url = client_of(people[role]), f"{XPACK}{DEFAULT_ORG_ID}/"
    calls = [
        (client.get, XPACK, {}),
        (client.post, XPACK, {"name": "Mine"}),
        (client.get, detail_url, {}),
        (client.put, detail_url, {"name": "Mine"}),
    ]
    for call, url, body in calls:
        assert call(url, body).status_code == 403, url
    assert as_admin.get(XPACK).status_code == 200
    assert as_admin.get(detail_url).status_code == 200


# --- the licence ---


@pytest.mark.spec("S1-036", "S1-042", "S6-037")
def test_k75_management_of_organizations_is_closed_without_a_licence(as_admin: APIClient) -> None:
    org = Organization.objects.create(name="Branch")
    guarded = [
        (as_admin.post, ORGS, {"name": "New"}),
        (as_admin.patch, f"{ORGS}{org.pk}/", {"name": "New"}),
        (as_admin.get, XPACK, {}),
        (as_admin.options, XPACK, {}),
        (as_admin.post, XPACK, {"name": "New"}),
        (as_admin.get, f"{XPACK}{org.pk}/", {}),
        (as_admin.delete, f"{XPACK}{org.pk}/", {}),
    ]
    for call, url, body in guarded:
        answer = call(url, body)
        assert (answer.status_code, answer.json()["code"]) == (403, "licence_required"), url
    assert list(Organization.objects.values_list("name", flat=True)) == ["Branch", "Default"]


def test_default_organization_is_managed_and_rights_are_withdrawn_without_a_licence(
    as_admin: APIClient, make_user: Callable[..., User]
) -> None:
    """A licence opens features; without one, rights can still be withdrawn."""
    org = Organization.objects.create(name="Branch")
    ann = make_user("ann", org_id=org.pk)
    assert as_admin.patch(f"{ORGS}{DEFAULT_ORG_ID}/", {"comment": "ours"}).status_code == 200
    body = {"org": str(DEFAULT_ORG_ID), "user": str(ann.pk), "role": "Auditor"}
    assert as_admin.post(RELATION, body).status_code == 201
    refused = as_admin.post(RELATION, {**body, "org": str(org.pk)})
    assert (refused.status_code, refused.json()["code"]) == (403, "licence_required")
    row = Membership.objects.get(user=ann, org=org)
    assert as_admin.delete(f"{RELATION}{row.pk}/").status_code == 204
    assert as_admin.delete(f"{ORGS}{org.pk}/").status_code == 204


# --- memberships ---


@pytest.mark.usefixtures("licensed")
def test_membership_changes_its_role_and_nothing_else(
    as_admin: APIClient, people: dict[str, User], make_user: Callable[..., User]
) -> None:
    org_id = create_org(as_admin)["id"]
    ann = make_user("ann", org_id=org_id)
    row = Membership.objects.get(user=ann)
    url = f"{RELATION}{row.pk}/"
    assert as_admin.patch(url, {"role": "Admin"}).json()["role"] == "Admin"
    assert list(as_admin.patch(url, {"user": str(people["user"].pk)}).json()) == ["user"]
    assert list(as_admin.patch(url, {"org": str(DEFAULT_ORG_ID)}).json()) == ["org"]
    as_admin.post(RELATION, {"org": org_id, "user": str(ann.pk), "role": "User"})
    assert "role" in as_admin.patch(url, {"role": "User"}).json()
    assert Membership.objects.get(pk=row.pk).role == "Admin"
    assert AuditEvent.objects.filter(event="membership.changed").count() == 2


@pytest.mark.usefixtures("licensed")
def test_older_membership_paths_are_for_one_role_each(as_admin: APIClient, make_user: Callable[..., User]) -> None:
    org_id = create_org(as_admin)["id"]
    ann = make_user("ann", org_role=None)
    admins, users = (f"{ORGS}{org_id}/membership/{kind}/" for kind in ("admins", "users"))
    made = as_admin.post(admins, {"user": str(ann.pk)})
    assert made.status_code == 201, made.content
    assert (made.json()["organization"], made.json()["user"]) == (org_id, str(ann.pk))
    assert [row["user"] for row in as_admin.get(admins).json()] == [str(ann.pk)]
    assert as_admin.get(users).json() == []
    assert as_admin.get(f"{admins}{ann.pk}/").status_code == 200
    assert as_admin.delete(admins).status_code == 400
    assert as_admin.delete(f"{admins}{ann.pk}/").status_code == 204
    assert not Membership.objects.filter(org_id=org_id).exists()
    assert as_admin.get(f"{ORGS}nobody/membership/admins/").status_code == 404


def test_user_who_leaves_an_organization_leaves_its_groups(
    as_admin: APIClient, people: dict[str, User], make_user: Callable[..., User]
) -> None:
    ann = make_user("ann")
    group = make_group(users=[ann])
    row = Membership.objects.get(user=ann)
    assert as_admin.delete(f"{RELATION}?id={row.pk}").status_code == 204
    assert not group.users.exists()
    assert as_admin.delete(RELATION).status_code == 400


def test_last_administrator_of_an_organization_cannot_leave(
    as_org_admin: APIClient, as_admin: APIClient, people: dict[str, User], make_user: Callable[..., User]
) -> None:
    url = f"/api/v1/users/users/{people['org_admin'].pk}/"
    answer = as_org_admin.patch(url, {"org_roles": ["User"]})
    assert (answer.status_code, list(answer.json())) == (400, ["org_roles"]), "nobody changes their own roles"
    second = make_user("second", org_role="Admin")
    demote = {"actor": actor_of(second, RoleBits.ADMIN), "scope": DEFAULT, "roles": {"User"}}
    # the other administrator's write was first: they demoted each other at the same time
    Membership.objects.filter(user=second).delete()
    with pytest.raises(LastOrganizationAdministrator):
        set_org_roles(user=people["org_admin"], **demote)
    Membership.objects.create(user=second, org_id=DEFAULT_ORG_ID, role="Admin")
    User.objects.filter(pk=second.pk).update(is_active=False)
    with pytest.raises(LastOrganizationAdministrator):
        set_org_roles(user=people["org_admin"], **demote)
    row = Membership.objects.get(user=people["org_admin"])
    assert as_admin.delete(f"{RELATION}{row.pk}/").status_code == 204, "who stands above may"


def actor_of(user: User, bits: RoleBits) -> Actor:
    return Actor(
        kind=ActorKind.USER,
        user_id=user.pk,
        username=user.username,
        name=user.name,
        bits=bits,
        epoch=user.session_epoch,
    )


# --- the organization of the request ---


@pytest.mark.spec("S1-004", "S1-090")
@pytest.mark.usefixtures("licensed")
def test_administrator_of_two_organizations_can_switch_between_them(
    make_user: Callable[..., User], client_of: Callable[..., APIClient], as_admin: APIClient
) -> None:
    org_id = create_org(as_admin)["id"]
    ann = make_user("ann", org_role="Admin")
    Membership.objects.create(user=ann, org_id=org_id, role="Auditor")
    client = client_of(ann)
    assert client.get("/api/v1/settings/public/").json()["data"]["XPACK_LICENSE_IS_VALID"] is True
    for oid, name, roles in ((str(DEFAULT_ORG_ID), "Default", ["Admin"]), (org_id, "Branch", ["Auditor"])):
        assert client.get(f"{ORGS}current/", {"oid": oid}).json()["name"] == name
        profile = client.get("/api/v1/users/profile/", headers={"X-JMS-ORG": oid}).json()
        assert profile["current_org_roles"] == roles
        assert {row["name"] for row in profile["admin_or_audit_orgs"]} == {"Default", "Branch"}
    assert client.get("/api/v1/users/users/", headers={"X-JMS-ORG": org_id}).status_code == 403
    assert client.get("/api/v1/users/users/").status_code == 200


@pytest.mark.usefixtures("licensed")
def test_profile_lists_the_organizations_of_each_kind_of_user(
    as_admin: APIClient, people: dict[str, User], client_of: Callable[..., APIClient]
) -> None:
    org_id = create_org(as_admin)["id"]
    Membership.objects.create(user=people["user"], org_id=org_id, role="Admin")

    def names(role: str, field: str = "admin_or_audit_orgs") -> list[str]:
        rows = client_of(people[role]).get("/api/v1/users/profile/").json()[field]
        return [row["name"] for row in rows]

    assert names("admin") == ["GLOBAL", "Branch", "Default"]
    assert names("system_auditor") == ["GLOBAL", "Branch", "Default"]
    assert names("org_admin") == ["Default"]
    assert names("user") == ["Branch"]
    assert names("user", "user_all_orgs") == ["Branch", "Default"]


@pytest.mark.spec("S1-005")
def test_root_organization_can_be_the_current_one(as_admin: APIClient) -> None:
    current = as_admin.get(f"{ORGS}current/", {"oid": "00000000-0000-0000-0000-000000000000"}).json()
    assert (current["id"], current["is_root"]) == ("00000000-0000-0000-0000-000000000000", True)
