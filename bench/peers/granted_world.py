"""People, groups and permissions over a tree of assets; with POSTERN_HOME set, after the tables were migrated.

    granted_world.py fill ASSETS NODES PEOPLE GROUPS PERMISSIONS
    granted_world.py index
    granted_world.py decide

`fill` is deterministic. The tree is at most six deep. A permission is for some groups or people, and names some nodes
or assets; one of twenty names a node directly below the root. The administrator `bench` of `many_assets` is granted
nodes with at least a fifth of the assets. Prints what is measured, as JSON. `index` measures in its own process what no
request shows: making the index from nothing, its memory, and the first screen of the SSH menu. `decide` measures single
decisions, allowed and denied, warm and as the first after a write.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from many_assets import make_administrator, put_assets
from own_memory import Peak, own_mb

_DEPTH: Final = 6
_BATCH: Final = 2_000
_START: Final = datetime(2020, 1, 1, tzinfo=UTC)
_END: Final = _START + timedelta(days=365 * 100)
_MENU_ROUNDS: Final = 30


def set_up() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "postern.foundation.django_settings"
    import django  # noqa: PLC0415 - needs the environment

    django.setup()


def fill(assets: int, nodes: int, people: int, groups: int, permissions: int) -> dict[str, Any]:
    """Create everything in the default organization."""
    from django.db import transaction  # noqa: PLC0415 - needs the app registry

    dice = Random(41)  # noqa: S311 - the same world each time
    bench = make_administrator()
    with transaction.atomic():
        tree = _nodes(dice, nodes)
        places = [dice.choice(tree) for _ in range(assets)]
        made = [
            asset
            for part in put_assets(
                assets,
                hostname=lambda number: f"host-{number * 7919 % assets:06}.example.test",
                protocols=(("ssh", 22), ("rdp", 3389)),
                node_of=places.__getitem__,
            )
            for asset in part
        ]
        _second_places(dice, made, places, tree)
        _permissions(dice, permissions, _people(dice, people, groups), made, tree)
        rule, fifth = _grant_a_fifth(bench, tree, places)
    top = tree[1]
    root = tree[0]
    sizes = {key: sum(place.key == key or place.key.startswith(f"{key}:") for place in places) for key in _tops(tree)}
    moved = min(tree[2:21], key=lambda node: abs(sizes[node.key] - assets // 20))
    return {
        "root": str(root.pk),
        "moved": str(moved.pk),
        "moved_assets": str(sizes[moved.key]),
        "root_key": root.key,
        "node": str(top.pk),
        "node_key": top.key,
        "user": str(bench.pk),
        "rule": rule,
        "fifth": fifth,
        "far": str(assets // 5 * 9 // 10),
    }


def _nodes(dice: Random, count: int) -> list[Any]:
    from postern.apps.assets.models import Node, NodePath  # noqa: PLC0415 - needs the app registry
    from postern.kernel.ids import DEFAULT_ORG_ID  # noqa: PLC0415 - needs the app registry

    root = Node.objects.get(org_id=DEFAULT_ORG_ID, parent__isnull=True)
    tree, above = [root], {root.pk: [root.pk]}
    open_nodes, paths = [root], []
    for number in range(count - 1):
        parent = root if number < 20 else dice.choice(open_nodes[1:])
        node = Node(
            org_id=DEFAULT_ORG_ID,
            key=f"{parent.key}:{parent.next_child}",
            value=f"node {number:05}",
            full_value=f"{parent.full_value}/node {number:05}",
            parent=parent,
        )
        parent.next_child += 1
        above[node.pk] = [*above[parent.pk], node.pk]
        if len(above[node.pk]) < _DEPTH:
            open_nodes.append(node)
        paths += [NodePath(ancestor_id=ancestor, descendant_id=node.pk) for ancestor in above[node.pk]]
        tree.append(node)
    Node.objects.bulk_create(tree[1:], batch_size=_BATCH)
    NodePath.objects.bulk_create(paths, batch_size=_BATCH)
    root.save(update_fields=["next_child"])
    return tree


def _tops(tree: list[Any]) -> list[str]:
    """The keys of the nodes directly below the root."""
    return [node.key for node in tree[1:21]]


def _second_places(dice: Random, assets: list[Any], places: list[Any], tree: list[Any]) -> None:
    """A fifth of the assets is in a second node."""
    from postern.apps.assets.models import AssetNode  # noqa: PLC0415 - needs the app registry

    rows = [
        AssetNode(asset=asset, node=node)
        for asset, place in zip(assets, places, strict=True)
        if dice.random() < 0.2 and (node := dice.choice(tree)) is not place
    ]
    AssetNode.objects.bulk_create(rows, batch_size=_BATCH)


def _people(dice: Random, people: int, groups: int) -> tuple[list[Any], list[Any]]:
    from postern.apps.users.models import (  # noqa: PLC0415 - needs the app registry
        Membership,
        User,
        UserGroup,
        UserGroupMember,
    )
    from postern.kernel.ids import DEFAULT_ORG_ID  # noqa: PLC0415 - needs the app registry

    users = [
        User(
            username=name,
            username_key=name,
            name=f"Person {number}",
            email=f"{name}@example.test",
            is_first_login=False,
        )
        for number in range(people)
        for name in (f"person{number}",)
    ]
    User.objects.bulk_create(users, batch_size=_BATCH)
    Membership.objects.bulk_create([Membership(user=user, org_id=DEFAULT_ORG_ID) for user in users], batch_size=_BATCH)
    teams = [UserGroup(name=f"team {number}", org_id=DEFAULT_ORG_ID) for number in range(groups)]
    UserGroup.objects.bulk_create(teams)
    members = [
        UserGroupMember(user=user, usergroup=team) for user in users for team in dice.sample(teams, min(3, len(teams)))
    ]
    UserGroupMember.objects.bulk_create(members, batch_size=_BATCH)
    return users, teams


def _permissions(
    dice: Random, count: int, who: tuple[list[Any], list[Any]], assets: list[Any], tree: list[Any]
) -> None:
    from postern.apps.perms import models  # noqa: PLC0415 - needs the app registry

    (users, teams), accounts = who, _accounts()
    rows = [_permission(f"permission {number}") for number in range(count)]
    links: dict[Any, list[Any]] = {
        model: []
        for model in (
            models.PermissionUser,
            models.PermissionUserGroup,
            models.PermissionAsset,
            models.PermissionNode,
            models.PermissionSystemUser,
        )
    }

    def link(model: Any, row: Any, column: str, some: list[Any]) -> None:
        links[model] += [model(assetpermission=row, **{column: one}) for one in some]

    for number, row in enumerate(rows):
        if dice.random() < 0.5:
            link(models.PermissionUserGroup, row, "usergroup", dice.sample(teams, dice.randint(1, 2)))
        else:
            link(models.PermissionUser, row, "user", dice.sample(users, dice.randint(1, 2)))
        if number % 20 == 0:
            link(models.PermissionNode, row, "node", [dice.choice(tree[1:21])])
        elif number % 3:
            link(models.PermissionNode, row, "node", dice.sample(tree[21:], dice.randint(1, 3)))
        else:
            link(models.PermissionAsset, row, "asset", dice.sample(assets, dice.randint(1, 10)))
        link(models.PermissionSystemUser, row, "systemuser", dice.sample(accounts, dice.randint(1, 2)))
    models.AssetPermission.objects.bulk_create(rows, batch_size=_BATCH)
    for model, some in links.items():
        model.objects.bulk_create(some, batch_size=_BATCH)


def _permission(name: str) -> Any:
    from postern.apps.perms.models import AssetPermission  # noqa: PLC0415 - needs the app registry
    from postern.kernel.ids import DEFAULT_ORG_ID  # noqa: PLC0415 - needs the app registry

    return AssetPermission(name=name, org_id=DEFAULT_ORG_ID, date_start=_START, date_expired=_END, actions=255)


def _accounts() -> list[Any]:
    from postern.apps.vault.system_users.actions import create_system_user  # noqa: PLC0415 - needs the app registry
    from postern.foundation.caller.actor import SYSTEM  # noqa: PLC0415 - needs the app registry
    from postern.kernel.ids import DEFAULT_ORG_ID  # noqa: PLC0415 - needs the app registry

    return [
        create_system_user(
            actor=SYSTEM,
            org_id=DEFAULT_ORG_ID,
            values={
                "name": f"account {number}",
                "username": "root",
                "password": "of a bench",
                "protocol": ("ssh", "rdp")[number % 2],
            },
        )
        for number in range(20)
    ]


def _grant_a_fifth(bench: Any, tree: list[Any], places: list[Any]) -> tuple[str, list[str]]:
    """Grant nodes below the root to the administrator; returns the permission and the nodes."""
    from postern.apps.perms import models  # noqa: PLC0415 - needs the app registry
    from postern.apps.vault.models import SystemUser  # noqa: PLC0415 - needs the app registry

    row = _permission("of the bench")
    row.save()
    models.PermissionUser.objects.create(assetpermission=row, user=bench)
    account = SystemUser.objects.filter(protocol="ssh").order_by("name").first()
    models.PermissionSystemUser.objects.create(assetpermission=row, systemuser=account)
    reached, nodes = 0, []
    for node in tree[1:21]:
        nodes.append(str(node.pk))
        models.PermissionNode.objects.create(assetpermission=row, node=node)
        reached += sum(place.key == node.key or place.key.startswith(f"{node.key}:") for place in places)
        if reached >= len(places) // 5:
            break
    return str(row.pk), nodes


def index() -> dict[str, float]:
    """Seconds and megabytes of making the index, and milliseconds of CPU for the SSH menu's first screen."""
    from postern.apps.perms.facade import reachable_assets  # noqa: PLC0415 - needs the app registry
    from postern.apps.users.models import User  # noqa: PLC0415 - needs the app registry
    from postern.contracts.enums import Protocol  # noqa: PLC0415 - needs the app registry

    user_id = User.objects.values_list("pk", flat=True).get(username="bench")

    def menu() -> None:
        reachable_assets(user_id=user_id, protocol=Protocol.SSH)

    User.objects.count()
    before, peak = own_mb(), Peak()
    seconds = _cpu_s(menu)
    most = peak.end()
    return {
        "made_s": seconds,
        "kept_mb": own_mb() - before,
        "peak_mb": most - before,
        "menu_ms": _p95([_cpu_s(menu) for _ in range(_MENU_ROUNDS)]) * 1e3,
    }


def decide() -> dict[str, float]:
    """The p95 of CPU, in milliseconds, of decisions about random people, and of the first after an asset was renamed."""
    from postern.apps.assets.models import Asset  # noqa: PLC0415 - needs the app registry
    from postern.apps.perms.facade import decide as decision  # noqa: PLC0415 - needs the app registry
    from postern.apps.users.models import User  # noqa: PLC0415 - needs the app registry
    from postern.apps.vault.models import SystemUser  # noqa: PLC0415 - needs the app registry
    from postern.contracts.enums import Protocol  # noqa: PLC0415 - needs the app registry

    dice = Random(7)  # noqa: S311 - the same questions each time
    people = [
        *User.objects.values_list("pk", flat=True)[:500],
        *User.objects.filter(username="bench").values_list("pk", flat=True),
    ]
    assets = list(Asset.objects.values_list("pk", flat=True)[:5_000])
    accounts = list(SystemUser.objects.filter(protocol="ssh").values_list("pk", flat=True))

    def one() -> None:
        decision(
            user_id=dice.choice(people),
            asset_id=dice.choice(assets),
            system_user_id=dice.choice(accounts),
            protocol=Protocol.SSH,
        )

    def after() -> float:
        Asset.objects.filter(pk=dice.choice(assets)).update(comment=str(dice.random()))
        return _cpu_s(one)

    one()
    return {
        "check_warm_ms": _p95([_cpu_s(one) for _ in range(500)]) * 1e3,
        "check_after_ms": _p95([after() for _ in range(100)]) * 1e3,
    }


def _p95(values: list[float]) -> float:
    return sorted(values)[len(values) * 95 // 100]


def _cpu_s(call: Callable[[], None]) -> float:
    before = time.process_time()
    call()
    return time.process_time() - before


if __name__ == "__main__":
    set_up()
    kinds: dict[str, Callable[..., Any]] = {"fill": fill, "index": index, "decide": decide}
    answer = kinds[sys.argv[1]](*map(int, sys.argv[2:]))
    print(json.dumps(answer))
