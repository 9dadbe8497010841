"""A past for the world of `granted_world.py`, and the cost of writing it; with POSTERN_HOME set.

    past_changes.py fill CHANGES
    past_changes.py writes

`fill` makes all present rows three years old, and adds links that were true for a while in between: each is two changes.
Prints what is asked about, as JSON. `writes` prints the milliseconds of writes without and with the triggers.
"""

import json
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parent))

from granted_world import set_up

_YEAR: Final = timedelta(days=365)
_MICROSECONDS: Final = 1_000_000
_ROUNDS: Final = 5


def fill(changes: int) -> dict[str, Any]:
    from django.db import connection  # noqa: PLC0415 - needs the app registry

    from postern.apps.assets.models import AssetNode, Node  # noqa: PLC0415 - needs the app registry
    from postern.apps.perms.history.models import OPEN, HistoryStart, PastLink, PastObject  # noqa: PLC0415 - as above
    from postern.apps.users.models import User  # noqa: PLC0415 - needs the app registry
    from postern.kernel.clock import now  # noqa: PLC0415 - needs the app registry

    today = now()
    began, span = int((today - 3 * _YEAR).timestamp()) * _MICROSECONDS, int(3 * _YEAR.total_seconds())
    PastObject.objects.update(since=began)
    PastLink.objects.update(since=began)
    HistoryStart.objects.update(began=began)
    before, wanted, added = _size(), changes // 2, 0
    with connection.cursor() as cursor:
        while added < wanted:
            # Spread over the three years by the row's number; each was true for up to a quarter of a year.
            start = f"{began} + CAST((id * 7919 + {added}) % {span - 8_000_000} AS bigint) * {_MICROSECONDS}"
            cursor.execute(
                "INSERT INTO perms_pastlink (kind, left_id, right_id, word, since, until)"  # noqa: S608 - numbers of our own
                f" SELECT kind, left_id, right_id, word, {start}, {start} + (id % 7776000 + 1) * {_MICROSECONDS}"
                f" FROM perms_pastlink WHERE until = {OPEN} ORDER BY id LIMIT {wanted - added}"
            )
            added += cursor.rowcount
        if connection.vendor == "postgresql":  # which would soon do it by itself
            cursor.execute("ANALYZE")
    root = Node.objects.get(parent__isnull=True)
    return {
        "changes": 2 * added,
        "bytes": (_size() - before) / (2 * added),
        "at": (today - 2 * _YEAR).isoformat(),
        "today": today.isoformat(),
        "assets": {
            "usual": str(AssetNode.objects.exclude(node=root).order_by("pk")[500].asset_id),
            "another": str(AssetNode.objects.exclude(node=root).order_by("-pk")[500].asset_id),
        },
        "person": str(User.objects.get(username="person7").pk),
    }


def _size() -> int:
    from django.db import connection  # noqa: PLC0415 - needs the app registry

    sizes = {
        "sqlite": "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
        "postgresql": "SELECT pg_total_relation_size('perms_pastlink')",
    }
    with connection.cursor() as cursor:
        cursor.execute(sizes[connection.vendor])
        return int(cursor.fetchone()[0])


def writes() -> dict[str, tuple[float, float]]:
    from django.db import connection  # noqa: PLC0415 - needs the app registry

    from postern.apps.assets.models import Asset  # noqa: PLC0415 - needs the app registry
    from postern.apps.perms.history import upkeep  # noqa: PLC0415 - needs the app registry
    from postern.apps.perms.models import AssetPermission, PermissionAsset  # noqa: PLC0415 - needs the app registry
    from postern.apps.users.models import User, UserGroup, UserGroupMember  # noqa: PLC0415 - needs the app registry

    group = UserGroup.objects.create(name="measured", org_id=UserGroup.objects.all()[0].org_id)
    permission = AssetPermission.objects.order_by("name")[0]
    users, assets = list(User.objects.all()[:1_000]), list(Asset.objects.order_by("-pk")[:10_000])

    def one_member() -> None:
        UserGroupMember.objects.create(usergroup=group, user=users[0])
        UserGroupMember.objects.filter(usergroup=group).delete()

    def many_members() -> None:
        UserGroupMember.objects.bulk_create([UserGroupMember(usergroup=group, user=user) for user in users])
        UserGroupMember.objects.filter(usergroup=group).delete()

    def assets_of_permission() -> None:
        rows = [PermissionAsset(assetpermission=permission, asset=asset) for asset in assets]
        made = PermissionAsset.objects.bulk_create(rows, batch_size=2_000, ignore_conflicts=True)
        PermissionAsset.objects.filter(assetpermission=permission).delete()
        del made

    def switched() -> None:
        Asset.objects.filter(pk__in=[asset.pk for asset in assets[:1_000]]).update(is_active=False)
        Asset.objects.filter(pk__in=[asset.pk for asset in assets[:1_000]]).update(is_active=True)

    named: dict[str, Callable[[], None]] = {
        "a member in and out": one_member,
        "1,000 members in and out": many_members,
        "10,000 assets into a permission and out": assets_of_permission,
        "1,000 assets off and on": switched,
    }
    with_history = {name: _median(write) for name, write in named.items()}
    triggers = upkeep.all_triggers()
    upkeep.remove()
    without = {name: _median(write) for name, write in named.items()}
    with connection.cursor() as cursor:
        for trigger in triggers:
            for statement in trigger.statements:
                cursor.execute(statement)
    return {name: (without[name], with_history[name]) for name in named}


def _median(write: Callable[[], None]) -> float:
    from django.db import transaction  # noqa: PLC0415 - needs the app registry

    taken = []
    for _ in range(_ROUNDS):
        begun = time.perf_counter()
        with transaction.atomic():
            write()
        taken.append((time.perf_counter() - begun) * 1e3)
    return sorted(taken)[_ROUNDS // 2]


def main() -> int:
    set_up()
    print(json.dumps(writes() if sys.argv[1] == "writes" else fill(int(sys.argv[2]))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
