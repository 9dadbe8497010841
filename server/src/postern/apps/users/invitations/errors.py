"""Errors of invitations."""

from typing import ClassVar

from django.utils.translation import gettext as _

from postern.apps.users.accounts.errors import RootOrganization
from postern.kernel.errors import NotFound, PosternError


class InvitedIntoRoot(RootOrganization):
    """Nobody can be invited into the root organization. The response body is `{"error": "…"}` (contract: users)."""

    @property
    def fields(self) -> dict[str, str]:
        return {"error": self.message}


class InvitationGone(NotFound):
    """The invitation was answered or withdrawn, has expired, or its sender lost the right to invite.

    The answer is the same for all.
    """

    def __init__(self) -> None:
        super().__init__(_("This invitation is no longer open. Ask for a new one."))


class TooManyInvitations(PosternError):
    """Too many invitations in an hour, which looks like an attempt to find out user names."""

    code = "throttled"
    status = 429
    retry_after_s: ClassVar[int] = 3600

    def __init__(self) -> None:
        super().__init__(_("You have sent too many invitations within the last hour. Try again later."))
