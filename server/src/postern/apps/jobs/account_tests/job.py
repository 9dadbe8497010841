"""Signs in with the accounts of system users, to see whether they work."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

import msgspec
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from postern.apps.jobs.engine.job_run import JobRun
from postern.apps.jobs.executions.models import HostOutcome, HostResult
from postern.apps.jobs.hosts.accounts import account_of
from postern.apps.jobs.hosts.fleet import HostNotTried
from postern.apps.jobs.hosts.kinds import kind_on_hosts
from postern.apps.jobs.hosts.on_assets import AssetWork, Errand, HostAnswer, Place, Verdict, plain_verdict
from postern.apps.vault import facade as vault
from postern.contracts import runner
from postern.contracts.enums import Protocol


class AccountsArgument(msgspec.Struct, frozen=True):
    """What the request named: without assets all of the system users, without system users all of the assets.

    `username` is for system users without a username of their own.
    """

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
    def __init__(self, _job: JobRun, argument: AccountsArgument) -> None:
        self._username = argument.username

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


TEST_ACCOUNTS: Final = kind_on_hosts(
    name="accounts.test",
    label=gettext_lazy("Test accounts"),
    argument=AccountsArgument,
    work=_AccountTest,
    outcome="tested",
    sentence=gettext_lazy("Accounts: %(total)d, succeeded: %(succeeded)d, failed: %(failed)d."),
)
