"""Errors of permissions."""

from postern.kernel.errors import PosternError


class FieldRefused(PosternError):
    """A value that the rules of permissions forbid; the response is a field error."""

    code = "invalid"

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field

    @property
    def fields(self) -> dict[str, list[str]]:
        return {self.field: [self.message]}
