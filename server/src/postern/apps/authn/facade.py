"""What the apps above may ask about signing in: for proxies, for websockets, for the people's sessions."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import msgspec
from django.conf import settings
from django.utils import translation

from postern.apps.authn import conditions, guard
from postern.apps.authn.actions import codes, login_sessions, proxy_sign_ins, second_factor, sign_in
from postern.apps.authn.actions.proxy_sign_ins import TicketFault
from postern.apps.authn.errors import MethodClosed, MfaUnset, SignInLapsed, SignInRefused
from postern.apps.authn.identity import actor_of_user
from postern.apps.authn.mfa_guard import Visitor
from postern.apps.authn.models import SignInWay
from postern.apps.authn.ssh_proofs import KeyProof, ProofProblem, read_proof
from postern.apps.authn.totp_secrets import TotpSecrets
from postern.apps.authn.totp_secrets import register as register_totp_secrets
from postern.apps.preferences import facade as preferences
from postern.apps.rbac import facade as rbac
from postern.apps.users import facade as users
from postern.apps.users.models import User
from postern.contracts.access import Denial, SecondFactor, SignInAnswer, UserIdentity
from postern.contracts.enums import LoginFrom
from postern.foundation.actor import SYSTEM, Actor
from postern.foundation.scope import OrgScope

__all__ = [
    "KeyProof",
    "ProofProblem",
    "TicketFault",
    "TicketHolder",
    "TotpSecrets",
    "WebSignIn",
    "check_password",
    "end_tickets",
    "end_tickets_of_proxy",
    "locked_out",
    "login_session_is_open",
    "prolong_tickets",
    "public_key_acceptable",
    "read_proof",
    "register_totp_secrets",
    "sign_in_with_code",
    "sign_in_with_public_key",
    "ticket_holder",
    "ticket_holder_of",
    "unlock_account",
    "unlock_address",
    "unmet_condition",
    "web_sign_in",
]


@dataclass(frozen=True, slots=True)
class WebSignIn:
    """Somebody who is signed in with a browser."""

    actor: Actor
    login_session_id: UUID
    language: str


def check_password(
    *, username: str, password: str, remote_addr: str, login_from: LoginFrom, proxy_id: UUID
) -> SignInAnswer:
    """The first factor at a proxy, by password. Counts towards the lock-out; the denial is in the person's language."""
    try:
        if not preferences.get_bool("TERMINAL_PASSWORD_AUTH"):
            raise MethodClosed
        proof = sign_in.prove_password(
            username=username, password=password, remote_addr=remote_addr, login_type="T", user_agent=str(login_from)
        )
        return _after_first_factor(proof, proxy_id)
    except SignInRefused as refused:
        return SignInAnswer(denial=_denial(refused, username))


def public_key_acceptable(*, username: str, public_key: str) -> bool:
    """Whether the key would be taken if the client proved that it holds it. Never a sign-in by itself (K8)."""
    return preferences.get_bool("TERMINAL_PUBLIC_KEY_AUTH") and sign_in.key_is_acceptable(
        username=username, public_key=public_key
    )


def sign_in_with_public_key(
    *, username: str, proof: KeyProof, attempt: str, remote_addr: str, login_from: LoginFrom, proxy_id: UUID
) -> SignInAnswer:
    """The first factor at a proxy, by a key; its signature is verified here (K8). The proxy repeats an `attempt` with its name."""
    try:
        if not preferences.get_bool("TERMINAL_PUBLIC_KEY_AUTH"):
            raise MethodClosed
        proved = sign_in.prove_key(
            username=username,
            proof=proof,
            attempt=f"{proxy_id}:{attempt}",
            remote_addr=remote_addr,
            login_type="T",
            user_agent=str(login_from),
        )
        return _after_first_factor(proved, proxy_id)
    except SignInRefused as refused:
        return SignInAnswer(denial=_denial(refused, username))


def _after_first_factor(proof: sign_in.Proof, proxy_id: UUID) -> SignInAnswer:
    match second_factor.demand_of(proof.user):
        case second_factor.Demand.NOTHING:
            return _signed_in(proof, sign_in.MfaState.OFF, proxy_id)
        case second_factor.Demand.ENROLMENT:  # an app is set up in the console only
            unset = MfaUnset()
            sign_in.refuse(proof.attempted, unset, mfa=sign_in.MfaState.SHOWN)
            raise unset
        case _:
            begun = second_factor.begin(proof, SignInWay.PROXY, proxy_id=proxy_id)
            return SignInAnswer(second_factor=SecondFactor(token=begun.token.reveal(), language=proof.user.language))


def sign_in_with_code(*, token: str, code: str, remote_addr: str, proxy_id: UUID) -> SignInAnswer:
    """The second factor at a proxy. Proxy and address are those of the first factor, or the sign-in is void."""
    pending = second_factor.find_by_token(token, SignInWay.PROXY)
    try:
        if pending is None or pending.remote_addr != remote_addr[:64] or pending.proxy_id != proxy_id:
            raise SignInLapsed
        second_factor.answer(pending, code=code, kind=codes.kind_of(code), visitor=Visitor(remote_addr))
        proof = second_factor.complete(pending, may_be_unmet=False)
        return _signed_in(proof, sign_in.MfaState.SHOWN, proxy_id)
    except SignInRefused as refused:
        username = pending.user.username if pending is not None else ""
        return SignInAnswer(denial=_denial(refused, username))


def _signed_in(proof: sign_in.Proof, mfa: sign_in.MfaState, proxy_id: UUID) -> SignInAnswer:
    opened = proxy_sign_ins.open_sign_in(proof, mfa=mfa, proxy_id=proxy_id)
    return SignInAnswer(user=_identity(opened.user), ticket=opened.ticket.reveal())


@dataclass(frozen=True, slots=True)
class TicketHolder:
    """Who a ticket stands for. `fault` None: it holds. Without `sign_in_id` nobody knows the ticket.

    `epoch`: the session epoch of the person under which they signed in.
    """

    identity: UserIdentity | None
    sign_in_id: UUID | None
    fault: TicketFault | None
    epoch: int | None = None

    @property
    def is_suspicious(self) -> bool:
        """Whether no proxy that does what it should would show this ticket."""
        return self.fault in proxy_sign_ins.SUSPICIOUS


def ticket_holder(ticket: str, *, proxy_id: UUID, remote_addr: str) -> TicketHolder:
    """Who signed in through this proxy from this address and got this ticket."""
    return _holder(proxy_sign_ins.find(ticket, proxy_id=proxy_id, remote_addr=remote_addr))


def ticket_holder_of(sign_in_id: UUID) -> TicketHolder:
    """The same for a session that was opened with the ticket."""
    return _holder(proxy_sign_ins.find_by_id(sign_in_id))


def prolong_tickets(tickets: Sequence[str], *, proxy_id: UUID) -> tuple[int, ...]:
    """The connections of these tickets are open still. Returns the places of those that are worth nothing any more."""
    return proxy_sign_ins.prolong(tickets, proxy_id=proxy_id)


def end_tickets(tickets: Collection[str], *, actor: Actor, proxy_id: UUID) -> int:
    """The connections of these tickets are closed."""
    return proxy_sign_ins.end(tickets, actor=actor, proxy_id=proxy_id)


def end_tickets_of_proxy(proxy_id: UUID) -> int:
    """The proxy is not trusted any more."""
    return proxy_sign_ins.end_of_proxy(proxy_id)


def _holder(shown: proxy_sign_ins.Shown) -> TicketHolder:
    row = shown.row
    if row is None:
        return TicketHolder(None, None, shown.fault)
    identity = msgspec.structs.replace(_identity(row.user), language=users.spoken_to(row.user))
    return TicketHolder(identity, row.pk, shown.fault, row.epoch)


def web_sign_in(session: Any, scope: OrgScope, *, remote_addr: str | None) -> WebSignIn | None:
    """Who is signed in, from Django's session object (a websocket's `scope["session"]`).

    None when nobody is, when the person may not act or has a condition to meet first, or when they have no business in
    `scope`.
    """
    login_session = login_sessions.find_by_session(session)
    if login_session is None:
        return None
    user = login_session.user
    rights = rbac.rights_of(user, scope)
    if not user.is_valid or conditions.unmet(user) is not None:
        return None
    if not scope.is_root and not rights.may_enter(scope, system_role=user.role):
        return None
    actor = actor_of_user(user, rights, remote_addr=remote_addr, login_session=str(login_session.pk))
    return WebSignIn(actor=actor, login_session_id=login_session.pk, language=user.language or settings.LANGUAGE_CODE)


def unmet_condition(user_id: UUID) -> Denial | None:
    """Why the person gets no session before they have been to the console, in the active language; None: nothing is in the way.

    Asked for every session that is opened, however its owner came in.
    """
    user = User.objects.filter(pk=user_id).first()
    try:
        if user is not None:
            conditions.require(user)
    except SignInRefused as refused:
        return Denial(code=refused.denial, message=refused.text())
    return None


def login_session_is_open(login_session_id: UUID) -> bool:
    """Whether the browser sign-in still holds: cheap, for sockets that outlive a request."""
    found = login_sessions.find_open(login_session_id)
    return found is not None and found.user.is_valid


def open_login_sessions(login_session_ids: Collection[UUID]) -> frozenset[UUID]:
    """Which of these browser sign-ins still hold: for a process that holds many sockets."""
    return login_sessions.open_among(login_session_ids)


def locked_out() -> list[str]:
    """The people and the addresses that failed sign-ins have locked, as lines for an operator."""
    names = guard.locked_accounts(list(User.objects.values_list("username", flat=True)))
    addresses = [
        f"address {row.address} until {row.date_locked_until:%Y-%m-%d %H:%M} UTC" for row in guard.locked_addresses()
    ]
    return [*(f"account {name}" for name in sorted(names)), *addresses]


def unlock_account(username: str) -> None:
    """Let an account sign in again; for the command line."""
    guard.unlock_account(username, SYSTEM)


def unlock_address(remote_addr: str) -> bool:
    """Let an address sign in again; whether anything was counted for it. For the command line."""
    return guard.unlock_address(remote_addr, SYSTEM)


def _identity(user: User) -> UserIdentity:
    return UserIdentity(id=user.pk, username=user.username, name=user.name, language=user.language)


def _denial(refused: SignInRefused, username: str) -> Denial:
    """The refusal for a proxy: in the person's language once they have shown who they are, in the installation's before.

    Answering strangers in somebody's own language would tell that there is such an account.
    """
    user = User.objects.named(username) if refused.knows_person else None
    with translation.override((user.language if user is not None else "") or settings.LANGUAGE_CODE):
        return Denial(code=refused.denial, message=refused.text())
