"""Errors of passwords and links."""

from django.utils.translation import gettext as _

from postern.kernel.errors import Conflict, PosternError


class OwnPassword(PosternError):
    """A user who changes their own password must enter the current password: a session left open is not enough."""

    code = "own_password"
    status = 400

    def __init__(self) -> None:
        super().__init__(_("Change your own password on your profile page. You need your current password there."))


class NotLocal(PosternError):
    """The password of this user is stored in another system."""

    code = "only_local_users_are_allowed"
    status = 400

    def __init__(self) -> None:
        super().__init__(_("The password of this account is managed by an external directory. Change it there."))


class LinkUsed(PosternError):
    """The set-password link is unknown, used or expired; the answer is the same for all three."""

    code = "link_invalid"
    status = 400

    def __init__(self) -> None:
        super().__init__(_("This link is not valid any more. Ask an administrator for a new one."))


class ChangedMeanwhile(Conflict):
    def __init__(self) -> None:
        super().__init__(_("Somebody else has changed this user in the meantime. Reload the page and try again."))
