"""Refusals of passkeys."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from postern.apps.authn.errors import MfaRefused, SignInRefused
from postern.apps.authn.passkeys.site import Site, SiteProblem
from postern.contracts.enums import DenialCode
from postern.kernel.errors import PosternError


class PasskeyFailed(MfaRefused):
    """The answer of the browser is invalid. All cases have the same text."""

    slug = "passkey_failed"
    denial = DenialCode.MFA_FAILED

    def __init__(self, tries_left: int | None = None) -> None:
        self.tries_left = tries_left
        super().__init__()

    def text(self) -> str:
        text = _("The passkey was not accepted. Try again, or choose another way.")
        if self.tries_left is None:
            return text
        tries = ngettext("You can try %(number)d more time.", "You can try %(number)d more times.", self.tries_left)
        return _("%(wrong)s %(tries)s") % {"wrong": text, "tries": tries % {"number": self.tries_left}}


class PasskeyLapsed(MfaRefused):
    """The browser has no open request for a passkey: none was made, or it has expired or was answered."""

    slug = "passkey_lapsed"
    denial = DenialCode.MFA_FAILED

    def text(self) -> str:
        return _("This took too long. Try again.")


class PasskeyUnknown(SignInRefused):
    """No user has this passkey. The private key was shown, so the text may say so."""

    slug = "passkey_unknown"

    def text(self) -> str:
        return _(
            "Postern does not know this passkey: it was removed, or belongs to another installation. Sign in with your "
            "username and password."
        )


class OnlyLocalByPasskey(SignInRefused):
    """Users of a directory or a provider sign in there; their passkeys are second factors only."""

    slug = "only_local_users_are_allowed"
    knows_person = True

    def text(self) -> str:
        return _(
            "Your account does not sign in with a passkey alone. Sign in as usual, by the directory or provider of your "
            "company; your passkey can be the second factor there."
        )


class PasskeysUnusable(PosternError):
    """Browsers allow no passkeys at the address of the console."""

    code = "passkeys_unusable"

    def __init__(self, site: Site) -> None:
        super().__init__(text_of(site))


class NoPasskeyHere(PosternError):
    """All passkeys of the user were made for another host name."""

    code = "no_passkey_here"

    def __init__(self, site: Site) -> None:
        text = _("You have no passkey for %(origin)s. Choose another second factor.")
        super().__init__(text % {"origin": site.origin})


class TooManyPasskeys(PosternError):
    code = "too_many_passkeys"

    def __init__(self, limit: int) -> None:
        super().__init__(
            _("You already have %(number)d passkeys, which is the limit. Remove one first.") % {"number": limit}
        )


class PasskeyTaken(PosternError):
    code = "passkey_taken"

    def __init__(self) -> None:
        super().__init__(_("This passkey is already in use."))


class LastFactor(PosternError):
    """The passkey is the only second factor of a user who must have one."""

    code = "last_factor"

    def __init__(self) -> None:
        super().__init__(
            _("MFA is mandatory for your account, and this is your only second factor. Set up another one first.")
        )


def text_of(site: Site) -> str:
    """The reason why passkeys cannot be used at this site; "" when they can."""
    match site.problem:
        case SiteProblem.ADDRESS:
            return _(
                "Passkeys need a host name. The console's address is %(origin)s; ask an administrator to open it under "
                "a name, and to enter that name as Site URL in the settings."
            ) % {"origin": site.origin}
        case SiteProblem.INSECURE:
            return _(
                "Passkeys need https. The console's address is %(origin)s; ask an administrator to set up https, and "
                "to enter the new address as Site URL in the settings."
            ) % {"origin": site.origin}
        case SiteProblem.NONE:
            return ""
