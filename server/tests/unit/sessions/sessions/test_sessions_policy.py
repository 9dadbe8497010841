"""The rules of sessions: states, tokens, missed sessions, ranges."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postern.apps.sessions.sessions import policy
from postern.contracts.enums import EndReason, RoleBits, SessionState
from postern.foundation.caller.actor import Actor, ActorKind

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def actor(bits: RoleBits) -> Actor:
    return Actor(kind=ActorKind.USER, user_id=uuid4(), username="ann", bits=bits)


def test_state_only_ever_advances() -> None:
    assert policy.may_become_active(SessionState.OPENING)
    assert not policy.may_become_active(SessionState.ACTIVE)
    assert not policy.may_become_active(SessionState.ENDED)
    assert policy.may_end(SessionState.OPENING)
    assert policy.may_end(SessionState.ACTIVE)
    assert not policy.may_end(SessionState.ENDED)


def test_only_a_presumed_end_is_corrected_or_withdrawn() -> None:
    for reason in EndReason:
        presumed = reason is EndReason.INTERRUPTED
        assert policy.may_correct_end(SessionState.ENDED, reason, is_presumed=False) is presumed
        assert policy.may_correct_end(SessionState.ENDED, reason, is_presumed=True)
        assert policy.may_resume(SessionState.ENDED, reason) is presumed
    assert not policy.may_resume(SessionState.ACTIVE, None)


def test_session_is_missed_only_when_old_enough_and_nothing_is_on_its_way() -> None:
    old, young = NOW - timedelta(minutes=5), NOW - timedelta(seconds=5)
    assert policy.is_missed(date_start=old, now=NOW, is_unreported=False)
    assert not policy.is_missed(date_start=young, now=NOW, is_unreported=False)
    assert not policy.is_missed(date_start=old, now=NOW, is_unreported=True)


def test_k74_watching_and_terminating_are_separate_rights() -> None:
    auditor, admin, user = actor(RoleBits(3)), actor(RoleBits(19)), actor(RoleBits.USE)
    assert policy.may_see(auditor)
    assert not policy.may_terminate(auditor)
    assert policy.may_see(admin)
    assert policy.may_terminate(admin)
    assert not policy.may_see(user)
    assert not policy.may_terminate(user)
    # A closed account has no bits at all, whatever it once was.
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


def test_token_fault_tells_nothing_about_foreign_tokens() -> None:
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


@pytest.mark.parametrize(
    ("cpu", "memory", "disk", "expected"),
    [
        (0.0, 0.0, 0.0, "normal"),
        (5.0, 0.0, 0.0, "high"),
        (0.0, 86.0, 0.0, "high"),
        (0.0, 0.0, 80.0, "high"),
        (20.0, 0.0, 0.0, "critical"),
        (0.0, 95.0, 0.0, "critical"),
        (0.0, 0.0, 99.0, "critical"),
    ],
)
def test_terminal_status_is_the_worst_measure(cpu: float, memory: float, disk: float, expected: str) -> None:
    found = policy.terminal_status(alive=True, cpu_load=cpu, memory_used=memory, disk_used=disk)
    assert found.value == expected
    assert policy.terminal_status(alive=False, cpu_load=cpu, memory_used=memory, disk_used=disk).value == "offline"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bytes 0-9/100", policy.Part(0, 9, 100)),
        ("bytes 99-99/100", policy.Part(99, 99, 100)),
        ("bytes 0-100/100", None),
        ("bytes 5-4/100", None),
        ("bytes 0-9/*", None),
        ("bytes 0-9", None),
        ("items 0-9/100", None),
        ("bytes -9/100", None),
        ("bytes ٠-٩/100", None),
        ("bytes 0-9/2000", None),
        ("", None),
    ],
)
def test_content_range_is_read_or_refused(text: str, expected: policy.Part | None) -> None:
    assert policy.parse_content_range(text, max_total=1000) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bytes=0-9", (0, 9)),
        ("bytes=90-", (90, 99)),
        ("bytes=90-1000", (90, 99)),
        ("bytes=-10", (90, 99)),
        ("bytes=-1000", (0, 99)),
        ("bytes=-0", None),
        ("bytes=100-", None),
        ("bytes=9-0", None),
        ("bytes=0-1,5-6", None),
        ("lines=0-9", None),
        ("bytes=a-b", None),
    ],
)
def test_byte_range_is_satisfied_or_refused(text: str, expected: tuple[int, int] | None) -> None:
    assert policy.parse_byte_range(text, 100) == expected


@given(st.text(max_size=40), st.integers(min_value=0, max_value=10_000))
def test_ranges_never_leave_the_file_whatever_is_asked(text: str, size: int) -> None:
    found = policy.parse_byte_range(f"bytes={text}", size)
    assert found is None or 0 <= found[0] <= found[1] < size
    part = policy.parse_content_range(f"bytes {text}", max_total=size)
    assert part is None or (0 <= part.first <= part.last < part.total <= size)
