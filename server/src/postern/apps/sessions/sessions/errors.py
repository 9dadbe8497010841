"""Expected failures of sessions, each with a stable code."""

from postern.kernel.errors import Conflict, NotAllowed, Unavailable


class ConnectionRefused(NotAllowed):
    """The decision was no; `reasons` say why, in the person's language."""

    code = "connection_refused"

    def __init__(self, message: str, denial_code: str, reasons: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.denial_code = denial_code
        self.reasons = reasons

    @property
    def fields(self) -> dict[str, object]:
        """The whole body of the answer."""
        return {"detail": self.message, "code": self.denial_code, "reasons": list(self.reasons)}


class NoTerminal(Unavailable):
    """No proxy is there that could carry the session."""

    code = "no_terminal"


class SessionOver(Conflict):
    """What was asked for needs a session that has not ended."""

    code = "session_over"
