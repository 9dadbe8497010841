"""Errors that occur only in sign-ins through a proxy."""

from django.utils.translation import gettext as _

from postern.apps.authn.errors import SignInRefused
from postern.contracts.enums import DenialCode


class MethodClosed(SignInRefused):
    """An administrator has disabled this way of signing in."""

    slug = "user_invalid"
    denial = DenialCode.METHOD_DISABLED

    def text(self) -> str:
        return _("This way of signing in is switched off. Use another way, or ask an administrator.")
