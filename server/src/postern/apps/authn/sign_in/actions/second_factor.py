"""The step between the first factor and the sign-in: a pending sign-in of one user, which can be completed once (K27:
an unfinished sign-in belongs to one person).

`begin` after a right first factor → `answer` with a code, or `enrolling` to set up a factor during the sign-in →
`completing`, which locks the user, checks the account again, and signs in within the same transaction.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any, Final, cast
from uuid import UUID

from django.db import transaction
from django.db.models import F

from postern.apps.authn.errors import MfaRefused, SignInRefused
from postern.apps.authn.lock_out.mfa_guard import Visitor
from postern.apps.authn.second_factors.actions.codes import CodeKind, take_code
from postern.apps.authn.second_factors.actions.passkeys import take_passkey
from postern.apps.authn.second_factors.models import PendingSignIn, SignInWay
from postern.apps.authn.second_factors.queries import has_device, has_factor
from postern.apps.authn.sign_in import ways
from postern.apps.authn.sign_in.actions import sign_in
from postern.apps.authn.sign_in.actions.sign_in import Attempted, LoginType, MfaState, Proof
from postern.apps.authn.sign_in.errors import SignInLapsed
from postern.apps.authn.ssh_certificates.judging import Mark
from postern.apps.users import facade as users
from postern.apps.users.credentials.rules import mfa_is_forced
from postern.apps.users.models import MfaLevel, User
from postern.kernel import clock
from postern.kernel.ids import new_token, token_hash
from postern.kernel.secret import Secret

#: Long enough to install an app and to enter its first code; at most ten minutes (K6: guesses are counted).
LIFETIME: Final = timedelta(minutes=10)
#: Maximum number of wrong codes of one sign-in. After that the user starts again with the first factor.
MAX_TRIES: Final = 5


class Demand(StrEnum):
    """The next requirement after a right first factor."""

    NOTHING = "nothing"
    CODE = "code"
    ENROLMENT = "enrolment"


@dataclass(frozen=True, slots=True)
class Begun:
    """A pending sign-in. `token` is for clients without a session that could refer to the row."""

    pending: PendingSignIn
    token: Secret


def demand_of(user: User, *, takes_passkeys: bool = False) -> Demand:
    """Whether a second factor is required (S1-051): the user has it switched on, or it is mandatory for the user.

    `takes_passkeys`: the client is a browser, which can show passkeys (S1-052). For other clients, a user without an
    app has to set up an app.
    """
    if user.mfa_level == MfaLevel.DISABLED and not mfa_is_forced(user):
        return Demand.NOTHING
    can_be_shown = has_factor(user.pk) if takes_passkeys else has_device(user.pk)
    return Demand.CODE if can_be_shown else Demand.ENROLMENT


def begin(proof: Proof, way: SignInWay, *, proxy_id: UUID | None = None) -> Begun:
    """Store a right first factor until the second factor follows; through a proxy, for that proxy only."""
    token, now = new_token(), clock.now()
    pending = PendingSignIn.objects.create(
        user=proof.user,
        way=way,
        token_hash=token_hash(token),
        epoch=proof.user.session_epoch,
        backend=proof.attempted.backend,
        remote_addr=proof.attempted.remote_addr[:64],
        user_agent=proof.attempted.user_agent[:254],
        login_type=proof.attempted.login_type,
        proxy_id=proxy_id,
        key_hash=proof.key_hash,
        certificate=None if proof.attempted.certificate is None else proof.attempted.certificate.stored(),
        provider_session=proof.provider_session,
        date_created=now,
        date_expired=now + LIFETIME,
    )
    return Begun(pending=pending, token=Secret(token))


def renewed(pending: PendingSignIn) -> Begun | None:
    """The same sign-in with a new token, because the response with the first token was lost. The first token is void.

    None if the sign-in has ended.
    """
    if _alive(pending) is None:
        return None
    token = new_token()
    pending.token_hash = token_hash(token)
    pending.save(update_fields=["token_hash"])
    return Begun(pending=pending, token=Secret(token))


def find(pending_id: UUID, way: SignInWay) -> PendingSignIn | None:
    """The pending sign-in of this way; None when it was used, has expired, or is void."""
    return _alive(PendingSignIn.objects.select_related("user").filter(pk=pending_id, way=way).first())


def find_by_token(token: str, way: SignInWay) -> PendingSignIn | None:
    """The pending sign-in with this token."""
    rows = PendingSignIn.objects.select_related("user").filter(token_hash=token_hash(token), way=way)
    return _alive(rows.first())


def answer(pending: PendingSignIn, *, code: str, kind: CodeKind, visitor: Visitor) -> None:
    """Check the code of a pending sign-in.

    Raises MfaFailed, MfaLocked, MfaUnset, SignInLapsed; the login log records all of them.
    """
    _judge(pending, lambda: take_code(user=pending.user, code=code, kind=kind, visitor=visitor))


def answer_with_passkey(
    pending: PendingSignIn, *, answer: Mapping[str, Any], challenge: bytes, visitor: Visitor
) -> None:
    """Check the passkey of a pending sign-in. Raises PasskeyFailed, MfaLocked, SignInLapsed, as `answer`."""
    _judge(pending, lambda: take_passkey(user=pending.user, answer=answer, challenge=challenge, visitor=visitor))


def _judge(pending: PendingSignIn, take: Callable[[], object]) -> None:
    rows = PendingSignIn.objects.filter(pk=pending.pk, date_used__isnull=True, tries__lt=MAX_TRIES)
    try:
        if rows.update(tries=F("tries") + 1) != 1:
            raise SignInLapsed
        take()
    except MfaRefused as refused:
        sign_in.refuse(_attempted(pending), refused, mfa=MfaState.SHOWN)
        raise
    _pass(pending)


def enrolled(pending: PendingSignIn) -> None:
    """Mark the second factor as verified: the user has set it up and shown it during this sign-in."""
    _pass(pending)


@contextmanager
def enrolling(pending: PendingSignIn | None) -> Iterator[None]:
    """A transaction for setting up a second factor. Raises SignInLapsed.

    During a sign-in (`pending`) the user is locked, so that only one of two concurrent browsers sets up a factor, and
    none after a reset: a password alone must not add a factor to a user who has one.
    """
    with transaction.atomic():
        if pending is not None:
            is_current = users.hold_epoch(pending.user_id) == pending.epoch
            if not is_current or find(pending.pk, SignInWay(pending.way)) is None or has_factor(pending.user_id):
                raise SignInLapsed
        yield


@contextmanager
def completing(pending: PendingSignIn, *, may_be_unmet: bool) -> Iterator[Proof]:
    """Use up a pending sign-in whose code was right; the block signs the user in. Raises a `SignInRefused`.

    The user is locked from the check to the end of the block, in one transaction. A concurrent write that ends their
    sign-ins (a reset of the second factor, a sign-out at the provider) has therefore either run before and is detected
    here, or ends the new sign-in. The account is checked again, because it may have been disabled since the first
    factor.
    """
    attempted = _attempted(pending)
    rows = PendingSignIn.objects.filter(pk=pending.pk, date_passed__isnull=False, date_used__isnull=True)
    try:
        with transaction.atomic():
            is_current = users.hold_epoch(pending.user_id) == pending.epoch
            if rows.update(date_used=clock.now()) != 1 or not is_current:
                raise SignInLapsed
            user = User.objects.get(pk=pending.user_id)
            ways.require(pending.backend, user)
            sign_in.require_open_account(user, remote_addr=pending.remote_addr, may_be_unmet=may_be_unmet)
            yield Proof(
                user=user, attempted=attempted, key_hash=pending.key_hash, provider_session=pending.provider_session
            )
    except SignInRefused as refused:
        rows.update(date_used=clock.now())
        sign_in.refuse(attempted, refused, mfa=MfaState.SHOWN)
        raise


def _alive(pending: PendingSignIn | None) -> PendingSignIn | None:
    if pending is None or pending.date_used is not None or pending.date_expired <= clock.now():
        return None
    if pending.tries >= MAX_TRIES and pending.date_passed is None:
        return None
    if pending.epoch != pending.user.session_epoch or not pending.user.is_active:
        return None
    return pending


def _pass(pending: PendingSignIn) -> None:
    pending.date_passed = clock.now()
    PendingSignIn.objects.filter(pk=pending.pk).update(date_passed=pending.date_passed)


def _attempted(pending: PendingSignIn) -> Attempted:
    return Attempted(
        username=pending.user.username,
        remote_addr=pending.remote_addr,
        login_type=cast("LoginType", pending.login_type),
        backend=pending.backend,
        user_agent=pending.user_agent,
        certificate=None if pending.certificate is None else Mark.read(pending.certificate),
    )
