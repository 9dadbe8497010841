"""Signs in with the accounts of system users, to see whether they work."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

import msgspec
from django.utils.translation import gettext_lazy

from postern.apps.jobs.engine.job_run import JobRun
from postern.apps.jobs.executions.models import HostOutcome, HostResult
from postern.apps.jobs.hosts.accounts import account_of, account_of_asset
from postern.apps.jobs.hosts.fleet import HostNotTried
from postern.apps.jobs.hosts.kinds import kind_on_hosts
from postern.apps.jobs.hosts.on_assets import AssetWork, Errand, HostAnswer, Place, Verdict, plain_verdict
from postern.apps.jobs.hosts.ways_in import way_to
from postern.apps.vault import facade as vault
from postern.contracts import runner
from postern.foundation.phrases import Phrase
from postern.kernel import clock

_OTHER_PROTOCOL: Final = Phrase(
    "jobs.account_of_other_protocol",
    gettext_lazy("Only accounts of system users with the protocol SSH can be tested, on Windows also with RDP."),
)


class AccountsArgument(msgspec.Struct, frozen=True):
    """What the request named: without assets all of the system users, without system users all of the assets. With
    `accounts` exactly these.

    `username` is for system users without a username of their own.
    """

    system_users: tuple[UUID, ...] = ()
    assets: tuple[UUID, ...] = ()
    username: str = ""
    accounts: tuple[UUID, ...] = ()


#: Results that show whether the account works.
_TELLING: Final = frozenset((HostResult.DONE, HostResult.CREDENTIAL_REFUSED))


class _AccountTest(AssetWork):
    def __init__(self, _job: JobRun, _argument: AccountsArgument) -> None:
        """The accounts are those of the hosts of the execution."""

    def errand(self, place: Place) -> Errand:
        way = way_to(place.asset)
        if place.system_user_id is None:
            account = account_of_asset(place.asset.id, place.username)
            return Errand(port=way.port, over=way.over, account=account)
        system_user = vault.system_user_briefs([place.system_user_id]).get(place.system_user_id)
        if system_user is not None and system_user.protocol not in way.system_user_protocols:
            raise HostNotTried(runner.HostResult.REFUSED, _OTHER_PROTOCOL.say())
        account = account_of(place.system_user_id, place.asset.id, place.username)
        return Errand(port=way.port, over=way.over, account=account)

    def judge(self, answer: HostAnswer) -> Verdict:
        return plain_verdict(answer.how)

    def store(self, verdicts: Sequence[tuple[HostOutcome, Verdict]]) -> None:
        note_accounts(verdicts)


def note_accounts(verdicts: Sequence[tuple[HostOutcome, Verdict]]) -> None:
    """Store with the accounts whether they work; what says nothing about that is left out."""
    now = clock.now()
    results = [
        vault.AccountResult(
            asset_id=row.asset_id,
            system_user_id=row.system_user_id,
            username=row.username,
            works=verdict.result is HostResult.DONE,
            started=now - timedelta(seconds=row.seconds or 0),
        )
        for row, verdict in verdicts
        if verdict.result in _TELLING
    ]
    if results:
        vault.note_accounts(results)


TEST_ACCOUNTS: Final = kind_on_hosts(
    name="accounts.test",
    label=gettext_lazy("Test accounts"),
    argument=AccountsArgument,
    work=_AccountTest,
    outcome="tested",
    sentence=gettext_lazy("Accounts: %(total)d, succeeded: %(succeeded)d, failed: %(failed)d."),
)
