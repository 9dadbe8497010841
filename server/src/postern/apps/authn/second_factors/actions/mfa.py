"""Writes of a user's second factor: set it up, change it, switch it off, and reset it as an administrator."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal

from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.authn.credentials.actions.login_sessions import end_all
from postern.apps.authn.credentials.models import BearerToken, LoginEnd, LoginSession
from postern.apps.authn.known_places import trust
from postern.apps.authn.lock_out import mfa_guard
from postern.apps.authn.passkeys.models import Passkey
from postern.apps.authn.second_factors import totp, totp_secrets
from postern.apps.authn.second_factors.actions.recovery_codes import forget_codes, new_codes_for
from postern.apps.authn.second_factors.errors import MfaFailed, MfaForced, MfaNotSet
from postern.apps.authn.second_factors.events import SecondFactorReset
from postern.apps.authn.second_factors.models import PendingSignIn, TotpDevice
from postern.apps.users import facade as users
from postern.apps.users.credentials.rules import mfa_is_forced
from postern.apps.users.models import MfaLevel, User
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.kernel import clock
from postern.kernel.secret import Secret

#: Time that a user has to enter the first code of a new secret (K6: guesses are counted).
ENROLMENT_LIFETIME: Final = timedelta(minutes=10)
ISSUER: Final = "Postern"


@dataclass(frozen=True, slots=True)
class Enrolment:
    """A secret that is being set up in an authenticator app. Shown once, to its owner."""

    secret: Secret
    uri: Secret
    qr: tuple[str, ...]
    expires_in_s: int


@transaction.atomic
def begin_enrolment(*, actor: Actor, user: User) -> Enrolment:
    """Create a secret for the user's app. It becomes active when `confirm_enrolment` receives a valid code."""
    users.hold(actor, user)
    for old in TotpDevice.objects.select_for_update().filter(user=user, date_confirmed__isnull=True):
        old.delete()
    device = TotpDevice.objects.create(user=user)
    secret = totp.new_secret()
    totp_secrets.store().put(device.pk, secret)
    _audit(actor, user, audits.Event.MFA_ENROLMENT_BEGUN)
    uri = totp.provisioning_uri(secret, username=user.username, issuer=ISSUER)
    return Enrolment(
        secret=secret,
        uri=Secret(uri),
        qr=tuple(totp.qr_rows(uri)),
        expires_in_s=int(ENROLMENT_LIFETIME.total_seconds()),
    )


@transaction.atomic
def confirm_enrolment(*, actor: Actor, user: User, code: str, keep: LoginSession | None) -> list[Secret]:
    """Activate the new app, which replaces a former app. Returns the new recovery codes.

    Ends all sign-ins of the user except `keep`, which then counts as signed in with the second factor. Raises MfaNotSet
    when there is no pending enrolment, MfaFailed for a wrong code.
    """
    users.hold(actor, user)
    begun_after = clock.now() - ENROLMENT_LIFETIME
    device = TotpDevice.objects.select_for_update().filter(user=user, date_confirmed__isnull=True).first()
    if device is None or device.date_created < begun_after:
        raise MfaNotSet
    secret = totp_secrets.store().get(device.pk)
    step = totp.matching_step(secret, code, now=clock.now()) if secret is not None else None
    if step is None:
        raise MfaFailed
    replaced = False
    for old in TotpDevice.objects.select_for_update().filter(user=user, date_confirmed__isnull=False):
        replaced = True
        old.delete()
    device.last_step, device.date_confirmed = step, clock.now()
    device.save(update_fields=["last_step", "date_confirmed"])
    levels = (user.mfa_level, user.mfa_level)
    if user.mfa_level == MfaLevel.DISABLED:
        levels = users.change_mfa_level(user=user, level=MfaLevel.ENABLED)
    codes = new_codes_for(user)
    trust.end_all(user)
    end_all(user_id=user.pk, reason=LoginEnd.MFA_CHANGED, keep=keep)  # the lock of the audit chain is taken last
    _audit(actor, user, audits.Event.MFA_REPLACED if replaced else audits.Event.MFA_ENABLED, levels)
    if keep is not None:
        LoginSession.objects.filter(pk=keep.pk).update(mfa=True, date_mfa_verified=clock.now())
    return codes


@transaction.atomic
def renew_recovery_codes(*, actor: Actor, user: User) -> list[Secret]:
    """Replace the recovery codes with new ones. The caller has verified a code."""
    users.hold(actor, user)
    codes = new_codes_for(user)
    _audit(actor, user, audits.Event.MFA_RECOVERY_CODES_RENEWED)
    return codes


@transaction.atomic
def disable(*, actor: Actor, user: User, keep: LoginSession | None) -> None:
    """Switch the second factor off: remove app and passkeys. The caller has verified a factor. Raises MfaForced."""
    if mfa_is_forced(users.hold(actor, user)):
        raise MfaForced
    _forget_factors(user)
    levels = users.change_mfa_level(user=user, level=MfaLevel.DISABLED)
    end_all(user_id=user.pk, reason=LoginEnd.MFA_CHANGED, keep=keep)
    _audit(actor, user, audits.Event.MFA_DISABLED, levels)


@transaction.atomic
def reset(*, actor: Actor, user: User) -> None:
    """Remove app and passkeys of a user who has lost them, as an administrator; all open sessions of that user end.

    The MFA level stays: a user who needs a second factor sets up a new factor at the next sign-in.
    """
    users.hold(actor, user)
    deleted = _forget_factors(user) + PendingSignIn.objects.filter(user=user).delete()[0]
    mfa_guard.forget(user.username)
    if end_all(user_id=user.pk, reason=LoginEnd.MFA_CHANGED) or deleted:
        _audit(actor, user, audits.Event.MFA_RESET)
        if actor.user_id != user.pk:
            events.publish(SecondFactorReset(user_id=user.pk, by=actor.label, at=clock.now()))


@transaction.atomic
def note_verified(*, actor: Actor, user: User, credential: LoginSession | BearerToken) -> None:
    """Record that a second factor was shown in this session, which opens the most sensitive views for a while."""
    users.hold(actor, user)
    type(credential).objects.filter(pk=credential.pk).update(date_mfa_verified=clock.now())
    _audit(actor, user, audits.Event.MFA_VERIFIED, action="other")


def _forget_factors(user: User) -> int:
    """Delete apps, passkeys, recovery codes and trust; returns the total number."""
    factors = TotpDevice.objects.filter(user=user).delete()[0] + Passkey.objects.filter(user=user).delete()[0]
    return factors + forget_codes(user) + trust.end_all(user)


def _audit(
    actor: Actor,
    user: User,
    event: audits.Event,
    levels: tuple[int, int] | None = None,
    *,
    action: Literal["update", "other"] = "update",
) -> None:
    """Audit the change. `levels`: the user's MFA level before and after."""
    changed = levels is not None and levels[0] != levels[1]
    audits.record_change(
        actor=actor,
        action=action,
        target=user,
        event=event,
        old={"mfa_level": levels[0]} if levels and changed else None,
        new={"mfa_level": levels[1]} if levels and changed else None,
    )
