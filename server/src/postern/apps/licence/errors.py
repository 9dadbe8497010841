"""Why a licence is not valid. Codes are stable; the words are for people."""

from enum import StrEnum

from django.utils.translation import gettext as _

from postern.kernel.errors import PosternError


class Fault(StrEnum):
    """The reasons."""

    MISSING = "missing"  # no licence is installed
    TOO_LARGE = "too_large"
    UNREADABLE = "unreadable"  # truncated, damaged, or not a licence
    NOBODY_TRUSTED = "nobody_trusted"  # this installation does not trust any issuer yet
    UNTRUSTED = "untrusted"  # signed by an unknown issuer
    FORGED = "forged"  # the signature does not match
    NOT_YET = "not_yet"
    EXPIRED = "expired"


class LicenceRefused(PosternError):
    """The licence is not valid. `fault` is the reason, the message says it in words."""

    code = "licence_refused"

    def __init__(self, fault: Fault, *, date: str = "") -> None:
        self.fault = fault
        super().__init__(text_of(fault, date=date))


def text_of(fault: Fault, *, date: str = "") -> str:
    """The fault in the language of the request. `date` is the first or last day of the licence."""
    match fault:
        case Fault.MISSING:
            return _("No licence is installed.")
        case Fault.TOO_LARGE:
            return _("This file is too large to be a licence. Choose the licence file that you received.")
        case Fault.UNREADABLE:
            return _("This file is not a licence, or it is damaged. Choose the licence file that you received.")
        case Fault.NOBODY_TRUSTED:
            return _(
                "This installation does not trust any licence issuer yet. Run `postern licence trust` on its host."
            )
        case Fault.UNTRUSTED:
            return _(
                "The licence was signed by an issuer that this installation does not trust. To trust the issuer, run "
                "`postern licence trust` on the host."
            )
        case Fault.FORGED:
            return _("The licence was changed after it was signed. Ask its issuer for a new copy.")
        case Fault.NOT_YET:
            return _("The licence is not valid before %(date)s.") % {"date": date}
        case Fault.EXPIRED:
            return _("The licence ended on %(date)s.") % {"date": date}
