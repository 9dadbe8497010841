"""Rules of sessions as pure functions: the life of a session, its tokens, who may end or watch one.

Life of a session: opening → active → ended, opening → ended. One exception to "nothing leads back": `interrupted` is a
presumption of the control plane (the lease of the proxy ran out). When that proxy shows up again with the session still
alive, the presumption was wrong and is withdrawn: the session must be visible and stoppable.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from postern.contracts.enums import EndReason, LoginFrom, Protocol, SessionState
from postern.foundation.caller.actor import Actor

#: Life of a connection token or a watch token.
TOKEN_LIFE_S: Final = 300

#: For so long a proxy is told what it takes to open a session; it gives up by itself before (`opening_s` of its limits).
OPENING_LIMIT_S: Final = 180


WATCHABLE: Final = frozenset({Protocol.SSH, Protocol.VNC, Protocol.RDP, Protocol.TELNET, Protocol.K8S})

_PRESUMED: Final = frozenset({EndReason.INTERRUPTED})


def may_be_served(*, state: SessionState, date_start: datetime, now: datetime) -> bool:
    """Whether a proxy may still be told what it takes to open the session: its secret, and whose key the target shows."""
    return state is SessionState.OPENING and now - date_start <= timedelta(seconds=OPENING_LIMIT_S)


def may_become_active(state: SessionState) -> bool:
    """Whether "started" changes anything now: a repeat or a late one does not."""
    return state is SessionState.OPENING


def may_end(state: SessionState) -> bool:
    """Whether "ended" changes anything now."""
    return state is not SessionState.ENDED


def may_correct_end(state: SessionState, reason: EndReason | None, *, is_presumed: bool) -> bool:
    """Whether the proxy's own word about the end replaces what the control plane presumed."""
    return state is SessionState.ENDED and (is_presumed or reason in _PRESUMED)


def may_resume(state: SessionState, reason: EndReason | None) -> bool:
    """Whether a session that was presumed dead, and that its proxy now lists as alive, goes on."""
    return state is SessionState.ENDED and reason in _PRESUMED


def can_join(*, state: SessionState, login_from: str, protocol: str) -> bool:
    """Whether a session can be watched live (contract: `can_join`)."""
    return state is SessionState.ACTIVE and login_from != LoginFrom.RDP_TERMINAL and protocol in WATCHABLE


def can_terminate(state: SessionState) -> bool:
    """Contract: `can_terminate`."""
    return state is not SessionState.ENDED


def may_see(actor: Actor) -> bool:
    """Sessions, commands, transfers and recordings are for auditors and administrators of their organization (K4)."""
    return actor.is_valid_user and actor.is_org_auditor


def may_terminate(actor: Actor) -> bool:
    """Ending other people's sessions is a right of its own: administrators, not auditors (K74)."""
    return actor.is_valid_user and actor.is_org_admin


class TokenFault(StrEnum):
    """Why a token is not taken."""

    UNKNOWN = "unknown"
    USED = "used"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenFacts:
    """What decides about a presented token."""

    user_id: UUID
    terminal_id: UUID
    date_expired: datetime
    date_used: datetime | None


def token_fault(facts: TokenFacts, *, user_id: UUID, terminal_id: UUID, now: datetime) -> TokenFault | None:
    """None when the token holds. Somebody else's token, or one of another proxy, is unknown: no hint about it (K63)."""
    if facts.user_id != user_id or facts.terminal_id != terminal_id:
        return TokenFault.UNKNOWN
    if facts.date_used is not None:
        return TokenFault.USED
    if now >= facts.date_expired:
        return TokenFault.EXPIRED
    return None
