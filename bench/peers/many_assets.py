"""Fills the tables of an installation with assets: `many_assets.py COUNT` with POSTERN_HOME set.

Creates the system administrator `bench` (with the password `PASSWORD`), and COUNT assets in the default organization.
Each asset has two protocols and one of 200 nodes; every tenth has a label. The tables must have been migrated.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from postern.apps.assets.models import Asset, Node
    from postern.apps.users.models import User

PASSWORD: Final = "plum orbit cactus 41"  # noqa: S105 - of a temporary data folder
_BATCH: Final = 2_000
_NODES: Final = 200


def fill(count: int) -> None:
    """Create `count` assets in the default organization."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "postern.foundation.django_settings"
    import django  # noqa: PLC0415 - needs the environment

    django.setup()
    from django.db import transaction  # noqa: PLC0415 - needs the app registry

    make_administrator()
    with transaction.atomic():
        _assets(count)


def make_administrator() -> "User":
    """The system administrator for the sign-in. Django must be set up."""
    from postern.apps.orgs.roles import OrgRole  # noqa: PLC0415 - needs the app registry
    from postern.apps.users.models import Membership, SystemRole, User  # noqa: PLC0415 - needs the app registry
    from postern.kernel.ids import DEFAULT_ORG_ID  # noqa: PLC0415 - needs the app registry

    user = User(
        username="bench",
        name="Bench",
        email="bench@example.test",
        role=SystemRole.ADMIN,
        is_first_login=False,
    )
    user.set_password(PASSWORD)
    user.save()
    Membership.objects.create(user=user, org_id=DEFAULT_ORG_ID, role=OrgRole.ADMIN)
    return user


def _assets(count: int) -> None:
    from postern.apps.assets.models import Label, Node  # noqa: PLC0415 - needs the app registry
    from postern.apps.assets.tree.actions import create_node  # noqa: PLC0415 - needs the app registry
    from postern.foundation.caller.actor import SYSTEM  # noqa: PLC0415 - needs the app registry
    from postern.kernel.ids import DEFAULT_ORG_ID  # noqa: PLC0415 - needs the app registry

    root = Node.objects.get(org_id=DEFAULT_ORG_ID, parent__isnull=True)
    nodes = [create_node(actor=SYSTEM, parent=root, value=f"rack {number:03}") for number in range(_NODES)]
    label = Label.objects.create(org_id=DEFAULT_ORG_ID, name="stage", value="live")
    for assets in put_assets(
        count,
        hostname=lambda number: f"host-{number:06}.rack{number % _NODES:03}.example.test",
        protocols=(("ssh", 22), ("telnet", 23)),
        node_of=lambda number: nodes[number % _NODES],
    ):
        label.assets.add(*assets[::10])


def put_assets(
    count: int,
    *,
    hostname: Callable[[int], str],
    protocols: Sequence[tuple[str, int]],
    node_of: Callable[[int], "Node"],
) -> Iterator[list["Asset"]]:
    """Create assets in the default organization, numbered from 0, in a transaction. Yields them as they are created."""
    from postern.apps.assets.models import (  # noqa: PLC0415 - needs the app registry
        Asset,
        AssetNode,
        AssetProtocol,
        Platform,
    )
    from postern.apps.assets.tree import change_log  # noqa: PLC0415 - needs the app registry
    from postern.kernel.ids import DEFAULT_ORG_ID  # noqa: PLC0415 - needs the app registry

    platform = Platform.objects.get(name="Linux")
    numbers = change_log.begin(DEFAULT_ORG_ID, new_assets=count).dense_ids
    for start in range(0, count, _BATCH):
        part = range(start, min(start + _BATCH, count))
        assets = [
            Asset(
                org_id=DEFAULT_ORG_ID,
                dense_id=numbers[number],
                hostname=hostname(number),
                ip=f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}",
                platform=platform,
                created_by="Bench(bench)",
            )
            for number in part
        ]
        Asset.objects.bulk_create(assets)
        AssetProtocol.objects.bulk_create(
            [
                AssetProtocol(asset=asset, name=name, port=port, position=position)
                for asset in assets
                for position, (name, port) in enumerate(protocols)
            ],
            batch_size=_BATCH,
        )
        AssetNode.objects.bulk_create(
            [AssetNode(asset=asset, node=node_of(number)) for asset, number in zip(assets, part, strict=True)],
            batch_size=_BATCH,
        )
        yield assets


if __name__ == "__main__":
    fill(int(sys.argv[1]))
