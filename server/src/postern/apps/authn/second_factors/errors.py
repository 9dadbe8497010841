"""Errors of the second factor."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from postern.apps.authn.errors import MfaRefused, console_address
from postern.contracts.enums import DenialCode
from postern.kernel.errors import PosternError


class MfaFailed(MfaRefused):
    """The code is malformed, wrong, or was used before. All cases have the same response (S5-012)."""

    slug = "mfa_failed"
    denial = DenialCode.MFA_FAILED

    def __init__(self, tries_left: int | None = None) -> None:
        self.tries_left = tries_left
        super().__init__()

    def text(self) -> str:
        text = _("MFA Error, please check")
        if self.tries_left is None:
            return text
        return (
            text
            + ". "
            + ngettext("You can try %(number)d more time.", "You can try %(number)d more times.", self.tries_left)
            % {"number": self.tries_left}
        )


class MfaUnset(MfaRefused):
    """A second factor is required, and the user has none."""

    slug = "mfa_unset"
    denial = DenialCode.MFA_UNSET

    def text(self) -> str:
        return _(
            "Your account requires MFA, but no authenticator app is set up. Sign in to the console in a browser "
            "and set one up: %(url)s"
        ) % {"url": console_address()}


class MfaNotSet(PosternError):
    """The user has no authenticator app."""

    code = "mfa_unset"

    def __init__(self) -> None:
        super().__init__(_("MFA is not set up for your account. Set it up on your profile page."))

    @property
    def fields(self) -> dict[str, str]:
        """The response body: `{"error": text, "code": slug}`."""
        return {"error": self.message, "code": self.code}


class MfaForced(PosternError):
    code = "mfa_forced"

    def __init__(self) -> None:
        super().__init__(_("MFA is mandatory for your account and cannot be switched off."))
