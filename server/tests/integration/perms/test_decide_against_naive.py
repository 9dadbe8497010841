"""Compares the decision in SQL with a naive evaluator in Python, in random worlds and exactly at the ends of
permissions.
"""

import contextlib
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from factories.grants import grant, make_asset, make_group, make_node, make_system_user
from postern.apps.assets.models import Asset, AssetNode, AssetProtocol, Node
from postern.apps.assets.nodes.actions import add_assets, remove_assets, root_of
from postern.apps.assets.tree.actions import move_nodes
from postern.apps.assets.tree.errors import NodeRefused, NodeValueRefused
from postern.apps.perms import facade
from postern.apps.perms.granted.reach import Reach, Who
from postern.apps.perms.models import AssetPermission
from postern.apps.users.models import Membership, SystemRole, User, UserGroupMember
from postern.apps.vault.models import SystemUser
from postern.contracts.enums import Actions, Protocol
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db

START = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
PROTOCOLS = (Protocol.SSH, Protocol.RDP, Protocol.VNC)


@dataclass
class World:
    users: list[User]
    assets: list[Asset]
    nodes: list[Node]
    system_users: list[SystemUser]


def build(dice: random.Random) -> World:
    users = [
        User.objects.create(
            username=f"u{number}",
            name=f"U{number}",
            email=f"u{number}@example.test",
            role=SystemRole.USER,
            is_active=dice.random() > 0.1,
            date_expired=START + DAY * dice.choice([2, 5, 4000]),
        )
        for number in range(6)
    ]
    for user in users:
        Membership.objects.create(user=user, org_id=DEFAULT_ORG_ID)
    groups = [make_group(users=dice.sample(users, dice.randint(1, 3))) for _ in range(3)]
    nodes = [root_of(DEFAULT_ORG_ID)]
    nodes.extend(make_node(f"n{number}", parent=dice.choice(nodes)) for number in range(8))
    assets = [
        make_asset(
            nodes=dice.sample(nodes, dice.randint(1, 2)),
            protocols=[f"{name.value}/22" for name in dice.sample(PROTOCOLS, dice.randint(1, 3))],
            is_active=dice.random() > 0.15,
        )
        for _ in range(8)
    ]
    system_users = [
        make_system_user(username="root", protocol=dice.choice(PROTOCOLS).value, priority=dice.randint(1, 100))
        for _ in range(4)
    ]
    for _ in range(12):
        start = START + DAY * dice.randint(0, 4)
        grant(
            users=dice.sample(users, dice.randint(1, 3)),
            user_groups=dice.sample(groups, dice.randint(0, 2)),
            assets=dice.sample(assets, dice.randint(0, 2)),
            nodes=dice.sample(nodes, dice.choice([0, 1, 2])),
            system_users=dice.sample(system_users, dice.randint(1, 2)),
            is_active=dice.random() > 0.2,
            date_start=start,
            date_expired=start + DAY * dice.randint(1, 4),
            actions=dice.choice([0, 1, 2, 3, 263, 25, 511]),
        )
    # Some users leave the organization, so permissions for them must not count any more.
    Membership.objects.filter(user__in=[user for user in users if dice.random() < 0.1]).delete()
    return World(users, assets, nodes, system_users)


class Naive:
    """The access rule in plain Python, over a copy of all rows in sets."""

    def __init__(self) -> None:
        parent_of = dict(Node.objects.values_list("pk", "parent_id"))
        self.above: dict[object, set[object]] = {}
        for asset_id, node_id in AssetNode.objects.values_list("asset_id", "node_id"):
            above = self.above.setdefault(asset_id, set())
            step = node_id
            while step is not None:
                above.add(step)
                step = parent_of[step]
        self.users = User.objects.in_bulk()
        self.assets = Asset.objects.in_bulk()
        self.offers = set(AssetProtocol.objects.values_list("asset_id", "name"))
        self.members = set(Membership.objects.values_list("user_id", "org_id"))
        self.groups = set(UserGroupMember.objects.values_list("user_id", "usergroup_id"))
        self.permissions = [
            (
                permission,
                *(
                    {row.pk for row in getattr(permission, name).all()}
                    for name in ("users", "user_groups", "assets", "nodes", "system_users")
                ),
            )
            for permission in AssetPermission.objects.all()
        ]

    def decide(
        self, user: User, asset: Asset, system_user: SystemUser, protocol: Protocol, at: datetime
    ) -> tuple[bool, Actions, datetime | None, dict[int, datetime]]:
        user, asset = self.users[user.pk], self.assets[asset.pk]
        possible = (
            user.is_active
            and (user.date_expired is None or at < user.date_expired)
            and asset.is_active
            and system_user.protocol == protocol
            and (asset.pk, protocol.value) in self.offers
        )
        actions = Actions.NONE
        standing: list[AssetPermission] = []
        for permission, users, groups, assets, nodes, system_users in self.permissions:
            who = user.pk in users or any((user.pk, group) in self.groups for group in groups)
            names_asset = asset.pk in assets or self.above.get(asset.pk, set()) & nodes
            stands = permission.is_active and (user.pk, permission.org_id) in self.members
            if (
                possible
                and who
                and names_asset
                and stands
                and system_user.pk in system_users
                and permission.actions & 1
            ):
                standing.append(permission)
                if permission.date_start <= at < permission.date_expired:
                    actions |= Actions(permission.actions)
        if not actions:
            return False, Actions.NONE, None, {}
        if protocol not in {"rdp", "vnc"}:  # the others have no clipboard
            actions &= ~Actions.CLIPBOARD_COPY_PASTE
        if protocol != "ssh":  # the others forward nothing
            actions &= ~Actions.FORWARD
        ends = {
            bit: self.end_of(bit, standing, at, user.date_expired)
            for bit in (1 << n for n in range(8))
            if actions & bit
        }
        return True, actions, ends[1], ends

    @staticmethod
    def end_of(bit: int, permissions: list[AssetPermission], at: datetime, account_ends: datetime | None) -> datetime:
        """Follow the ends of permissions until no permission includes the action."""
        while account_ends is None or at < account_ends:
            borders = [
                row.date_expired for row in permissions if row.actions & bit and row.date_start <= at < row.date_expired
            ]
            if not borders:
                return at
            at = min(borders)
        return account_ends


def _bits(actions: Actions) -> list[int]:
    return [1 << n for n in range(8) if actions & (1 << n)]


def check(world: World, dice: random.Random) -> int:
    """Compare decisions at a few instants: half of them at an end of a permission, half a microsecond before one."""
    allowed = 0
    naive = Naive()
    requests = {
        (user.pk, asset.pk, system_user.pk): facade.Request(
            user_id=user.pk, asset_id=asset.pk, system_user_id=system_user.pk, protocol=Protocol(system_user.protocol)
        )
        for user in world.users
        for asset in world.assets
        for system_user in world.system_users
    }
    instants = [START + DAY * days + shift for days in range(7) for shift in (-timedelta(microseconds=1), timedelta(0))]
    for at in dice.sample(instants, 2):
        many = facade.decide_many(requests, at=at)
        for user in world.users:
            reach = Reach(Who(user_id=user.pk), at)
            in_reach = {asset.pk for asset in reach.assets()}
            usable = reach.usable([asset.pk for asset in world.assets])
            for asset in world.assets:
                yes: dict[object, Actions] = {}
                for system_user in world.system_users:
                    protocol = Protocol(system_user.protocol)
                    expected = naive.decide(user, asset, system_user, protocol, at)
                    decision = facade.decide(
                        user_id=user.pk, asset_id=asset.pk, system_user_id=system_user.pk, protocol=protocol, at=at
                    )
                    ends = {bit: group.until for group in decision.ends for bit in _bits(group.actions)}
                    assert (decision.allowed, decision.actions, decision.expires_at, ends) == expected
                    in_set = many[user.pk, asset.pk, system_user.pk]
                    assert (in_set.allowed, in_set.ends, in_set.denial_code, in_set.next_change_at) == (
                        decision.allowed,
                        decision.ends,
                        decision.denial_code,
                        decision.next_change_at,
                    )
                    assert decision.reasons
                    assert decision.allowed == (decision.denial_code is None)
                    if expected[0]:
                        yes[system_user.pk] = expected[1]
                # An asset is in reach when a system user may be used there, and with exactly those system users.
                assert (asset.pk in in_reach) == bool(yes)
                if asset.is_active:
                    assert {system_user.id: system_user.actions for system_user in usable[asset.pk]} == yes
                allowed += len(yes)
    return allowed


@pytest.mark.parametrize("seed", range(3))
def test_decide_random_world_agrees_with_naive_evaluator_and_reach(seed: int) -> None:
    dice = random.Random(seed)
    world = build(dice)
    allowed = check(world, dice)
    for _ in range(3):
        with contextlib.suppress(NodeRefused, NodeValueRefused):
            move_nodes(actor=SYSTEM, target=dice.choice(world.nodes), nodes=[dice.choice(world.nodes)])
        node = dice.choice(world.nodes)
        add_assets(actor=SYSTEM, node=node, assets=[dice.choice(world.assets)])
        remove_assets(actor=SYSTEM, node=dice.choice(world.nodes), assets=[dice.choice(world.assets)])
    # A world in which nothing is allowed would prove little.
    assert allowed + check(world, dice) > 10


def test_decide_takes_one_query_when_a_permission_names_both_sides(make_user: Callable[..., User]) -> None:
    user, asset, system_user = make_user("ann"), make_asset(), make_system_user()
    for _ in range(5):
        grant(users=[user], assets=[asset], nodes=[root_of(DEFAULT_ORG_ID)], system_users=[system_user])
    with CaptureQueriesContext(connection) as queries:
        decision = facade.decide(
            user_id=user.pk, asset_id=asset.pk, system_user_id=system_user.pk, protocol=Protocol.SSH
        )
    assert decision.allowed
    assert len(decision.reasons) == 5
    assert len(queries) == 1
