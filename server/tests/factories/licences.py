"""Licences of a test issuer, which a test may or may not trust."""

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


#: Today for all tests of licences: a test run may pass midnight, between the collection of a test and its run.
TODAY = clock.today()


def today() -> date:
    return TODAY


def licence_of(days: int = 365, **stated: Any) -> Licence:
    """A licence that expires in `days` days."""
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
    """Trust the test issuer and install one of its licences."""
    trust_issuer()
    return facade.install(actor=SYSTEM, data=licence_file(days, **stated))
