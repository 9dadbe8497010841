"""The licence in force."""

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
    """What is installed, and whether it holds on `day` (UTC, the same for everybody who asks).

    `licence` is None when nothing readable and trusted is installed.
    """

    day: date
    licence: Licence | None
    fault: Fault | None
    message: str = ""

    @property
    def is_valid(self) -> bool:
        return self.fault is None


def state() -> LicenceState:
    """The installed licence and whether it holds. One query; the signature is verified once for each file and set of keys."""
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
    """The licence in a file's text, when an issuer trusted here signed it. Raises LicenceRefused."""
    home: Path = settings.POSTERN.home
    found = _verified(text, trust.trusted_keys(home))
    if isinstance(found, Fault):
        raise LicenceRefused(found)
    return found


@lru_cache(maxsize=16)
def _verified(text: str, keys: tuple[TrustedKey, ...]) -> Licence | Fault:
    """The fault and not its error is kept: its words are in the language of whoever asks."""
    try:
        return document.read(text.encode(), keys)
    except LicenceRefused as refused:
        return refused.fault
