"""The root of Postern's error hierarchy.

Every expected failure is a typed exception with a stable `code`, which is part of the API, and a message that a person
can act on. Messages that reach clients contain no SQL, file path or stack trace (K23: errors reveal nothing of the
inside).
"""

from typing import ClassVar

from postern.kernel.sentences import Sentence, sentence_of


class PosternError(Exception):
    """Base of all expected failures.

    `code` is a stable slug; `status` is the HTTP status that the web plane answers with. `sentence` is the message as it
    may be stored for readers of other languages.
    """

    code: ClassVar[str] = "error"
    status: ClassVar[int] = 400

    def __init__(self, message: str | Sentence) -> None:
        self.sentence = sentence_of(message)
        self.message = self.sentence.text
        super().__init__(self.message)


class NotAllowed(PosternError):
    """The actor is known but lacks the required right."""

    code = "permission_denied"
    status = 403


class NotFound(PosternError):
    """The object does not exist or is not visible to the actor; both cases get the same answer."""

    code = "object_does_not_exist"
    status = 404


class Conflict(PosternError):
    """The object was changed meanwhile, or another request is changing it now."""

    code = "conflict"
    status = 409


class Unavailable(PosternError):
    """A service that the answer needs is down; a later attempt may succeed."""

    code = "unavailable"
    status = 503


class SettingsError(PosternError):
    """A setting has an unusable value. Stops the start with a single line."""

    code = "settings_invalid"
