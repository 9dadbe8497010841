"""Expected failures of signing in. Slugs are those of the API contract."""

from typing import ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from postern.contracts.enums import DenialCode
from postern.kernel.errors import NotAllowed, PosternError


class SignInRefused(PosternError):
    """Nobody was signed in. `slug` is the contract's error slug, `denial` the same for the proxies."""

    slug: ClassVar[str] = "password_failed"
    denial: ClassVar[DenialCode] = DenialCode.BAD_CREDENTIALS
    #: Whether the refusal may show that there is such an account: only after the right password.
    knows_person: ClassVar[bool] = False

    def __init__(self) -> None:
        super().__init__(self.text())

    def text(self) -> str:
        """The refusal in the active language."""
        raise NotImplementedError

    @property
    def fields(self) -> dict[str, str]:
        """The body of the answer: `{"error": slug, "msg": text}`."""
        return {"error": self.slug, "msg": self.message}


class WrongCredentials(SignInRefused):
    """Name or password are wrong: one answer, whether or not there is such a person (no enumeration)."""

    def __init__(self, *, tries_left: int, lock_minutes: int) -> None:
        self.tries_left = tries_left
        self.lock_minutes = lock_minutes
        super().__init__()

    def text(self) -> str:
        return (
            _("The username or password you entered is incorrect, please enter it again.")
            + " "
            + ngettext(
                "You can try %(number)d more time; then the account is locked for %(minutes)d minutes.",
                "You can try %(number)d more times; then the account is locked for %(minutes)d minutes.",
                self.tries_left,
            )
            % {"number": self.tries_left, "minutes": self.lock_minutes}
        )


class KeyRefused(SignInRefused):
    """The key is not one of the person's."""

    def text(self) -> str:
        return _("This key is not accepted.")


class SignInLocked(SignInRefused):
    """Too many failures under this name or from this address."""

    slug = "block_login"
    denial = DenialCode.LOCKED

    def __init__(self, minutes: int) -> None:
        self.minutes = minutes
        super().__init__()

    def text(self) -> str:
        return _(
            "Too many failed attempts: signing in is locked for %(minutes)d minutes. "
            "Wait, or ask an administrator to unlock the account."
        ) % {"minutes": self.minutes}


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


class PasswordDue(SignInRefused):
    """The password must be changed in the console first; other ways in stay closed until then."""

    slug = "password_expired"
    denial = DenialCode.PASSWORD_MUST_CHANGE
    knows_person = True

    def text(self) -> str:
        return _("Your password must be changed first: sign in to the console in a browser and set a new one.")


class MethodClosed(SignInRefused):
    """An administrator has closed this way of signing in."""

    slug = "user_invalid"
    denial = DenialCode.METHOD_DISABLED

    def text(self) -> str:
        return _("This way of signing in is switched off.")


class PasswordMustChange(NotAllowed):
    """Signed in, but nothing else is open until the password is changed."""

    code = "password_must_change"

    def __init__(self) -> None:
        super().__init__(_("Your password must be changed before you go on."))


class TooManyAccessKeys(PosternError):
    code = "too_many_access_keys"

    def __init__(self, limit: int) -> None:
        super().__init__(_("You have %(number)d access keys already; delete one first.") % {"number": limit})
