"""The demo's licence: the demo issues it itself, and its installation trusts this issuer."""

from datetime import date, timedelta
from pathlib import Path
from typing import Final

from postern.apps.licence import document, trust
from postern.apps.licence.issuing import issuing_key

DAYS: Final = 365


def issue_licence(home: Path, today: date) -> bytes:
    """Issue a licence file for a year from today, and trust its issuer. The issuing key is in the demo's folder."""
    folder = home / "demo"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    private, _made = issuing_key(folder / "licence-issuing.key")
    trust.trust(home, private.public_key())
    licence = document.Licence(
        corporation="示例公司 Example Company",
        subscription_id="demo",
        edition="enterprise",
        date_issued=today,
        date_expired=today + timedelta(days=DAYS),
    )
    return document.sign(licence, private).encode()
