"""Tests whether assets can be reached, and whether their admin users can sign in there."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

import msgspec
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from postern.apps.assets import facade as assets
from postern.apps.jobs.engine.job_run import JobRun
from postern.apps.jobs.engine.kinds import JobKind, OnLost, Outcome
from postern.apps.jobs.executions.actions import settle
from postern.apps.jobs.executions.models import HostOutcome, HostResult
from postern.apps.jobs.hosts.accounts import account_of
from postern.apps.jobs.hosts.fleet import HostNotTried
from postern.apps.jobs.hosts.on_assets import AssetRun, AssetWork, Errand, HostAnswer, Place, Verdict, plain_verdict
from postern.contracts import runner
from postern.contracts.enums import Protocol
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.rest.rights import Right

_NOT_REACHED: Final = frozenset((HostResult.UNREACHABLE, HostResult.HOST_KEY_REFUSED))
#: Nothing was learned about the asset.
_SILENT: Final = frozenset(
    (HostResult.REFUSED, HostResult.STOPPED, HostResult.FAULT, HostResult.NOT_STARTED, HostResult.UNKNOWN)
)


class AssetsArgument(msgspec.Struct, frozen=True):
    """What the request named: `assets` are ids; `node` is the id of a node whose subtree is meant, or None."""

    assets: tuple[UUID, ...] = ()
    node: UUID | None = None


class _ConnectivityTest(AssetWork):
    def __init__(self, admin_users: Mapping[UUID, UUID | None]) -> None:
        self._admin_users = admin_users

    def errand(self, place: Place) -> Errand:
        asset = place.asset
        port = asset.protocols.get(Protocol.SSH)
        if port is None:
            port = next(iter(asset.protocols.values()), None)
            if port is None:
                raise HostNotTried(runner.HostResult.REFUSED, _("The asset has no protocol."))
            return Errand(port=port, account=None, only_dial=True)
        admin_user = self._admin_users.get(asset.id)
        return Errand(port=port, account=account_of(admin_user) if admin_user is not None else None)

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
                row.asset_id, is_reachable=is_reachable, reason="" if is_reachable else verdict.message
            )


def _test(job: JobRun, _argument: AssetsArgument) -> Outcome:
    ids = HostOutcome.objects.filter(execution_id=job.id).values_list("asset_id", flat=True)
    work = _ConnectivityTest(assets.admin_users_of(ids))
    counts = AssetRun(job, work, actor=SYSTEM).run()
    values = {"total": counts.total, "succeeded": counts.succeeded, "failed": counts.failed}
    return Outcome(code="tested", succeeded=not counts.failed, values=values)


TEST_ASSETS: Final = JobKind(
    name="assets.test",
    label=gettext_lazy("Test connectivity"),
    argument=AssetsArgument,
    run=_test,
    right=Right.ORG_ADMIN,
    on_lost=OnLost.RERUN,
    time_limit=timedelta(hours=2),
    at_once=4,
    at_once_in_org=2,
    joins=True,
    settle=settle,
    outcomes={"tested": gettext_lazy("Assets: %(total)d, succeeded: %(succeeded)d, failed: %(failed)d.")},
)
