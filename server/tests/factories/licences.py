"""Licences of a test issuer, whom the test's installation trusts or does not."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings

from postern.apps.licence import document, facade, trust
from postern.apps.licence.document import Licence
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock

ISSUER = Ed25519PrivateKey.generate()


#: The day of all tests about licences: a run may pass midnight, and what is collected before it is run after it.
TODAY = clock.today()


def today() -> date:
    return TODAY


def licence_of(days: int = 365, **stated: Any) -> Licence:
    """A licence whose last day is in so many days."""
    values: dict[str, Any] = {
        "corporation": "Example & Sons",
        "subscription_id": "sub-1",
        "edition": "enterprise",
        "date_issued": today() - timedelta(days=400),
        "date_expired": today() + timedelta(days=days),
        **stated,
    }
    return Licence(**values)


def licence_file(days: int = 365, *, issuer: Ed25519PrivateKey = ISSUER, **stated: Any) -> bytes:
    return document.sign(licence_of(days, **stated), issuer).encode()


def trust_issuer(issuer: Ed25519PrivateKey = ISSUER) -> Path:
    return trust.trust(settings.POSTERN.home, issuer.public_key())


def forget_issuers() -> None:
    for path in trust.folder(settings.POSTERN.home).glob("*"):
        path.unlink()


def install_licence(days: int = 365, **stated: Any) -> Licence:
    """Trust the test issuer and install a licence of his."""
    trust_issuer()
    return facade.install(actor=SYSTEM, data=licence_file(days, **stated))
