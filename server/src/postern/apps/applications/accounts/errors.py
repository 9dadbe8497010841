"""Errors of application accounts."""

from postern.kernel.errors import PosternError


class PasswordRefused(PosternError):
    """The account can have no secret of its own; the response is a field error."""

    code = "invalid"

    @property
    def fields(self) -> dict[str, list[str]]:
        return {"password": [self.message]}


class NoOwnSecret(PosternError):
    """The account has no secret of its own."""

    code = "no_own_secret"
