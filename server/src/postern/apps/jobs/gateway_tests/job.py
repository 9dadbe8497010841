"""Signs in on a gateway, on the way that sessions take to it, and opens a connection through it to a port of its own."""

from datetime import timedelta
from typing import Final
from uuid import UUID

import msgspec
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from postern.apps.jobs.engine.errors import Stop
from postern.apps.jobs.engine.job_run import JobRun
from postern.apps.jobs.engine.kinds import JobKind, OnLost, Outcome
from postern.apps.jobs.hosts import gateways
from postern.apps.jobs.hosts.fleet import Fleet, HostNotTried
from postern.apps.jobs.hosts.link import RUNNER
from postern.apps.jobs.hosts.on_assets import JOB_OVER
from postern.apps.sessions import facade as sessions
from postern.apps.vault import facade as vault
from postern.contracts.access import HostKeyAnswer, Target
from postern.contracts.routes import Route
from postern.contracts.runner import HostResult, JudgeHostKey, RunOnHost, SecretGiven, TaskEnded, WantSecret
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.phrases import Phrase
from postern.foundation.rest.rights import Right
from postern.kernel.errors import PosternError

_NO_END: Final = Phrase("jobs.gateway_test_without_end", gettext_lazy("The test did not come to its end."))


class GatewayArgument(msgspec.Struct, frozen=True):
    """A gateway, and the port of it to connect to through it."""

    gateway: UUID
    port: int


class _Gateway:
    """The gateway (`fleet.HostWork`), and the answers about it (`link.Owner`)."""

    def __init__(self, job: JobRun, argument: GatewayArgument) -> None:
        self._job = job
        self._argument = argument
        self._language = translation.get_language() or "en"
        self._route = Route()
        self.end: TaskEnded | None = None

    @property
    def owner(self) -> "_Gateway":
        return self

    def prepare(self) -> RunOnHost:
        with translation.override(self._language):
            try:
                route = vault.route_through(self._argument.gateway)
                gateway = route.stages[-1][0]
                way = sessions.checked_route(address=gateway.host, port=self._argument.port, route=route)
            except PosternError as error:
                raise HostNotTried(HostResult.REFUSED, error.sentence) from error
        self._route = way.route
        return RunOnHost(
            task=0,
            target=Target(host=way.host, port=self._argument.port),
            route=way.route,
            login_name="",
            only_dial=True,
            language=self._language,
        )

    def started(self, via: str) -> None:
        """There is no script."""

    def output(self, data: bytes, *, is_error: bool) -> None:
        """There is no script."""

    def ended(self, how: TaskEnded) -> bool:
        self.end = how
        self._job.say(how.message.text or _("The gateway lets connections through."))
        return how.result is HostResult.DONE

    def judge(self, question: JudgeHostKey) -> HostKeyAnswer | None:
        with translation.override(self._language):
            return gateways.judge(question, self._route, actor=SYSTEM)

    def secret(self, question: WantSecret) -> SecretGiven:
        with translation.override(self._language):
            try:
                if question.gateway_id is None:
                    return SecretGiven(question=question.question)
                credential = gateways.open_secret(question.gateway_id, self._route, self._job)
            except Stop:
                return SecretGiven(question=question.question, refusal=JOB_OVER.say())
            except PosternError as error:
                return SecretGiven(question=question.question, refusal=error.sentence)
        return SecretGiven(question=question.question, credential=credential)


def _test(job: JobRun, argument: GatewayArgument) -> Outcome:
    gateway = _Gateway(job, argument)
    Fleet(job, RUNNER.value, total=1).run([gateway])
    end = gateway.end
    if end is not None and end.result is HostResult.DONE:
        return Outcome(code="passed", values={"seconds": f"{end.seconds:.1f}"})
    message = end.message if end is not None and end.message else _NO_END.say()

    def effect() -> None:
        if end is not None and end.result is not HostResult.REFUSED:
            vault.note_silence(argument.gateway)

    return Outcome(code="failed", succeeded=False, values={"why": message}, effect=effect)


TEST_GATEWAY: Final = JobKind(
    name="gateways.test",
    label=gettext_lazy("Test gateway"),
    argument=GatewayArgument,
    run=_test,
    right=Right.ORG_ADMIN,
    on_lost=OnLost.RERUN,
    time_limit=timedelta(minutes=2),
    at_once=8,
    at_once_in_org=4,
    joins=True,
    outcomes={
        "passed": gettext_lazy("The gateway lets connections through (%(seconds)s seconds)."),
        "failed": gettext_lazy("%(why)s"),
    },
)
