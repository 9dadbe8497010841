"""Signing in on the host of a task."""

import asyncssh

from postern.contracts.access import Credential, HostKeyAnswer
from postern.contracts.enums import EndReason, HostKeyVerdict
from postern.contracts.runner import RunOnHost
from postern.proxies.core.targets.ports import TargetFailed
from postern.proxies.core.texts import Text
from postern.proxies.runner.questions import TaskQuestions
from postern.proxies.ssh_connections.fetched_secret import FetchedSignIn


def key_refusal(wish: RunOnHost, answer: HostKeyAnswer, public_key: str) -> TargetFailed:
    """The failure for a host that shows another key than the pinned one."""
    seen = asyncssh.import_public_key(public_key).get_fingerprint()
    message = Text.HOST_KEY_CHANGED.sentence(
        wish.language, host=wish.target.host, pinned=answer.pinned_fingerprint, seen=seen
    )
    return TargetFailed(EndReason.HOST_KEY_REFUSED, message, f"shown: {seen}")


class HostLogin(FetchedSignIn):
    """The host key is judged by the worker, then the account's secret is asked for."""

    def __init__(self, wish: RunOnHost, questions: TaskQuestions, via: str) -> None:
        super().__init__(f"task {wish.task}")
        self._wish = wish
        self._questions = questions
        self._via = via
        #: Whether the host showed the right key, and nothing more was wanted.
        self.has_reached = False

    async def approve(self, key: asyncssh.SSHKey) -> None:
        public_key = key.export_public_key("openssh").decode("ascii").strip()
        try:
            answer = await self._questions.judge_key(public_key, via=self._via)
        except TargetFailed as failure:
            self.failure = failure
            raise
        if answer.verdict is HostKeyVerdict.CHANGED:
            self.failure = key_refusal(self._wish, answer, public_key)
            raise self.failure
        if not self._wish.login_name:
            self.has_reached = True
            raise asyncssh.DisconnectError(asyncssh.DISC_BY_APPLICATION, "reached")

    async def fetch(self) -> Credential:
        return await self._questions.secret()
