"""Expected failures of signing in. Slugs are those of the API contract."""

from typing import ClassVar

from postern.apps.preferences import facade as preferences
from postern.contracts.enums import DenialCode
from postern.kernel.errors import PosternError


def console_address() -> str:
    """Where a person finds the console: the setting SITE_URL, by default derived from the environment."""
    return preferences.get_str("SITE_URL")


class SignInRefused(PosternError):
    """Nobody was signed in. `slug` is the contract's error slug, `denial` the same for the proxies."""

    slug: ClassVar[str] = "password_failed"
    denial: ClassVar[DenialCode] = DenialCode.BAD_CREDENTIALS
    #: Whether the refusal may show that there is such an account: only after the right password.
    knows_person: ClassVar[bool] = False

    def __init__(self) -> None:
        super().__init__(self.text())

    def text(self) -> str:
        """The refusal in the active language."""
        raise NotImplementedError

    @property
    def fields(self) -> dict[str, str]:
        """The body of the answer: `{"error": slug, "msg": text}`."""
        return {"error": self.slug, "msg": self.message}


class MfaRefused(SignInRefused):
    """The second factor is not there. The person has shown the first one, so he may be told."""

    knows_person = True
