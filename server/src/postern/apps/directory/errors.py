"""Expected failures around the directory."""

from typing import ClassVar

from django.utils.translation import gettext as _

from postern.kernel.errors import Conflict, PosternError, Unavailable


class DirectoryUnavailable(Unavailable):
    """The directory did not answer, so nothing was judged."""

    def __init__(self) -> None:
        super().__init__(_("Sign-in is temporarily unavailable. Please try again in a moment."))


class Reading(Conflict):
    """The directory is being read. The console asks again later."""

    code: ClassVar[str] = "directory_reading"

    def __init__(self) -> None:
        super().__init__(_("The directory is being read. Try again in a moment."))

    @property
    def fields(self) -> dict[str, str]:
        return {"msg": self.message}


class PasswordWanted(PosternError):
    """The stored password belongs to another server or account."""

    code: ClassVar[str] = "password_wanted"


class NotUsable(PosternError):
    """The settings, or what the directory has, cannot be used as they are."""

    code: ClassVar[str] = "directory_not_usable"
