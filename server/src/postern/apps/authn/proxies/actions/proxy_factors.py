"""Sign-in through a proxy: a first factor, then the second factor if the user has one.

An attempt creates at most one sign-in.
"""

from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import translation

from postern.apps.authn.errors import SignInRefused
from postern.apps.authn.lock_out import guard
from postern.apps.authn.lock_out.errors import SignInLocked
from postern.apps.authn.lock_out.mfa_guard import Visitor
from postern.apps.authn.proxies.actions import proxy_sign_ins, repeats
from postern.apps.authn.proxies.actions.repeats import Outcome
from postern.apps.authn.proxies.errors import MethodClosed, PasskeyCannotBeShown, PasswordWayClosed
from postern.apps.authn.second_factors.actions import codes
from postern.apps.authn.second_factors.errors import MfaUnset
from postern.apps.authn.second_factors.models import PendingSignIn, SignInWay
from postern.apps.authn.second_factors.queries import has_factor
from postern.apps.authn.sign_in import ways
from postern.apps.authn.sign_in.actions import second_factor, sign_in
from postern.apps.authn.sign_in.actions.sign_in import Attempted, MfaState, Proof
from postern.apps.authn.sign_in.errors import SignInLapsed
from postern.apps.authn.signatures.ssh_proofs import KeyProof
from postern.apps.authn.ssh_codes import actions as ssh_codes
from postern.apps.authn.ssh_codes.codes import is_ssh_code
from postern.apps.preferences import facade as preferences
from postern.apps.users import facade as users
from postern.apps.users.models import User
from postern.contracts.access import Denial
from postern.contracts.enums import LoginFrom
from postern.foundation.requests import attempts
from postern.kernel.errors import Unavailable
from postern.kernel.ids import token_hash


def show_password(
    *, username: str, password: str, attempt: str, remote_addr: str, login_from: LoginFrom, proxy_id: UUID
) -> Outcome:
    """First factor by password, or by a code from the console. Counts for the lock-out, once per attempt.

    Raises Unavailable when the server has no capacity to compare the password; then the attempt was not judged.
    """
    is_code = ssh_codes.are_on() and is_ssh_code(password)
    if not is_code and not preferences.get_bool("TERMINAL_PASSWORD_AUTH"):
        return _denied(MethodClosed(takes_codes=ssh_codes.are_on()), username)
    # The name includes the password: an attempt is good for one guess.
    name = attempts.name_of(attempt, "password", proxy_id, remote_addr, login_from, username, password)
    attempted = Attempted(
        username=username,
        remote_addr=remote_addr,
        login_type="T",
        backend=ssh_codes.BACKEND if is_code else "password",
        user_agent=str(login_from),
    )
    try:
        if not is_code:
            ways.require_passwords()
        counted = repeats.count_once(name, lambda: guard.reserve(username, remote_addr))
    except (SignInLocked, ways.PasswordsClosed) as locked:
        refused = locked
        return repeats.answer(name, None, lambda: _refuse(attempted, refused))
    if isinstance(counted, Outcome):
        return counted
    if is_code:
        return _take_code(counted, attempted, name, password, proxy_id)
    try:
        owner = sign_in.owner_of(username, password)
    except Unavailable:
        repeats.take_back(name, counted)
        raise

    def judge() -> Outcome:
        try:
            user = sign_in.settle(counted, owner, username=username, remote_addr=remote_addr)
            ways.require(attempted.backend, user)
            sign_in.require_open_account(user, remote_addr=remote_addr, may_be_unmet=False)
        except SignInRefused as refused:
            return _refuse(attempted, refused)
        return _after_first_factor(Proof(user=user, attempted=attempted), proxy_id)

    return repeats.answer(name, owner.pk if owner is not None else None, judge)


def _take_code(counted: guard.Attempt, attempted: Attempted, name: str, code: str, proxy_id: UUID) -> Outcome:
    """A code proves the same factors as the browser sign-in that made it, including the second factor."""
    username, remote_addr = attempted.username, attempted.remote_addr
    usable_code = ssh_codes.find(username, code)

    @transaction.atomic
    def judge() -> Outcome:
        owner = usable_code.user if usable_code is not None and ssh_codes.redeem(usable_code) else None
        try:
            user = sign_in.settle(counted, owner, username=username, remote_addr=remote_addr)
            sign_in.require_open_account(user, remote_addr=remote_addr, may_be_unmet=False)
        except SignInRefused as refused:
            return _refuse(attempted, refused)
        session = usable_code.provider_session if usable_code is not None else ""
        proof = Proof(user=user, attempted=attempted, provider_session=session)
        if usable_code is not None and usable_code.mfa:
            return _signed_in(proof, MfaState.SHOWN, proxy_id)
        return _after_first_factor(proof, proxy_id)

    return repeats.answer(name, usable_code.user.pk if usable_code is not None else None, judge)


def show_key(
    *, username: str, proof: KeyProof, attempt: str, remote_addr: str, login_from: LoginFrom, proxy_id: UUID
) -> Outcome:
    """First factor by an SSH key, whose signature is verified here (K8: a public key alone signs nobody in)."""
    if not preferences.get_bool("TERMINAL_PUBLIC_KEY_AUTH"):
        return _denied(MethodClosed(), username)
    name = attempts.name_of(
        attempt, "key", proxy_id, remote_addr, login_from, proof.signed.hex(), proof.signature.hex()
    )

    def judge() -> Outcome:
        try:
            proved = sign_in.prove_key(
                username=username,
                proof=proof,
                attempt=f"{proxy_id}:{attempt}",
                remote_addr=remote_addr,
                login_type="T",
                user_agent=str(login_from),
            )
        except SignInRefused as refused:
            return _denied(refused, username)
        return _after_first_factor(proved, proxy_id)

    # Read only the id: reading the user would take longer for existing names.
    return repeats.answer(name, users.id_named(username), judge)


def show_code(*, token: str, code: str, attempt: str, remote_addr: str, proxy_id: UUID) -> Outcome:
    """Second factor. Proxy and address must be those of the first factor; otherwise the sign-in is void."""
    name = attempts.name_of(attempt, "code", proxy_id, remote_addr, token, code)

    def judge() -> Outcome:
        pending = second_factor.find_by_token(token, SignInWay.PROXY)
        try:
            if pending is None or pending.remote_addr != remote_addr[:64] or pending.proxy_id != proxy_id:
                raise SignInLapsed
            second_factor.answer(pending, code=code, kind=codes.kind_of(code), visitor=Visitor(remote_addr))
            with second_factor.completing(pending, may_be_unmet=False) as proof:
                return _signed_in(proof, MfaState.SHOWN, proxy_id)
        except SignInRefused as refused:
            return _denied(refused, pending.user.username if pending is not None else "")

    owners = PendingSignIn.objects.filter(token_hash=token_hash(token), way=SignInWay.PROXY)
    return repeats.answer(name, owners.values_list("user_id", flat=True).first(), judge)


def _after_first_factor(proof: Proof, proxy_id: UUID) -> Outcome:
    match second_factor.demand_of(proof.user):
        case second_factor.Demand.NOTHING:
            return _signed_in(proof, MfaState.OFF, proxy_id)
        case second_factor.Demand.ENROLMENT:  # an authenticator app can only be set up in the console
            passkey_only = ssh_codes.are_on() and has_factor(proof.user.pk)
            return _refuse(proof.attempted, PasskeyCannotBeShown() if passkey_only else MfaUnset(), mfa=MfaState.SHOWN)
        case _:
            return Outcome(begun=second_factor.begin(proof, SignInWay.PROXY, proxy_id=proxy_id))


def _signed_in(proof: Proof, mfa: MfaState, proxy_id: UUID) -> Outcome:
    return Outcome(opened=proxy_sign_ins.open_sign_in(proof, mfa=mfa, proxy_id=proxy_id))


def _refuse(attempted: Attempted, refused: SignInRefused, *, mfa: MfaState = MfaState.UNKNOWN) -> Outcome:
    sign_in.refuse(attempted, refused, mfa=mfa)
    return _denied(refused, attempted.username)


def _denied(refused: SignInRefused, username: str) -> Outcome:
    """The refusal for a proxy, in the user's language after a correct first factor and in the installation's language
    before.

    Answering strangers in the user's language would reveal that the account exists.
    """
    if isinstance(refused, ways.WayClosed):
        # The text for the sign-in page mentions that page.
        closed = PasswordWayClosed if refused.knows_person else MethodClosed
        refused = closed(takes_codes=ssh_codes.are_on())
    user = User.objects.named(username) if refused.knows_person else None
    with translation.override((user.language if user is not None else "") or settings.LANGUAGE_CODE):
        return Outcome(denial=Denial(code=refused.denial, message=refused.text()))
