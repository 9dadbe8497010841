"""Writes of a user's passkeys, and checks of a passkey as the second factor (K6: guesses are counted)."""

from collections.abc import Mapping
from typing import Any, Final

from django.db import IntegrityError, transaction

from postern.apps.audits import facade as audits
from postern.apps.authn.credentials.actions.login_sessions import end_all
from postern.apps.authn.credentials.models import LoginEnd, LoginSession
from postern.apps.authn.known_places import trust
from postern.apps.authn.lock_out import guard, mfa_guard
from postern.apps.authn.lock_out.errors import MfaLocked
from postern.apps.authn.lock_out.mfa_guard import Visitor
from postern.apps.authn.passkeys import ceremonies
from postern.apps.authn.passkeys.actions import assertions
from postern.apps.authn.passkeys.errors import LastFactor, PasskeyFailed, PasskeyTaken, TooManyPasskeys
from postern.apps.authn.passkeys.events import PasskeyAdded, PasskeyRemoved
from postern.apps.authn.passkeys.models import Passkey
from postern.apps.authn.passkeys.queries import present_site
from postern.apps.authn.second_factors.actions.recovery_codes import forget_codes, new_codes_for
from postern.apps.authn.second_factors.models import PendingSignIn
from postern.apps.authn.second_factors.queries import has_device, has_factor
from postern.apps.users import facade as users
from postern.apps.users.credentials.rules import mfa_is_forced
from postern.apps.users.models import MfaLevel, User
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.kernel import clock
from postern.kernel.ids import ROOT_ORG_ID
from postern.kernel.secret import Secret

MAX_PASSKEYS: Final = 10


def take_passkey(*, user: User, answer: Mapping[str, Any], challenge: bytes, visitor: Visitor) -> Passkey:
    """Accept a passkey of this user as the second factor. Raises PasskeyFailed, MfaLocked.

    Call it inside a transaction only if that commits in every case: a rollback would lose the count of a wrong answer.
    """
    claimed_passkey = assertions.find(answer)
    own = claimed_passkey if claimed_passkey is not None and claimed_passkey.user_id == user.pk else None
    return _judge(user, own, answer, challenge, visitor, needs_pin=False)


def take_alone(*, passkey: Passkey, answer: Mapping[str, Any], challenge: bytes, visitor: Visitor) -> Passkey:
    """Accept a passkey as the only factor, if its authenticator has verified the person. Raises as `take_passkey`."""
    return _judge(passkey.user, passkey, answer, challenge, visitor, needs_pin=True)


def _judge(
    user: User,
    passkey: Passkey | None,
    answer: Mapping[str, Any],
    challenge: bytes,
    visitor: Visitor,
    *,
    needs_pin: bool,
) -> Passkey:
    attempt = mfa_guard.reserve(user.username, visitor)
    if passkey is None or not assertions.is_valid(passkey, answer, challenge=challenge, needs_pin=needs_pin):
        if attempt.locks_account:
            guard.note_locked(user.username, visitor.remote_addr, minutes=mfa_guard.lock_minutes())
            raise MfaLocked(mfa_guard.lock_minutes())
        raise PasskeyFailed(attempt.tries_left)
    mfa_guard.release(attempt)
    return passkey


@transaction.atomic
def add(
    *,
    actor: Actor,
    user: User,
    name: str,
    answer: Mapping[str, Any],
    challenge: bytes,
    keep: LoginSession | None,
) -> tuple[Passkey, list[Secret]]:
    """Store the new passkey of the browser's answer. Returns it, with new recovery codes if it is the first factor.

    The first factor switches MFA on, and ends all sign-ins of the user except `keep`, which then counts as signed in
    with the second factor. Raises PasskeyFailed, PasskeyTaken, TooManyPasskeys.
    """
    locked_user = users.hold(actor, user)
    site = present_site()
    try:
        made = ceremonies.verify_registration(answer, site, challenge=challenge)
    except ceremonies.InvalidAnswer:
        raise PasskeyFailed from None
    if Passkey.objects.filter(user=user).count() >= MAX_PASSKEYS:
        raise TooManyPasskeys(MAX_PASSKEYS)
    is_first = not has_factor(user.pk)
    try:
        with transaction.atomic():
            passkey = Passkey.objects.create(
                user=user,
                name=name,
                credential_id=made.credential_id,
                credential_hash=ceremonies.hash_of(made.credential_id),
                public_key=made.public_key,
                sign_count=made.sign_count,
                rp_id=site.rp_id,
                transports=list(made.transports),
            )
    except IntegrityError:
        raise PasskeyTaken from None
    codes: list[Secret] = []
    levels = (locked_user.mfa_level, locked_user.mfa_level)
    trust.end_all(user)
    if is_first:
        codes = new_codes_for(user)
        if locked_user.mfa_level == MfaLevel.DISABLED:
            levels = users.change_mfa_level(user=user, level=MfaLevel.ENABLED)
        end_all(user_id=user.pk, reason=LoginEnd.MFA_CHANGED, keep=keep)
        if keep is not None:
            LoginSession.objects.filter(pk=keep.pk).update(mfa=True, date_mfa_verified=clock.now())
    _audit(actor, passkey, audits.Event.PASSKEY_ADDED, levels)
    events.publish(
        PasskeyAdded(
            user_id=user.pk,
            passkey_id=passkey.pk,
            name=passkey.name,
            remote_addr=actor.remote_addr or "",
            at=clock.now(),
        )
    )
    return passkey, codes


@transaction.atomic
def rename(*, actor: Actor, passkey: Passkey, name: str) -> Passkey:
    """Rename a passkey."""
    users.hold(actor, passkey.user)
    old = passkey.name
    if old == name:
        return passkey
    passkey.name = name
    passkey.save(update_fields=["name"])
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=audits.Event.PASSKEY_RENAMED,
        action="update",
        object_type="Passkey",
        object_id=str(passkey.pk),
        object_name=name,
        old={"name": old},
        new={"name": name},
    )
    return passkey


@transaction.atomic
def remove(*, actor: Actor, passkey: Passkey, keep: LoginSession | None) -> None:
    """Remove a passkey; all other sign-ins of the user end. Raises LastFactor.

    Removing the last factor switches MFA off. LastFactor: MFA is mandatory.
    """
    user = users.hold(actor, passkey.user)
    was_only = not has_device(user.pk) and not Passkey.objects.filter(user=user).exclude(pk=passkey.pk).exists()
    if was_only and mfa_is_forced(user):
        raise LastFactor
    if Passkey.objects.filter(pk=passkey.pk).delete()[0] != 1:
        return
    levels = (user.mfa_level, user.mfa_level)
    if was_only:
        forget_codes(user)
        levels = users.change_mfa_level(user=user, level=MfaLevel.DISABLED)
    trust.end_all(user)
    PendingSignIn.objects.filter(user=user).delete()  # a pending sign-in may have been verified with this passkey
    end_all(user_id=user.pk, reason=LoginEnd.MFA_CHANGED, keep=keep)
    _audit(actor, passkey, audits.Event.PASSKEY_REMOVED, levels)
    events.publish(
        PasskeyRemoved(
            user_id=user.pk,
            passkey_id=passkey.pk,
            name=passkey.name,
            remote_addr=actor.remote_addr or "",
            at=clock.now(),
        )
    )


def _audit(actor: Actor, passkey: Passkey, event: audits.Event, levels: tuple[int, int]) -> None:
    changed, is_new = levels[0] != levels[1], event is audits.Event.PASSKEY_ADDED
    owner = {"user": str(passkey.user)}
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=event,
        action="create" if is_new else "delete",
        object_type="Passkey",
        object_id=str(passkey.pk),
        object_name=passkey.name,
        old={**({} if is_new else owner), **({"mfa_level": levels[0]} if changed else {})},
        new={**(owner if is_new else {}), **({"mfa_level": levels[1]} if changed else {})},
    )
