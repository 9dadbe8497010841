"""Tests whether assets can be reached, and whether their admin users can sign in there."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

import msgspec
from django.utils.translation import gettext_lazy

from postern.apps.assets import facade as assets
from postern.apps.jobs.engine.job_run import JobRun
from postern.apps.jobs.executions.models import HostOutcome, HostResult
from postern.apps.jobs.hosts.accounts import account_of
from postern.apps.jobs.hosts.fleet import HostNotTried
from postern.apps.jobs.hosts.kinds import admin_users_of, kind_on_hosts
from postern.apps.jobs.hosts.on_assets import AssetWork, Errand, HostAnswer, Place, Verdict, plain_verdict
from postern.apps.jobs.hosts.ways_in import way_in
from postern.contracts import runner
from postern.foundation.phrases import Phrase
from postern.kernel.sentences import NOTHING

_NO_PROTOCOL: Final = Phrase("jobs.no_protocol", gettext_lazy("The asset has no protocol."))

_NOT_REACHED: Final = frozenset((HostResult.UNREACHABLE, HostResult.HOST_KEY_REFUSED, HostResult.NO_WINRM))
#: Nothing was learned about the asset.
_SILENT: Final = frozenset(
    (HostResult.REFUSED, HostResult.STOPPED, HostResult.FAULT, HostResult.NOT_STARTED, HostResult.UNKNOWN)
)


class AssetsArgument(msgspec.Struct, frozen=True):
    """What the request named: `assets` are ids; `node` is the id of a node whose subtree is meant, or None."""

    assets: tuple[UUID, ...] = ()
    node: UUID | None = None


class _ConnectivityTest(AssetWork):
    def __init__(self, job: JobRun, _argument: AssetsArgument) -> None:
        self._admin_users = admin_users_of(job)

    def errand(self, place: Place) -> Errand:
        asset = place.asset
        way = way_in(asset)
        if way is None:
            port = next(iter(asset.protocols.values()), None)
            if port is None:
                raise HostNotTried(runner.HostResult.REFUSED, _NO_PROTOCOL.say())
            return Errand(port=port, account=None, only_dial=True)
        admin_user = self._admin_users.get(asset.id)
        account = account_of(admin_user, asset.id) if admin_user is not None else None
        return Errand(port=way.port, over=way.over, account=account)

    def judge(self, answer: HostAnswer) -> Verdict:
        return plain_verdict(answer.how)

    def store(self, verdicts: Sequence[tuple[HostOutcome, Verdict]]) -> None:
        note_reached(verdicts)


def note_reached(verdicts: Sequence[tuple[HostOutcome, Verdict]]) -> None:
    """Store with the assets whether they were reached; what says nothing about that is left out."""
    for row, verdict in verdicts:
        if verdict.result not in _SILENT:
            is_reachable = verdict.result not in _NOT_REACHED
            assets.note_connectivity(
                row.asset_id, is_reachable=is_reachable, reason=NOTHING if is_reachable else verdict.message
            )


TEST_ASSETS: Final = kind_on_hosts(
    name="assets.test",
    label=gettext_lazy("Test connectivity"),
    argument=AssetsArgument,
    work=_ConnectivityTest,
    outcome="tested",
    sentence=gettext_lazy("Assets: %(total)d, succeeded: %(succeeded)d, failed: %(failed)d."),
)
