"""Rules for sessions: their life, their tokens, and who may end or watch them. Pure functions.

Life of a session: opening → active → ended, or opening → ended. There is one way back: `interrupted` is a presumption
of the control plane, because the lease of the proxy expired. When that proxy reconnects with the session still alive,
the presumption is withdrawn, so that the session is visible and can be ended.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from postern.contracts.enums import EndReason, LoginFrom, Protocol, SessionState
from postern.foundation.caller.actor import Actor

#: Lifetime of a connection token or a watch token.
TOKEN_LIFE_S: Final = 300

#: For this long a proxy receives what it needs to open a session; the proxy itself gives up earlier (`opening_s` of its
#: limits).
OPENING_LIMIT_S: Final = 180


WATCHABLE: Final = frozenset({Protocol.SSH, Protocol.VNC, Protocol.RDP, Protocol.TELNET, Protocol.K8S})

_PRESUMED: Final = frozenset({EndReason.INTERRUPTED})


def may_be_served(*, state: SessionState, date_start: datetime, now: datetime) -> bool:
    """Whether a proxy may still receive what it needs to open the session: its secret, and the check of the target's
    key.
    """
    return state is SessionState.OPENING and now - date_start <= timedelta(seconds=OPENING_LIMIT_S)


def may_become_active(state: SessionState) -> bool:
    """Whether "started" has an effect now; repeated or late reports have none."""
    return state is SessionState.OPENING


def may_end(state: SessionState) -> bool:
    """Whether "ended" has an effect now."""
    return state is not SessionState.ENDED


def may_correct_end(state: SessionState, reason: EndReason | None, *, is_presumed: bool) -> bool:
    """Whether the proxy's report of the end replaces a presumed end."""
    return state is SessionState.ENDED and (is_presumed or reason in _PRESUMED)


def may_resume(state: SessionState, reason: EndReason | None) -> bool:
    """Whether a session that was presumed dead continues when its proxy reports it as alive."""
    return state is SessionState.ENDED and reason in _PRESUMED


def can_join(*, state: SessionState, login_from: str, protocol: str) -> bool:
    """Whether a session can be watched live (contract: `can_join`)."""
    return state is SessionState.ACTIVE and login_from != LoginFrom.RDP_TERMINAL and protocol in WATCHABLE


def can_terminate(state: SessionState) -> bool:
    """Whether a session can be ended by an order (contract: `can_terminate`)."""
    return state is not SessionState.ENDED


def may_see(actor: Actor) -> bool:
    """Whether the actor may see sessions, commands, transfers and recordings: auditors and administrators of the
    organization (K4: every route declares who may call it).
    """
    return actor.is_valid_user and actor.is_org_auditor


def may_terminate(actor: Actor) -> bool:
    """Whether the actor may end other users' sessions: administrators, not auditors (K74: to watch and to terminate are
    separate rights).
    """
    return actor.is_valid_user and actor.is_org_admin


class TokenFault(StrEnum):
    """Why a token is refused."""

    UNKNOWN = "unknown"
    USED = "used"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenFacts:
    """The facts that decide about a presented token."""

    user_id: UUID
    terminal_id: UUID
    date_expired: datetime
    date_used: datetime | None


def token_fault(facts: TokenFacts, *, user_id: UUID, terminal_id: UUID, now: datetime) -> TokenFault | None:
    """The fault of a token, or None.

    A token of another user or another proxy counts as unknown (K63: to know an id is no authority).
    """
    if facts.user_id != user_id or facts.terminal_id != terminal_id:
        return TokenFault.UNKNOWN
    if facts.date_used is not None:
        return TokenFault.USED
    if now >= facts.date_expired:
        return TokenFault.EXPIRED
    return None
