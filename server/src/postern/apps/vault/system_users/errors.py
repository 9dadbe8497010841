"""Errors of system users."""

from django.utils.translation import gettext as _

from postern.kernel.errors import PosternError


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
