"""Opens the target of a permitted session: finds the connector, and ends the session if opening fails."""

import contextlib
from collections.abc import Iterator
from typing import TypeVar

from postern.contracts.enums import DenialCode, EndReason
from postern.proxies.core.opening.refused import Refused
from postern.proxies.core.sessions.live_session import LiveSession, SessionOver
from postern.proxies.core.targets.connectors import Connectors
from postern.proxies.core.targets.ports import Progress, PromptCancelled, Prompter, TargetFailed, TargetLink

Link = TypeVar("Link", bound=TargetLink)


@contextlib.contextmanager
def ending(session: LiveSession) -> Iterator[None]:
    """Wrap everything that opens a target: a failure ends the session with its reason and is raised as `Refused`."""
    try:
        yield
    except TargetFailed as failure:
        # The session may already be over, and the target failed for that reason: a gateway was lost, for example.
        session.end(failure.reason, failure.detail, message=failure.message)
        reason = session.end_reason or failure.reason
        denial = DenialCode.CONTROL_UNAVAILABLE if reason is EndReason.CONTROL_LOST else None
        raise Refused(session.end_message, denial=denial, ended=reason) from failure
    except PromptCancelled as cancelled:
        session.end(EndReason.USER_CLOSED, "no answer to a question", message=cancelled.message)
        raise Refused(cancelled.message, ended=EndReason.USER_CLOSED) from cancelled
    except SessionOver as over:
        raise Refused(over.message, ended=over.reason) from over
    except Exception as error:
        session.end(EndReason.ERROR, f"{type(error).__name__}: {error}")
        raise


async def reach(
    connectors: Connectors, session: LiveSession, link: type[Link], *, prompter: Prompter, progress: Progress
) -> Link:
    """Return a link of this type to the session's target, from its protocol's connector. To be called within
    `ending`.
    """

    async def ask(text: str, echo: bool) -> str:
        answer = await prompter(text, echo)
        await session.lock.passable()  # an answer is input
        if session.end_reason is not None:
            raise SessionOver(session.end_reason, session.end_message)
        return answer

    connector = connectors.find(session.grant.protocol, link, session.language)
    return await connector.connect(session, prompter=ask, progress=progress)
