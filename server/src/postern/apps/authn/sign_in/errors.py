"""Refusals of sign-ins."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from postern.apps.authn.errors import MfaRefused, SignInRefused
from postern.contracts.enums import DenialCode
from postern.kernel.errors import PosternError, Unavailable


class WrongCredentials(SignInRefused):
    """Name or password are wrong. The message is the same whether or not the account exists, to prevent enumeration."""

    def __init__(self, *, tries_left: int, lock_minutes: int) -> None:
        self.tries_left = tries_left
        self.lock_minutes = lock_minutes
        super().__init__()

    def text(self) -> str:
        tries = ngettext(
            "You can try %(number)d more time; then the account is locked for %(minutes)d minutes.",
            "You can try %(number)d more times; then the account is locked for %(minutes)d minutes.",
            self.tries_left,
        ) % {"number": self.tries_left, "minutes": self.lock_minutes}
        wrong = _("The username or password you entered is incorrect, please enter it again.")
        # Chinese sentences are not separated by a space, so the separator is part of the translation.
        return _("%(wrong)s %(tries)s") % {"wrong": wrong, "tries": tries}


class KeyRefused(SignInRefused):
    """The key is not one of the user's keys."""

    def text(self) -> str:
        return _("This key is not accepted. Add it to your profile, or sign in with your password.")


class KeyWithoutPin(SignInRefused):
    """The FIDO2 key signed without verifying its PIN. The signature is valid, so the text may name the reason."""

    slug = "key_without_pin"
    denial = DenialCode.METHOD_DISABLED
    knows_person = True

    def text(self) -> str:
        return _(
            "This security key signs without its PIN, which is not enough here. Make a key that asks for it: "
            "ssh-keygen -t ed25519-sk -O verify-required"
        )


class PeopleOnly(SignInRefused):
    """A service account tried a way of signing in for people. It can only use access keys and SSH keys."""

    slug = "service_account"
    denial = DenialCode.METHOD_DISABLED
    knows_person = True

    def text(self) -> str:
        return _("This is a service account. It uses access keys and SSH keys only.")


class AccountDisabled(SignInRefused):
    slug = "user_inactive"
    denial = DenialCode.USER_INACTIVE
    knows_person = True

    def text(self) -> str:
        return _("This account is disabled. Ask an administrator to activate it.")


class AccountExpired(SignInRefused):
    slug = "user_expired"
    denial = DenialCode.USER_EXPIRED
    knows_person = True

    def text(self) -> str:
        return _("This account has expired. Ask an administrator to extend it.")


class SignInLapsed(MfaRefused):
    """There is no pending sign-in for the code, or it has expired."""

    slug = "session_empty"
    denial = DenialCode.MFA_FAILED

    def text(self) -> str:
        return _("This sign-in has expired. Start again with your username and password.")


class PasswordVerifyRequired(PosternError):
    """A change of the second factor requires a recent password or confirmation at the provider."""

    code = "password_verify_required"

    def __init__(self, *, at_provider: bool = False) -> None:
        super().__init__(
            _("Confirm at your provider first that it is you.") if at_provider else _("Enter your password first.")
        )


class DirectoryOff(PosternError):
    """The password of a directory user cannot be checked while the directory is switched off."""

    code = "directory_off"

    def __init__(self) -> None:
        super().__init__(
            _("The directory that knows your password is switched off, so nothing was changed. Tell an administrator.")
        )


class DirectorySilent(Unavailable):
    """The directory did not answer, so the password was neither checked nor counted."""

    code = "directory_silent"

    def __init__(self) -> None:
        super().__init__(
            _(
                "The directory did not answer, so your password could not be checked, and nothing was changed. Try again "
                "in a moment, or tell an administrator."
            )
        )


class PasswordInvalid(PosternError):
    code = "passwd_invalid"

    def __init__(self) -> None:
        super().__init__(_("The password is incorrect."))
