"""Work on the assets of an execution: where each is, who answers the runner's questions, and what is stored.

A kind of job says what to do on one asset and what its answer means (`AssetWork`). Everything else is the same for all
kinds: ways and gateways, host keys, secrets, results, progress and the log.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from postern.apps.assets import facade as assets
from postern.apps.jobs.engine.errors import Lost, Stop, WorkerStops
from postern.apps.jobs.engine.job_run import JobRun
from postern.apps.jobs.executions.models import HostOutcome, HostResult, HostState
from postern.apps.jobs.hosts import gateways
from postern.apps.jobs.hosts.fleet import Fleet, HostNotTried
from postern.apps.jobs.hosts.link import RUNNER
from postern.apps.sessions import facade as sessions
from postern.apps.vault import facade as vault
from postern.contracts import runner
from postern.contracts.access import Credential, HostKeyAnswer, Target
from postern.contracts.routes import Route
from postern.contracts.runner import (
    DEFAULT_LIMITS,
    HostLimits,
    JudgeHostKey,
    Remote,
    RunOnHost,
    SecretGiven,
    Shell,
    TaskEnded,
    WantSecret,
)
from postern.foundation.caller.actor import Actor
from postern.foundation.database.row_writes import change
from postern.foundation.network.outbound import TargetRefused
from postern.foundation.phrases import Phrase, said_in_all, stored
from postern.kernel import clock
from postern.kernel.errors import PosternError
from postern.kernel.log import printable
from postern.kernel.sentences import NOTHING, Sentence

log = logging.getLogger(__name__)

#: Outcomes are stored at most this often.
_STORE_S: Final = 0.5
#: How often a kind is asked whether what runs may go on.
_WITHDRAW_S: Final = 2.0
_ROWS_AT_ONCE: Final = 200
#: What an outcome says when its host has ended.
_STORED: Final = ("state", "result", "status", "reason", "message", "via", "seconds", "facts")
#: Output that a kind keeps of a host to read an answer from it.
ANSWER_BYTES: Final = 256 * 1024

NO_ACCOUNT: Final = Phrase("jobs.no_account", gettext_lazy("No account was chosen for this asset."))
JOB_OVER: Final = Phrase("jobs.job_over", gettext_lazy("The job has ended."))
_DELETED: Final = Phrase("jobs.asset_deleted", gettext_lazy("The asset was deleted."))
_INACTIVE: Final = Phrase("jobs.asset_inactive", gettext_lazy("The asset is not active."))
_EXIT_STATUS: Final = Phrase("jobs.exit_status", gettext_lazy("The exit status was %(status)d."))
_SIGNAL: Final = Phrase("jobs.signal", gettext_lazy("Signal %(name)s ended it."))


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The account to sign in with: its name on the host, and how to open its secret when the host wants it.

    `open_secret` is called in a transaction in which the job still holds. It raises PosternError.
    """

    login_name: str
    open_secret: Callable[[], Credential]


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """What to do on one asset. Without a script only signed in, without an account only the host key is seen, and with
    `only_dial` only a connection is opened.
    """

    port: int
    account: Account | None
    over: Remote = Remote.SSH
    script: str = ""
    run_by: Shell = Shell.POSIX
    stdin: bytes = b""
    limits: HostLimits = DEFAULT_LIMITS
    only_dial: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the answer of a host means. `facts` is stored with it; its values are JSON."""

    result: HostResult
    message: Sentence = NOTHING
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HostAnswer:
    """How the work on an asset ended; `output` and `errors` hold the first `ANSWER_BYTES` of what the script showed."""

    row: HostOutcome
    errand: Errand
    how: TaskEnded
    output: bytes
    errors: bytes


@dataclass(frozen=True, slots=True)
class Place:
    """Where to work: an asset, and the account that the work is about, if it is about one: its system user, if it has
    one, and its name on the host.
    """

    asset: assets.AssetBrief
    system_user_id: UUID | None
    username: str = ""


class AssetWork(ABC):
    """What one kind of job does on each asset."""

    @abstractmethod
    def errand(self, place: Place) -> Errand:
        """What to do there. Called in another thread than the others. Raises HostNotTried, PosternError."""

    @abstractmethod
    def judge(self, answer: HostAnswer) -> Verdict | Errand:
        """What the end means, or what to do there next."""

    def heard(self, row: HostOutcome, data: bytes, *, is_error: bool) -> None:  # noqa: B027 - most kinds need none
        """The script has shown something."""

    def withdrawn(self, rows: Sequence[HostOutcome]) -> Iterable[HostOutcome]:  # noqa: ARG002 - most kinds stop nothing
        """Which of these hosts, on which something runs, must be stopped now. Asked every two seconds."""
        return ()

    def has_news(self) -> bool:
        """Whether `show` has something to write."""
        return False

    def show(self) -> None:  # noqa: B027 - most kinds need none
        """Write what was heard since the last call, in a transaction in which the job still holds."""

    def store(self, verdicts: Sequence[tuple[HostOutcome, Verdict]]) -> None:  # noqa: B027 - some kinds need none
        """Write what these verdicts change elsewhere, in the transaction that stores them."""


def plain_verdict(how: TaskEnded) -> Verdict:
    """The verdict for an end whose meaning does not depend on the kind: DONE only if the status is 0."""
    if how.result is runner.HostResult.DONE and how.status:
        return Verdict(result=HostResult.FAILED, message=_EXIT_STATUS.say(status=how.status))
    if how.result is runner.HostResult.DONE and how.signal:
        return Verdict(result=HostResult.FAILED, message=_SIGNAL.say(name=how.signal))
    return Verdict(result=_RESULTS[how.result], message=how.message)


_RESULTS: Final[Mapping[runner.HostResult, HostResult]] = {
    runner.HostResult.DONE: HostResult.DONE,
    runner.HostResult.UNREACHABLE: HostResult.UNREACHABLE,
    runner.HostResult.HOST_KEY_REFUSED: HostResult.HOST_KEY_REFUSED,
    runner.HostResult.CREDENTIAL_REFUSED: HostResult.CREDENTIAL_REFUSED,
    runner.HostResult.NO_SHELL: HostResult.NO_SHELL,
    runner.HostResult.ROOT_REFUSED: HostResult.ROOT_REFUSED,
    runner.HostResult.NO_WINRM: HostResult.NO_WINRM,
    runner.HostResult.NOT_WINDOWS: HostResult.NOT_WINDOWS,
    runner.HostResult.NO_POWERSHELL: HostResult.NO_POWERSHELL,
    runner.HostResult.TIME_LIMIT: HostResult.TIME_LIMIT,
    runner.HostResult.OUTPUT_LIMIT: HostResult.OUTPUT_LIMIT,
    runner.HostResult.STOPPED: HostResult.STOPPED,
    runner.HostResult.LOST: HostResult.UNKNOWN,
    runner.HostResult.FAULT: HostResult.FAULT,
    runner.HostResult.REFUSED: HostResult.REFUSED,
}


@dataclass(frozen=True, slots=True)
class Counts:
    """Hosts of an execution by how they ended."""

    total: int
    succeeded: int
    failed: int


class AssetRun:
    """Works on the assets of one execution that have not ended yet."""

    def __init__(self, job: JobRun, work: AssetWork, *, actor: Actor) -> None:
        """Texts are in the language that is active now. `actor` pins host keys that are seen for the first time."""
        self.job = job
        self.work = work
        self.actor = actor
        self.language = translation.get_language() or "en"
        self._ended: list[tuple[HostOutcome, Verdict]] = []
        self._stored_at = 0.0
        self._looked_at = clock.monotonic_s()

    def run(self) -> Counts:
        """Work on all assets and return the counts. Raises `Stop`; what has ended is stored then."""
        rows = HostOutcome.objects.filter(execution_id=self.job.id)
        total = rows.count()
        over = rows.filter(state=HostState.ENDED)
        fleet = Fleet(
            self.job, RUNNER.value, total=total, done=over.count(), failed=over.exclude(result=HostResult.DONE).count()
        )
        try:
            fleet.run(self._hosts(), lambda: self._tick(fleet))
        except Stop as reason:
            if isinstance(reason, WorkerStops) and self.job.starts_again:
                # What was stopped half way is not an outcome: it is done again.
                self._ended = [ended for ended in self._ended if ended[1].result is not HostResult.STOPPED]
            if not isinstance(reason, Lost):
                self._store(is_stopping=True)
            raise
        self._store()
        return Counts(total=total, succeeded=total - fleet.failed, failed=fleet.failed)

    def _hosts(self) -> Iterator["_AssetHost"]:
        """The hosts that have not ended, read as they are needed."""
        after = -1
        while True:
            rows = list(
                HostOutcome.objects.filter(execution_id=self.job.id, position__gt=after)
                .exclude(state=HostState.ENDED)
                .order_by("position")[:_ROWS_AT_ONCE]
            )
            if not rows:
                return
            after = rows[-1].position
            known = assets.asset_briefs(row.asset_id for row in rows)
            for row in rows:
                yield _AssetHost(self, row, known.get(row.asset_id))

    def ended(self, row: HostOutcome, verdict: Verdict) -> None:
        """Note an outcome; it is stored soon."""
        self._ended.append((row, verdict))

    def _tick(self, fleet: Fleet) -> None:
        now = clock.monotonic_s()
        if now - self._stored_at >= _STORE_S:
            self._stored_at = now
            self._store()
        if now - self._looked_at >= _WITHDRAW_S:
            self._looked_at = now
            self._withdraw(fleet)

    def _withdraw(self, fleet: Fleet) -> None:
        working = {host.row.pk: host for host in fleet.working() if isinstance(host, _AssetHost)}
        for row in self.work.withdrawn([host.row for host in working.values()]):
            fleet.stop(working[row.pk])

    def _store(self, *, is_stopping: bool = False) -> None:
        """Store the outcomes, with what they change, and what was heard."""
        ended = self._ended
        if not ended and not self.work.has_news():
            return
        with self.job.write(is_stopping=is_stopping):
            self.work.show()
            for row, verdict in ended:
                row.state, row.result = HostState.ENDED, verdict.result
                row.reason, row.message = stored(verdict.message), said_in_all(verdict.message)
                row.facts = dict(verdict.facts)
            change([row for row, _verdict in ended], _STORED)
            self.work.store(ended)
        self._ended = []  # only now: a job that is stopped before the transaction stores them afterwards


class _AssetHost:
    """One asset (`fleet.HostWork`), and the answers to the runner's questions about it (`link.Owner`)."""

    def __init__(
        self, run: AssetRun, row: HostOutcome, asset: assets.AssetBrief | None, errand: Errand | None = None
    ) -> None:
        """Without an errand the kind of job is asked for it."""
        self._run = run
        self.row = row
        self._asset = asset
        self._errand = errand
        self._route = Route()
        self._output = {False: bytearray(), True: bytearray()}
        self._fault: Verdict | None = None

    @property
    def owner(self) -> "_AssetHost":
        return self

    def prepare(self) -> RunOnHost:
        with translation.override(self._run.language):
            if self._asset is None:
                raise HostNotTried(runner.HostResult.REFUSED, _DELETED.say())
            if not self._asset.is_active:
                raise HostNotTried(runner.HostResult.REFUSED, _INACTIVE.say())
            try:
                errand = self._errand or self._run.work.errand(
                    Place(self._asset, self.row.system_user_id, self.row.username)
                )
                way = sessions.checked_way(address=self._asset.ip, port=errand.port, domain_id=self._asset.domain_id)
            except TargetRefused as error:
                raise HostNotTried(runner.HostResult.UNREACHABLE, error.sentence) from error
            except PosternError as error:
                raise HostNotTried(runner.HostResult.REFUSED, error.sentence) from error
        self._errand, self._route = errand, way.route
        return RunOnHost(
            task=0,
            target=Target(host=way.host, port=errand.port),
            route=way.route,
            login_name=errand.account.login_name if errand.account else "",
            over=errand.over,
            script=errand.script,
            run_by=errand.run_by,
            stdin=errand.stdin,
            limits=errand.limits,
            only_dial=errand.only_dial,
            language=self._run.language,
        )

    def started(self, via: str) -> None:
        self.row.via = via[:512]

    def output(self, data: bytes, *, is_error: bool) -> None:
        stored = self._output[is_error]
        stored += data[: max(0, ANSWER_BYTES - len(stored))]
        try:
            self._run.work.heard(self.row, data, is_error=is_error)
        except Exception as error:  # noqa: BLE001 - the other hosts, and those of other jobs, go on
            self._has_failed(error)

    def ended(self, how: TaskEnded) -> "bool | _AssetHost":
        row = self.row
        row.status, row.via, row.seconds = how.status, (how.via or row.via)[:512], (row.seconds or 0.0) + how.seconds
        if self._errand is None:  # it was not tried
            verdict: Verdict | Errand = plain_verdict(how)
        else:
            output, errors = bytes(self._output[False]), bytes(self._output[True])
            try:
                verdict = self._run.work.judge(HostAnswer(row, self._errand, how, output, errors))
            except Stop:
                raise
            except Exception as error:  # noqa: BLE001 - as above
                verdict = self._has_failed(error)
        verdict = self._fault or verdict
        if isinstance(verdict, Errand):
            return _AssetHost(self._run, row, self._asset, verdict)
        self._run.ended(row, verdict)
        name = printable(row.hostname)
        ends = _("%(host)s: %(result)s. %(message)s")
        self._run.job.say(
            (ends % {"host": name, "result": verdict.result.label, "message": printable(verdict.message.text)}).strip()
        )
        return verdict.result is HostResult.DONE

    def _has_failed(self, error: Exception) -> Verdict:
        """What becomes of the host when our own code fails at its answer."""
        if self._fault is None:
            log.error("job %s: the answer of a host could not be read", self._run.job.id, exc_info=error)
            self._fault = Verdict(result=HostResult.FAULT, message=Sentence(type(error).__name__))
        return self._fault

    def judge(self, question: JudgeHostKey) -> HostKeyAnswer | None:
        with translation.override(self._run.language):
            if question.gateway_id is not None:
                return gateways.judge(question, self._route, actor=self._run.actor)
            if self._asset is None or self._errand is None or bool(question.via) != bool(self._route.stages):
                return None
            return assets.check_host_key(
                actor=self._run.actor,
                asset_id=self._asset.id,
                host=self._asset.ip,
                port=self._errand.port,
                via=question.via,
                public_key=question.public_key,
            )

    def secret(self, question: WantSecret) -> SecretGiven:
        with translation.override(self._run.language):
            try:
                return SecretGiven(question=question.question, credential=self._open(question.gateway_id))
            except Stop:
                return SecretGiven(question=question.question, refusal=JOB_OVER.say())
            except PosternError as error:
                return SecretGiven(question=question.question, refusal=error.sentence)

    def _open(self, gateway_id: UUID | None) -> Credential:
        """Raises Stop when the job must not go on, PosternError when there is no secret."""
        if gateway_id is not None:
            return gateways.open_secret(gateway_id, self._route, self._run.job)
        account = self._errand.account if self._errand is not None else None
        if account is None:
            raise PosternError(NO_ACCOUNT.say())
        return vault.read_outside(lambda: self._start_with(account))

    def _start_with(self, account: Account) -> Credential:
        with self._run.job.write():
            # Committed before the secret leaves: if this worker is lost, it is known that something may have happened.
            HostOutcome.objects.filter(pk=self.row.pk).update(state=HostState.STARTED)
            return account.open_secret()
