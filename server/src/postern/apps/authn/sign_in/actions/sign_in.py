"""Verifies a password, or a key with its signature.

The order of steps is the same for existing and other names, to prevent enumeration of accounts:

1. The attempt is counted for the name and for the address. A lock refuses it here.
2. The password is compared, with a stand-in hash when the user does not exist.
3. A wrong password is refused, with the same message for everybody. A right password reverts the count.
4. Only after a right password may messages refer to the account (disabled, expired, password due).

The result is a `Proof` of the first factor, which does not sign the user in. Callers call `signed_in`
at once for users without a second factor, and for others after `second_factor` has accepted their code.
"""

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final, Literal

from django.contrib.auth.hashers import check_password, is_password_usable
from django.db import IntegrityError, transaction

from postern.apps.audits import facade as audits
from postern.apps.authn.callers import conditions
from postern.apps.authn.callers.identity import kind_of
from postern.apps.authn.errors import SignInRefused
from postern.apps.authn.known_places import places
from postern.apps.authn.lock_out import guard
from postern.apps.authn.lock_out.errors import SignInLocked
from postern.apps.authn.login_acls.deciding import is_admitted
from postern.apps.authn.login_acls.errors import NotAdmitted
from postern.apps.authn.sign_in import ways
from postern.apps.authn.sign_in.errors import (
    AccountDisabled,
    AccountExpired,
    KeyRefused,
    KeyWithoutPin,
    PeopleOnly,
    WrongCredentials,
)
from postern.apps.authn.signatures import past_signatures, ssh_proofs
from postern.apps.authn.signatures.models import UsedSignature
from postern.apps.authn.ssh_certificates import judging
from postern.apps.authn.ssh_certificates.errors import CertificateRefused, Fault
from postern.apps.authn.ssh_certificates.judging import Mark
from postern.apps.directory import facade as directory
from postern.apps.preferences import facade as preferences
from postern.apps.users import facade as users
from postern.apps.users.credentials.passwords import MAX_PASSWORD_CHARS
from postern.apps.users.models import User, username_key
from postern.foundation.caller.actor import Actor, anonymous
from postern.foundation.database.row_writes import change
from postern.foundation.requests import attempts
from postern.kernel import clock
from postern.kernel.errors import Unavailable
from postern.kernel.ids import ROOT_ORG_ID, token_hash
from postern.kernel.ssh_keys.certificates import is_certificate_line, read_certificate_line
from postern.kernel.ssh_keys.public_keys import holds_key

LoginType = Literal["W", "T", "U"]

#: Compared for unknown names, so that they take as long as existing names. It is a constant, because computing it would
#: delay the first unknown name after a start. A test compares its parameters with those of the hasher in use.
STAND_IN_HASH: Final = (
    "argon2$argon2id$v=19$m=47104,t=2,p=1$YzNSaGJtUXRhVzR0YzJGc2RB$ey9IRwV+tQ4Y9Y7SaXuXgZIypUzxrzv9c13LWyEdrjY"
)

_MAX_NAME_CHARS: Final = 128
#: Backend of sign-ins with certificates in the login log.
BY_CERTIFICATE: Final = "certificate"

#: Compared for names without a key, for the same reason. Nobody has its private key, so it never matches.
_STAND_IN_KEY: Final = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILg8H5yumlXLVg+gU/I3WM3JtaQfo1lWxweYldfJomKy"


class MfaState(IntEnum):
    """The state of the second factor in the login log."""

    OFF = 0
    SHOWN = 1
    UNKNOWN = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempted:
    """An attempt, as the login log records it. `certificate`: its certificate, if a trusted authority issued it."""

    username: str
    remote_addr: str
    login_type: LoginType
    backend: str
    user_agent: str = ""
    certificate: Mark | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """A right first factor. The account of `user` may be used.

    `key_hash` identifies the SSH key; "" for a password. `provider_session`: hash of the session at a provider.
    """

    user: User
    attempted: Attempted
    key_hash: str = ""
    provider_session: str = ""


def prove_password(
    *,
    username: str,
    password: str,
    remote_addr: str,
    login_type: LoginType,
    user_agent: str = "",
    device: str = "",
    may_be_unmet: bool = False,
) -> Proof:
    """The user of this name and password. Raises a `SignInRefused`; the login log records each refusal.

    `may_be_unmet`: admit users with an unmet condition; only the console can do that.
    """
    attempted = Attempted(
        username=username, remote_addr=remote_addr, login_type=login_type, backend="password", user_agent=user_agent
    )
    try:
        ways.require_passwords()
        user = confirm_password(username=username, password=password, remote_addr=remote_addr, device=device)
        ways.require(attempted.backend, user)
        require_open_account(user, remote_addr=remote_addr, may_be_unmet=may_be_unmet)
    except SignInRefused as refused:
        refuse(attempted, refused)
        raise
    return Proof(user=user, attempted=attempted)


def confirm_password(*, username: str, password: str, remote_addr: str, device: str = "") -> User:
    """The owner of the password, without checking the state of the account.

    Raises WrongCredentials, SignInLocked, and Unavailable when the server has no capacity to compare the password.
    """
    attempt = guard.reserve(username, remote_addr, device=device)
    try:
        owner = owner_of(username, password)
    except Unavailable:
        guard.take_back(attempt)
        raise
    return settle(attempt, owner, username=username, remote_addr=remote_addr)


def owner_of(username: str, password: str) -> User | None:
    """The user of that name, if the password is right. Does not count: the caller has counted the attempt.

    Postern has the passwords of local accounts, the directory those of its users. Blocks while the directory checks the
    password: call it outside of transactions. Raises Unavailable when the password could not be checked, because the
    server has no capacity or the directory does not answer.
    """
    user = users.account_named(username)
    if _password_fits(user, password):
        return user
    # Query the directory for every name, so that all take about as long. It never gets passwords over the local limit.
    if len(password) > MAX_PASSWORD_CHARS:
        return None
    # Query it also if its way is switched off, so that the time reveals nothing; but create no user then.
    return directory.owner_of(user, username, password, may_create=ways.is_open("ldap"))


def settle(attempt: guard.Attempt, owner: User | None, *, username: str, remote_addr: str) -> User:
    """Uncount a right password and return its owner. Raises WrongCredentials or SignInLocked when `owner` is None."""
    if owner is None:
        raise _wrong(attempt, username, remote_addr)
    # A directory may know several names of a person; the lock is on the username.
    if username_key(username) != owner.username_key:
        guard.require_open(owner.username, remote_addr)
    guard.release(attempt)
    return owner


def prove_key(
    *,
    username: str,
    proof: ssh_proofs.KeyProof,
    attempt: str,
    remote_addr: str,
    login_type: LoginType,
    user_agent: str,
) -> Proof:
    """The user whose key, or certificate for a key, has signed this sign-in (K8: a public key alone signs nobody in).
    Raises a `SignInRefused`.

    The signature is verified here and accepted for one `attempt`, so that a proxy alone cannot sign users in.
    """
    attempted = Attempted(
        username=username,
        remote_addr=remote_addr,
        login_type=login_type,
        backend="publickey" if proof.certificate is None else BY_CERTIFICATE,
        user_agent=user_agent,
    )
    try:
        guard.require_open(username, remote_addr)
        # before the name is looked up, so that neither counts nor time reveal anything about it
        if not ssh_proofs.holds(proof):
            raise _wrong_signature(username, remote_addr)
        if proof.certificate is not None and judging.is_trusted(proof.certificate):
            attempted = replace(attempted, certificate=Mark.of(proof.certificate))
        user = _owner_of_key(proof, username, remote_addr)
        if not _is_first_use(user, proof, f"{attempt}:{remote_addr}"):
            raise KeyRefused
        if ssh_proofs.lacks_pin(proof) and preferences.get_bool("SECURITY_SSH_KEY_PIN"):
            raise KeyWithoutPin
        require_open_account(user, remote_addr=remote_addr, may_be_unmet=False, by_key=True)
    except SignInRefused as refused:
        refuse(attempted, refused)
        raise
    return Proof(user=user, attempted=attempted, key_hash=proof.key_hash)


def _owner_of_key(proof: ssh_proofs.KeyProof, username: str, remote_addr: str) -> User:
    """The user of this name, if they have this key or its certificate names them. Raises KeyRefused,
    CertificateRefused.
    """
    if proof.certificate is not None:
        judging.require(proof, proof.certificate, username=username, remote_addr=remote_addr)
        user = users.account_named(username)
        if user is not None and not user.is_local:
            raise CertificateRefused(Fault.OTHER_SOURCE)
    else:
        is_theirs = key_is_acceptable(username=username, public_key=proof.key.line)
        user = users.account_named(username) if is_theirs else None
    if user is None:
        raise KeyRefused
    return user


def _is_first_use(user: User, proof: ssh_proofs.KeyProof, attempt: str) -> bool:
    """Record the signed connection. Returns False when it was used before, except by the same attempt within seconds."""
    now = clock.now()
    of_attempt = token_hash(f"{proof.connection_hash}:{attempt}")
    try:
        with transaction.atomic():
            UsedSignature.objects.create(
                signature_hash=proof.connection_hash,
                attempt_hash=of_attempt,
                user_id=user.pk,
                key_hash=proof.key_hash,
                date_repeatable=now + attempts.REPEATABLE,
                date_expired=now + ssh_proofs.REMEMBERED,
            )
    except IntegrityError:  # the proxy repeats the attempt, because the response was lost
        repeated = UsedSignature.objects.filter(signature_hash=proof.connection_hash, attempt_hash=of_attempt)
        return repeated.filter(date_repeatable__gt=now).exists()
    # Checked after the insert: housekeeping deletes a row in the transaction that packs it.
    past = past_signatures.Signature(user.pk, proof.key_hash, proof.connection_hash)
    return not past_signatures.is_stored(past)


def signed_in(proof: Proof, *, mfa: MfaState) -> User:
    """Record a sign-in after all factors were verified."""
    _log(proof.attempted, mfa=mfa, user=proof.user)
    return proof.user


def refuse(attempted: Attempted, refused: SignInRefused, *, mfa: MfaState = MfaState.UNKNOWN) -> None:
    """Record a failed sign-in."""
    _log(attempted, mfa=mfa, refused=refused)


def key_is_acceptable(*, username: str, public_key: str) -> bool:
    """Whether the key is one of the user's keys. The client has not proved that it has the private key.

    Directory accounts cannot use keys: only the directory knows whether such an account is still active.
    All certificates of trusted authorities are acceptable; they may be refused after the proof, with a reason.
    """
    if is_certificate_line(public_key):
        certificate = read_certificate_line(public_key)
        return certificate is not None and judging.is_trusted(certificate)
    keys = users.ssh_keys_named(username)
    return holds_key(keys or _STAND_IN_KEY, public_key) and bool(keys)


def _password_fits(user: User | None, password: str) -> bool:
    usable = user is not None and user.is_local and is_password_usable(user.password)
    hashed = user.password if user is not None and usable else STAND_IN_HASH
    # A longer password is wrong and refused below. It is cut, to limit the time of hashing.
    fits = check_password(password[:MAX_PASSWORD_CHARS], hashed)
    return fits and usable and len(password) <= MAX_PASSWORD_CHARS


def takes_signatures(user: User, remote_addr: str) -> bool:
    """Whether signatures of this user's access keys may be checked: not while the account is locked for the address."""
    try:
        guard.require_open(user.username, remote_addr)
    except SignInLocked:
        return False
    return True


def count_refused_signature(user: User, remote_addr: str) -> None:
    """Count a wrong signature of an access key as a guess at the account."""
    try:
        attempt = guard.reserve(user.username, remote_addr, of_address=False, waits=False)
    except SignInLocked:
        return
    _wrong(attempt, user.username, remote_addr)


def _wrong_signature(username: str, remote_addr: str) -> SignInRefused:
    """Count a wrong SSH signature as a guess at the account. Returns the refusal."""
    attempt = guard.reserve(username, remote_addr, waits=False)
    refused = _wrong(attempt, username, remote_addr)
    return refused if isinstance(refused, SignInLocked) else KeyRefused()


def _wrong(attempt: guard.Attempt, username: str, remote_addr: str) -> SignInRefused:
    minutes = guard.lock_rules().limit_time_min
    guard.note_wrong(attempt)
    if attempt.locks_account:
        guard.note_locked(username, remote_addr, minutes=minutes)
    if attempt.locked_for is not None:
        return SignInLocked(attempt.locked_minutes)
    return WrongCredentials(tries_left=attempt.tries_left, lock_minutes=minutes)


def require_open_account(user: User, *, remote_addr: str, may_be_unmet: bool, by_key: bool = False) -> None:
    """Raise PeopleOnly, AccountDisabled, AccountExpired, NotAdmitted; unless `may_be_unmet` also MfaUnset, PasswordDue,
    NoticeUnconfirmed.

    Every way of signing in calls this check. `by_key`: with an SSH key, the only way for a service account.
    """
    if user.is_service_account and not by_key:
        raise PeopleOnly
    if not user.is_active:
        raise AccountDisabled
    if user.is_expired:
        raise AccountExpired
    if not is_admitted(user.pk, remote_addr):
        raise NotAdmitted
    if not may_be_unmet:
        conditions.require(user)


@transaction.atomic
def _log(
    attempted: Attempted, *, mfa: MfaState, user: User | None = None, refused: SignInRefused | None = None
) -> None:
    actor = anonymous(attempted.remote_addr)
    if user is not None:
        actor = Actor(
            kind=kind_of(user),
            user_id=user.pk,
            username=user.username,
            name=user.name,
            remote_addr=attempted.remote_addr,
        )
        user.last_login = clock.now()
        change([user], ("last_login",))
        places.remember_address(user, attempted.remote_addr)
    audits.record_sign_in(
        actor=actor,
        username=attempted.username[:_MAX_NAME_CHARS],
        succeeded=user is not None,
        reason=refused.slug if refused is not None else "",
        login_type=attempted.login_type,
        backend=attempted.backend,
        user_agent=attempted.user_agent[:254],
        mfa=int(mfa),
    )
    if attempted.certificate is not None:
        _record_certificate(actor, attempted, attempted.certificate, refused)


def _record_certificate(actor: Actor, attempted: Attempted, mark: Mark, refused: SignInRefused | None) -> None:
    """Audit the certificate of a sign-in, because the login log has no columns for it."""
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=audits.Event.CERTIFICATE_ACCEPTED if refused is None else audits.Event.CERTIFICATE_REFUSED,
        object_type="Certificate",
        object_name=f"{mark.key_id} ({mark.serial})",
        new={
            "username": attempted.username[:_MAX_NAME_CHARS],
            "reason": refused.slug if refused is not None else "",
            **mark.stored(),
        },
    )
