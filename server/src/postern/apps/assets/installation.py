"""Rows that every installation has: the built-in platforms and the root node of each organization."""

from postern.apps.assets.platforms.actions import ensure_platforms
from postern.apps.assets.tree.actions import ensure_root
from postern.apps.orgs import facade as orgs
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.ids import ROOT_ORG_ID


def ensure() -> None:
    """Create missing rows; existing rows are not changed."""
    ensure_platforms()
    for org_id, name in orgs.names().items():
        if org_id != ROOT_ORG_ID:
            ensure_root(actor=SYSTEM, org_id=org_id, name=name)
