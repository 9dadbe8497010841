"""What jobs learn about assets: whether they can be reached, when, and why not.

These are observations, not changes by people: the job that made them is audited, the single asset is not.
"""

from uuid import UUID

from postern.apps.assets.tree.models import MAX_REASON, Asset, Connectivity
from postern.kernel import clock


def note_connectivity(asset_id: UUID, *, is_reachable: bool, reason: str = "") -> None:
    """Store whether the asset was reached just now; `reason` says why not. An asset that is gone is no error."""
    Asset.objects.filter(pk=asset_id).update(
        connectivity=Connectivity.OK if is_reachable else Connectivity.FAILED,
        connectivity_reason=reason[:MAX_REASON],
        date_verified=clock.now(),
    )
