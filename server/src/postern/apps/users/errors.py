"""Expected failures of the users app. Codes are part of the API."""

from typing import ClassVar

from django.utils.translation import gettext as _

from postern.kernel.errors import Conflict, NotAllowed, NotFound, PosternError


class FieldProblem(PosternError):
    """Input of fields is refused. `fields` maps wire names to messages, as the console shows them."""

    code: ClassVar[str] = "invalid"

    def __init__(self, field: str, *messages: str) -> None:
        super().__init__(" ".join(messages))
        self.fields = {field: list(messages)}


class SignInEnded(PosternError):
    """The caller's sign-in, token or key was ended while the call was under way."""

    code = "not_authenticated"
    status = 401

    def __init__(self) -> None:
        super().__init__(_("Your sign-in has ended. Sign in again."))


class RightsLost(PosternError):
    """The caller's role was lowered while the call was under way."""

    code = "permission_denied"
    status = 403

    def __init__(self) -> None:
        super().__init__(_("You do not have permission to perform this action."))


class OwnLimit(FieldProblem):
    """Somebody changes what limits them. `fields` names each of these columns."""

    def __init__(self, *names: str) -> None:
        text = _("You cannot change this about yourself. Ask another administrator.")
        super().__init__(names[0], text)
        self.fields = {name: [text] for name in names}


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


class LastOrganizationAdministrator(PosternError):
    """An organization's administrators may not leave it without one."""

    code = "last_org_administrator"
    status = 400

    def __init__(self) -> None:
        super().__init__(
            _(
                "This is the last administrator of the organization. Name another one first, or ask a system administrator."
            )
        )


class AboveYou(NotAllowed):
    """A lower role acts on a higher one (K60), or grants what it does not hold (K35)."""

    def __init__(self) -> None:
        super().__init__(_("You do not have permission to do this to this person."))


class RootOrganization(PosternError):
    """Memberships and groups belong to a real organization."""

    code = "root_org"
    status = 400

    def __init__(self) -> None:
        super().__init__(_("This cannot be done in the global organization. Choose an organization first."))


class InvitedIntoRoot(RootOrganization):
    """Nobody is invited into the root organization. Answered as `{"error": "…"}` (contract: users)."""

    @property
    def fields(self) -> dict[str, str]:
        return {"error": self.message}


class InvitationGone(NotFound):
    """The invitation was answered, withdrawn or has expired, or whoever sent it may invite nobody any more: one answer."""

    def __init__(self) -> None:
        super().__init__(_("This invitation is not open any more."))


class TooManyInvitations(PosternError):
    """So many invitations are no invitations: somebody tries out names."""

    code = "throttled"
    status = 429
    retry_after_s: ClassVar[int] = 3600

    def __init__(self) -> None:
        super().__init__(_("You have sent many invitations within the last hour. Try again later."))


class OwnPassword(PosternError):
    """Changing the own password asks for the present one: a session that somebody left open is not enough."""

    code = "own_password"
    status = 400

    def __init__(self) -> None:
        super().__init__(_("Change your own password on your profile page, where the present one is asked for."))


class OwnSecondFactor(PosternError):
    """The own second factor is changed on the profile page, with a code. Answered as `{"error": "…"}` (contract: users)."""

    code = "own_second_factor"
    status = 401

    def __init__(self) -> None:
        super().__init__(_("Change your own MFA on your profile page, where a code of it is asked for."))

    @property
    def fields(self) -> dict[str, str]:
        return {"error": self.message}


class NotLocal(PosternError):
    """The password of this person is kept elsewhere."""

    code = "only_local_users_are_allowed"
    status = 400

    def __init__(self) -> None:
        super().__init__(_("The password of this account is managed by an external directory."))


class LinkUsed(PosternError):
    """The set-password link is unknown, used or too old: one answer for all three."""

    code = "link_invalid"
    status = 400

    def __init__(self) -> None:
        super().__init__(_("This link is not valid any more. Ask an administrator for a new one."))


class ChangedMeanwhile(Conflict):
    def __init__(self) -> None:
        super().__init__(_("Somebody else changed this person meanwhile. Reload and try again."))
