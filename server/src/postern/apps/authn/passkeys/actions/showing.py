"""Checks a passkey that a browser has shown. Counting wrong answers is the caller's part."""

from collections.abc import Mapping
from typing import Any

from postern.apps.authn.passkeys import ceremonies
from postern.apps.authn.passkeys.ceremonies import Wrong
from postern.apps.authn.passkeys.models import Passkey
from postern.apps.authn.passkeys.queries import present_site
from postern.kernel import clock


def find(answer: Mapping[str, Any]) -> Passkey | None:
    """The passkey that the answer names, with its user. Nothing is checked yet."""
    try:
        shown = ceremonies.read_shown(answer)
    except Wrong:
        return None
    hashed = ceremonies.hash_of(shown.credential_id)
    return Passkey.objects.select_related("user").filter(credential_hash=hashed).first()


def is_right(passkey: Passkey, answer: Mapping[str, Any], *, challenge: bytes, needs_pin: bool) -> bool:
    """Whether this passkey has signed the challenge for our site, by a counter that was never seen.

    `needs_pin`: the passkey is the only factor. Then the authenticator must have verified the person, and the answer
    must name the passkey's user.
    """
    site = present_site()
    try:
        handle = ceremonies.read_shown(answer).user_handle
        counter = ceremonies.check_shown(
            answer,
            site,
            challenge=challenge,
            public_key=bytes(passkey.public_key),
            sign_count=passkey.sign_count,
            needs_pin=needs_pin,
        )
    except Wrong:
        return False
    if handle != passkey.user_id.bytes and (needs_pin or handle is not None):
        return False
    # A single conditional UPDATE decides: of two answers with one counter, or with an older one, only one is accepted.
    rows = Passkey.objects.filter(pk=passkey.pk, rp_id=site.rp_id)
    rows = rows.filter(sign_count__lt=counter) if counter else rows.filter(sign_count=0)
    return rows.update(sign_count=counter, date_last_used=clock.now()) == 1
