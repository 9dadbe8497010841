"""What can go wrong with system users."""

from django.utils.translation import gettext as _

from postern.kernel.errors import PosternError


class FieldRefused(PosternError):
    """A value that the rules of system users forbid; answered as a field error."""

    code = "invalid"

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field

    @property
    def fields(self) -> dict[str, list[str]]:
        return {self.field: [self.message]}


class NotAMember(FieldRefused):
    """A system user is bound to people of its organization only."""

    def __init__(self) -> None:
        super().__init__("user", _("The person is no member of the organization."))


class CredentialMissing(PosternError):
    """The system user holds no secret to sign in with."""

    code = "credential_missing"
