"""The life cycle of a session: order of recording and forwarding, limits, a single end, reports to the control
plane.
"""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from fakes.events import Events
from fakes.recording import FakeRecorder, FakeRecordings
from postern.contracts.access import RecordingPolicy, SessionGrant, Target, UserIdentity, WatchGrant
from postern.contracts.enums import (
    Actions,
    CommandKind,
    EndReason,
    LoginFrom,
    Protocol,
    SessionState,
    TransferDirection,
)
from postern.contracts.events import CommandSeen, FileTransferred, RequestRefused, SessionEnded, SessionStarted
from postern.contracts.recording.streams import Stream
from postern.contracts.terminals import StopWatching, TerminateSession
from postern.kernel.clock import monotonic_s, now
from postern.proxies.core.limits import Limits
from postern.proxies.core.sessions.live_session import LiveSession, SessionOver
from postern.proxies.core.sessions.registry import NoNewSessions, NotWatchable, SessionRegistry
from postern.proxies.core.sessions.services import SessionServices
from postern.proxies.core.sessions.watching import Output, Picture, Resized, WatchEnded


def grant(**more: Any) -> SessionGrant:
    values: dict[str, Any] = {
        "session_id": uuid4(),
        "user": UserIdentity(id=uuid4(), username="alice", name="Alice", language="en"),
        "org_id": UUID(int=2),
        "asset_id": uuid4(),
        "asset_name": "web1",
        "system_user_id": uuid4(),
        "system_user_name": "deploy",
        "login_name": "root",
        "manual": False,
        "protocol": Protocol.SSH,
        "login_from": LoginFrom.SSH_TERMINAL,
        "remote_addr": "192.0.2.1",
        "target": Target(host="192.0.2.2", port=22),
        "actions": Actions.ALL,
        "recording": RecordingPolicy(),
    }
    return SessionGrant(**{**values, **more})


class Place:
    def __init__(self, limits: Limits | None = None, **services: Any) -> None:
        self.events = Events()
        self.recordings = FakeRecordings()
        self.registry = SessionRegistry(
            SessionServices(events=self.events, open_recorder=self.recordings.open, **services),
            limits or Limits(),
            self.recordings,
        )

    def open(self, **more: Any) -> LiveSession:
        return self.registry.open(grant(**more))

    def shell(self, **more: Any) -> tuple[LiveSession, FakeRecorder]:
        session = self.open(**more)
        session.activate("shell", 80, 24, record=True)
        return session, self.recordings.recorders[session.grant.session_id]


@pytest.fixture
async def place() -> Place:
    return Place()


async def test_output_is_in_the_recording_when_the_call_returns(place: Place) -> None:
    session, recorder = place.shell()

    assert session.target_output(b"hello") is True
    assert recorder.written == b"hello"
    assert session.bytes_out == 5


async def test_activation_is_reported_to_the_control_plane(place: Place) -> None:
    session, _ = place.shell()

    started = place.events.of(SessionStarted)[0]
    assert (started.kind, started.terminal_columns, started.terminal_rows, started.recording) == ("shell", 80, 24, True)
    assert session.state is SessionState.ACTIVE


async def test_end_happens_once_with_the_first_reason(place: Place) -> None:
    session, recorder = place.shell()
    heard: list[tuple[EndReason, str]] = []
    session.on_end(lambda reason, message: heard.append((reason, message)))

    session.end(EndReason.IDLE)
    session.end(EndReason.TERMINATED, "later")

    assert [event.reason for event in place.events.of(SessionEnded)] == [EndReason.IDLE]
    assert heard == [(EndReason.IDLE, "The session ended because nothing happened for too long.")]
    assert recorder.ended == "idle"
    assert place.registry.ids() == ()


async def test_session_whose_end_hits_an_internal_error_is_removed_and_its_front_notified(place: Place) -> None:
    session, recorder = place.shell()
    heard: list[EndReason] = []
    session.on_end(lambda reason, _message: heard.append(reason))
    watcher = place.registry.watch(watch_grant(session))
    recorder.end = lambda _reason: 1 / 0  # type: ignore[assignment, method-assign]  # a fault at the end
    with pytest.raises(ZeroDivisionError):
        session.end(EndReason.IDLE)

    assert len(place.registry) == 0
    assert heard == [EndReason.IDLE]
    assert [event async for event in watcher][-1] == WatchEnded(EndReason.IDLE, session.end_message)


async def test_on_end_after_the_end_is_called_immediately(place: Place) -> None:
    session = place.open()
    session.end(EndReason.USER_CLOSED)
    heard: list[EndReason] = []
    session.on_end(lambda reason, _message: heard.append(reason))

    assert heard == [EndReason.USER_CLOSED]
    assert place.events.of(SessionEnded)[0].ever_active is False


async def test_ended_session_forwards_nothing(place: Place) -> None:
    session, recorder = place.shell()
    session.end(EndReason.TERMINATED)

    assert session.target_output(b"x") is False
    assert session.user_input(b"x") is False
    assert recorder.written == b""


async def test_activate_after_the_end_raises_with_the_reason(place: Place) -> None:
    session = place.open()
    session.end(EndReason.TERMINATED, message="Stopped.")

    with pytest.raises(SessionOver, match=r"Stopped\."):
        session.activate("shell", 80, 24, record=True)


async def test_strict_session_that_cannot_record_never_becomes_active(place: Place) -> None:
    place.recordings.refuse = True
    session = place.open()

    with pytest.raises(SessionOver) as caught:
        session.activate("shell", 80, 24, record=True)
    assert caught.value.reason is EndReason.CANNOT_RECORD
    assert not place.events.of(SessionStarted)
    assert place.events.of(SessionEnded)[0].ever_active is False


async def test_strict_session_whose_write_fails_forwards_nothing(place: Place) -> None:
    session, recorder = place.shell()
    recorder.break_writes = True

    assert session.target_output(b"unseen") is False
    assert session.end_reason is EndReason.CANNOT_RECORD
    assert recorder.ended == "cannot_record"  # where the journal accepts that, the recording is sealed now


async def test_failed_sync_is_detected_by_the_periodic_check(place: Place) -> None:
    session, recorder = place.shell()
    recorder.failed = True
    place.registry.check()

    assert session.end_reason is EndReason.CANNOT_RECORD


async def test_lenient_session_continues_unrecorded_and_audits_that(place: Place) -> None:
    session, recorder = place.shell(recording=RecordingPolicy(strict=False))
    recorder.break_writes = True

    assert session.target_output(b"seen") is True
    assert place.events.of(RequestRefused)[0].request == "recording"
    assert session.recorded is False


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"expires_at": now() - timedelta(seconds=1)}, EndReason.GRANT_EXPIRED),
        ({"idle_timeout_s": 5}, EndReason.IDLE),
        ({"control_loss_limit_s": 5}, EndReason.CONTROL_LOST),
    ],
)
async def test_limits_of_the_grant_end_the_session(place: Place, more: dict[str, Any], reason: EndReason) -> None:
    session, _ = place.shell(**more)
    session.last_traffic_s -= 10
    place.registry._control_seen_s -= 10
    place.registry.check()

    assert session.end_reason is reason


async def test_control_plane_that_answers_keeps_sessions_alive(place: Place) -> None:
    session, _ = place.shell(control_loss_limit_s=5)
    place.registry._control_seen_s -= 10
    place.registry.control_seen()
    place.registry.check()

    assert session.end_reason is None


async def test_session_that_never_opens_is_ended(place: Place) -> None:
    session = place.open()
    session.opened_s = monotonic_s() - Limits().opening_s - 1
    place.registry.check()

    assert session.end_reason is EndReason.LIMIT


async def test_input_is_recorded_by_policy_or_when_the_client_hides_it(place: Place) -> None:
    session, recorder = place.shell()
    session.user_input(b"secret")
    assert recorder.typed == b""

    wanted, recorder = place.shell(recording=RecordingPolicy(record_input=True))
    wanted.user_input(b"keys")
    assert recorder.typed == b"keys"

    commanded = place.open()
    commanded.record(80, 24, command=b"bash -s")
    commanded.activate("exec", 80, 24)
    commanded.user_input(b"unseen")
    recorder = place.recordings.recorders[commanded.grant.session_id]
    assert (recorder.typed, recorder.states_input) == (b"unseen", True)

    silent = place.open()
    silent.record()
    silent.activate("shell")
    silent.program_data(Stream.INPUT, b"script")
    assert place.recordings.recorders[silent.grant.session_id].typed == b"script"


async def test_long_texts_are_truncated_before_they_are_sent(place: Place) -> None:
    session, _ = place.shell()
    session.log.command("x" * 100_000)
    session.log.file_transferred(TransferDirection.UPLOAD, "upload", "p" * 100_000)
    session.log.request_refused("r" * 1000, "d" * 100_000)

    assert len(place.events.of(CommandSeen)[0].input) == 4096
    assert len(place.events.of(FileTransferred)[0].path) == 4096
    assert len(place.events.of(RequestRefused)[0].detail) == 4096


class FragileDetector:
    """A detector that fails on hostile output, as any parser may."""

    made = 0

    def __init__(self, columns: int, rows: int, on_command: Any) -> None:
        FragileDetector.made += 1
        self._on_command = on_command

    def user_input(self, data: bytes, now_ms: int) -> None: ...

    def target_output(self, data: bytes, now_ms: int) -> None:
        if data == b"evil":
            raise IndexError("hostile")

    def resize(self, columns: int, rows: int) -> None: ...

    def close(self) -> None: ...


async def test_k43_hostile_output_neither_ends_the_session_nor_the_detection() -> None:
    FragileDetector.made = 0
    place = Place(new_detector=FragileDetector)
    session, _ = place.shell()
    session.target_output(b"evil")
    session.target_output(b"good")
    async with asyncio.timeout(10):
        while FragileDetector.made < 2:  # noqa: ASYNC110 - the detection has no event for it
            await asyncio.sleep(0.001)

    assert session.end_reason is None
    assert place.events.of(CommandSeen)[0].kind is CommandKind.UNKNOWN


async def test_draining_registry_accepts_no_new_session(place: Place) -> None:
    await place.registry.drain(0.1)

    with pytest.raises(NoNewSessions):
        place.open()
    assert place.events.of(SessionEnded)[0].reason is EndReason.DRAINED


async def test_number_of_sessions_is_limited() -> None:
    place = Place(Limits(sessions=1))
    place.open()

    with pytest.raises(NoNewSessions):
        place.open()


async def test_terminate_order_ends_with_the_message_in_the_persons_language(place: Place) -> None:
    session, _ = place.shell()
    order = TerminateSession(
        order_id=uuid4(), session_id=session.grant.session_id, by="bob", reason="terminated",
        message_zh="已终止", message_en="Stopped by bob.",
    )  # fmt: skip

    assert place.registry.carry_out(order) is True
    assert place.registry.carry_out(order) is True
    assert (session.end_reason, session.end_message) == (EndReason.TERMINATED, "Stopped by bob.")


# Watching


def watch_grant(session: LiveSession) -> WatchGrant:
    return WatchGrant(session_id=session.grant.session_id, watcher=session.grant.user, watch_id=uuid4())


async def test_watcher_gets_the_screen_and_then_every_byte_once(place: Place) -> None:
    session, _ = place.shell()
    session.target_output(b"before")
    watcher = place.registry.watch(watch_grant(session))
    session.target_output(b"during")
    picture = await anext(watcher)
    session.target_output(b"after")
    session.resize(100, 30)
    session.end(EndReason.TARGET_CLOSED)

    assert isinstance(picture, Picture)
    assert (picture.offset, picture.data) == (12, b"beforeduring")
    rest = [event async for event in watcher]
    assert rest == [
        Output(12, b"after"), Resized(100, 30), WatchEnded(EndReason.TARGET_CLOSED, "The target ended the session."),
    ]  # fmt: skip


async def test_slow_watcher_gets_a_new_snapshot_and_bounded_memory() -> None:
    place = Place(Limits(watcher_queue_bytes=1000))
    session, _ = place.shell()
    watcher = place.registry.watch(watch_grant(session))
    await anext(watcher)
    for _ in range(100):
        session.target_output(b"x" * 100)
        session.resize(80 + _, 24)
    assert watcher._queued_bytes <= 1000
    picture = await anext(watcher)

    assert isinstance(picture, Picture)
    assert picture.offset == 10_000


async def test_watcher_without_a_snapshot_starts_with_an_empty_screen(place: Place) -> None:
    session, _ = place.shell()

    async def no_picture(session_id: UUID, at_least_offset: int) -> Picture:
        raise OSError("sealer is away")

    place.recordings.picture = no_picture  # type: ignore[method-assign]
    watcher = place.registry.watch(watch_grant(session))
    picture = await anext(watcher)

    assert isinstance(picture, Picture)
    assert picture.data == b""


async def test_stop_watching_ends_one_view_only(place: Place) -> None:
    session, _ = place.shell()
    first, second = watch_grant(session), watch_grant(session)
    view, other = place.registry.watch(first), place.registry.watch(second)
    place.registry.carry_out(StopWatching(order_id=uuid4(), watch_id=first.watch_id))

    assert [event async for event in view] == [WatchEnded(None, "")]
    assert session.watchers == [other]


async def test_only_recorded_sessions_can_be_watched_by_a_limited_number(place: Place) -> None:
    session = place.open()
    session.activate("exec")
    with pytest.raises(NotWatchable, match="no terminal to watch"):
        place.registry.watch(watch_grant(session))
    shell, _ = place.shell()
    for _ in range(Limits().watchers_per_session):
        place.registry.watch(watch_grant(shell))
    with pytest.raises(NotWatchable, match=f"{Limits().watchers_per_session} people already watch"):
        place.registry.watch(watch_grant(shell))
