"""Signs in with the accounts of system users, to see whether they work."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

import msgspec
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from postern.apps.jobs.engine.job_run import JobRun
from postern.apps.jobs.engine.kinds import JobKind, OnLost, Outcome
from postern.apps.jobs.executions.actions import settle
from postern.apps.jobs.executions.models import HostOutcome, HostResult
from postern.apps.jobs.hosts.accounts import account_of
from postern.apps.jobs.hosts.fleet import HostNotTried
from postern.apps.jobs.hosts.on_assets import AssetRun, AssetWork, Errand, HostAnswer, Place, Verdict, plain_verdict
from postern.apps.vault import facade as vault
from postern.contracts import runner
from postern.contracts.enums import Protocol
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.rest.rights import Right


class AccountsArgument(msgspec.Struct, frozen=True):
    """What the request named. `username` is for system users without a username of their own."""

    system_users: tuple[UUID, ...] = ()
    assets: tuple[UUID, ...] = ()
    username: str = ""


#: Results that show whether the account works.
_TELLING: Final = frozenset((HostResult.DONE, HostResult.CREDENTIAL_REFUSED))


def ssh_port(place: Place) -> int:
    """The port of SSH of the asset. Raises HostNotTried if it has none."""
    port = place.asset.protocols.get(Protocol.SSH)
    if port is None:
        raise HostNotTried(runner.HostResult.REFUSED, _("The asset does not have the protocol SSH."))
    return port


class _AccountTest(AssetWork):
    def __init__(self, username: str) -> None:
        self._username = username

    def errand(self, place: Place) -> Errand:
        if place.system_user_id is None:
            raise HostNotTried(runner.HostResult.REFUSED, _("No account was chosen for this asset."))
        return Errand(port=ssh_port(place), account=account_of(place.system_user_id, self._username))

    def judge(self, answer: HostAnswer) -> Verdict:
        return plain_verdict(answer.how)

    def store(self, verdicts: Sequence[tuple[HostOutcome, Verdict]]) -> None:
        note_accounts(verdicts)


def note_accounts(verdicts: Sequence[tuple[HostOutcome, Verdict]]) -> None:
    """Store with the accounts whether they work; what says nothing about that is left out."""
    for row, verdict in verdicts:
        if verdict.result in _TELLING and row.system_user_id is not None:
            vault.note_account(
                asset_id=row.asset_id,
                system_user_id=row.system_user_id,
                works=verdict.result is HostResult.DONE,
            )


def _test(job: JobRun, argument: AccountsArgument) -> Outcome:
    counts = AssetRun(job, _AccountTest(argument.username), actor=SYSTEM).run()
    values = {"total": counts.total, "succeeded": counts.succeeded, "failed": counts.failed}
    return Outcome(code="tested", succeeded=not counts.failed, values=values)


TEST_ACCOUNTS: Final = JobKind(
    name="accounts.test",
    label=gettext_lazy("Test accounts"),
    argument=AccountsArgument,
    run=_test,
    right=Right.ORG_ADMIN,
    on_lost=OnLost.RERUN,
    time_limit=timedelta(hours=2),
    at_once=4,
    at_once_in_org=2,
    joins=True,
    settle=settle,
    outcomes={"tested": gettext_lazy("Accounts: %(total)d, succeeded: %(succeeded)d, failed: %(failed)d.")},
)
