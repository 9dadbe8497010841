"""Verifies assertions of passkeys. The caller counts wrong assertions."""

from collections.abc import Mapping
from typing import Any

from postern.apps.authn.passkeys import ceremonies
from postern.apps.authn.passkeys.ceremonies import InvalidAnswer
from postern.apps.authn.passkeys.models import Passkey
from postern.apps.authn.passkeys.queries import present_site
from postern.kernel import clock


def find(answer: Mapping[str, Any]) -> Passkey | None:
    """The passkey that the answer names, with its user. The signature is not verified yet."""
    try:
        claim = ceremonies.read_claim(answer)
    except InvalidAnswer:
        return None
    hashed = ceremonies.hash_of(claim.credential_id)
    return Passkey.objects.select_related("user").filter(credential_hash=hashed).first()


def is_valid(passkey: Passkey, answer: Mapping[str, Any], *, challenge: bytes, needs_pin: bool) -> bool:
    """Whether this passkey has signed the challenge for our site, with a new counter.

    `needs_pin`: the passkey is the only factor. Its authenticator must then have verified the person, and the answer
    must name the user of the passkey.
    """
    site = present_site()
    try:
        handle = ceremonies.read_claim(answer).user_handle
        counter = ceremonies.verify_assertion(
            answer,
            site,
            challenge=challenge,
            public_key=bytes(passkey.public_key),
            sign_count=passkey.sign_count,
            needs_pin=needs_pin,
        )
    except InvalidAnswer:
        return False
    if handle != passkey.user_id.bytes and (needs_pin or handle is not None):
        return False
    # A single conditional UPDATE decides which of several answers with the same or an older counter is accepted.
    rows = Passkey.objects.filter(pk=passkey.pk, rp_id=site.rp_id)
    rows = rows.filter(sign_count__lt=counter) if counter else rows.filter(sign_count=0)
    return rows.update(sign_count=counter, date_last_used=clock.now()) == 1
