"""No view shows what the decision denies, and none hides what it allows: across organizations, roles, states of people
and of permissions, and with and without a licence.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from rest_framework.test import APIClient

from factories.grants import (
    grant,
    grant_application,
    make_application,
    make_asset,
    make_group,
    make_node,
    make_system_user,
)
from postern.apps.applications.models import Application
from postern.apps.assets.models import Asset
from postern.apps.assets.tree.actions import ensure_root
from postern.apps.orgs.models import Organization
from postern.apps.perms import facade
from postern.apps.users.models import Membership, User, UserGroup
from postern.apps.vault.models import SystemUser
from postern.contracts.enums import Protocol
from postern.foundation import licensing
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.clock import now
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("licensed")]
API = "/api/v1/perms/"
LICENCE_STATES = (True, False)


class World(NamedTuple):
    people: dict[str, User]
    group: UserGroup
    assets: dict[UUID, Asset]
    applications: dict[UUID, Application]
    accounts: list[SystemUser]
    other: UUID


@contextmanager
def licence(*, valid: bool) -> Iterator[None]:
    with licensing.LICENCE.replaced(lambda: valid):
        yield


@pytest.fixture
def world(people: dict[str, User], make_user: Callable[..., User]) -> World:
    """Everybody is granted the same targets of two organizations; the states of people, targets and permissions differ."""
    other = Organization.objects.create(name="Other").pk
    ensure_root(actor=SYSTEM, org_id=other, name="Other")
    for name in ("user", "org_admin"):
        Membership.objects.create(user=people[name], org_id=other, role="User")
    who = {**{name: people[name] for name in ("user", "auditor", "org_admin", "admin")}, "guest": make_user("guest")}
    group = make_group("shop", users=[who["user"], who["guest"]])
    start = now()
    over = {"date_start": start - timedelta(days=2), "date_expired": start - timedelta(days=1)}
    states: list[dict[str, Any]] = [{}, {"is_active": False}, over, {"date_start": start + timedelta(days=1)}]
    accounts, assets, applications = [], [], []
    for org_id in (DEFAULT_ORG_ID, other):
        ours = org_id == DEFAULT_ORG_ID
        named = list(who.values()) if ours else [who["user"], who["org_admin"]]
        own = {protocol: make_system_user(protocol=protocol, org_id=org_id) for protocol in ("ssh", "mysql", "rdp")}
        accounts += own.values()
        node = make_node("web", org_id=org_id) if ours else None
        for state in states:
            asset = make_asset(org_id=org_id)
            database = make_application(org_id=org_id)
            assets.append(asset)
            applications.append(database)
            grant(users=named, assets=[asset], system_users=[own["ssh"]], org_id=org_id, **state)
            grant_application(users=named, applications=[database], system_users=[own["mysql"]], org_id=org_id, **state)
        host = make_asset(platform="Windows", protocols=["rdp/3389"], org_id=org_id)
        program = make_application(kind="chrome", asset=host, org_id=org_id)
        applications.append(program)
        assets += [host, make_asset(org_id=org_id), make_asset(org_id=org_id, is_active=False)]
        grant(users=named, assets=[assets[-1]], system_users=[own["ssh"]], org_id=org_id)
        grant_application(kind="chrome", users=named, applications=[program], system_users=[own["rdp"]], org_id=org_id)
        if node is not None:  # only members of the group, through a node
            assets.append(make_asset(nodes=[node]))
            applications.append(make_application())
            grant(user_groups=[group], nodes=[node], system_users=[own["ssh"]])
            grant_application(user_groups=[group], applications=[applications[-1]], system_users=[own["mysql"]])
    return World(who, group, {row.pk: row for row in assets}, {row.pk: row for row in applications}, accounts, other)


def decided(world: World, person: User) -> tuple[dict[UUID, set[UUID]], dict[UUID, set[UUID]]]:
    """Asset or application → the system users with which the decision lets this person reach it."""
    reached: tuple[dict[UUID, set[UUID]], dict[UUID, set[UUID]]] = ({}, {})
    for account in world.accounts:
        for key, application in world.applications.items():
            if application.declaration.protocol != account.protocol:
                continue
            verdict = facade.decide_application(user_id=person.pk, application_id=key, system_user_id=account.pk)
            if verdict.allowed:
                reached[1].setdefault(key, set()).add(account.pk)
        for key in world.assets if account.protocol == "ssh" else ():
            asked = facade.decide(
                user_id=person.pk,
                asset_id=key,
                system_user_id=account.pk,
                protocol=Protocol(account.protocol),
            )
            if asked.allowed:
                reached[0].setdefault(key, set()).add(account.pk)
    return reached


def ids(client: APIClient, path: str, **query: str) -> set[UUID]:
    answer = client.get(f"{API}{path}", query)
    assert answer.status_code == 200, (path, answer.content)
    return {UUID(row["id"]) for row in answer.json() if row.get("is_active", True)}  # inactive assets are marked


def leaves(client: APIClient, path: str, kind: str) -> set[UUID]:
    """The ids of the assets or applications in a tree."""
    nodes = client.get(f"{API}{path}").json()
    return {UUID(node["id"]) for node in nodes if node["meta"]["type"] == kind}


def require_shown(client: APIClient, path: str, reached: dict[UUID, set[UUID]], every: set[UUID]) -> None:
    """The list at this path, and the system users of each target below it, are those of the decision."""
    assert ids(client, path) == set(reached), path
    for key in every:
        answer = client.get(f"{API}{path}{key}/system-users/")
        shown = {UUID(row["id"]) for row in answer.json()} if answer.status_code == 200 else set()
        assert shown == reached.get(key, set()), (path, key)


@pytest.mark.parametrize("valid", LICENCE_STATES)
def test_k59_own_pages_show_what_the_decision_allows(
    world: World, client_of: Callable[[User | None], APIClient], *, valid: bool
) -> None:
    with licence(valid=valid):
        for name in ("user", "auditor", "org_admin", "admin"):
            person = world.people[name]
            client, (assets, applications) = client_of(person), decided(world, person)
            assert assets, name
            remote = {key for key in applications if world.applications[key].type == "chrome"}
            assert bool(remote) == valid
            require_shown(client, "users/assets/", assets, set(world.assets))
            require_shown(client, "users/applications/", applications, set(world.applications))
            inactive = {key for key, asset in world.assets.items() if not asset.is_active}
            assert leaves(client, "users/assets/tree/", "asset") - inactive == set(assets)
            assert leaves(client, "users/applications/tree/", "application") == set(applications)


@pytest.mark.parametrize("valid", LICENCE_STATES)
def test_k16_administrators_see_the_same_of_their_organization_only(
    world: World, as_org_admin: APIClient, as_user: APIClient, as_auditor: APIClient, *, valid: bool
) -> None:
    with licence(valid=valid):
        for name in ("user", "guest", "org_admin"):
            person = world.people[name]
            assets, applications = (
                {key: accounts for key, accounts in of_kind.items() if rows[key].org_id == DEFAULT_ORG_ID}
                for of_kind, rows in zip(decided(world, person), (world.assets, world.applications), strict=True)
            )
            require_shown(as_org_admin, f"users/{person.pk}/assets/", assets, set(world.assets))
            require_shown(as_org_admin, f"users/{person.pk}/applications/", applications, set(world.applications))
            for client in (as_user, as_auditor):
                for path in ("assets", "applications"):
                    assert client.get(f"{API}users/{person.pk}/{path}/").status_code == 403
        (shown,) = ids(as_org_admin, f"user-groups/{world.group.pk}/applications/")
        assert shown in decided(world, world.people["guest"])[1]
        assert shown not in decided(world, world.people["org_admin"])[1]  # who is not in the group


@pytest.mark.parametrize("valid", LICENCE_STATES)
def test_k59_a_disabled_person_reaches_nothing(world: World, as_org_admin: APIClient, *, valid: bool) -> None:
    guest = world.people["guest"]
    User.objects.filter(pk=guest.pk).update(is_active=False)
    with licence(valid=valid):
        assert decided(world, guest) == ({}, {})
        for path in ("assets", "applications"):
            assert ids(as_org_admin, f"users/{guest.pk}/{path}/") == set()
