"""Errors of messages."""

from postern.kernel.errors import NotFound, PosternError


class MessageRefused(PosternError):
    """A field of a message is refused. `fields` maps API names to texts."""

    code = "invalid"

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.fields = {field: [message]}


class UnknownMessageType(NotFound):
    """The kind of system message does not exist."""
