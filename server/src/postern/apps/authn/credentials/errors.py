"""Errors of credentials."""

from django.utils.translation import gettext as _

from postern.kernel.errors import PosternError


class MfaVerifyRequired(PosternError):
    """The request requires a recent code of the second factor."""

    code = "mfa_verify_required"

    def __init__(self) -> None:
        super().__init__(_("Enter your MFA code first."))


class TooManyAccessKeys(PosternError):
    code = "too_many_access_keys"

    def __init__(self, limit: int) -> None:
        super().__init__(
            _("You already have %(number)d access keys, which is the limit. Delete one first.") % {"number": limit}
        )
