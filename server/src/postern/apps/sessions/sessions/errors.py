"""Expected failures of sessions, each with a stable code."""

from postern.kernel.errors import Conflict, NotAllowed, Unavailable


class NoTerminal(Unavailable):
    """No proxy is available to carry the session."""

    code = "no_terminal"


class NoFiles(Unavailable):
    """No proxy that is available has an endpoint for the file manager."""

    code = "no_files"


class SessionOver(Conflict):
    """The request needs a session that has not ended."""

    code = "session_over"


class TooManyMessages(Conflict):
    """Too many messages of the session have not been shown yet."""

    code = "too_many_messages"


class HoldDiffers(Conflict):
    """The session or person is on hold for the same reason with another end."""

    code = "hold_differs"


class OwnHold(NotAllowed):
    """The person whose sessions are on hold wants to remove the hold."""

    code = "own_hold"
