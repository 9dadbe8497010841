"""Refusals of locked accounts and addresses."""

from django.utils.translation import gettext as _

from postern.apps.authn.errors import MfaRefused, SignInRefused
from postern.contracts.enums import DenialCode


class SignInLocked(SignInRefused):
    """Too many failures for this name or from this address."""

    slug = "block_login"
    denial = DenialCode.LOCKED

    def __init__(self, minutes: int) -> None:
        self.minutes = minutes
        super().__init__()

    def text(self) -> str:
        return _(
            "Too many failed attempts: signing in is locked for %(minutes)d minutes. "
            "Wait, or ask an administrator to unlock the account."
        ) % {"minutes": self.minutes}


class MfaLocked(MfaRefused):
    """Too many wrong codes for this account or for all accounts together."""

    slug = "block_mfa"
    denial = DenialCode.LOCKED

    def __init__(self, minutes: int) -> None:
        self.minutes = minutes
        super().__init__()

    def text(self) -> str:
        return _(
            "Too many wrong MFA codes: no code is accepted for %(minutes)d minutes. Wait, or ask an "
            "administrator to unlock the account."
        ) % {"minutes": self.minutes}
