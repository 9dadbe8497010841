"""Subscriptions of jobs to events of other apps."""

from typing import Final

from postern.apps.assets.tree.events import AssetsPlaced, NodeMoved
from postern.apps.jobs.auto_push.actions import push_affected
from postern.apps.vault.system_users.events import AccountChanged, SystemUserBound
from postern.foundation.bus.events import once_for_a_write

#: In the write: a change that is committed has its push.
SUBSCRIPTIONS: Final = once_for_a_write((SystemUserBound, AccountChanged, AssetsPlaced, NodeMoved), push_affected)
