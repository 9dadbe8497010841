"""Questions to the worker, and their answers."""

import asyncio
from itertools import count
from typing import Final
from uuid import UUID

from postern.contracts.access import Credential, HostKeyAnswer
from postern.contracts.enums import EndReason
from postern.contracts.routes import Gateway
from postern.contracts.runner import HostKeyJudged, JudgeHostKey, SecretGiven, WantSecret
from postern.proxies.core.targets.ports import TargetFailed
from postern.proxies.core.texts import Text
from postern.proxies.runner.pipe import WorkerPipe

_ANSWER_S: Final = 30.0


class Questions:
    """Sends questions, and hands each answer to the task that waits for it."""

    def __init__(self, pipe: WorkerPipe) -> None:
        self._pipe = pipe
        self._numbers = count(1)
        self._open: dict[int, asyncio.Future[HostKeyJudged | SecretGiven]] = {}

    def answered(self, answer: HostKeyJudged | SecretGiven) -> None:
        """Take an answer. One that nobody waits for any more is dropped."""
        waiting = self._open.pop(answer.question, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    async def judge(self, task: int, public_key: str, gateway_id: UUID | None, via: str) -> HostKeyJudged:
        """Have a host key judged. Raises TimeoutError."""
        number = next(self._numbers)
        question = JudgeHostKey(question=number, task=task, public_key=public_key, gateway_id=gateway_id, via=via)
        answer = await self._ask(number, question)
        return answer if isinstance(answer, HostKeyJudged) else HostKeyJudged(question=number, answer=None)

    async def secret(self, task: int, gateway_id: UUID | None) -> SecretGiven:
        """Ask for a secret. Raises TimeoutError."""
        number = next(self._numbers)
        answer = await self._ask(number, WantSecret(question=number, task=task, gateway_id=gateway_id))
        return answer if isinstance(answer, SecretGiven) else SecretGiven(question=number)

    async def _ask(self, number: int, question: JudgeHostKey | WantSecret) -> HostKeyJudged | SecretGiven:
        waiting: asyncio.Future[HostKeyJudged | SecretGiven] = asyncio.get_running_loop().create_future()
        self._open[number] = waiting
        try:
            self._pipe.tell(question)
            async with asyncio.timeout(_ANSWER_S):
                return await waiting
        finally:
            self._open.pop(number, None)


class TaskQuestions:
    """The questions of one task, as dialler (`routing.Approver`) and sign-in ask them. All raise `TargetFailed`."""

    def __init__(self, questions: Questions, task: int, language: str) -> None:
        self._questions = questions
        self._task = task
        self._language = language

    async def judge(self, gateway: Gateway, public_key: str, via: str) -> HostKeyAnswer:
        """The verdict about a gateway's key."""
        return await self.judge_key(public_key, gateway_id=gateway.id, via=via)

    async def credential(self, gateway: Gateway) -> Credential:
        """A gateway's secret."""
        return await self.secret(gateway_id=gateway.id)

    async def judge_key(self, public_key: str, *, gateway_id: UUID | None = None, via: str = "") -> HostKeyAnswer:
        """The verdict about a key; of the host itself if no gateway is named."""
        try:
            judged = await self._questions.judge(self._task, public_key, gateway_id, via)
        except TimeoutError as error:
            raise self._no_answer() from error
        if judged.answer is None:
            raise self._no_answer()
        return judged.answer

    async def secret(self, *, gateway_id: UUID | None = None) -> Credential:
        """A secret; of the host's account if no gateway is named."""
        try:
            given = await self._questions.secret(self._task, gateway_id)
        except TimeoutError as error:
            raise self._no_answer() from error
        if given.credential is None:
            raise TargetFailed(EndReason.CREDENTIAL_REFUSED, given.refusal, "the worker gave no secret")
        return given.credential

    def _no_answer(self) -> TargetFailed:
        return TargetFailed(
            EndReason.CONTROL_LOST, Text.CONTROL_UNAVAILABLE.sentence(self._language), "the worker gave no answer"
        )
