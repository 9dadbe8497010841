"""Expected failures of signing in. Slugs are those of the API contract."""

from typing import ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from postern.apps.preferences import facade as preferences
from postern.contracts.enums import DenialCode
from postern.kernel.errors import NotAllowed, PosternError


def console_address() -> str:
    """Where a person finds the console: the setting SITE_URL, by default derived from the environment."""
    return preferences.get_str("SITE_URL")


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
        tries = ngettext(
            "You can try %(number)d more time; then the account is locked for %(minutes)d minutes.",
            "You can try %(number)d more times; then the account is locked for %(minutes)d minutes.",
            self.tries_left,
        ) % {"number": self.tries_left, "minutes": self.lock_minutes}
        wrong = _("The username or password you entered is incorrect, please enter it again.")
        # Sentences of Chinese have no space between them.
        return _("%(wrong)s %(tries)s") % {"wrong": wrong, "tries": tries}


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
        return _(
            "Your password must be changed first: sign in to the console in a browser and set a new one: %(url)s"
        ) % {"url": console_address()}


class NoticeUnconfirmed(SignInRefused):
    """The first sign-in was not completed in the console: the person has not confirmed that sessions are recorded."""

    slug = "notice_unconfirmed"
    denial = DenialCode.NOTICE_UNCONFIRMED
    knows_person = True

    def text(self) -> str:
        return _(
            "Your first sign-in is not complete: sign in to the console in a browser "
            "and confirm there that your sessions are recorded: %(url)s"
        ) % {"url": console_address()}


class MfaRefused(SignInRefused):
    """The second factor is not there. The person has shown the first one, so he may be told."""

    knows_person = True


class MfaFailed(MfaRefused):
    """The code is malformed, wrong, or was used before: one answer (S5-012)."""

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


class MfaLocked(MfaRefused):
    """Too many wrong codes, of this account or of all of them."""

    slug = "block_mfa"
    denial = DenialCode.LOCKED

    def __init__(self, minutes: int) -> None:
        self.minutes = minutes
        super().__init__()

    def text(self) -> str:
        return _(
            "Too many wrong MFA codes: none is taken for %(minutes)d minutes. "
            "Wait, or ask an administrator to unlock the account."
        ) % {"minutes": self.minutes}


class MfaUnset(MfaRefused):
    """A second factor is demanded, and the person has none yet."""

    slug = "mfa_unset"
    denial = DenialCode.MFA_UNSET

    def text(self) -> str:
        return _(
            "Your account needs MFA, and no authenticator app is set up: "
            "sign in to the console in a browser and set one up: %(url)s"
        ) % {"url": console_address()}


class SignInLapsed(MfaRefused):
    """There is no sign-in under way to which the code could belong, or its time is over."""

    slug = "session_empty"
    denial = DenialCode.MFA_FAILED

    def text(self) -> str:
        return _("This sign-in has lapsed: start again with your name and password.")


class MethodClosed(SignInRefused):
    """An administrator has closed this way of signing in."""

    slug = "user_invalid"
    denial = DenialCode.METHOD_DISABLED

    def text(self) -> str:
        return _("This way of signing in is switched off.")


class ConditionUnmet(NotAllowed):
    """Signed in, but nothing is open until a condition is met."""


class PasswordMustChange(ConditionUnmet):
    """Signed in, but nothing else is open until the password is changed."""

    code = "password_must_change"

    def __init__(self) -> None:
        super().__init__(_("Your password must be changed before you go on."))


class NoticeMustBeConfirmed(ConditionUnmet):
    """Signed in, but nothing else is open until the first sign-in is completed."""

    code = "notice_unconfirmed"

    def __init__(self) -> None:
        super().__init__(NoticeUnconfirmed().message)


class SecondFactorMissing(ConditionUnmet):
    """A second factor is mandatory for the owner of this credential, and none is set up."""

    code = "mfa_unset"

    def __init__(self) -> None:
        super().__init__(MfaUnset().message)


class MfaVerifyRequired(PosternError):
    """What is asked for needs a code that was entered not long ago."""

    code = "mfa_verify_required"

    def __init__(self) -> None:
        super().__init__(_("Enter your MFA code first."))


class MfaNotSet(PosternError):
    """The person has no authenticator app."""

    code = "mfa_unset"

    def __init__(self) -> None:
        super().__init__(_("MFA is not set up for your account. Set it up on your profile page."))

    @property
    def fields(self) -> dict[str, str]:
        """The body of the answer: `{"error": text, "code": slug}`."""
        return {"error": self.message, "code": self.code}


class MfaForced(PosternError):
    code = "mfa_forced"

    def __init__(self) -> None:
        super().__init__(_("MFA is mandatory for your account and can not be switched off."))


class PasswordVerifyRequired(PosternError):
    """A change of the second factor needs a password that was entered not long ago."""

    code = "password_verify_required"

    def __init__(self) -> None:
        super().__init__(_("Enter your password first."))


class PasswordInvalid(PosternError):
    code = "passwd_invalid"

    def __init__(self) -> None:
        super().__init__(_("The password is wrong."))


class TooManyAccessKeys(PosternError):
    code = "too_many_access_keys"

    def __init__(self, limit: int) -> None:
        super().__init__(_("You have %(number)d access keys already; delete one first.") % {"number": limit})


class OrganizationClosed(NotAllowed):
    """The request names an organization to which the person does not belong (any more)."""

    code = "organization_closed"

    def __init__(self) -> None:
        super().__init__(_("You do not belong to this organization."))
