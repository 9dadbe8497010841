"""Refusals of locked accounts and addresses."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

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


class SignInWaits(SignInLocked):
    """After some consecutive failures for this name, the next attempt has to wait some seconds."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        super().__init__(minutes=1)

    def text(self) -> str:
        return ngettext(
            "Several failed attempts in a row. Try again in %(seconds)d second.",
            "Several failed attempts in a row. Try again in %(seconds)d seconds.",
            self.seconds,
        ) % {"seconds": self.seconds}


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
