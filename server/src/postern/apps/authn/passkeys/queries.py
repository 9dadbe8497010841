"""Reads of passkeys."""

from collections.abc import Sequence
from uuid import UUID

from postern.apps.authn.passkeys.models import Passkey
from postern.apps.authn.passkeys.site import Site, site_of
from postern.apps.preferences import facade as preferences


def present_site() -> Site:
    """The current site of passkeys."""
    return site_of(preferences.get_str("SITE_URL"))


def has_passkey(user_id: UUID) -> bool:
    """Whether the user has a passkey, also for a former host name. Otherwise, after a change of the address, a password
    alone could set up a new second factor.
    """
    return Passkey.objects.filter(user_id=user_id).exists()


def passkeys_of(user_id: UUID) -> list[Passkey]:
    """The user's passkeys, oldest first."""
    return list(Passkey.objects.filter(user_id=user_id))


def usable_among(rows: Sequence[Passkey], site: Site) -> list[Passkey]:
    """The passkeys that browsers offer at this site."""
    return [row for row in rows if row.rp_id == site.rp_id]


def is_usable(user_id: UUID) -> bool:
    """Whether the user has a passkey that can be used at the console's current address."""
    site = present_site()
    return not site.problem and Passkey.objects.filter(user_id=user_id, rp_id=site.rp_id).exists()


def number_at(rp_id: str) -> int:
    """The number of passkeys that were made for this host name."""
    return Passkey.objects.filter(rp_id=rp_id).count()
