"""Errors that any write about users can raise."""

from typing import ClassVar

from django.utils.translation import gettext as _

from postern.kernel.errors import NotAllowed, PosternError


class FieldProblem(PosternError):
    """Values of fields are refused. `fields` maps API names to messages for the console."""

    code: ClassVar[str] = "invalid"

    def __init__(self, field: str, *messages: str) -> None:
        super().__init__(" ".join(messages))
        self.fields = {field: list(messages)}


class SignInEnded(PosternError):
    """The caller's sign-in, token or key was revoked during the call."""

    code = "not_authenticated"
    status = 401

    def __init__(self) -> None:
        super().__init__(_("Your sign-in has ended. Sign in again."))


class RightsLost(PosternError):
    """The caller's role was lowered during the call."""

    code = "permission_denied"
    status = 403

    def __init__(self) -> None:
        super().__init__(_("You do not have permission to perform this action."))


class OwnLimit(FieldProblem):
    """The caller tried to change their own restrictions. `fields` names each of these columns."""

    def __init__(self, *names: str) -> None:
        text = _("You cannot change this for your own account. Ask another administrator.")
        super().__init__(names[0], text)
        self.fields = {name: [text] for name in names}


class AboveYou(NotAllowed):
    """The caller acts on a higher role (K60: a lower role does nothing to a higher one), or grants a right that they do
    not hold (K35: nobody gives a right that they do not hold).
    """

    def __init__(self) -> None:
        super().__init__(_("You do not have permission to manage this user."))


class RootOrganization(PosternError):
    """Memberships and groups need a stored organization, not the root."""

    code = "root_org"
    status = 400

    def __init__(self) -> None:
        super().__init__(_("This cannot be done in the global organization. Choose an organization first."))
