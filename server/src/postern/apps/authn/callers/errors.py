"""What keeps a caller out who is signed in."""

from django.utils.translation import gettext as _

from postern.apps.authn.errors import SignInRefused, console_address
from postern.apps.authn.second_factors.errors import MfaUnset
from postern.contracts.enums import DenialCode
from postern.kernel.errors import NotAllowed


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


class OrganizationClosed(NotAllowed):
    """The request names an organization to which the person does not belong (any more)."""

    code = "organization_closed"

    def __init__(self) -> None:
        super().__init__(_("You do not belong to this organization."))
