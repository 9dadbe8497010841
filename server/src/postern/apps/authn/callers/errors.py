"""Errors for signed-in callers who are not admitted."""

from django.utils.translation import gettext as _

from postern.apps.authn.errors import SignInRefused, console_address
from postern.apps.authn.second_factors.errors import MfaUnset
from postern.contracts.enums import DenialCode
from postern.kernel.errors import NotAllowed


class PasswordDue(SignInRefused):
    """The password must be changed in the console first; all other ways in are closed until then."""

    slug = "password_expired"
    denial = DenialCode.PASSWORD_MUST_CHANGE
    knows_person = True

    def text(self) -> str:
        return _(
            "You have to change your password first. Sign in to the console in a browser and set a new password: "
            "%(url)s"
        ) % {"url": console_address()}


class NoticeUnconfirmed(SignInRefused):
    """The first sign-in was not completed in the console: the user has not confirmed that sessions are recorded."""

    slug = "notice_unconfirmed"
    denial = DenialCode.NOTICE_UNCONFIRMED
    knows_person = True

    def text(self) -> str:
        return _(
            "Your first sign-in is not complete. Sign in to the console in a browser and confirm that your "
            "sessions are recorded: %(url)s"
        ) % {"url": console_address()}


class ConditionUnmet(NotAllowed):
    """The user is signed in, but has to meet a condition first."""


class PasswordMustChange(ConditionUnmet):
    """The user is signed in, but has to change the password first."""

    code = "password_must_change"

    def __init__(self) -> None:
        super().__init__(_("You have to change your password before you can continue."))


class NoticeMustBeConfirmed(ConditionUnmet):
    """The user is signed in, but has to complete the first sign-in first."""

    code = "notice_unconfirmed"

    def __init__(self) -> None:
        super().__init__(NoticeUnconfirmed().message)


class SecondFactorMissing(ConditionUnmet):
    """The owner of this credential must have a second factor, and none is set up."""

    code = "mfa_unset"

    def __init__(self) -> None:
        super().__init__(MfaUnset().message)


class OrganizationClosed(NotAllowed):
    """The request names an organization that the user does not or no longer belong to."""

    code = "organization_closed"

    def __init__(self) -> None:
        super().__init__(_("You are not a member of this organization. Switch to another organization."))
