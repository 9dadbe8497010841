"""The command filters' judgement of a program before it starts."""

from typing import Final

from postern.contracts.enums import EndReason
from postern.proxies.core.opening.refused import Refused
from postern.proxies.core.sessions.listeners import NoticeKind
from postern.proxies.core.sessions.live_session import LiveSession

#: The SFTP subsystem is the same program as the command of this name.
SFTP_SERVER: Final = "sftp-server"


async def pass_filters(session: LiveSession, text: str | None) -> None:
    """Let the command filters decide about a command. Raises `Refused`; the session has ended then.

    A command is input: in a locked session it waits. A session that was locked meanwhile is judged anew, because the
    rules may have changed while it was. None: there is no command to judge, so only the lock is awaited.
    """
    is_judged = False
    if session.lock.is_on:  # somebody locked it before the relay could show that
        session.notify(NoticeKind.LOCK, session.lock.sentence)
    while session.lock.is_on or not is_judged:
        await session.lock.passable()
        is_judged = True
        if text is not None and session.end_reason is None and session.filtering.can_refuse:
            sentence = await session.filtering.refused_command(text)
            if sentence:
                session.end(EndReason.USER_CLOSED, "refused by a command filter", message=sentence)
        if session.end_reason is not None:
            raise Refused(session.end_message, ended=session.end_reason)
