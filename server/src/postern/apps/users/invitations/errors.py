"""What can go wrong with invitations."""

from typing import ClassVar

from django.utils.translation import gettext as _

from postern.apps.users.accounts.errors import RootOrganization
from postern.kernel.errors import NotFound, PosternError


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
