"""From a request to the control plane to a session in state `opening`. Works for tickets and for tokens."""

from collections.abc import Awaitable

from postern.contracts.access import AuthorizeAnswer, SessionGrant
from postern.proxies.core.control.plane import ControlRefused, ControlUnavailable
from postern.proxies.core.opening.refused import Refused
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.sessions.registry import NoNewSessions, SessionRegistry


async def permitted(asked: Awaitable[AuthorizeAnswer], language: str) -> AuthorizeAnswer:
    """Return the control plane's answer with its grant (for a session, or for watching one). Raises `Refused`."""
    try:
        answer = await asked
    except (ControlUnavailable, ControlRefused) as error:
        raise Refused.away(language) from error
    if answer.denial is not None:
        raise Refused.by(answer.denial, answer.candidates)
    return answer


def take_up(registry: SessionRegistry, grant: SessionGrant) -> LiveSession:
    """Create the session of this grant. Raises `Refused` after it has reported the session's end to the control
    plane.
    """
    try:
        return registry.open(grant)
    except NoNewSessions as error:
        raise Refused(error.message, ended=error.reason) from error
