"""Errors of entered credentials."""

from postern.kernel.errors import PosternError


class NothingToEnter(PosternError):
    """The value does not fit the system user; the response is a field error."""

    code = "invalid"

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.fields = {field: [message]}
