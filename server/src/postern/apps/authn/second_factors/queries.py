"""Reads of the second factor."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from postern.apps.authn.passkeys.queries import has_passkey, passkeys_of
from postern.apps.authn.second_factors.models import RecoveryCode, TotpDevice


@dataclass(frozen=True, slots=True)
class SecondFactorStanding:
    """State of a user's second factor. `date_confirmed` is None without an authenticator app."""

    date_confirmed: datetime | None
    recovery_codes_left: int
    passkeys: int = 0

    @property
    def is_set(self) -> bool:
        """Whether the user has an authenticator app."""
        return self.date_confirmed is not None


def has_device(user_id: UUID) -> bool:
    """Whether the user has an active authenticator app."""
    return TotpDevice.objects.filter(user_id=user_id, date_confirmed__isnull=False).exists()


def has_factor(user_id: UUID) -> bool:
    """Whether the user has a second factor: an authenticator app or a passkey."""
    return has_device(user_id) or has_passkey(user_id)


def confirmed_device(user_id: UUID) -> TotpDevice | None:
    """The active authenticator app, or None."""
    return TotpDevice.objects.filter(user_id=user_id, date_confirmed__isnull=False).first()


def recovery_codes_left(user_id: UUID) -> int:
    """Number of unused recovery codes."""
    return RecoveryCode.objects.filter(user_id=user_id, date_used__isnull=True).count()


def second_factor_of(user_id: UUID) -> SecondFactorStanding:
    """The second factor as the profile shows it."""
    device = confirmed_device(user_id)
    passkeys = len(passkeys_of(user_id))
    return SecondFactorStanding(
        date_confirmed=device.date_confirmed if device is not None else None,
        recovery_codes_left=recovery_codes_left(user_id) if device is not None or passkeys else 0,
        passkeys=passkeys,
    )
