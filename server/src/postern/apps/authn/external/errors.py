"""Refusals of sign-ins with a provider, and of binding."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from postern.apps.authn.errors import SignInRefused
from postern.foundation.phrases import Phrase, said
from postern.kernel.errors import Conflict, PosternError
from postern.kernel.sentences import Sentence

OFF = Phrase("external.off", gettext_lazy("Sign-in with %(provider)s is switched off. Sign in with your password."))
INCOMPLETE = Phrase(
    "external.incomplete",
    gettext_lazy("Sign-in with %(provider)s is not set up completely. Tell an administrator."),
)
NOT_FOLLOWED = Phrase(
    "external.not_followed",
    gettext_lazy(
        "Your account belongs to the directory, and only the directory knows whether it is still active. Sign in with "
        "your password."
    ),
)
CANCELLED = Phrase("external.cancelled", gettext_lazy("You were not signed in at %(provider)s. Start again."))
REFUSED = Phrase(
    "external.refused",
    gettext_lazy("%(provider)s refused the sign-in with the error %(error)s. Tell an administrator."),
)
OTHER_SOURCE = Phrase(
    "external.other_source",
    gettext_lazy("Your account signs in another way than with %(provider)s. Use that way, or tell an administrator."),
)
BUSY = Phrase(
    "external.busy", gettext_lazy("Too many sign-ins are waiting for %(provider)s. Try again in a few seconds.")
)
LOCKED = Phrase(
    "external.locked",
    gettext_lazy(
        "Too many failed attempts from your address: signing in is locked for %(minutes)s minutes. Wait, or ask an "
        "administrator to unlock the address."
    ),
)
ODD_PERSON = Phrase(
    "external.odd_person", gettext_lazy("%(provider)s named you in a way that cannot be stored. Tell an administrator.")
)


class ExternalRefused(SignInRefused):
    """The provider named no person, or a person who cannot be accepted. `sentence` is the reason."""

    slug = "external_failed"

    def __init__(self, sentence: Sentence) -> None:
        self.reason = sentence
        super().__init__()

    def text(self) -> str:
        return said(self.reason)


class ExternalNotBound(SignInRefused):
    """Nobody has bound this account. An account that is not bound never creates or selects a user."""

    slug = "external_not_bound"

    def __init__(self, provider: str) -> None:
        self.provider = provider
        super().__init__()

    def text(self) -> str:
        return _(
            "This %(provider)s account is not bound to a user. Sign in with your password, then bind it on your profile "
            "page."
        ) % {"provider": self.provider}


class ExternalLapsed(SignInRefused):
    """The browser has no such visit for this purpose, or the visit was used."""

    slug = "external_lapsed"

    def text(self) -> str:
        return _("This sign-in has expired, was used before, or was started in another browser. Start again.")


class NotBound(PosternError):
    """The user has no account at this provider (contract: `{provider}_not_bound`)."""

    def __init__(self, provider: str, label: str) -> None:
        super().__init__(_("No %(provider)s account is bound.") % {"provider": label})
        self.fields = {"detail": self.message, "code": f"{provider}_not_bound"}


class BindingRefused(PosternError):
    """The account could not be bound; the message says why."""

    code = "external_failed"


class AlreadyBound(Conflict):
    """The user has an account at this provider already, or another user has this account."""

    code = "external_already_bound"
