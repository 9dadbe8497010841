"""Errors of system users."""

from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from postern.foundation.phrases import Phrase
from postern.kernel.errors import PosternError

UNKNOWN: Final = Phrase("vault.system_user_unknown", gettext_lazy("This system user does not exist."))
NOTHING_STORED: Final = Phrase(
    "vault.nothing_stored", gettext_lazy("The system user %(name)s has neither a password nor a private key.")
)
ENTERED: Final = Phrase(
    "vault.entered_at_sign_in",
    gettext_lazy("Users of %(name)s enter the credential at each sign-in, so none is stored."),
)


class FieldRefused(PosternError):
    """A value that the rules of system users forbid; the response is a field error."""

    code = "invalid"

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field

    @property
    def fields(self) -> dict[str, list[str]]:
        return {self.field: [self.message]}


class NotAMember(FieldRefused):
    """A system user can be bound to members of its organization only."""

    def __init__(self) -> None:
        super().__init__("user", _("This user is not a member of the organization."))


class CredentialMissing(PosternError):
    """The system user has no secret to sign in with."""

    code = "credential_missing"


class NotPushable(PosternError):
    """The account of this system user cannot be created on hosts."""

    code = "not_pushable"


class BoundByNode(PosternError):
    """The system user is on this asset because of a node."""

    code = "account_of_node"


class AccountHasSecret(PosternError):
    """The account that would be deleted has a secret of its own."""

    code = "account_has_secret"
