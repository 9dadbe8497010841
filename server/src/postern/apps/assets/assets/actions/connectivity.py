"""What jobs learn about assets: whether they can be reached, when, and why not.

These are observations, not changes by people: the job that made them is audited, the single asset is not.
"""

from uuid import UUID

from postern.apps.assets.tree.models import MAX_REASON, Asset, Connectivity
from postern.foundation.phrases import stored
from postern.kernel import clock
from postern.kernel.sentences import NOTHING, Sentence


def note_connectivity(asset_id: UUID, *, is_reachable: bool, reason: Sentence = NOTHING) -> None:
    """Store whether the asset was reached just now; `reason` says why not. An asset that is gone is no error."""
    Asset.objects.filter(pk=asset_id).update(
        connectivity=Connectivity.OK if is_reachable else Connectivity.FAILED,
        connectivity_reason=reason.text[:MAX_REASON],
        connectivity_sentence=stored(reason),
        date_verified=clock.now(),
    )
