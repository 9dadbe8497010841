"""What can go wrong with what a call is made with."""

from django.utils.translation import gettext as _

from postern.kernel.errors import PosternError


class MfaVerifyRequired(PosternError):
    """What is asked for needs a code that was entered not long ago."""

    code = "mfa_verify_required"

    def __init__(self) -> None:
        super().__init__(_("Enter your MFA code first."))


class TooManyAccessKeys(PosternError):
    code = "too_many_access_keys"

    def __init__(self, limit: int) -> None:
        super().__init__(_("You have %(number)d access keys already; delete one first.") % {"number": limit})
