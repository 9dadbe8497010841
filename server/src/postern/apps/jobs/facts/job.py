"""Asks assets for their hardware and operating system, and stores the answers with the assets."""

import secrets
from collections.abc import Sequence
from importlib.resources import files
from typing import Final

from django.utils.translation import gettext_lazy

from postern.apps.assets import facade as assets
from postern.apps.jobs.connectivity.job import AssetsArgument, note_reached
from postern.apps.jobs.engine.job_run import JobRun
from postern.apps.jobs.executions.models import HostOutcome, HostResult
from postern.apps.jobs.facts.reading import read_facts
from postern.apps.jobs.hosts.accounts import admin_account
from postern.apps.jobs.hosts.kinds import admin_users_of, kind_on_hosts
from postern.apps.jobs.hosts.on_assets import (
    ANSWER_BYTES,
    AssetWork,
    Errand,
    HostAnswer,
    Place,
    Verdict,
    plain_verdict,
)
from postern.apps.jobs.hosts.ways_in import way_to
from postern.contracts.runner import HostLimits, Shell
from postern.foundation.phrases import Phrase

_SCRIPT: Final = files(__package__).joinpath("facts.sh").read_text()
_WINDOWS_SCRIPT: Final = files(__package__).joinpath("facts.ps1").read_text()
_NOT_ALL_ANSWERED: Final = Phrase("facts.not_all_answered", gettext_lazy("The host did not answer all questions."))
_LIMITS: Final = HostLimits(run_s=30, output_bytes=ANSWER_BYTES)


class _Refresh(AssetWork):
    def __init__(self, job: JobRun, _argument: AssetsArgument) -> None:
        self._admin_users = admin_users_of(job)
        self._nonce = secrets.token_hex(12)

    def errand(self, place: Place) -> Errand:
        asset = place.asset
        way = way_to(asset)
        return Errand(
            port=way.port,
            over=way.over,
            account=admin_account(self._admin_users.get(asset.id), asset.id),
            script=_WINDOWS_SCRIPT if way.is_windows else _SCRIPT,
            run_by=way.shell(Shell.POSIX),
            stdin=f"{self._nonce}\n".encode(),
            limits=_LIMITS,
        )

    def judge(self, answer: HostAnswer) -> Verdict:
        verdict = plain_verdict(answer.how)
        if verdict.result not in {HostResult.DONE, HostResult.FAILED}:
            return verdict
        facts = read_facts(answer.output, self._nonce)
        if facts is None:
            return Verdict(result=HostResult.FAILED, message=_NOT_ALL_ANSWERED.say())
        return Verdict(result=HostResult.DONE, facts=facts)

    def store(self, verdicts: Sequence[tuple[HostOutcome, Verdict]]) -> None:
        note_reached(verdicts)
        assets.note_facts({row.asset_id: verdict.facts for row, verdict in verdicts if verdict.facts})


REFRESH_ASSETS: Final = kind_on_hosts(
    name="assets.refresh",
    label=gettext_lazy("Refresh hardware"),
    argument=AssetsArgument,
    work=_Refresh,
    outcome="refreshed",
    sentence=gettext_lazy("Assets: %(total)d, succeeded: %(succeeded)d, failed: %(failed)d."),
)
