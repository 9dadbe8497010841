"""The rules of sessions: states, tokens and rights."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from postern.apps.sessions.sessions import policy
from postern.contracts.enums import EndReason, RoleBits, SessionState
from postern.foundation.caller.actor import Actor, ActorKind

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def actor(bits: RoleBits) -> Actor:
    return Actor(kind=ActorKind.USER, user_id=uuid4(), username="ann", bits=bits)


def test_state_only_advances() -> None:
    assert policy.may_become_active(SessionState.OPENING)
    assert not policy.may_become_active(SessionState.ACTIVE)
    assert not policy.may_become_active(SessionState.ENDED)
    assert policy.may_end(SessionState.OPENING)
    assert policy.may_end(SessionState.ACTIVE)
    assert not policy.may_end(SessionState.ENDED)


def test_only_a_presumed_end_can_be_corrected_or_withdrawn() -> None:
    for reason in EndReason:
        presumed = reason is EndReason.INTERRUPTED
        assert policy.may_correct_end(SessionState.ENDED, reason, is_presumed=False) is presumed
        assert policy.may_correct_end(SessionState.ENDED, reason, is_presumed=True)
        assert policy.may_resume(SessionState.ENDED, reason) is presumed
    assert not policy.may_resume(SessionState.ACTIVE, None)


def test_k74_watching_and_terminating_are_separate_rights() -> None:
    auditor, admin, user = actor(RoleBits(3)), actor(RoleBits(19)), actor(RoleBits.USE)
    assert policy.may_see(auditor)
    assert not policy.may_terminate(auditor)
    assert policy.may_see(admin)
    assert policy.may_terminate(admin)
    assert not policy.may_see(user)
    assert not policy.may_terminate(user)
    # A closed account has no role bits, whatever its roles were.
    assert not policy.may_see(actor(RoleBits.NONE))


@pytest.mark.parametrize(
    ("login_from", "protocol", "state", "expected"),
    [
        ("ST", "ssh", SessionState.ACTIVE, True),
        ("WT", "ssh", SessionState.ACTIVE, True),
        ("RT", "rdp", SessionState.ACTIVE, False),
        ("ST", "mysql", SessionState.ACTIVE, False),
        ("ST", "ssh", SessionState.OPENING, False),
        ("ST", "ssh", SessionState.ENDED, False),
    ],
)
def test_can_join_follows_the_contract(login_from: str, protocol: str, state: SessionState, expected: bool) -> None:
    assert policy.can_join(state=state, login_from=login_from, protocol=protocol) is expected


def test_token_fault_reveals_nothing_about_tokens_of_others() -> None:
    owner, terminal = uuid4(), uuid4()
    used_up = policy.TokenFacts(
        user_id=owner, terminal_id=terminal, date_expired=NOW - timedelta(1), date_used=NOW - timedelta(1)
    )
    assert policy.token_fault(used_up, user_id=uuid4(), terminal_id=terminal, now=NOW) is policy.TokenFault.UNKNOWN
    assert policy.token_fault(used_up, user_id=owner, terminal_id=uuid4(), now=NOW) is policy.TokenFault.UNKNOWN
    assert policy.token_fault(used_up, user_id=owner, terminal_id=terminal, now=NOW) is policy.TokenFault.USED


def test_token_expires_at_its_last_instant() -> None:
    owner, terminal = uuid4(), uuid4()
    facts = policy.TokenFacts(user_id=owner, terminal_id=terminal, date_expired=NOW, date_used=None)
    before = NOW - timedelta(microseconds=1)
    assert policy.token_fault(facts, user_id=owner, terminal_id=terminal, now=before) is None
    assert policy.token_fault(facts, user_id=owner, terminal_id=terminal, now=NOW) is policy.TokenFault.EXPIRED
