"""Random edits of everything that decides who reaches what, in two organizations, by the product's own actions."""

import contextlib
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from random import Random
from typing import Any, Final, TypeVar
from uuid import UUID

from django.db import transaction

from factories.grants import grant, make_asset, make_group, make_node, make_system_user
from postern.apps.assets.assets.actions.assets import create_assets, delete_assets, update_assets
from postern.apps.assets.assets.protocols import parse
from postern.apps.assets.models import Asset, Node, Platform
from postern.apps.assets.nodes.actions import add_assets, remove_assets, replace_assets, root_of
from postern.apps.assets.tree.actions import delete_node, move_nodes, rename_node
from postern.apps.assets.tree.checking import correct
from postern.apps.assets.tree.upkeep import prune_changes
from postern.apps.orgs.facade import create_organization
from postern.apps.perms.models import AssetPermission
from postern.apps.perms.permissions.actions import delete_permission, update_permission
from postern.apps.users.models import Membership, User, UserGroup, UserGroupMember
from postern.apps.vault.models import SystemUser
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.errors import PosternError
from postern.kernel.ids import DEFAULT_ORG_ID

START: Final = datetime(2026, 1, 1, tzinfo=UTC)
_HOUR: Final = timedelta(hours=1)
_PROTOCOLS: Final = ("ssh/22", "rdp/3389", "vnc/5900")
_MOST_ASSETS, _MOST_NODES, _MOST_PERMISSIONS = 40, 24, 14
_One = TypeVar("_One")


class _RolledBackError(Exception):
    pass


def in_order(rows: Iterable[_One], name: str) -> list[_One]:
    """Rows in the order of names that end with a growing number. In the order of their random ids, one seed would make
    a different world in each run, and now and then one in which hardly anything can be reached.
    """
    return sorted(rows, key=lambda row: (len(getattr(row, name)), getattr(row, name)))


class Edits:
    """A small world and its random edits. `at` is the clock, which some of them move."""

    def __init__(self, dice: Random, make_user: Callable[..., User]) -> None:
        self.dice, self.at = dice, START
        self._numbers = count(1)
        self.org_ids = [DEFAULT_ORG_ID, create_organization(actor=SYSTEM, name="Elsewhere").pk]
        self.users = [make_user(f"u{number}") for number in range(4)]
        for user in self.users[1:]:
            Membership.objects.create(user=user, org_id=self.org_ids[1])
        for org_id in self.org_ids:
            make_group(users=self.users[:2], org_id=org_id)
            make_group(users=self.users[2:3], org_id=org_id)
            for protocol in ("ssh", "rdp", "ssh"):
                make_system_user(protocol=protocol, org_id=org_id)
            for _ in range(8):
                self.node(org_id)
            for _ in range(14):
                self.asset(org_id)
            for _ in range(4):
                self.permission(org_id)

    def step(self) -> str:
        """One random edit; returns its name. Edits that the product refuses change nothing."""
        org_id = self.dice.choice(self.org_ids)
        edit = self.dice.choice(_EDITS)
        with contextlib.suppress(PosternError, _RolledBackError):
            if self.dice.random() < 0.08:
                with transaction.atomic():
                    edit(self, org_id)
                    raise _RolledBackError
            edit(self, org_id)
        return edit.__name__

    def _some(self, items: Sequence[_One], most: int = 3) -> list[_One]:
        return self.dice.sample(items, min(len(items), self.dice.randint(1, most)))

    def _nodes(self, org_id: UUID) -> list[Node]:
        return in_order(Node.objects.filter(org_id=org_id), "key")

    def _assets(self, org_id: UUID) -> list[Asset]:
        return in_order(Asset.objects.filter(org_id=org_id), "hostname")

    def _permissions(self, org_id: UUID) -> list[AssetPermission]:
        return in_order(AssetPermission.objects.filter(org_id=org_id), "name")

    def _hostname(self) -> str:
        # Upper case, and names of which one begins with another, so that the order of the database matters.
        return f"{self.dice.choice('abAB-')}{self.dice.choice(['', '1', '-x'])}{next(self._numbers)}"

    def _protocols(self) -> list[str]:
        return self._some(_PROTOCOLS, 2)

    def asset(self, org_id: UUID) -> None:
        if Asset.objects.filter(org_id=org_id).count() < _MOST_ASSETS:
            nodes = self._some(self._nodes(org_id), 2) if self.dice.random() < 0.8 else []
            make_asset(
                self._hostname(),
                org_id=org_id,
                nodes=nodes,
                protocols=self._protocols(),
                is_active=self.dice.random() > 0.2,
            )

    def several_assets(self, org_id: UUID) -> None:
        if Asset.objects.filter(org_id=org_id).count() < _MOST_ASSETS:
            platform = Platform.objects.get(name="Linux")
            create_assets(
                actor=SYSTEM,
                org_id=org_id,
                items=[
                    {
                        "hostname": self._hostname(),
                        "ip": "192.0.2.7",
                        "platform": platform,
                        "protocols": [parse("ssh/22")],
                        "nodes": self._some(self._nodes(org_id), 2),
                    }
                    for _ in range(4)
                ],
            )

    def delete_assets(self, org_id: UUID) -> None:
        delete_assets(actor=SYSTEM, assets=self._some(self._assets(org_id), 2))

    def _change(self, org_id: UUID, values: Callable[[], dict[str, Any]]) -> None:
        update_assets(actor=SYSTEM, pairs=[(asset, values()) for asset in self._some(self._assets(org_id))])

    def rename_assets(self, org_id: UUID) -> None:
        self._change(org_id, lambda: {"hostname": self._hostname()})

    def change_addresses(self, org_id: UUID) -> None:
        self._change(org_id, lambda: {"ip": f"192.0.2.{self.dice.randint(1, 12)}", "comment": self.dice.choice("xyz")})

    def switch_assets(self, org_id: UUID) -> None:
        self._change(org_id, lambda: {"is_active": self.dice.random() < 0.5})

    def change_protocols(self, org_id: UUID) -> None:
        self._change(org_id, lambda: {"protocols": [parse(text) for text in self._protocols()]})

    def place_by_edit(self, org_id: UUID) -> None:
        self._change(org_id, lambda: {"nodes": self._some(self._nodes(org_id))})

    def node(self, org_id: UUID) -> None:
        if Node.objects.filter(org_id=org_id).count() < _MOST_NODES:
            make_node(f"n{next(self._numbers)}", parent=self.dice.choice(self._nodes(org_id)), org_id=org_id)

    def move_nodes(self, org_id: UUID) -> None:
        nodes = self._nodes(org_id)
        move_nodes(actor=SYSTEM, target=self.dice.choice(nodes), nodes=self._some(nodes, 2))

    def rename_node(self, org_id: UUID) -> None:
        rename_node(actor=SYSTEM, node=self.dice.choice(self._nodes(org_id)), value=f"r{next(self._numbers)}")

    def delete_node(self, org_id: UUID) -> None:
        for node in self._nodes(org_id):
            if not node.children.exists() and not node.asset_rows.exists():
                delete_node(actor=SYSTEM, node=node)
                return

    def delete_branch(self, org_id: UUID) -> None:
        """Empty a subtree, and delete it from below: several changes that a reader sees at once."""
        root = root_of(org_id)
        node = self.dice.choice(self._nodes(org_id))
        if node.pk == root.pk:
            return
        with transaction.atomic():
            below = list(Node.objects.filter(paths_up__ancestor=node).order_by("-key"))
            for one in sorted(below, key=lambda row: -row.key.count(":")):
                replace_assets(
                    actor=SYSTEM, node=root, assets=list(Asset.objects.filter(node_rows__node=one).order_by("hostname"))
                )
                delete_node(actor=SYSTEM, node=one)

    def add_assets(self, org_id: UUID) -> None:
        add_assets(actor=SYSTEM, node=self.dice.choice(self._nodes(org_id)), assets=self._some(self._assets(org_id)))

    def remove_assets(self, org_id: UUID) -> None:
        asset = self.dice.choice(self._assets(org_id))
        remove_assets(actor=SYSTEM, node=self.dice.choice(list(asset.nodes.order_by("key"))), assets=[asset])

    def replace_assets(self, org_id: UUID) -> None:
        node = self.dice.choice(self._nodes(org_id))
        replace_assets(actor=SYSTEM, node=node, assets=self._some(self._assets(org_id)))

    def _grants(self, org_id: UUID) -> dict[str, Any]:
        members = [user for user in self.users if Membership.objects.filter(user=user, org_id=org_id).exists()]
        groups = in_order(UserGroup.objects.filter(org_id=org_id), "name")
        system_users = in_order(SystemUser.objects.filter(org_id=org_id), "name")
        start = self.at + _HOUR * self.dice.choice([-6, -4, -2, 0, 0, 3])
        return {
            "users": self._some(members, 2) if members and self.dice.random() < 0.7 else [],
            "user_groups": self._some(groups, 2) if self.dice.random() < 0.6 else [],
            "assets": self._some(self._assets(org_id)) if self.dice.random() < 0.5 else [],
            "nodes": self._some(self._nodes(org_id), 3) if self.dice.random() < 0.8 else [],
            "system_users": self._some(system_users, 2),
            "is_active": self.dice.random() > 0.15,
            "date_start": start,
            "date_expired": start + _HOUR * self.dice.choice([7, 30, 90, 400]),
            "actions": self.dice.choice([0, 1, 2, 7, 31, 255, 255]),
        }

    def permission(self, org_id: UUID) -> None:
        if AssetPermission.objects.filter(org_id=org_id).count() < _MOST_PERMISSIONS:
            grant(org_id=org_id, **self._grants(org_id))

    def change_permission(self, org_id: UUID) -> None:
        values = self._grants(org_id)
        chosen = [*self._some(sorted(values), 4), "date_start", "date_expired"]
        for permission in self._some(self._permissions(org_id)):
            update_permission(actor=SYSTEM, permission=permission, values={name: values[name] for name in chosen})

    def delete_permission(self, org_id: UUID) -> None:
        permissions = self._permissions(org_id)
        if len(permissions) > 2:
            delete_permission(actor=SYSTEM, permission=self.dice.choice(permissions))

    def change_group(self, org_id: UUID) -> None:
        group, user = (
            self.dice.choice(in_order(UserGroup.objects.filter(org_id=org_id), "name")),
            self.dice.choice(self.users),
        )
        rows = UserGroupMember.objects.filter(usergroup=group, user=user)
        if rows.exists():
            rows.delete()
        else:
            UserGroupMember.objects.create(usergroup=group, user=user)

    def change_membership(self, org_id: UUID) -> None:
        user = self.dice.choice(self.users)
        rows = Membership.objects.filter(user=user, org_id=org_id)
        if rows.exists() and self.dice.random() < 0.3:
            rows.delete()
        elif not rows.exists():
            Membership.objects.create(user=user, org_id=org_id)

    def change_user(self, org_id: UUID) -> None:
        del org_id
        ends = self.dice.choice([None, self.at, self.at + _HOUR, *[self.at + 1000 * _HOUR] * 4])
        rows = User.objects.filter(pk=self.dice.choice(self.users).pk)
        rows.update(is_active=self.dice.random() > 0.1, date_expired=ends)

    def change_system_user(self, org_id: UUID) -> None:
        row = self.dice.choice(in_order(SystemUser.objects.filter(org_id=org_id), "name"))
        SystemUser.objects.filter(pk=row.pk).update(protocol=self.dice.choice(["ssh", "rdp", "vnc"]))

    def pass_time(self, org_id: UUID) -> None:
        """Onto a border of a permission, just before one, or anywhere."""
        borders = sorted(
            {
                border
                for row in self._permissions(org_id)
                for border in (row.date_start, row.date_expired)
                if border > self.at
            }
        )
        if borders:
            self.at = self.dice.choice(borders[:2]) - self.dice.choice([timedelta(0), timedelta(microseconds=1)])

    def prune(self, org_id: UUID) -> None:
        del org_id
        prune_changes(kept_writes=self.dice.choice([0, 1, 4]))

    def correct_tree(self, org_id: UUID) -> None:
        with transaction.atomic():
            correct(org_id)


_OFTEN = (Edits.move_nodes, Edits.pass_time, Edits.change_permission, Edits.add_assets, Edits.permission)
_EDITS: Final = (
    *_OFTEN, *_OFTEN,
    Edits.asset, Edits.several_assets, Edits.delete_assets, Edits.rename_assets, Edits.change_addresses, Edits.switch_assets,
    Edits.change_protocols, Edits.place_by_edit, Edits.node, Edits.rename_node, Edits.delete_node,
    Edits.delete_branch, Edits.remove_assets, Edits.replace_assets, Edits.delete_permission, Edits.change_group,
    Edits.change_membership, Edits.change_user, Edits.change_system_user, Edits.prune, Edits.correct_tree,
)  # fmt: skip
