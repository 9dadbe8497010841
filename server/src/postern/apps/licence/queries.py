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
    """What is installed, and whether it holds today. `licence` is None when nothing readable and trusted is there."""

    licence: Licence | None
    fault: Fault | None
    message: str = ""

    @property
    def is_valid(self) -> bool:
        return self.fault is None


def today() -> date:
    """The day by which licences are judged: that of UTC, the same for everybody who asks."""
    return clock.now().date()


def state() -> LicenceState:
    """The installed licence and whether it holds. One query; the signature is verified once for each file and set of keys."""
    text = InstalledLicence.objects.values_list("text", flat=True).first()
    if text is None:
        refused = LicenceRefused(Fault.MISSING)
        return LicenceState(None, refused.fault, refused.message)
    licence: Licence | None = None
    try:
        licence = read(text)
        licence.require_current(today())
    except LicenceRefused as refused:
        return LicenceState(licence, refused.fault, refused.message)
    return LicenceState(licence, None)


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
