"""What jobs learn about the hardware and the operating system of assets."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from postern.apps.assets.assets.actions.assets import update_assets
from postern.apps.assets.tree.models import Asset
from postern.foundation.caller.actor import SYSTEM

#: The columns that a job may fill in.
FACTS: Final = frozenset(
    (
        "vendor", "model", "sn", "cpu_model", "cpu_count", "cpu_cores", "cpu_vcpus", "memory", "disk_total",
        "disk_info", "os", "os_version", "os_arch", "hostname_raw",
    )
)  # fmt: skip


def note_facts(facts: Mapping[UUID, Mapping[str, Any]]) -> None:
    """Store facts with the assets; what did not change is not written. Assets that are gone are left out.

    Raises ValueError for a column that is no fact.
    """
    for values in facts.values():
        if values.keys() - FACTS:
            raise ValueError(f"no facts: {sorted(values.keys() - FACTS)}")
    rows = Asset.objects.filter(pk__in=facts)
    update_assets(actor=SYSTEM, pairs=[(row, facts[row.pk]) for row in rows])
