"""Expected failures of sessions, each with a stable code."""

from postern.kernel.errors import Conflict, NotAllowed, NotFound, PosternError, Unavailable


class MalformedMessage(PosternError):
    """The body is not the message that this path takes."""

    code = "malformed_message"


class MessageTooLarge(PosternError):
    code = "message_too_large"
    status = 413


class TerminalUnknown(PosternError):
    """The credential names no terminal, a deleted one, or one that is not accepted (any more)."""

    code = "terminal_unknown"
    status = 401


class RegistrationRefused(PosternError):
    code = "registration_refused"


class TooManyWaiting(Unavailable):
    """As many terminals as may wait at once do."""

    code = "too_many_waiting"


class NotWaiting(Conflict):
    """The terminal is not in the state that this is for."""

    code = "not_waiting"


class CredentialRevoked(Conflict):
    """There is no credential that could be accepted or renewed."""

    code = "credential_revoked"


class RenewalRefused(NotAllowed):
    """Somebody else than the running process of a proxy asks for its new credential."""

    code = "renewal_refused"


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


class ReplayMissing(NotFound):
    """The session has no recording that could be played."""

    code = "replay_missing"

    @property
    def fields(self) -> dict[str, object]:
        """The body that the contract gives."""
        return {"error": self.message, "code": self.code}


class UploadOutOfOrder(Conflict):
    """The part does not follow on what is there; go on from `received`."""

    code = "upload_out_of_order"

    def __init__(self, message: str, received: int) -> None:
        super().__init__(message)
        self.received = received

    @property
    def fields(self) -> dict[str, object]:
        return {"detail": self.message, "code": self.code, "received": self.received}


class RecordingMismatch(Conflict):
    """The uploaded bytes are not the recording that was announced."""

    code = "recording_mismatch"
