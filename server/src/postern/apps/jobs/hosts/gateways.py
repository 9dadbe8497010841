"""Answers to the runner's questions about the gateways on a route."""

from typing import Final
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from postern.apps.jobs.engine.job_run import JobRun
from postern.apps.vault import facade as vault
from postern.contracts.access import Credential, HostKeyAnswer
from postern.contracts.routes import Route
from postern.contracts.runner import JudgeHostKey
from postern.foundation.caller.actor import Actor
from postern.foundation.phrases import Phrase
from postern.kernel.errors import PosternError

_NOT_ON_THE_WAY: Final = Phrase("jobs.gateway_not_on_the_way", _("This gateway is not on the way."))


def judge(question: JudgeHostKey, route: Route, *, actor: Actor) -> HostKeyAnswer | None:
    """The verdict about the key of a gateway; None if the route has no such place."""
    for number, stage in enumerate(route.stages):
        if question.gateway_id is None or all(gateway.id != question.gateway_id for gateway in stage):
            continue
        if bool(question.via) != bool(number):
            return None
        answer = vault.check_gateway_host_key(
            gateway_id=question.gateway_id, via=question.via, public_key=question.public_key, actor=actor
        )
        vault.note_answer(stage, question.gateway_id)
        return answer
    return None


def open_secret(gateway_id: UUID, route: Route, job: JobRun) -> Credential:
    """The secret of a gateway on the route. Raises `Stop` when the job must end, PosternError when there is none."""
    if not any(gateway.id == gateway_id for stage in route.stages for gateway in stage):
        raise PosternError(_NOT_ON_THE_WAY.say())

    def opened() -> Credential:
        with job.write():
            return vault.open_gateway_credential(gateway_id)

    return vault.read_outside(opened)
