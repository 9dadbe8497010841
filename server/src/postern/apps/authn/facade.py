"""Public interface of authn for apps of higher layers: proxies, websockets and user sessions."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from django.conf import settings

from postern.apps.authn.callers import conditions
from postern.apps.authn.callers.identity import actor_of_user
from postern.apps.authn.credentials import callers
from postern.apps.authn.credentials.actions import login_sessions, tokens
from postern.apps.authn.errors import SignInRefused
from postern.apps.authn.external.queries import subjects_of as external_subjects
from postern.apps.authn.lock_out import guard, locks
from postern.apps.authn.login_acls.actions import switch_off_all
from postern.apps.authn.login_acls.deciding import is_admitted
from postern.apps.authn.proxies.actions import proxy_factors, proxy_sign_ins
from postern.apps.authn.proxies.actions.proxy_sign_ins import TicketFault
from postern.apps.authn.proxies.actions.repeats import Outcome
from postern.apps.authn.second_factors.actions import mfa
from postern.apps.authn.second_factors.totp_secrets import TotpSecrets
from postern.apps.authn.sign_in.actions import sign_in
from postern.apps.authn.signatures.ssh_proofs import KeyProof, ProofProblem, read_proof
from postern.apps.authn.ssh_certificates.authorities import SETTINGS as CERTIFICATE_SETTINGS
from postern.apps.preferences import facade as preferences
from postern.apps.rbac import facade as rbac
from postern.apps.users import facade as users
from postern.apps.users.models import User
from postern.contracts.access import Denial, SecondFactor, SignInAnswer, UserIdentity
from postern.contracts.enums import LoginFrom
from postern.foundation.caller.actor import SYSTEM, Actor
from postern.foundation.caller.scope import OrgScope
from postern.kernel.secret import Secret

__all__ = [
    "CERTIFICATE_SETTINGS",
    "KeyProof",
    "NewAccessKey",
    "ProofProblem",
    "TicketFault",
    "TicketHolder",
    "TotpSecrets",
    "WebSignIn",
    "admit_everywhere",
    "check_password",
    "credentials_holding",
    "end_tickets",
    "end_tickets_of_proxy",
    "external_subjects",
    "hold_maker",
    "locked_out",
    "login_session_is_open",
    "new_access_key",
    "prolong_tickets",
    "public_key_acceptable",
    "read_proof",
    "reset_second_factor",
    "sign_in_with_code",
    "sign_in_with_public_key",
    "ticket_holder",
    "ticket_holder_of",
    "unlock_account",
    "unlock_address",
    "unmet_condition",
    "web_sign_in",
    "with_withdrawn_certificates",
]


@dataclass(frozen=True, slots=True)
class WebSignIn:
    """A user who is signed in with a browser."""

    actor: Actor
    login_session_id: UUID
    language: str


def check_password(
    *, username: str, password: str, remote_addr: str, login_from: LoginFrom, proxy_id: UUID, attempt: str = ""
) -> SignInAnswer:
    """First factor at a proxy, by password. Counts for the lock-out; the denial is in the user's language.

    A repeated `attempt` gets the same answer and counts once. This also applies to the other factors.
    """
    return _answer_of(
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
    """Whether the key would be accepted once the client proves possession.

    Never a sign-in by itself (K8: a public key alone signs nobody in).
    """
    return preferences.get_bool("TERMINAL_PUBLIC_KEY_AUTH") and sign_in.key_is_acceptable(
        username=username, public_key=public_key
    )


def sign_in_with_public_key(
    *, username: str, proof: KeyProof, attempt: str, remote_addr: str, login_from: LoginFrom, proxy_id: UUID
) -> SignInAnswer:
    """First factor at a proxy, by key; the signature is verified here.

    The proxy sends the name of an `attempt` again when it repeats the request.
    """
    return _answer_of(
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
    """Second factor at a proxy. Proxy and address must be those of the first factor; otherwise the sign-in is void."""
    return _answer_of(
        proxy_factors.show_code(token=token, code=code, attempt=attempt, remote_addr=remote_addr, proxy_id=proxy_id)
    )


def _answer_of(outcome: Outcome) -> SignInAnswer:
    begun, opened = outcome.begun, outcome.opened
    if begun is not None:
        factor = SecondFactor(token=begun.token.reveal(), language=begun.pending.user.language)
        return SignInAnswer(second_factor=factor)
    if opened is not None:
        return SignInAnswer(user=_identity(opened.user), ticket=opened.ticket.reveal())
    return SignInAnswer(denial=outcome.denial)


@dataclass(frozen=True, slots=True)
class TicketHolder:
    """The user of a ticket. `fault` is None for a valid ticket; without `sign_in_id` the ticket is unknown.

    `epoch`: the user's session epoch at sign-in.
    """

    identity: UserIdentity | None
    sign_in_id: UUID | None
    fault: TicketFault | None
    epoch: int | None = None

    @property
    def is_suspicious(self) -> bool:
        """Whether only a faulty or hostile proxy would present this ticket."""
        return self.fault in proxy_sign_ins.SUSPICIOUS


def ticket_holder(ticket: str, *, proxy_id: UUID, remote_addr: str) -> TicketHolder:
    """The user who signed in through this proxy from this address and received this ticket."""
    return _holder(proxy_sign_ins.find(ticket, proxy_id=proxy_id, remote_addr=remote_addr))


def ticket_holder_of(sign_in_id: UUID) -> TicketHolder:
    """The user of the ticket with which a session was opened."""
    return _holder(proxy_sign_ins.find_by_id(sign_in_id))


def with_withdrawn_certificates(sign_in_ids: Collection[UUID]) -> frozenset[UUID]:
    """The sign-ins among these whose certificate was revoked, or whose authority is no longer trusted."""
    return proxy_sign_ins.withdrawn(sign_in_ids)


def prolong_tickets(tickets: Sequence[str], *, proxy_id: UUID) -> tuple[int, ...]:
    """Extend tickets whose connections are still open. Returns the positions of those that are no longer valid."""
    return proxy_sign_ins.prolong(tickets, proxy_id=proxy_id)


def end_tickets(tickets: Collection[str], *, actor: Actor, proxy_id: UUID) -> int:
    """End tickets whose connections were closed; returns the number of ended sign-ins."""
    return proxy_sign_ins.end(tickets, actor=actor, proxy_id=proxy_id)


def end_tickets_of_proxy(proxy_id: UUID) -> int:
    """End all tickets of a proxy that is no longer trusted; returns their number."""
    return proxy_sign_ins.end_of_proxy(proxy_id)


def _holder(presented: proxy_sign_ins.PresentedTicket) -> TicketHolder:
    row = presented.row
    if row is None:
        return TicketHolder(None, None, presented.fault)
    identity = msgspec.structs.replace(_identity(row.user), language=users.spoken_to(row.user))
    return TicketHolder(identity, row.pk, presented.fault, row.epoch)


def web_sign_in(
    session: Any, scope: OrgScope, *, remote_addr: str | None, counts_as_use: bool = False
) -> WebSignIn | None:
    """The signed-in user of Django's session object (a websocket's `scope["session"]`).

    `counts_as_use`: this is an action of the user, which extends the sign-in as a request of the API does. None when nobody is signed in, the user is not active, has an unmet condition, or may not enter `scope`.
    """
    login_session = login_sessions.find_by_session(session)
    if login_session is None:
        return None
    user = login_session.user
    rights = rbac.rights_of(user, scope)
    if not user.is_valid or not is_admitted(user.pk, remote_addr) or conditions.unmet(user) is not None:
        return None
    if not scope.is_root and not rights.may_enter(scope, system_role=user.role):
        return None
    if counts_as_use:
        login_sessions.touch(login_session)
    actor = actor_of_user(user, rights, remote_addr=remote_addr, login_session=str(login_session.pk))
    return WebSignIn(actor=actor, login_session_id=login_session.pk, language=user.language or settings.LANGUAGE_CODE)


def actor_in(login_session_id: UUID, scope: OrgScope) -> Actor | None:
    """The user of an open browser sign-in with their current rights in `scope`: for sockets that outlive a request.

    None when the sign-in has ended, the user is not active, has an unmet condition, or may not enter `scope`.
    """
    login_session = login_sessions.find_open(login_session_id)
    if login_session is None:
        return None
    user = login_session.user
    rights = rbac.rights_of(user, scope)
    if not user.is_valid or not is_admitted(user.pk, login_session.remote_addr) or conditions.unmet(user) is not None:
        return None
    if not scope.is_root and not rights.may_enter(scope, system_role=user.role):
        return None
    return actor_of_user(user, rights, remote_addr=None, login_session=str(login_session.pk))


def unmet_condition(user_id: UUID) -> Denial | None:
    """The denial of a session to a user with an unmet condition, in the active language; None without an unmet
    condition.

    Checked for every new session, for every way in.
    """
    user = User.objects.filter(pk=user_id).first()
    try:
        if user is not None:
            conditions.require(user)
    except SignInRefused as refused:
        return Denial(code=refused.denial, message=refused.text())
    return None


def login_session_is_open(login_session_id: UUID) -> bool:
    """Whether the browser sign-in is still valid. Cheap, for sockets that outlive a request."""
    login_session = login_sessions.find_open(login_session_id)
    return login_session is not None and login_session.user.is_valid


def open_login_sessions(login_session_ids: Collection[UUID]) -> frozenset[UUID]:
    """The valid browser sign-ins among these, for a process with many sockets."""
    return login_sessions.open_among(login_session_ids)


def credentials_holding(credentials: Collection[str]) -> frozenset[str]:
    """The valid bearer tokens and access keys among these, in the form of `Actor.credential`."""
    return callers.holding_among(credentials)


def hold_maker(*, login_session: UUID | None, credential: str) -> bool:
    """Whether the sign-in, token or access key of a creator is still valid. Locks its row until the transaction ends.

    A concurrent revocation has either committed, or waits and then sees the rows that this transaction creates. Lock
    the user's row first. Without sign-in and credential, only the session epoch limits the created rows.
    """
    if not callers.hold(login_session=login_session, credential=credential):
        return False
    if login_session is not None:
        return login_session_is_open(login_session)
    return not credential or credential in callers.holding_among([credential])


@dataclass(frozen=True, slots=True)
class NewAccessKey:
    """A new access key. The secret is presented once."""

    id: UUID
    secret: Secret
    date_created: datetime


def new_access_key(*, actor: Actor, user: User) -> NewAccessKey:
    """Make the first access key of a user who was created in this transaction."""
    issued = tokens.make_key(actor=actor, user=user, comment="", date_expired=None)
    return NewAccessKey(issued.key.pk, issued.secret, issued.key.date_created)


def admit_everywhere(username: str) -> int:
    """Switch off the login ACLs about a user and return their number; for the command line."""
    user = User.objects.named(username)
    return 0 if user is None else switch_off_all(actor=SYSTEM, user=user)


def reset_second_factor(username: str) -> None:
    """Remove app, passkeys and recovery codes of an existing user; for the command line."""
    user = User.objects.named(username)
    if user is not None:
        mfa.reset(actor=SYSTEM, user=user)


def locked_out() -> list[str]:
    """Users and addresses locked by failed sign-ins, as lines for an operator."""
    names = locks.locked_accounts(list(User.objects.values_list("username", flat=True)))
    accounts = [f"account {name} until {until:%Y-%m-%d %H:%M} UTC" for name, until in sorted(names.items())]
    addresses = [
        f"address {row.address} until {row.date_locked_until:%Y-%m-%d %H:%M} UTC" for row in locks.locked_addresses()
    ]
    return [*accounts, *addresses]


def unlock_account(username: str) -> None:
    """Unlock an account; for the command line."""
    guard.unlock_account(username, SYSTEM)


def unlock_address(remote_addr: str) -> bool:
    """Unlock an address; for the command line. Returns whether it had counted failures."""
    return guard.unlock_address(remote_addr, SYSTEM)


def _identity(user: User) -> UserIdentity:
    return UserIdentity(
        id=user.pk,
        username=user.username,
        name=user.name,
        language=user.language,
        is_service_account=user.is_service_account,
    )
