"""Expected failures of terminals and of their messages, each with a stable code."""

from postern.kernel.errors import Conflict, NotAllowed, PosternError, Unavailable


class MalformedMessage(PosternError):
    """The body is not a valid message of this path."""

    code = "malformed_message"


class MessageTooLarge(PosternError):
    code = "message_too_large"
    status = 413


class RegistrationRefused(PosternError):
    code = "registration_refused"


class TooManyWaiting(Unavailable):
    """The maximum number of terminals is waiting."""

    code = "too_many_waiting"


class NotWaiting(Conflict):
    """The terminal is not in the state that the action needs."""

    code = "not_waiting"


class CredentialRevoked(Conflict):
    """There is no credential to accept or renew."""

    code = "credential_revoked"


class RenewalRefused(NotAllowed):
    """A client other than the running process of a proxy requests its new credential."""

    code = "renewal_refused"
