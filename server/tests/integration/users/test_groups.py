from collections.abc import Callable
from uuid import UUID

import pytest
from rest_framework.test import APIClient

from factories.hearing import Hearing
from postern.apps.orgs.models import Organization
from postern.apps.users.groups import actions as groups
from postern.apps.users.groups.events import GroupsChanged
from postern.apps.users.models import User, UserGroup
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.ids import DEFAULT_ORG_ID

GROUPS = "/api/v1/users/groups/"
ROWS = "/api/v1/users/users-groups-relations/"
pytestmark = pytest.mark.django_db


def test_group_is_created_changed_and_deleted(as_org_admin: APIClient, people: dict[str, User]):
    made = as_org_admin.post(GROUPS, {"name": "Ops", "comment": "night", "users": [str(people["user"].pk)]})
    assert made.status_code == 201
    group = made.json()
    assert set(group) == {
        "id", "name", "comment", "date_created", "created_by", "users", "users_amount", "org_id", "org_name",
    }  # fmt: skip
    assert (group["users_amount"], group["org_name"]) == (1, "Default")
    changed = as_org_admin.patch(f"{GROUPS}{group['id']}/", {"name": "Ops 2", "users": []}).json()
    assert (changed["name"], changed["users_amount"], changed["comment"]) == ("Ops 2", 0, "night")
    assert as_org_admin.delete(f"{GROUPS}{group['id']}/").status_code == 204
    assert as_org_admin.get(GROUPS).json() == []


def test_group_name_is_unique_in_the_organization(as_org_admin: APIClient):
    assert as_org_admin.post(GROUPS, {"name": "Ops"}).status_code == 201
    again = as_org_admin.post(GROUPS, {"name": "Ops"})
    assert (again.status_code, list(again.json())) == (400, ["name"])


def test_too_many_members_in_one_request_are_refused_in_words_that_fit(as_org_admin: APIClient):
    members = [str(UUID(int=number)) for number in range(1, 10_002)]
    answer = as_org_admin.post(
        GROUPS, {"name": "Ops", "users": members}, headers={"Accept-Language": "en"}, format="json"
    )
    assert answer.status_code == 400
    assert answer.json() == {"users": ["Too many objects are named in one request. Name fewer."]}


def test_group_accepts_only_members_of_its_organization(as_org_admin: APIClient, make_user: Callable[..., User]):
    other = Organization.objects.create(name="Branch")
    stranger = make_user("stranger", org_id=other.pk)
    answer = as_org_admin.post(GROUPS, {"name": "Ops", "users": [str(stranger.pk)]})
    assert (answer.status_code, list(answer.json())) == (400, ["users"])
    assert as_org_admin.get(GROUPS).json() == []


def test_k16_groups_of_another_organization_are_not_found(as_admin: APIClient, as_org_admin: APIClient):
    other = Organization.objects.create(name="Branch")
    group = as_admin.post(GROUPS, {"name": "Theirs"}, HTTP_X_JMS_ORG=str(other.pk)).json()
    assert as_org_admin.get(f"{GROUPS}{group['id']}/").status_code == 404
    assert as_org_admin.patch(f"{GROUPS}{group['id']}/", {"name": "Mine"}).status_code == 404
    assert as_org_admin.delete(f"{GROUPS}{group['id']}/").status_code == 404


def test_group_rows_add_and_remove_one_user(
    as_org_admin: APIClient,
    people: dict[str, User],
    hear: Hearing,
    django_capture_on_commit_callbacks: Callable[..., object],
):
    published = hear(GroupsChanged)
    group = as_org_admin.post(GROUPS, {"name": "Ops"}).json()
    body = [{"user": str(people["user"].pk), "usergroup": group["id"]}]
    with django_capture_on_commit_callbacks(execute=True):
        made = as_org_admin.post(ROWS, body)
    assert made.status_code == 201
    row = made.json()[0]
    assert isinstance(row["id"], int)
    assert (row["user_display"], row["usergroup_display"]) == ("Uma(uma)", "Ops")
    assert as_org_admin.post(ROWS, body).status_code == 201, "twice changes nothing"
    assert [str(event.group_ids[0]) for event in published] == [group["id"]]
    assert len(as_org_admin.get(f"{ROWS}?usergroup={group['id']}").json()) == 1
    assert as_org_admin.delete(f"{ROWS}?usergroup={group['id']}&user={people['user'].pk}").status_code == 204
    assert as_org_admin.get(ROWS).json() == []


def test_group_rows_delete_by_filter_refuses_more_than_one_row(as_org_admin: APIClient, people: dict[str, User]):
    users = [str(people["user"].pk), str(people["auditor"].pk)]
    group = as_org_admin.post(GROUPS, {"name": "Ops", "users": users}).json()
    assert as_org_admin.delete(f"{ROWS}?usergroup={group['id']}").status_code == 400
    assert as_org_admin.delete(ROWS).status_code == 400
    assert len(as_org_admin.get(ROWS).json()) == 2


@pytest.mark.parametrize("role", ["as_user", "as_auditor", "as_anonymous"])
def test_groups_are_closed_to_other_roles(role: str, request: pytest.FixtureRequest):
    client = request.getfixturevalue(role)
    for path in (GROUPS, ROWS):
        assert client.get(path).status_code in (401, 403)
        assert client.post(path, {"name": "x"}).status_code in (401, 403)


def test_change_of_one_field_keeps_concurrent_changes_of_others() -> None:
    stale = UserGroup.objects.create(org_id=DEFAULT_ORG_ID, name="ops")
    UserGroup.objects.filter(pk=stale.pk).update(name="operations")
    groups.update_group(actor=SYSTEM, group=stale, comment="on call")
    row = UserGroup.objects.get(pk=stale.pk)
    assert (row.name, row.comment) == ("operations", "on call")
