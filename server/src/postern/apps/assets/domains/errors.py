"""Errors of domains."""

from postern.kernel.errors import PosternError


class WayRefused(PosternError):
    """The domains on the way form a circle, or there are too many of them; the response is a field error."""

    code = "invalid"

    @property
    def fields(self) -> dict[str, list[str]]:
        return {"reached_through": [self.message]}
