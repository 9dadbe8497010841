"""WebAuthn requests to a browser: each has a random challenge and is answered once."""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet

from postern.apps.authn.passkeys import ceremonies
from postern.apps.authn.passkeys.errors import NoPasskeyHere, PasskeyLapsed, PasskeysUnusable
from postern.apps.authn.passkeys.models import Passkey, PasskeyPurpose, PasskeyRequest
from postern.apps.authn.passkeys.queries import passkeys_of, present_site, usable_among
from postern.apps.authn.passkeys.site import Site
from postern.apps.users.models import User
from postern.kernel import clock
from postern.kernel.addresses import address_key

#: Longer than browsers wait, so that the user sees the message of the browser.
LIFETIME: Final = timedelta(minutes=3)
_CHALLENGE_BYTES: Final = 32
#: Maximum number of pending requests per user, or per address without a user. The oldest are deleted.
MOST_WAITING: Final = 100


@dataclass(frozen=True, slots=True)
class Begun:
    """A new request: its id for the browser's session, and the browser's `publicKey` argument."""

    id: UUID
    options: dict[str, Any]


def begin_registration(user: User, *, remote_addr: str) -> Begun:
    """Begin the registration of a passkey of this user. Raises PasskeysUnusable."""
    site, challenge = _usable_site(), secrets.token_bytes(_CHALLENGE_BYTES)
    options = ceremonies.registration_options(
        site,
        challenge=challenge,
        user_id=user.pk,
        username=user.username,
        name=user.name,
        present=_known_passkeys(usable_among(passkeys_of(user.pk), site)),
    )
    return Begun(_store(PasskeyPurpose.ENROL, user, challenge, remote_addr), options)


def begin_assertion(purpose: PasskeyPurpose, user: User | None, *, remote_addr: str) -> Begun:
    """Begin an assertion with one of the user's passkeys; without a user, with any passkey that verifies the person.

    Raises PasskeysUnusable, NoPasskeyHere.
    """
    site, challenge = _usable_site(), secrets.token_bytes(_CHALLENGE_BYTES)
    allowed = _known_passkeys(usable_among(passkeys_of(user.pk), site)) if user is not None else []
    if user is not None and not allowed:
        raise NoPasskeyHere(site)
    options = ceremonies.assertion_options(site, challenge=challenge, allowed=allowed, needs_pin=user is None)
    return Begun(_store(purpose, user, challenge, remote_addr), options)


def take(request_id: UUID | None, purpose: PasskeyPurpose, user: User | None) -> bytes:
    """Use up a request and return its challenge. Raises PasskeyLapsed.

    The DELETE decides which of two concurrent answers is accepted.
    """
    rows = PasskeyRequest.objects.filter(purpose=purpose, user=user, date_expired__gt=clock.now())
    row = rows.filter(pk=request_id).first() if request_id is not None else None
    if row is None or PasskeyRequest.objects.filter(pk=row.pk).delete()[0] != 1:
        raise PasskeyLapsed
    return bytes(row.challenge)


def _usable_site() -> Site:
    site = present_site()
    if site.problem:
        raise PasskeysUnusable(site)
    return site


def _known_passkeys(rows: list[Passkey]) -> list[ceremonies.KnownPasskey]:
    return [ceremonies.KnownPasskey(bytes(row.credential_id), tuple(row.transports)) for row in rows]


def _store(purpose: PasskeyPurpose, user: User | None, challenge: bytes, remote_addr: str) -> UUID:
    address, now = address_key(remote_addr)[:64], clock.now()
    others = PasskeyRequest.objects.filter(user=user) if user is not None else _without_user(address)
    surplus = others.order_by("-date_created").values_list("pk", flat=True)[MOST_WAITING - 1 :]
    PasskeyRequest.objects.filter(pk__in=list(surplus)).delete()
    row = PasskeyRequest.objects.create(
        purpose=purpose,
        user=user,
        challenge=challenge,
        remote_addr=address,
        date_created=now,
        date_expired=now + LIFETIME,
    )
    return row.pk


def _without_user(address: str) -> QuerySet[PasskeyRequest]:
    return PasskeyRequest.objects.filter(user__isnull=True, remote_addr=address)
