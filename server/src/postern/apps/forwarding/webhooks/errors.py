"""Errors of webhooks, and why a delivery failed."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.foundation.phrases import Phrase
from postern.kernel.errors import Conflict, PosternError

STATUS: Final = Phrase("webhook.status", _("The receiver answered with the HTTP status %(status)d."))
REDIRECT: Final = Phrase(
    "webhook.redirect",
    _(
        "The receiver answered with a redirect (HTTP status %(status)d), which is not followed. Enter the address to which "
        "it leads."
    ),
)
GONE: Final = Phrase(
    "webhook.gone", _("The receiver answered 410: it wants no more messages. The webhook was switched off.")
)
GIVEN_UP: Final = Phrase("webhook.given_up", _("Not accepted in %(tries)d tries. Last reason: %(reason)s"))
TOO_OLD: Final = Phrase(
    "webhook.too_old", _("It could not be sent in time: the webhook was switched off, or no worker ran.")
)
NO_SECRET: Final = Phrase("webhook.no_secret", _("The webhook has no secret. Make a new one."))


class FieldRefused(PosternError):
    """A field of a webhook is refused. `fields` maps API names to texts."""

    code = "invalid"

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.fields = {field: [message]}


class NotRetried(Conflict):
    """Only a failed delivery can be tried again."""

    code = "not_failed"


class TestRefused(PosternError):
    """The endpoint did not take the test message."""

    code = "webhook_refused"
