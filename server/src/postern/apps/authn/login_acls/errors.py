"""Errors of login ACLs."""

from typing import ClassVar

from django.utils.translation import gettext as _

from postern.apps.authn.errors import SignInRefused
from postern.contracts.enums import DenialCode
from postern.kernel.errors import PosternError


class NotAdmitted(SignInRefused):
    """A login ACL refuses the user from this address or at this time. Shown only after a correct first factor."""

    slug = "acl_not_allow"
    denial = DenialCode.NOT_ADMITTED
    knows_person = True

    def text(self) -> str:
        return _("You may not sign in from this address or at this time. Ask an administrator.")


class AdmissionEnded(PosternError):
    """A login ACL refuses the signed-in caller, because rule, address or time have changed since the sign-in."""

    code = "acl_not_allow"
    status = 401

    def __init__(self) -> None:
        super().__init__(NotAdmitted().message)


class RuleRefused(PosternError):
    """An invalid rule; the response is a field error."""

    code = "invalid"

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.fields: dict[str, list[str]] = {field: [message]}


class OthersOnly(RuleRefused):
    """The caller may not change rules about themselves."""

    def __init__(self) -> None:
        super().__init__("user", _("You cannot change this for your own account. Ask another administrator."))


class ShutsYouOut(RuleRefused):
    """The rule would refuse the caller at their current address."""

    FIELD: ClassVar[str] = "ip_group"

    def __init__(self, remote_addr: str) -> None:
        message = _(
            "With this rule you could not sign in from your present address %(address)s now. Add the address, or ask "
            "another administrator to make the rule."
        )
        super().__init__(self.FIELD, message % {"address": remote_addr})
