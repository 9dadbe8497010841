"""What can go wrong with passwords and links."""

from django.utils.translation import gettext as _

from postern.kernel.errors import Conflict, PosternError


class OwnPassword(PosternError):
    """Changing the own password asks for the present one: a session that somebody left open is not enough."""

    code = "own_password"
    status = 400

    def __init__(self) -> None:
        super().__init__(_("Change your own password on your profile page, where the present one is asked for."))


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
