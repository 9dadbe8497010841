"""What can go wrong in any write about people."""

from typing import ClassVar

from django.utils.translation import gettext as _

from postern.kernel.errors import NotAllowed, PosternError


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
