"""Why a licence does not hold. Codes are stable; the words are for people."""

from enum import StrEnum

from django.utils.translation import gettext as _

from postern.kernel.errors import PosternError


class Fault(StrEnum):
    """What is wrong with a licence."""

    MISSING = "missing"  # none is installed
    TOO_LARGE = "too_large"
    UNREADABLE = "unreadable"  # truncated, damaged, or no licence at all
    NOBODY_TRUSTED = "nobody_trusted"  # this installation trusts no issuer yet
    UNTRUSTED = "untrusted"  # signed by somebody else
    FORGED = "forged"  # the signature does not fit
    NOT_YET = "not_yet"
    EXPIRED = "expired"


class LicenceRefused(PosternError):
    """The licence does not hold; `fault` says why, the message says it to a person."""

    code = "licence_refused"

    def __init__(self, fault: Fault, *, date: str = "") -> None:
        self.fault = fault
        super().__init__(text_of(fault, date=date))


def text_of(fault: Fault, *, date: str = "") -> str:
    """The fault in the language of the request; `date` is the day that the licence begins or ended."""
    match fault:
        case Fault.MISSING:
            return _("No licence is installed.")
        case Fault.TOO_LARGE:
            return _("This file is too large to be a licence.")
        case Fault.UNREADABLE:
            return _("This file is no licence, or it is damaged.")
        case Fault.NOBODY_TRUSTED:
            return _("This installation trusts no issuer of licences yet: run `postern licence trust` on its host.")
        case Fault.UNTRUSTED:
            return _("The licence was signed by an issuer whom this installation does not trust.")
        case Fault.FORGED:
            return _("The licence was changed after it was signed.")
        case Fault.NOT_YET:
            return _("The licence begins on %(date)s.") % {"date": date}
        case Fault.EXPIRED:
            return _("The licence ended on %(date)s.") % {"date": date}
