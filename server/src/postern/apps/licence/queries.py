"""Reads of the installed licence."""

from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path

from django.conf import settings

from postern.apps.licence import document, trust
from postern.apps.licence.document import Licence, TrustedKey
from postern.apps.licence.errors import Fault, LicenceRefused
from postern.apps.licence.models import InstalledLicence
from postern.kernel import clock


@dataclass(frozen=True, slots=True)
class LicenceState:
    """The installed licence and whether it is valid on `day` (UTC, the same for all users).

    `licence` is None when no readable and trusted licence is installed.
    """

    day: date
    licence: Licence | None
    fault: Fault | None
    message: str = ""

    @property
    def is_valid(self) -> bool:
        return self.fault is None


def state() -> LicenceState:
    """The installed licence and whether it is valid. One query; each file is verified once per set of trusted keys."""
    day = clock.today()
    text = InstalledLicence.objects.values_list("text", flat=True).first()
    if text is None:
        refused = LicenceRefused(Fault.MISSING)
        return LicenceState(day, None, refused.fault, refused.message)
    licence: Licence | None = None
    try:
        licence = read(text)
        licence.require_current(day)
    except LicenceRefused as refused:
        return LicenceState(day, licence, refused.fault, refused.message)
    return LicenceState(day, licence, None)


def read(text: str) -> Licence:
    """The licence in a file's text, if a trusted issuer signed it. Raises LicenceRefused."""
    home: Path = settings.POSTERN.home
    verified = _verified(text, trust.trusted_keys(home))
    if isinstance(verified, Fault):
        raise LicenceRefused(verified)
    return verified


@lru_cache(maxsize=16)
def _verified(text: str, keys: tuple[TrustedKey, ...]) -> Licence | Fault:
    """Cache the fault instead of the error, because the error's text depends on the caller's language."""
    try:
        return document.read(text.encode(), keys)
    except LicenceRefused as refused:
        return refused.fault
