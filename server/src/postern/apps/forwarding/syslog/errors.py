"""Errors of syslog."""

from postern.kernel.errors import PosternError


class FieldRefused(PosternError):
    """A field of the settings is refused. `fields` maps API names to texts."""

    code = "invalid"

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.fields = {field: [message]}
