"""Expected failures of the directory."""

from typing import ClassVar

from django.utils.translation import gettext as _

from postern.kernel.errors import Conflict, PosternError, Unavailable


class DirectoryUnavailable(Unavailable):
    """The directory did not answer, so the password was not checked."""

    def __init__(self) -> None:
        super().__init__(_("Sign-in is temporarily unavailable. Please try again in a moment."))


class Reading(Conflict):
    """A reading of the directory is running. The console retries later."""

    code: ClassVar[str] = "directory_reading"

    def __init__(self) -> None:
        super().__init__(_("The directory is being read. Try again in a moment."))

    @property
    def fields(self) -> dict[str, str]:
        return {"msg": self.message}


class PasswordRequired(PosternError):
    """The stored password belongs to another server or account."""

    code: ClassVar[str] = "password_wanted"


class NotUsable(PosternError):
    """The settings or the data of the directory cannot be used."""

    code: ClassVar[str] = "directory_not_usable"
