"""Asks reviewers about a held line and waits for the answer, while everything but the user's input goes on."""

import asyncio
import logging
import secrets
from collections.abc import Callable
from typing import Final, Protocol
from uuid import UUID

from postern.contracts.command_control import (
    CommandConfirmation,
    CommandDecision,
    ConfirmationQuery,
    ConfirmationState,
    ConfirmCommand,
)
from postern.kernel.clock import monotonic_s
from postern.kernel.errors import PosternError
from postern.proxies.core.holding.texts import Text

log = logging.getLogger(__name__)

_ASK_AGAIN_S: Final = 1.0
_NOTICE_S: Final = 15.0
#: The control plane ends a request much earlier. This bounds the wait for a control plane that forgets it.
_LONGEST_S: Final = 3600.0
#: Length of `ConfirmCommand.attempt` in bytes, as for other requests with an effect that counts once.
_ATTEMPT_BYTES: Final = 16
_MAX_TEXT: Final = 4096


#: Keeps the tasks that withdraw requests of sessions which have gone on or ended.
_withdrawing: "set[asyncio.Task[None]]" = set()


class Reviewers(Protocol):
    """Requests to the control plane. Each raises `PosternError` when there is no answer."""

    async def confirm_command(self, request: ConfirmCommand) -> CommandConfirmation: ...
    async def confirmation_state(self, query: ConfirmationQuery) -> CommandConfirmation: ...
    async def withdraw_confirmation(self, query: ConfirmationQuery) -> CommandConfirmation: ...


class Confirmation:
    """One request. `answer` returns whether the line may run, and the sentence for the user."""

    def __init__(self, reviewers: Reviewers, session_id: UUID, language: str, tell_user: Callable[[str], None]) -> None:
        self._reviewers = reviewers
        self._session_id = session_id
        self._language = language
        self._tell_user = tell_user
        self._id: UUID | None = None

    async def answer(self, decision: CommandDecision, line: str, command: str) -> tuple[bool, str]:
        """Open the request and wait. Cancel the call to withdraw it."""
        request = ConfirmCommand(
            session_id=self._session_id,
            rule_id=decision.rule_id,
            line=line[:_MAX_TEXT],
            command=command[:_MAX_TEXT],
            attempt=secrets.token_hex(_ATTEMPT_BYTES),
        )
        begun_s = noticed_s = monotonic_s()
        opening = asyncio.ensure_future(self._reviewers.confirm_command(request))
        try:
            state = await asyncio.shield(opening)
            self._id = state.id
            while state.state is ConfirmationState.WAITING and state.id is not None:
                await asyncio.sleep(_ASK_AGAIN_S)
                now_s = monotonic_s()
                if now_s - begun_s > _LONGEST_S:
                    await self.withdraw()
                    return False, Text.NO_ANSWER.say(self._language)
                if now_s - noticed_s >= _NOTICE_S:
                    noticed_s = now_s
                    self._tell_user(Text.STILL_ASKING.say(self._language, seconds=round(now_s - begun_s)))
                state = await self._reviewers.confirmation_state(
                    ConfirmationQuery(session_id=self._session_id, id=state.id)
                )
        except PosternError as error:
            log.warning("session %s: no confirmation: %s", self._session_id, error.message)
            await self.withdraw()
            return False, Text.CONTROL_AWAY.say(self._language)
        except asyncio.CancelledError:
            task = asyncio.ensure_future(self._withdraw_opened(opening))
            _withdrawing.add(task)
            task.add_done_callback(_withdrawing.discard)
            raise
        is_approved = state.state is ConfirmationState.APPROVED and state.id is not None
        return is_approved, state.message

    async def _withdraw_opened(self, opening: "asyncio.Future[CommandConfirmation]") -> None:
        """Withdraw a request that may still be on its way."""
        try:
            self._id = (await opening).id
        except PosternError:
            return
        await self.withdraw()

    async def withdraw(self) -> None:
        """Withdraw the request, if one is open. A failure only leaves it to its own time-out."""
        if self._id is None:
            return
        query, self._id = ConfirmationQuery(session_id=self._session_id, id=self._id), None
        try:
            await self._reviewers.withdraw_confirmation(query)
        except PosternError as error:
            log.warning("session %s: a confirmation could not be withdrawn: %s", self._session_id, error.message)
