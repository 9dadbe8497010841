"""Expected failures of sign-in. The slugs are those of the API contract."""

from typing import ClassVar

from postern.apps.preferences import facade as preferences
from postern.contracts.enums import DenialCode
from postern.kernel.errors import PosternError


def console_address() -> str:
    """Address of the console: the setting SITE_URL, by default derived from the environment."""
    return preferences.get_str("SITE_URL")


class SignInRefused(PosternError):
    """A refused sign-in. `slug` is the contract's error code, `denial` the code for proxies."""

    slug: str = "password_failed"
    denial: ClassVar[DenialCode] = DenialCode.BAD_CREDENTIALS
    #: Whether the refusal may reveal that the account exists: only after the correct password.
    knows_person: ClassVar[bool] = False

    def __init__(self) -> None:
        super().__init__(self.text())

    def text(self) -> str:
        """The refusal in the active language."""
        raise NotImplementedError

    @property
    def fields(self) -> dict[str, str]:
        """The response body: `{"error": slug, "msg": text}`."""
        return {"error": self.slug, "msg": self.message}


class MfaRefused(SignInRefused):
    """The second factor is missing or refused. The first factor was correct, so the message may reveal the account."""

    knows_person = True
