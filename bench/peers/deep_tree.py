"""Fills an installation with a tree: `deep_tree.py NODES ASSETS` with POSTERN_HOME set.

The root has 20 regions, each region 20 sites, each site the same number of racks, so that there are about NODES nodes.
The assets are spread evenly over the racks: a region has a twentieth of them. Creates the administrator of `many_assets`.
The tables must have been migrated. Prints the ids of the nodes that are measured, as JSON.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parent))

from many_assets import make_administrator, put_assets

_WIDE: Final = 20
_BATCH: Final = 2_000


def fill(nodes: int, assets: int) -> dict[str, str]:
    """Create the tree and its assets in the default organization."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "postern.foundation.django_settings"
    import django  # noqa: PLC0415 - needs the environment

    django.setup()
    from django.db import transaction  # noqa: PLC0415 - needs the app registry

    make_administrator()
    with transaction.atomic():
        racks, named = _nodes(nodes)
        for _part in put_assets(
            assets,
            hostname=lambda number: f"host-{number:06}.example.test",
            protocols=(("ssh", 22),),
            node_of=lambda number: racks[number * len(racks) // assets],
        ):
            pass
    return named


def _nodes(count: int) -> tuple[list[Any], dict[str, str]]:
    from postern.apps.assets.models import Node, NodePath  # noqa: PLC0415 - needs the app registry
    from postern.kernel.ids import DEFAULT_ORG_ID  # noqa: PLC0415 - needs the app registry

    rows: list[Any] = []
    paths: list[Any] = []
    above: dict[Any, list[Any]] = {}

    def child(parent: Any, value: str) -> Any:
        node = Node(
            org_id=DEFAULT_ORG_ID,
            key=f"{parent.key}:{parent.next_child}",
            value=value,
            full_value=f"{parent.full_value}/{value}",
            parent=parent,
        )
        parent.next_child += 1
        above[node.pk] = [*above[parent.pk], node.pk]
        rows.append(node)
        paths.extend(NodePath(ancestor_id=ancestor, descendant_id=node.pk) for ancestor in above[node.pk])
        return node

    root = Node.objects.get(org_id=DEFAULT_ORG_ID, parent__isnull=True)
    above[root.pk] = [root.pk]
    regions = [child(root, f"region {number:02}") for number in range(_WIDE)]
    sites = [child(region, f"site {number:02}") for region in regions for number in range(_WIDE)]
    each = max((count - len(regions) - len(sites)) // len(sites), 1)
    racks = [child(site, f"rack {number:03}") for site in sites for number in range(each)]
    Node.objects.bulk_create(rows, batch_size=_BATCH)
    NodePath.objects.bulk_create(paths, batch_size=_BATCH)
    root.save(update_fields=["next_child"])
    named = {
        "root": root,
        "region": regions[7],
        "site": sites[0],
        "goal": regions[3],
        "import": racks[5],
        "other": racks[6],
    }
    return racks, {name: str(node.pk) for name, node in named.items()} | {
        "root_key": root.key,
        "region_key": regions[7].key,
        "site_key": sites[0].key,
        "import_path": racks[5].full_value,
    }


if __name__ == "__main__":
    print(json.dumps(fill(int(sys.argv[1]), int(sys.argv[2]))))
