"""What a person reaches is what the decision allows."""

import random
from collections.abc import Callable
from datetime import timedelta

import pytest
from rest_framework.test import APIClient

from factories.grants import grant_application, make_application, make_group, make_system_user
from postern.apps.assets.tree.actions import ensure_root
from postern.apps.orgs.models import Organization
from postern.apps.perms import facade
from postern.apps.perms.granted.application_reach import ApplicationReach
from postern.apps.perms.granted.reach import Who
from postern.apps.users.models import Membership, User
from postern.contracts.enums import Actions
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.clock import now

pytestmark = pytest.mark.django_db

MINE = "/api/v1/perms/users/applications/"


def test_reach_is_what_the_decision_allows(make_user: Callable[..., User]) -> None:
    dice, at = random.Random(7), now()
    other = Organization.objects.create(name="Other").pk
    ensure_root(actor=SYSTEM, org_id=other, name="Other")
    people = [make_user(f"p{number}", is_active=number != 3) for number in range(5)]
    User.objects.filter(pk=people[4].pk).update(date_expired=at + timedelta(days=1))
    Membership.objects.create(user=people[0], org_id=other, role="User")
    kinds = ("mysql", "oracle", "k8s")
    groups = [make_group(users=dice.sample(people, 2)) for _number in range(3)]
    targets = [make_application(kind=kind, **({"cluster": "c"} if kind == "k8s" else {})) for kind in kinds * 3]
    accounts = [make_system_user(protocol=kind, **({"token": "t"} if kind == "k8s" else {})) for kind in kinds * 2]
    foreign = make_application("foreign", org_id=other)
    root = make_system_user("foreign", protocol="mysql", org_id=other)
    grant_application(users=[people[0]], applications=[foreign], system_users=[root], org_id=other)
    for _number in range(30):
        kind = dice.choice(kinds)
        own = [one for one in targets if one.type == kind]
        start = at + timedelta(hours=dice.choice([-2, -1, 1]))
        grant_application(
            kind=kind,
            users=dice.sample(people, dice.choice([0, 1])),
            user_groups=dice.sample(groups, dice.choice([0, 1])),
            applications=dice.sample(own, dice.choice([1, 2])),
            system_users=dice.sample([one for one in accounts if one.protocol == kind], 1),
            is_active=dice.random() > 0.2,
            date_start=start,
            date_expired=start + timedelta(hours=dice.choice([1, 30])),
        )
    allowed = 0
    for instant in (at, at + timedelta(hours=5), at + timedelta(days=2)):
        for person in people:
            reach = ApplicationReach(Who(user_id=person.pk), instant)
            reached = {row.pk: row for row in reach.applications()}
            for target in (*targets, foreign):
                usable = {one.pk for one in reach.usable(target)} if target.pk in reached else set()
                for account in (*accounts, root):
                    decision = facade.decide_application(
                        user_id=person.pk, application_id=target.pk, system_user_id=account.pk, at=instant
                    )
                    assert decision.allowed == (account.pk in usable), (person, target, account, instant)
                    allowed += decision.allowed
                    if decision.allowed:
                        assert decision.actions == Actions.ALL & ~Actions.CLIPBOARD_COPY_PASTE  # none speaks RDP
                        assert decision.expires_at is not None
                        assert decision.expires_at > instant
                    else:
                        assert decision.reasons
                        assert decision.denial_code is not None
    assert allowed > 30


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"is_active": False}, "grant_inactive"),
        ({"date_start": now() + timedelta(days=1)}, "grant_not_started"),
        ({"date_start": now() - timedelta(days=2), "date_expired": now() - timedelta(days=1)}, "grant_expired"),
    ],
)
def test_decision_says_what_a_permission_lacks(
    make_user: Callable[..., User], change: dict[str, object], code: str
) -> None:
    anna, orders, root = make_user("anna"), make_application(), make_system_user(protocol="mysql")
    grant_application(users=[anna], applications=[orders], system_users=[root], **change)
    decision = facade.decide_application(user_id=anna.pk, application_id=orders.pk, system_user_id=root.pk)
    assert [reason.code.value for reason in decision.reasons] == [code]


def test_decision_names_what_is_missing(make_user: Callable[..., User]) -> None:
    anna, bert = make_user("anna"), make_user("bert")
    orders, stock, root = make_application("orders"), make_application("stock"), make_system_user(protocol="mysql")
    other = make_system_user(protocol="mysql")
    row = grant_application(users=[anna], applications=[orders], system_users=[root])

    def codes(person: User, target: object, account: object) -> list[str]:
        decision = facade.decide_application(
            user_id=person.pk,
            application_id=target.pk,
            system_user_id=getattr(account, "pk"),  # noqa: B009
        )
        return [reason.code.value for reason in decision.reasons]

    assert codes(bert, orders, root) == ["no_grant_for_user"]
    assert codes(anna, stock, root) == ["no_grant_for_application"]
    assert codes(anna, orders, other) == ["grant_other_system_user"]
    assert codes(anna, row, root) == ["application_unknown", "no_grant_for_application"]
    assert codes(anna, orders, make_system_user()) == ["system_user_protocol", "grant_other_system_user"]


def test_my_applications_are_listed_with_their_system_users(
    people: dict[str, User], as_user: APIClient, as_org_admin: APIClient, make_user: Callable[..., User]
) -> None:
    me, group = people["user"], make_group("shop", users=[people["user"]])
    orders, stock, secret = make_application("orders"), make_application("stock"), make_application("secret")
    low = make_system_user("low", protocol="mysql", priority=1)
    high = make_system_user("high", protocol="mysql", priority=99)
    grant_application(users=[me], applications=[orders], system_users=[low])
    grant_application(user_groups=[group], applications=[orders, stock], system_users=[high])
    rows = as_user.get(MINE).json()
    assert [(row["name"], row["attrs"]) for row in rows] == [("orders", {}), ("stock", {})]
    (row,) = as_user.get(MINE, {"category": "db", "search": "ord"}).json()
    assert row["attrs"] == {"host": "192.0.2.20", "port": 3306, "database": "orders"}
    assert as_user.get(MINE, {"limit": 1}).json()["count"] == 2
    shown = as_user.get(f"{MINE}{orders.pk}/system-users/").json()
    assert [one["name"] for one in shown] == ["high", "low"]
    assert set(shown[0]) == {"id", "name", "username", "priority", "protocol", "login_mode"}
    assert as_user.get(f"{MINE}{secret.pk}/system-users/").status_code == 404
    for path in (f"perms/users/{me.pk}", f"perms/user-groups/{group.pk}"):
        found = as_org_admin.get(f"/api/v1/{path}/applications/").json()
        assert [one["name"] for one in found] == ["orders", "stock"], path
        assert as_user.get(f"/api/v1/{path}/applications/").status_code == 403
    by_admin = as_org_admin.get(f"/api/v1/perms/users/{me.pk}/applications/{stock.pk}/system-users/").json()
    assert [one["name"] for one in by_admin] == ["high"]
    outsider = make_user("eve", org_id=Organization.objects.create(name="Other").pk)
    assert as_org_admin.get(f"/api/v1/perms/users/{outsider.pk}/applications/").status_code == 404


def test_my_tree_has_a_level_for_each_organization(people: dict[str, User], as_user: APIClient) -> None:
    orders, root = make_application("orders"), make_system_user(protocol="mysql")
    grant_application(users=[people["user"]], applications=[orders], system_users=[root])
    nodes = as_user.get(f"{MINE}tree/").json()
    assert [node["meta"]["type"] for node in nodes] == ["applications_root", "org", "category", "type", "application"]
    assert [node["pId"] for node in nodes[1:]] == [node["id"] for node in nodes[:-1]]
    assert nodes[1]["name"].endswith("(1)")
    assert nodes[-1]["id"] == str(orders.pk)
