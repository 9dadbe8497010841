"""Checks codes of the second factor: each code is accepted once, and wrong codes are limited (K6: guesses are counted
per account and for all accounts together).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum

from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.authn.errors import MfaRefused
from postern.apps.authn.lock_out import guard, mfa_guard
from postern.apps.authn.lock_out.errors import MfaLocked
from postern.apps.authn.lock_out.mfa_guard import Visitor
from postern.apps.authn.passkeys.queries import has_passkey
from postern.apps.authn.second_factors import recovery, totp, totp_secrets
from postern.apps.authn.second_factors.errors import MfaFailed, MfaUnset
from postern.apps.authn.second_factors.models import RecoveryCode, TotpDevice
from postern.apps.authn.second_factors.queries import confirmed_device
from postern.apps.users.models import User
from postern.foundation.caller.actor import Actor
from postern.kernel import clock


class CodeKind(StrEnum):
    """The kinds of code that a user can enter."""

    TOTP = "code"
    RECOVERY = "recovery"


def kind_of(text: str) -> CodeKind:
    """The kind of a code by its form, for clients that do not send the kind: six digits are a code of the app."""
    return CodeKind.TOTP if totp.is_code(text) or len(text) <= totp.CODE_CHARS else CodeKind.RECOVERY


def take_code(*, user: User, code: str, kind: CodeKind, visitor: Visitor) -> None:
    """Accept a valid code and use it up. Raises MfaUnset, MfaFailed, MfaLocked.

    Call it inside a transaction only if that commits in every case: a rollback would lose the count of a wrong code.
    """
    device = confirmed_device(user.pk)
    if device is None and (kind is CodeKind.TOTP or not has_passkey(user.pk)):
        raise MfaUnset
    if kind is CodeKind.TOTP and not totp.is_code(code):
        mfa_guard.require_open(user.username, visitor)
        raise MfaFailed  # a malformed code cannot be right, so it does not count as a guess
    attempt = mfa_guard.reserve(user.username, visitor)
    by_app = device is not None and kind is CodeKind.TOTP and _take_totp(device, code)
    taken = by_app or (kind is CodeKind.RECOVERY and _take_recovery(user, code))
    if not taken:
        if attempt.locks_account:
            guard.note_locked(user.username, visitor.remote_addr, minutes=mfa_guard.lock_minutes())
            raise MfaLocked(mfa_guard.lock_minutes())
        raise MfaFailed(attempt.tries_left)
    mfa_guard.release(attempt)


def verify_in_session(*, actor: Actor, user: User, code: str, kind: CodeKind, visitor: Visitor) -> None:
    """Accept a code of a signed-in user, and audit refusals."""
    with refusals_audited(actor=actor, user=user):
        take_code(user=user, code=code, kind=kind, visitor=visitor)


@contextmanager
def refusals_audited(*, actor: Actor, user: User) -> Iterator[None]:
    """Audit refusals of the second factor in the block, because a stranger may be using an unlocked computer."""
    try:
        yield
    except MfaRefused as refused:
        with transaction.atomic():
            audits.record_change(
                actor=actor,
                action="other",
                target=user,
                event=audits.Event.MFA_CODE_REFUSED,
                new={"reason": refused.slug},
            )
        raise


def _take_totp(device: TotpDevice, code: str) -> bool:
    secret = totp_secrets.store().get(device.pk)
    step = totp.matching_step(secret, code, now=clock.now()) if secret is not None else None
    if step is None:
        return False
    # A single conditional UPDATE decides, so that only one of two requests with the same code succeeds (S5-013).
    return TotpDevice.objects.filter(pk=device.pk, last_step__lt=step).update(last_step=step) == 1


def _take_recovery(user: User, code: str) -> bool:
    rows = RecoveryCode.objects.filter(
        user_id=user.pk, code_hash=recovery.code_hash(user.pk, code), date_used__isnull=True
    )
    return rows.update(date_used=clock.now()) == 1
