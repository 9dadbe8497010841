"""Expected failures of terminals and of what they send, each with a stable code."""

from postern.kernel.errors import Conflict, NotAllowed, PosternError, Unavailable


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
