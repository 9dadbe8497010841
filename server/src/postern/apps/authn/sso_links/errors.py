"""Refusals of SSO links, to the system that requests a link and to the person who opens a link."""

from django.utils.translation import gettext as _

from postern.apps.authn.errors import SignInRefused
from postern.apps.users.accounts.errors import FieldProblem
from postern.kernel.errors import Conflict, PosternError


class SsoClosed(PosternError):
    """The setting AUTH_SSO is off (code of the contract)."""

    code = "sso_auth_closed"

    def __init__(self) -> None:
        super().__init__(_("SSO links are switched off. An administrator can switch them on in the security settings."))


class NoLinkFor(FieldProblem):
    """There is no link for this user. The caller is a super administrator, who may know why."""

    def __init__(self, reason: str) -> None:
        super().__init__("username", reason)


class TooManyLinks(PosternError):
    """Too many links of this maker or for this user are unused."""

    code = "throttled"
    status = 429

    def __init__(self, retry_after_s: int) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(
            _("Too many SSO links have not been opened yet. Try again when some have been used or expired.")
        )


class SsoLinkUsed(SignInRefused):
    """The link is unknown, was used, has expired, or is void. All cases have the same response."""

    slug = "sso_link_used"

    def text(self) -> str:
        return _("This link has been used or has expired. Open it again where you found it, or sign in here.")


class SsoLinksOff(SignInRefused):
    """SSO links were switched off after this link was made."""

    slug = "sso_auth_closed"

    def text(self) -> str:
        return _("Sign-in by links is switched off. Sign in here in another way.")


class SomebodyElseHere(Conflict):
    """The browser is signed in as another user, who must agree before the link signs them out. The link stays unused."""

    code = "sso_other_user"

    def __init__(self, present: str, named: str) -> None:
        super().__init__(
            _("You are signed in as %(present)s. The link signs in %(named)s.") % {"present": present, "named": named}
        )
