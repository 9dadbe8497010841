"""The lock of a live session and messages to its person: versions, early orders, idle time, the recording, the notices."""

from uuid import uuid4

import pytest

from postern.contracts.enums import EndReason
from postern.contracts.recording.events import NOTE, Note, encode
from postern.contracts.recording.streams import Stream
from postern.contracts.terminals import ChangeLock, ShowMessage
from postern.kernel.clock import monotonic_s, now
from postern.proxies.core.sessions.listeners import NoticeKind
from postern.proxies.core.sessions.live_session import LiveSession
from proxies.core.test_live_session import Place, grant

BY = "Olaf(olaf)"


@pytest.fixture
async def place() -> Place:
    return Place()


def lock(session: LiveSession, version: int, *, is_locked: bool = True) -> ChangeLock:
    return ChangeLock(
        order_id=uuid4(), session_id=session.grant.session_id, version=version, is_locked=is_locked, by=BY
    )


def notes(*texts: str) -> list[tuple[int, bytes]]:
    return [encode(Note(text)) for text in texts]


def heard_by(session: LiveSession) -> list[tuple[NoticeKind, str]]:
    heard: list[tuple[NoticeKind, str]] = []
    session.on_notice(lambda kind, message: heard.append((kind, message)))
    return heard


async def test_locked_session_takes_no_input_and_shows_its_output(place: Place) -> None:
    session, recorder = place.shell()
    heard = heard_by(session)
    assert place.registry.carry_out(lock(session, 1)) is True
    assert session.user_input(b"rm") is False
    assert session.program_data(Stream.INPUT, b"rm") is False
    assert session.target_output(b"shown") is True
    assert (recorder.written, recorder.typed, session.bytes_in) == (b"shown", b"", 0)
    assert session.user_input(b"\x03", is_own=True) is True, "Ctrl-C for a refused line"
    assert place.registry.carry_out(lock(session, 2, is_locked=False)) is True
    assert session.user_input(b"ls") is True
    [(locked, sentence), (unlocked, _)] = heard
    assert locked is unlocked is NoticeKind.LOCK
    assert sentence.startswith("Olaf(olaf) has locked this session.")
    assert [event for event in recorder.events if event[0] == NOTE] == notes(f"Locked by {BY}", f"Unlocked by {BY}")


async def test_a_repeated_or_late_order_changes_nothing(place: Place) -> None:
    session, _ = place.shell()
    heard = heard_by(session)
    for version, is_locked in ((3, True), (3, True), (2, False), (1, True), (4, True)):
        assert place.registry.carry_out(lock(session, version, is_locked=is_locked)) is True
        assert session.lock.is_on
    assert len(heard) == 1


async def test_a_lock_that_overtakes_the_grant_holds_from_the_beginning(place: Place) -> None:
    permitted = grant()
    order = ChangeLock(order_id=uuid4(), session_id=permitted.session_id, version=2, is_locked=True, by=BY)
    older = ChangeLock(order_id=uuid4(), session_id=permitted.session_id, version=1, is_locked=False, by=BY)
    assert place.registry.carry_out(order) is False
    assert place.registry.carry_out(older) is False
    assert place.registry.open(permitted).lock.is_on


async def test_a_locked_session_is_not_idle_and_its_idle_time_begins_anew(place: Place) -> None:
    session, _ = place.shell(idle_timeout_s=60)
    place.registry.carry_out(lock(session, 1))
    session.last_traffic_s = monotonic_s() - 1000
    session.check(now(), monotonic_s(), 0, 60)
    assert session.end_reason is None
    place.registry.carry_out(lock(session, 2, is_locked=False))
    session.check(now(), monotonic_s() + 59, 0, 60)
    assert session.end_reason is None
    session.check(now(), monotonic_s() + 61, 0, 60)
    assert session.end_reason is EndReason.IDLE


async def test_typing_on_reminds_from_time_to_time(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    session, _ = place.shell()
    heard = heard_by(session)
    place.registry.carry_out(lock(session, 1))
    for _ in range(20):
        assert session.lock.refuses_keys()
    assert len(heard) == 1
    later = monotonic_s() + 11
    monkeypatch.setattr("postern.proxies.core.sessions.session_lock.monotonic_s", lambda: later)
    for _ in range(20):
        assert session.lock.refuses_keys()
    assert [message for _kind, message in heard[1:]] == [
        "Olaf(olaf) has locked this session. What you just typed did not reach the host."
    ]


async def test_the_rest_of_a_paste_that_a_lock_cut_is_dropped_too(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, _ = place.shell()
    at_s = monotonic_s() + 1
    monkeypatch.setattr("postern.proxies.core.sessions.session_lock.monotonic_s", lambda: at_s)
    assert not session.lock.refuses_keys()
    place.registry.carry_out(lock(session, 1))
    assert session.lock.refuses_keys()
    place.registry.carry_out(lock(session, 2, is_locked=False))
    for _ in range(5):
        at_s += 0.2
        assert session.lock.refuses_keys()
    at_s += 0.31
    assert not session.lock.refuses_keys()
    at_s += 0.01
    assert not session.lock.refuses_keys()


async def test_passable_waits_for_the_unlocking_or_the_end(place: Place) -> None:
    session, _ = place.shell()
    await session.lock.passable()
    place.registry.carry_out(lock(session, 1))
    session.end(EndReason.TERMINATED)
    await session.lock.passable()
    assert place.registry.carry_out(lock(session, 2, is_locked=False)) is False


async def test_a_message_waits_until_the_session_can_show_it(place: Place) -> None:
    session = place.open()
    heard = heard_by(session)
    order = ShowMessage(order_id=uuid4(), session_id=session.grant.session_id, by=BY, text="Stop, please.")
    assert place.registry.carry_out(order) is False
    session.activate("shell", 80, 24, record=True)
    assert heard == []
    assert place.registry.carry_out(order) is True
    assert heard == [(NoticeKind.MESSAGE, "Message from Olaf(olaf): Stop, please.")]


async def test_a_message_is_shown_and_recorded_once(place: Place) -> None:
    session, recorder = place.shell()
    heard = heard_by(session)
    order = ShowMessage(order_id=uuid4(), session_id=session.grant.session_id, by=BY, text="Stop, please.")
    assert place.registry.carry_out(order) is True
    assert place.registry.carry_out(order) is True
    assert heard == [(NoticeKind.MESSAGE, "Message from Olaf(olaf): Stop, please.")]
    assert recorder.events == notes(f"Message from {BY}: Stop, please.")
    assert place.registry.carry_out(ShowMessage(order_id=uuid4(), session_id=uuid4(), by=BY, text="x")) is False


async def test_a_session_that_is_locked_while_it_opens_is_not_late(place: Place) -> None:
    session = place.open()
    place.registry.carry_out(lock(session, 1))
    session.check(now(), monotonic_s() + 1000, 0, 60)
    assert session.end_reason is None
    session.opened_s = monotonic_s() - 1000
    place.registry.carry_out(lock(session, 2, is_locked=False))
    session.check(now(), monotonic_s() + 59, 0, 60)
    assert session.end_reason is None
    session.check(now(), monotonic_s() + 61, 0, 60)
    assert session.end_reason is EndReason.LIMIT


async def test_a_session_that_becomes_active_while_locked_says_so_once_in_its_recording(place: Place) -> None:
    session = place.open()
    heard = heard_by(session)
    place.registry.carry_out(lock(session, 1))
    session.activate("shell", 80, 24, record=True)
    assert place.recordings.recorders[session.grant.session_id].events == notes(f"Locked by {BY}")
    assert [kind for kind, _message in heard] == [NoticeKind.LOCK, NoticeKind.LOCK]


async def test_a_lock_that_is_noted_already_is_not_noted_again(place: Place) -> None:
    session = place.open()
    session.record(80, 24)
    place.registry.carry_out(lock(session, 1))
    session.activate("shell", 80, 24)
    assert place.recordings.recorders[session.grant.session_id].events == notes(f"Locked by {BY}")


async def test_the_latest_of_collapsed_orders_names_who_locked(place: Place) -> None:
    session, _ = place.shell()
    heard = heard_by(session)
    place.registry.carry_out(lock(session, 1))
    later = ChangeLock(
        order_id=uuid4(), session_id=session.grant.session_id, version=3, is_locked=True, by="Paula(paula)"
    )
    place.registry.carry_out(later)
    assert session.lock.sentence.startswith("Paula(paula) has locked this session.")
    assert len(heard) == 1
