"""Refusals of certificates."""

from enum import StrEnum
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from postern.apps.authn.errors import SignInRefused
from postern.contracts.enums import DenialCode


class Fault(StrEnum):
    """The reason why a certificate is refused, also in the login log."""

    UNTRUSTED = "certificate_untrusted"
    NOT_OF_USER = "certificate_of_host"
    REVOKED = "certificate_revoked"
    EXPIRED = "certificate_expired"
    NOT_YET = "certificate_not_yet_valid"
    TOO_LONG = "certificate_too_long"
    OTHER_NAME = "certificate_other_name"
    OPTION = "certificate_option"
    ADDRESS = "certificate_address"
    PIN = "certificate_pin"
    NO_TERMINAL = "certificate_no_terminal"
    OTHER_SOURCE = "certificate_source"


_TEXTS: Final[dict[Fault, str | Promise]] = {
    Fault.UNTRUSTED: _("No trusted authority has signed this certificate. Ask an administrator which one is trusted."),
    Fault.NOT_OF_USER: _("This is the certificate of a host. Sign in with the certificate of a user."),
    Fault.REVOKED: _("This certificate has been revoked. Get a new one."),
    Fault.EXPIRED: _("This certificate has expired. Get a new one."),
    Fault.NOT_YET: _("This certificate is not valid yet. Check the clock of the machine that made it."),
    Fault.TOO_LONG: _(
        "This certificate is valid for more than 90 days, which is not accepted. Get one with a shorter time: ssh-keygen -V"
    ),
    Fault.OTHER_NAME: _("This certificate does not name this user. The username must be one of its principals."),
    Fault.OPTION: _("This certificate demands %(option)s, which cannot be enforced here. Get one without it."),
    Fault.ADDRESS: _("This certificate is not valid from your address."),
    Fault.PIN: _("This certificate demands the PIN of the security key, and the key signed without it."),
    Fault.NO_TERMINAL: _("This certificate permits no terminal. Get one with the extension permit-pty."),
    Fault.OTHER_SOURCE: _(
        "Certificates sign in local users only, and this user signs in with another source. Use that one."
    ),
}
_MOST_OPTION_CHARS: Final = 64


class CertificateRefused(SignInRefused):
    """The certificate is invalid, or not for this user. Its key has signed, so the text may name the reason."""

    denial = DenialCode.METHOD_DISABLED

    def __init__(self, fault: Fault, *, option: str = "") -> None:
        self.slug = fault.value
        self.fault = fault
        self._option = "".join(char for char in option if char.isprintable())[:_MOST_OPTION_CHARS]
        super().__init__()

    def text(self) -> str:
        return str(_TEXTS[self.fault]) % {"option": self._option}
