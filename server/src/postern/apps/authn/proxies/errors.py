"""Errors that occur only in sign-ins through a proxy."""

from django.utils.translation import gettext as _

from postern.apps.authn.errors import SignInRefused, console_address
from postern.apps.authn.second_factors.errors import MfaUnset
from postern.contracts.enums import DenialCode


class MethodClosed(SignInRefused):
    """An administrator has disabled this way of signing in. Nothing was compared."""

    slug = "user_invalid"
    denial = DenialCode.METHOD_DISABLED

    def __init__(self, *, takes_codes: bool = False) -> None:
        self.takes_codes = takes_codes
        super().__init__()

    def text(self) -> str:
        return _with_other_ways(_("This way of signing in is switched off."), takes_codes=self.takes_codes)


class PasswordWayClosed(MethodClosed):
    """The password was right, but users of this source cannot sign in with a password."""

    slug = "backend_not_match"
    knows_person = True

    def text(self) -> str:
        closed = _("Your password is correct, but signing in with it is switched off.")
        return _with_other_ways(closed, takes_codes=self.takes_codes)


class PasskeyCannotBeShown(MfaUnset):
    """The only second factor of the user is a passkey, which SSH does not support."""

    def text(self) -> str:
        return _(
            "SSH cannot ask for your passkey. Sign in to the console in a browser, get a code for SSH from your "
            "profile, and enter it as the password: %(url)s"
        ) % {"url": console_address()}


def _with_other_ways(closed: str, *, takes_codes: bool) -> str:
    if takes_codes:
        otherwise = _(
            "Sign in to the console in a browser, get a code for SSH from your profile, and enter it as the password: "
            "%(url)s"
        )
    else:
        otherwise = _(
            "Sign in to the console in a browser and open the session there, or ask an administrator: %(url)s"
        )
    # Chinese sentences are not separated by a space, so the separator is part of the translation.
    return _("%(closed)s %(otherwise)s") % {"closed": closed, "otherwise": otherwise % {"url": console_address()}}
