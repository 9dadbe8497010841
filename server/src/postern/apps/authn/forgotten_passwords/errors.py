"""Refusals of requests for a link. They are the same for every name."""

from django.utils.translation import gettext as _

from postern.kernel.errors import PosternError


class TooManyRequests(PosternError):
    """Too many requests from one address."""

    code = "throttled"
    status = 429

    def __init__(self, retry_after_s: int) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(_("Too many requests from your address. Try again later."))
