"""Starting the pushes that a write makes necessary."""

from collections.abc import Sequence
from contextlib import suppress
from itertools import groupby
from typing import Final

from postern.apps.jobs.account_tests.job import AccountsArgument
from postern.apps.jobs.auto_push.affected import Affected, Happened
from postern.apps.jobs.executions.actions import MAX_HOSTS, NoHosts
from postern.apps.jobs.push.job import PUSH_ACCOUNTS
from postern.apps.jobs.system_user_tasks.actions import start_for_accounts

#: Assets of one job. Its argument names them, and stays below a megabyte.
MAX_ASSETS: Final = 10_000


def push_affected(happened: Sequence[Happened]) -> None:
    """Start one push for all assets that need the same accounts, as the person who made the change.

    Called at the end of the transaction of the change: both are committed, or neither.
    """
    for (actor, org_id), some in groupby(happened, key=lambda event: (event.by, event.org_id)):
        affected = Affected(org_id)
        affected.note(some)
        for (asset_ids, username), system_users in affected.pushes().items():
            ordered = sorted(asset_ids)
            size = min(MAX_ASSETS, max(1, MAX_HOSTS // len(system_users)))
            for start in range(0, len(ordered), size):
                argument = AccountsArgument(
                    system_users=tuple(sorted(system_users)),
                    assets=tuple(ordered[start : start + size]),
                    username=username,
                )
                # What was affected may have been deleted by a write that was committed meanwhile. Then there is nothing
                # to push, and no reason to undo the change.
                with suppress(NoHosts):
                    start_for_accounts(actor=actor, org_id=org_id, kind=PUSH_ACCOUNTS, argument=argument, is_news=True)
