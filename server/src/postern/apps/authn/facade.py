"""What the apps above may ask about signing in: for proxies, for websockets, for the people's sessions."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import msgspec
from django.conf import settings

from postern.apps.authn.callers import conditions
from postern.apps.authn.callers.identity import actor_of_user
from postern.apps.authn.credentials import callers
from postern.apps.authn.credentials.actions import login_sessions
from postern.apps.authn.errors import SignInRefused
from postern.apps.authn.lock_out import guard
from postern.apps.authn.proxies.actions import proxy_factors, proxy_sign_ins
from postern.apps.authn.proxies.actions.proxy_sign_ins import TicketFault
from postern.apps.authn.proxies.actions.repeats import Outcome
from postern.apps.authn.second_factors.totp_secrets import TotpSecrets
from postern.apps.authn.sign_in.actions import sign_in
from postern.apps.authn.signatures.ssh_proofs import KeyProof, ProofProblem, read_proof
from postern.apps.preferences import facade as preferences
from postern.apps.rbac import facade as rbac
from postern.apps.users import facade as users
from postern.apps.users.models import User
from postern.contracts.access import Denial, SecondFactor, SignInAnswer, UserIdentity
from postern.contracts.enums import LoginFrom
from postern.foundation.caller.actor import SYSTEM, Actor
from postern.foundation.caller.scope import OrgScope

__all__ = [
    "KeyProof",
    "ProofProblem",
    "TicketFault",
    "TicketHolder",
    "TotpSecrets",
    "WebSignIn",
    "check_password",
    "credentials_holding",
    "end_tickets",
    "end_tickets_of_proxy",
    "hold_maker",
    "locked_out",
    "login_session_is_open",
    "prolong_tickets",
    "public_key_acceptable",
    "read_proof",
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
    *, username: str, password: str, remote_addr: str, login_from: LoginFrom, proxy_id: UUID, attempt: str = ""
) -> SignInAnswer:
    """The first factor at a proxy, by password. Counts towards the lock-out; the denial is in the person's language.

    An `attempt` that the proxy repeats is answered again and counts once; so it is with the other factors.
    """
    return _told(
        proxy_factors.show_password(
            username=username,
            password=password,
            attempt=attempt,
            remote_addr=remote_addr,
            login_from=login_from,
            proxy_id=proxy_id,
        )
    )


def public_key_acceptable(*, username: str, public_key: str) -> bool:
    """Whether the key would be taken if the client proved that it holds it. Never a sign-in by itself (K8)."""
    return preferences.get_bool("TERMINAL_PUBLIC_KEY_AUTH") and sign_in.key_is_acceptable(
        username=username, public_key=public_key
    )


def sign_in_with_public_key(
    *, username: str, proof: KeyProof, attempt: str, remote_addr: str, login_from: LoginFrom, proxy_id: UUID
) -> SignInAnswer:
    """The first factor at a proxy, by a key; its signature is verified here (K8). The proxy repeats an `attempt` with its name."""
    return _told(
        proxy_factors.show_key(
            username=username,
            proof=proof,
            attempt=attempt,
            remote_addr=remote_addr,
            login_from=login_from,
            proxy_id=proxy_id,
        )
    )


def sign_in_with_code(*, token: str, code: str, remote_addr: str, proxy_id: UUID, attempt: str = "") -> SignInAnswer:
    """The second factor at a proxy. Proxy and address are those of the first factor, or the sign-in is void."""
    return _told(
        proxy_factors.show_code(token=token, code=code, attempt=attempt, remote_addr=remote_addr, proxy_id=proxy_id)
    )


def _told(outcome: Outcome) -> SignInAnswer:
    begun, opened = outcome.begun, outcome.opened
    if begun is not None:
        factor = SecondFactor(token=begun.token.reveal(), language=begun.pending.user.language)
        return SignInAnswer(second_factor=factor)
    if opened is not None:
        return SignInAnswer(user=_identity(opened.user), ticket=opened.ticket.reveal())
    return SignInAnswer(denial=outcome.denial)


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


def actor_in(login_session_id: UUID, scope: OrgScope) -> Actor | None:
    """The person of an open browser sign-in as they are in `scope` now: for sockets that outlive a request.

    None when the sign-in is over, the person may not act, or has no business in `scope`.
    """
    login_session = login_sessions.find_open(login_session_id)
    if login_session is None:
        return None
    user = login_session.user
    rights = rbac.rights_of(user, scope)
    if not user.is_valid or conditions.unmet(user) is not None:
        return None
    if not scope.is_root and not rights.may_enter(scope, system_role=user.role):
        return None
    return actor_of_user(user, rights, remote_addr=None, login_session=str(login_session.pk))


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


def credentials_holding(credentials: Collection[str]) -> frozenset[str]:
    """Which of these bearer tokens and access keys, named as in `Actor.credential`, still hold."""
    return callers.holding_among(credentials)


def hold_maker(*, login_session: UUID | None, credential: str) -> bool:
    """Whether the sign-in, token or access key that made something still holds; locked until the transaction ends.

    Whoever ends it finds what this transaction makes, or came before. Lock the person's row before. Without either nothing
    but the session epoch binds what was made.
    """
    if not callers.hold(login_session=login_session, credential=credential):
        return False
    if login_session is not None:
        return login_session_is_open(login_session)
    return not credential or credential in callers.holding_among([credential])


def locked_out() -> list[str]:
    """The people and the addresses that failed sign-ins have locked, as lines for an operator."""
    names = guard.locked_accounts(list(User.objects.values_list("username", flat=True)))
    accounts = [f"account {name} until {until:%Y-%m-%d %H:%M} UTC" for name, until in sorted(names.items())]
    addresses = [
        f"address {row.address} until {row.date_locked_until:%Y-%m-%d %H:%M} UTC" for row in guard.locked_addresses()
    ]
    return [*accounts, *addresses]


def unlock_account(username: str) -> None:
    """Let an account sign in again; for the command line."""
    guard.unlock_account(username, SYSTEM)


def unlock_address(remote_addr: str) -> bool:
    """Let an address sign in again; whether anything was counted for it. For the command line."""
    return guard.unlock_address(remote_addr, SYSTEM)


def _identity(user: User) -> UserIdentity:
    return UserIdentity(id=user.pk, username=user.username, name=user.name, language=user.language)
