"""What can go wrong with accounts."""

from django.utils.translation import gettext as _

from postern.kernel.errors import NotAllowed, PosternError


class OwnLockOut(NotAllowed):
    """Whoever lifts their own lock-out may guess the password without end."""

    def __init__(self) -> None:
        super().__init__(_("You cannot lift your own lock. Ask another administrator, or wait until it ends."))


class LastAdministrator(PosternError):
    """Somebody must be left who may administer the installation (K60)."""

    code = "last_administrator"
    status = 400

    def __init__(self) -> None:
        super().__init__(_("This is the last active system administrator. Name another one first, then try again."))


class BuiltInAdministrator(PosternError):
    """The first administrator stays: he may be renamed, but neither disabled, demoted nor deleted."""

    code = "built_in_administrator"
    status = 400

    def __init__(self) -> None:
        super().__init__(_("The built-in administrator cannot be renamed, disabled, demoted, expired or deleted."))


class OwnSecondFactor(PosternError):
    """The own second factor is changed on the profile page, with a code. Answered as `{"error": "…"}` (contract: users)."""

    code = "own_second_factor"
    status = 401

    def __init__(self) -> None:
        super().__init__(_("Change your own MFA on your profile page, where a code of it is asked for."))

    @property
    def fields(self) -> dict[str, str]:
        return {"error": self.message}
