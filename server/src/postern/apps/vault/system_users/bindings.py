"""What the nodes of system users mean for their accounts."""

from typing import Final

from django.db import transaction
from django.db.models import F

from postern.apps.assets.models import Node
from postern.apps.vault.system_users.models import NodeUpkeep, SystemUserAsset, SystemUserNode
from postern.foundation.bus import waking

#: The periodic task that adds and removes the accounts that follow from nodes.
COMPARE_ACCOUNTS: Final = "postern.apps.vault.tasks.accounts_of_nodes"


def nodes_that_bind(account: SystemUserAsset) -> list[str]:
    """Paths of the nodes that the system user of the account is bound to and that the asset is below."""
    if account.systemuser_id is None or account.username:
        return []
    bound = SystemUserNode.objects.filter(systemuser_id=account.systemuser_id).values("node_id")
    nodes = Node.objects.filter(pk__in=bound, paths_down__descendant__asset_rows__asset_id=account.asset_id)
    return list(nodes.distinct().order_by("full_value").values_list("full_value", flat=True))


@transaction.atomic
def note_change(row: SystemUserNode) -> None:
    """A system user was bound to a node, or is no longer: the worker soon adds or removes its accounts."""
    org_id = row.systemuser.org_id
    NodeUpkeep.objects.get_or_create(org_id=org_id)
    NodeUpkeep.objects.filter(org_id=org_id).update(bindings=F("bindings") + 1)
    waking.wake_after_commit(COMPARE_ACCOUNTS)
