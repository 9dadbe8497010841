"""The root of Postern's error hierarchy.

Every expected failure is a typed exception with a stable `code`, which is part of the API, and a message that a
person can act on. Messages never carry SQL, file paths or stack traces (K23).
"""

from typing import ClassVar


class PosternError(Exception):
    """Base of all expected failures.

    `code` is a stable slug; `status` is the HTTP status that the web plane answers with.
    """

    code: ClassVar[str] = "error"
    status: ClassVar[int] = 400

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class NotAllowed(PosternError):
    """The actor is known but lacks the right."""

    code = "permission_denied"
    status = 403


class NotFound(PosternError):
    """There is no such object within the actor's reach (the same answer whether or not it exists elsewhere)."""

    code = "object_does_not_exist"
    status = 404


class Conflict(PosternError):
    """The object changed meanwhile, or somebody else is changing it now."""

    code = "conflict"
    status = 409


class Unavailable(PosternError):
    """A part that is needed for the answer is down; trying again later may help."""

    code = "unavailable"
    status = 503


class SettingsError(PosternError):
    """A setting has a value that cannot be used. Stops the start with one line."""

    code = "settings_invalid"
