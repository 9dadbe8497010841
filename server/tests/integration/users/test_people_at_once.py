"""Concurrent bulk writes of users, memberships and groups wait for each other without a deadlock (PostgreSQL)."""

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


def test_concurrent_changes_of_users_in_opposite_order_do_not_deadlock(
    first_admin: Browser, second_admin: Browser, make_person: Callable[..., User], meeting: Meeting
):
    persons = [make_person(f"person{number}") for number in range(4)]
    meeting(people, "update_user")
    assert statuses(
        lambda: first_admin.patch(USERS, items(persons, comment="one"), format="json"),
        lambda: second_admin.patch(USERS, items(persons[::-1], comment="other"), format="json"),
    ) == [200, 200]
    assert User.objects.filter(username__startswith="person").values("comment").distinct().count() == 1


def test_bulk_change_and_concurrent_change_of_one_user_do_not_deadlock(
    first_admin: Browser, second_admin: Browser, make_person: Callable[..., User], meeting: Meeting
):
    """The first item of the bulk write locks the audit chain, which the other write needs last; a later item needs that
    user.
    """
    first, last = make_person("first"), make_person("last")
    meeting(people, "update_user")
    assert statuses(
        lambda: first_admin.patch(USERS, items([first, last], comment="one"), format="json"),
        lambda: second_admin.patch(f"{USERS}{last.pk}/", {"comment": "other"}, format="json"),
    ) == [200, 200]


def test_bulk_deletion_and_concurrent_change_of_one_user_do_not_deadlock(
    first_admin: Browser, second_admin: Browser, make_person: Callable[..., User], meeting: Meeting
):
    first, last = make_person("first"), make_person("last")
    meeting(people, "update_user")
    meeting(people, "delete_user")
    codes = statuses(
        lambda: first_admin.delete(f"{USERS}?ids={first.pk},{last.pk}"),
        lambda: second_admin.patch(USERS, items([last, first], comment="other"), format="json"),
    )
    assert codes in ([200, 204], [204, 400], [204, 404]), "the change comes first, or finds nobody"


def test_concurrent_changes_of_memberships_in_opposite_order_do_not_deadlock(
    first_admin: Browser, second_admin: Browser, make_person: Callable[..., User], meeting: Meeting
):
    persons = [make_person(f"person{number}") for number in range(4)]
    rows = list(Membership.objects.filter(org_id=DEFAULT_ORG_ID, user__in=persons))
    assert len(rows) == 4
    meeting(memberships, "change_org_role")
    assert statuses(
        lambda: first_admin.patch(MEMBERSHIPS, items(rows, role="Auditor"), format="json"),
        lambda: second_admin.patch(MEMBERSHIPS, items(rows[::-1], role="Admin"), format="json"),
    ) == [200, 200]


def test_concurrent_changes_of_groups_in_opposite_order_do_not_deadlock(
    first_admin: Browser, second_admin: Browser, make_person: Callable[..., User], meeting: Meeting
):
    rows = [UserGroup.objects.create(org_id=DEFAULT_ORG_ID, name=f"group{number}") for number in range(3)]
    meeting(groups, "update_group")
    assert statuses(
        lambda: first_admin.patch(GROUPS, items(rows, comment="one"), format="json"),
        lambda: second_admin.patch(GROUPS, items(rows[::-1], comment="other"), format="json"),
    ) == [200, 200]


def test_concurrent_user_names_that_differ_only_in_case_make_one_user(
    first_admin: Browser, second_admin: Browser, meeting: Meeting
):
    """The second request is told which field is taken."""
    meeting(people, "prepare_creation")
    answers: list[Any] = []

    def make(browser: Browser, name: str) -> Any:
        body = {"name": name, "username": name, "email": f"{name}@example.org", "password_strategy": "email"}
        answers.append(browser.post(f"{API}users/users/", body, format="json"))
        return answers[-1]

    assert statuses(lambda: make(first_admin, "zoe"), lambda: make(second_admin, "ZOE")) == [201, 400]
    assert [list(answer.json()) for answer in answers if answer.status_code == 400] == [["username"]]


def test_deletion_of_groups_and_concurrent_removal_of_members_do_not_deadlock(
    first_admin: Browser, second_admin: Browser, meeting: Meeting, make_person: Callable[..., User]
):
    named = [make_person(f"person{number}") for number in range(2)]
    rows = [make_group(f"group{number}", users=named) for number in range(2)]
    meeting(groups, "delete_group")
    meeting(memberships, "leave_groups")
    assert statuses(
        lambda: first_admin.delete(f"{API}users/groups/?ids={ids(rows)}"),
        lambda: second_admin.post(f"{API}users/users/remove/?ids={ids(named)}"),
    ) == [204, 204]


def test_writes_that_record_in_two_chains_in_opposite_order_do_not_deadlock(
    first_admin: Browser, second_admin: Browser, meeting: Meeting, make_person: Callable[..., User]
):
    """A password change is recorded first in the chain of the installation, another change first in that of the
    organization.
    """
    first, second, third = make_person("first"), make_person("second"), make_person("third")
    meeting(trail, "record_password_change")
    meeting(trail, "record")
    assert statuses(
        lambda: first_admin.patch(f"{API}users/users/{first.pk}/", {"password": NEW, "comment": "one"}, format="json"),
        lambda: second_admin.patch(
            f"{API}users/users/",
            [{"id": str(second.pk), "comment": "other"}, {"id": str(third.pk), "password": NEW}],
            format="json",
        ),
    ) == [200, 200]


@pytest.mark.usefixtures("licensed")
def test_invitations_are_limited_across_concurrent_calls(
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
