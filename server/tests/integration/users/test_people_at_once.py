"""Array writes of people, memberships and groups wait for each other instead of in a circle (PostgreSQL)."""

from collections.abc import Callable
from typing import Any

import pytest

from factories.browser import Browser
from factories.grants import make_group
from factories.meetings import Meeting, statuses
from factories.two_administrators import ids, items
from postern.apps.users.accounts import trail
from postern.apps.users.groups import actions as groups
from postern.apps.users.invitations import actions as invitations
from postern.apps.users.memberships import actions as memberships
from postern.apps.users.models import Invitation, Membership, User, UserGroup
from postern.apps.users.people.actions import people
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("row_locks")]
USERS, GROUPS = "/api/v1/users/users/", "/api/v1/users/groups/"
MEMBERSHIPS = "/api/v1/orgs/org-member-relation/"
API = "/api/v1/"
NEW = "emerald harbour twenty"


def test_two_changes_of_the_same_people_in_opposite_order(
    one: Browser, other: Browser, make_person: Callable[..., User], meeting: Meeting
):
    found = [make_person(f"person{number}") for number in range(4)]
    meeting(people, "update_user")
    assert statuses(
        lambda: one.patch(USERS, items(found, comment="one"), format="json"),
        lambda: other.patch(USERS, items(found[::-1], comment="other"), format="json"),
    ) == [200, 200]
    assert User.objects.filter(username__startswith="person").values("comment").distinct().count() == 1


def test_change_of_many_beside_a_change_of_one_of_them(
    one: Browser, other: Browser, make_person: Callable[..., User], meeting: Meeting
):
    """The first item holds the audit chain, which the other write needs last; a later item needs the person of that one."""
    first, last = make_person("first"), make_person("last")
    meeting(people, "update_user")
    assert statuses(
        lambda: one.patch(USERS, items([first, last], comment="one"), format="json"),
        lambda: other.patch(f"{USERS}{last.pk}/", {"comment": "other"}, format="json"),
    ) == [200, 200]


def test_deletion_of_many_beside_a_change_of_one_of_them(
    one: Browser, other: Browser, make_person: Callable[..., User], meeting: Meeting
):
    first, last = make_person("first"), make_person("last")
    meeting(people, "update_user")
    meeting(people, "delete_user")
    found = statuses(
        lambda: one.delete(f"{USERS}?ids={first.pk},{last.pk}"),
        lambda: other.patch(USERS, items([last, first], comment="other"), format="json"),
    )
    assert found in ([200, 204], [204, 400], [204, 404]), "the change comes first, or finds nobody"


def test_two_changes_of_memberships_in_opposite_order(
    one: Browser, other: Browser, make_person: Callable[..., User], meeting: Meeting
):
    found = [make_person(f"person{number}") for number in range(4)]
    rows = list(Membership.objects.filter(org_id=DEFAULT_ORG_ID, user__in=found))
    assert len(rows) == 4
    meeting(memberships, "change_org_role")
    assert statuses(
        lambda: one.patch(MEMBERSHIPS, items(rows, role="Auditor"), format="json"),
        lambda: other.patch(MEMBERSHIPS, items(rows[::-1], role="Admin"), format="json"),
    ) == [200, 200]


def test_two_changes_of_the_same_groups_in_opposite_order(
    one: Browser, other: Browser, make_person: Callable[..., User], meeting: Meeting
):
    rows = [UserGroup.objects.create(org_id=DEFAULT_ORG_ID, name=f"group{number}") for number in range(3)]
    meeting(groups, "update_group")
    assert statuses(
        lambda: one.patch(GROUPS, items(rows, comment="one"), format="json"),
        lambda: other.patch(GROUPS, items(rows[::-1], comment="other"), format="json"),
    ) == [200, 200]


def test_two_people_whose_user_names_differ_in_case_only(one: Browser, other: Browser, meeting: Meeting):
    """The one that comes second is told which field is taken."""
    meeting(people, "prepare_creation")
    answers: list[Any] = []

    def make(browser: Browser, name: str) -> Any:
        body = {"name": name, "username": name, "email": f"{name}@example.org", "password_strategy": "email"}
        answers.append(browser.post(f"{API}users/users/", body, format="json"))
        return answers[-1]

    assert statuses(lambda: make(one, "zoe"), lambda: make(other, "ZOE")) == [201, 400]
    assert [list(answer.json()) for answer in answers if answer.status_code == 400] == [["username"]]


def test_deletion_of_groups_beside_the_removal_of_their_members(
    one: Browser, other: Browser, meeting: Meeting, make_person: Callable[..., User]
):
    named = [make_person(f"person{number}") for number in range(2)]
    rows = [make_group(f"group{number}", users=named) for number in range(2)]
    meeting(groups, "delete_group")
    meeting(memberships, "leave_groups")
    assert statuses(
        lambda: one.delete(f"{API}users/groups/?ids={ids(rows)}"),
        lambda: other.post(f"{API}users/users/remove/?ids={ids(named)}"),
    ) == [204, 204]


def test_writes_whose_records_belong_to_two_chains_in_opposite_order(
    one: Browser, other: Browser, meeting: Meeting, make_person: Callable[..., User]
):
    """A password is told to the whole installation first, another change to the organization first."""
    first, second, third = make_person("first"), make_person("second"), make_person("third")
    meeting(trail, "record_password_change")
    meeting(trail, "record")
    assert statuses(
        lambda: one.patch(f"{API}users/users/{first.pk}/", {"password": NEW, "comment": "one"}, format="json"),
        lambda: other.patch(
            f"{API}users/users/",
            [{"id": str(second.pk), "comment": "other"}, {"id": str(third.pk), "password": NEW}],
            format="json",
        ),
    ) == [200, 200]


@pytest.mark.usefixtures("licensed")
def test_invitations_are_limited_however_many_calls_come_statuses(
    make_person: Callable[..., User], meeting: Meeting, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(invitations, "MAX_AN_HOUR", 3)
    meeting(invitations, "_refuse_too_many")
    Membership.objects.create(org_id=DEFAULT_ORG_ID, user=make_person("olga"), role="Admin")
    browser = Browser()
    assert browser.sign_in("olga").status_code == 200
    wishes = [[{"user": f"{name}{number}", "role": "User"} for number in range(3)] for name in ("a", "b")]
    assert statuses(
        lambda: browser.post(f"{API}users/users/invite/", wishes[0], format="json"),
        lambda: browser.post(f"{API}users/users/invite/", wishes[1], format="json"),
    ) == [201, 429]
    assert Invitation.objects.count() == 3
