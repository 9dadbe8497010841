"""Reasons why a person of a provider is not a user, and refusals of writes of providers."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.apps.authn.external.errors import ExternalRefused
from postern.foundation.phrases import Phrase
from postern.kernel.errors import PosternError

NO_NAME: Final = Phrase(
    "federation.no_name",
    _("%(provider)s did not tell your username (%(claim)s). Tell an administrator."),
)
UNUSABLE: Final = Phrase(
    "federation.unusable",
    _("What %(provider)s tells about you cannot be stored (%(reason)s). Tell an administrator."),
)
UNKNOWN: Final = Phrase(
    "federation.unknown",
    _("There is no account for you yet, and %(provider)s may not create one. Ask an administrator for an account."),
)
TAKEN: Final = Phrase(
    "federation.taken",
    _(
        "The username %(username)s belongs to another account, so you cannot sign in with %(provider)s. Tell an administrator."
    ),
)
MAIL_TAKEN: Final = Phrase(
    "federation.mail_taken",
    _(
        "The mail address %(email)s belongs to another account, so no account was created for you. Tell an administrator."
    ),
)


class NoUser(ExternalRefused):
    """The person is not a user and cannot become a user."""

    slug = "user_not_exist"


class ProviderRefused(PosternError):
    """A value of a provider that cannot be stored; the response is a field error."""

    code = "invalid"

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.fields: dict[str, list[str]] = {field: [message]}
