"""Array writes of people, memberships and groups wait for each other instead of in a circle (PostgreSQL)."""

from collections.abc import Callable
from typing import Any

import pytest

from factories.browser import Browser
from factories.meetings import Meeting, statuses
from postern.apps.authn.models import LoginSession
from postern.apps.users.actions import groups, memberships, people
from postern.apps.users.models import Membership, User, UserGroup
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("row_locks")]
USERS, GROUPS = "/api/v1/users/users/", "/api/v1/users/groups/"
MEMBERSHIPS = "/api/v1/orgs/org-member-relation/"


@pytest.fixture
def admins(make_person: Callable[..., User]) -> list[Browser]:
    browsers = []
    for number in range(2):
        make_person(f"admin-{number}", role="Admin")
        browsers.append(Browser(f"192.0.2.{number + 10}"))
        assert browsers[-1].sign_in(f"admin-{number}").status_code == 200
    LoginSession.objects.update(date_password_verified=clock.now(), date_mfa_verified=clock.now())
    return browsers


def items(rows: list[Any], **values: Any) -> list[dict[str, Any]]:
    return [{"id": str(row.pk), **values} for row in rows]


def test_two_changes_of_the_same_people_in_opposite_order(
    admins: list[Browser], make_person: Callable[..., User], meeting: Meeting
):
    found = [make_person(f"person{number}") for number in range(4)]
    meeting(people, "update_user")
    one, other = admins
    assert statuses(
        lambda: one.patch(USERS, items(found, comment="one"), format="json"),
        lambda: other.patch(USERS, items(found[::-1], comment="other"), format="json"),
    ) == [200, 200]
    assert User.objects.filter(username__startswith="person").values("comment").distinct().count() == 1


def test_change_of_many_beside_a_change_of_one_of_them(
    admins: list[Browser], make_person: Callable[..., User], meeting: Meeting
):
    """The first item holds the audit chain, which the other write needs last; a later item needs the person of that one."""
    first, last = make_person("first"), make_person("last")
    meeting(people, "update_user")
    one, other = admins
    assert statuses(
        lambda: one.patch(USERS, items([first, last], comment="one"), format="json"),
        lambda: other.patch(f"{USERS}{last.pk}/", {"comment": "other"}, format="json"),
    ) == [200, 200]


def test_deletion_of_many_beside_a_change_of_one_of_them(
    admins: list[Browser], make_person: Callable[..., User], meeting: Meeting
):
    first, last = make_person("first"), make_person("last")
    meeting(people, "update_user")
    meeting(people, "delete_user")
    one, other = admins
    found = statuses(
        lambda: one.delete(f"{USERS}?ids={first.pk},{last.pk}"),
        lambda: other.patch(USERS, items([last, first], comment="other"), format="json"),
    )
    assert found in ([200, 204], [204, 400], [204, 404]), "the change comes first, or finds nobody"


def test_two_changes_of_memberships_in_opposite_order(
    admins: list[Browser], make_person: Callable[..., User], meeting: Meeting
):
    found = [make_person(f"person{number}") for number in range(4)]
    rows = list(Membership.objects.filter(org_id=DEFAULT_ORG_ID, user__in=found))
    assert len(rows) == 4
    meeting(memberships, "change_org_role")
    one, other = admins
    assert statuses(
        lambda: one.patch(MEMBERSHIPS, items(rows, role="Auditor"), format="json"),
        lambda: other.patch(MEMBERSHIPS, items(rows[::-1], role="Admin"), format="json"),
    ) == [200, 200]


def test_two_changes_of_the_same_groups_in_opposite_order(
    admins: list[Browser], make_person: Callable[..., User], meeting: Meeting
):
    rows = [UserGroup.objects.create(org_id=DEFAULT_ORG_ID, name=f"group{number}") for number in range(3)]
    meeting(groups, "update_group")
    one, other = admins
    assert statuses(
        lambda: one.patch(GROUPS, items(rows, comment="one"), format="json"),
        lambda: other.patch(GROUPS, items(rows[::-1], comment="other"), format="json"),
    ) == [200, 200]
