"""Errors of accounts."""

from django.utils.translation import gettext as _

from postern.kernel.errors import NotAllowed, NotFound, PosternError


class OwnLockOut(NotAllowed):
    """Users cannot unlock themselves, because they could then guess the password without limit."""

    def __init__(self) -> None:
        super().__init__(
            _("You cannot unlock your own account. Ask another administrator, or wait until the lock ends.")
        )


class LastAdministrator(PosternError):
    """At least one active administrator of the installation must remain."""

    code = "last_administrator"
    status = 400

    def __init__(self) -> None:
        super().__init__(_("This is the last active system administrator. Appoint another one first, then try again."))


class BuiltInAdministrator(PosternError):
    """The built-in administrator cannot be renamed, disabled, demoted, expired or deleted, and stays a local user."""

    code = "built_in_administrator"
    status = 400

    def __init__(self) -> None:
        super().__init__(
            _(
                "The built-in administrator cannot be renamed, disabled, demoted, expired or deleted, and stays a local "
                "user."
            )
        )


class OwnSecondFactor(PosternError):
    """Users change their own second factor on the profile page, with a code.

    The response body is `{"error": "…"}` (contract: users).
    """

    code = "own_second_factor"
    status = 401

    def __init__(self) -> None:
        super().__init__(_("Change your own MFA on your profile page. You need an MFA code there."))

    @property
    def fields(self) -> dict[str, str]:
        return {"error": self.message}


class UnknownUser(NotFound):
    """There is no such user in this organization."""

    def __init__(self) -> None:
        super().__init__(_("Not found."))
