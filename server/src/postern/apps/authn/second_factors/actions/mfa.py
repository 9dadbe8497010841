"""A person's second factor: setting it up, changing it, switching it off, and what an administrator may do about it."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal

from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.authn.credentials.actions.login_sessions import end_all
from postern.apps.authn.credentials.models import BearerToken, LoginEnd, LoginSession
from postern.apps.authn.lock_out import mfa_guard
from postern.apps.authn.second_factors import recovery, totp, totp_secrets
from postern.apps.authn.second_factors.errors import MfaFailed, MfaForced, MfaNotSet
from postern.apps.authn.second_factors.models import PendingSignIn, RecoveryCode, TotpDevice
from postern.apps.users import facade as users
from postern.apps.users.credentials.rules import mfa_is_forced
from postern.apps.users.models import MfaLevel, User
from postern.foundation.caller.actor import Actor
from postern.kernel import clock
from postern.kernel.ids import ROOT_ORG_ID
from postern.kernel.secret import Secret

#: How long a secret that was shown waits for its first code (K6).
ENROLMENT_LIFETIME: Final = timedelta(minutes=10)
ISSUER: Final = "Postern"


@dataclass(frozen=True, slots=True)
class Enrolment:
    """A secret on its way into an authenticator app. Shown once, to its owner."""

    secret: Secret
    uri: Secret
    qr: tuple[str, ...]
    expires_in_s: int


@transaction.atomic
def begin_enrolment(*, actor: Actor, user: User) -> Enrolment:
    """Make a secret for the person's app; it counts only once `confirm_enrolment` has seen a code of it."""
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
    """Take the new app into use in place of any former one; answers the new recovery codes.

    Every other sign-in of the person ends (`keep` stays and counts as one with the second factor). Raises MfaNotSet
    when nothing was begun or its time is over, MfaFailed for a wrong code.
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
    codes = _new_recovery_codes(user)
    end_all(user_id=user.pk, reason=LoginEnd.MFA_CHANGED, keep=keep)  # the audit chain's lock comes last
    _audit(actor, user, audits.Event.MFA_REPLACED if replaced else audits.Event.MFA_ENABLED, levels)
    if keep is not None:
        LoginSession.objects.filter(pk=keep.pk).update(mfa=True, date_mfa_verified=clock.now())
    return codes


@transaction.atomic
def renew_recovery_codes(*, actor: Actor, user: User) -> list[Secret]:
    """Void the recovery codes and make new ones. The caller has taken a code."""
    users.hold(actor, user)
    codes = _new_recovery_codes(user)
    _audit(actor, user, audits.Event.MFA_RECOVERY_CODES_RENEWED)
    return codes


@transaction.atomic
def disable(*, actor: Actor, user: User, keep: LoginSession | None) -> None:
    """Switch the second factor off. The caller has taken a code. Raises MfaForced."""
    if mfa_is_forced(users.hold(actor, user)):
        raise MfaForced
    _forget_devices(user)
    levels = users.change_mfa_level(user=user, level=MfaLevel.DISABLED)
    end_all(user_id=user.pk, reason=LoginEnd.MFA_CHANGED, keep=keep)
    _audit(actor, user, audits.Event.MFA_DISABLED, levels)


@transaction.atomic
def reset(*, actor: Actor, user: User) -> None:
    """An administrator takes away the app of somebody who has lost it: everything that person has open ends.

    The level stays: whoever needs a second factor sets up a new one at the next sign-in.
    """
    users.hold(actor, user)
    gone = _forget_devices(user) + PendingSignIn.objects.filter(user=user).delete()[0]
    mfa_guard.forget(user.username)
    if end_all(user_id=user.pk, reason=LoginEnd.MFA_CHANGED) or gone:
        _audit(actor, user, audits.Event.MFA_RESET)


@transaction.atomic
def note_verified(*, actor: Actor, user: User, credential: LoginSession | BearerToken) -> None:
    """A code was entered in this session: the most delicate views are open for a while."""
    users.hold(actor, user)
    type(credential).objects.filter(pk=credential.pk).update(date_mfa_verified=clock.now())
    _audit(actor, user, audits.Event.MFA_VERIFIED, action="other")


def _new_recovery_codes(user: User) -> list[Secret]:
    RecoveryCode.objects.filter(user=user).delete()
    codes = recovery.new_codes()
    RecoveryCode.objects.bulk_create(
        RecoveryCode(user=user, code_hash=recovery.code_hash(user.pk, code)) for code in codes
    )
    return [Secret(code) for code in codes]


def _forget_devices(user: User) -> int:
    """Answers how many apps and recovery codes there were."""
    return TotpDevice.objects.filter(user=user).delete()[0] + RecoveryCode.objects.filter(user=user).delete()[0]


def _audit(
    actor: Actor,
    user: User,
    event: audits.Event,
    levels: tuple[int, int] | None = None,
    *,
    action: Literal["update", "other"] = "update",
) -> None:
    """`levels`: the person's MFA level before and after."""
    changed = levels is not None and levels[0] != levels[1]
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=event,
        action=action,
        object_type="User",
        object_id=str(user.pk),
        object_name=str(user),
        old={"mfa_level": levels[0]} if levels and changed else None,
        new={"mfa_level": levels[1]} if levels and changed else None,
    )
