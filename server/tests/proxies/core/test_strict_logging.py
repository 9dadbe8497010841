"""What cannot be logged does not happen: sessions of every kind end when there is no space for their events."""

from typing import Any
from uuid import uuid4

import pytest

from fakes.events import Events
from fakes.recording import FakeRecordings
from postern.contracts.access import RecordingPolicy, UserIdentity
from postern.contracts.enums import EndReason, TransferDirection
from postern.contracts.events import CommandSeen, FileTransferred, SessionEnded, SessionStarted
from postern.proxies.core.limits import Limits
from postern.proxies.core.sessions.event_ledger import MAX_HELD_BYTES, MAX_HELD_BYTES_PER_PERSON
from postern.proxies.core.sessions.live_session import LiveSession, SessionOver
from postern.proxies.core.sessions.registry import NoNewSessions, SessionRegistry
from postern.proxies.core.sessions.services import SessionServices
from proxies.core.test_live_session import grant


class Place:
    def __init__(self) -> None:
        self.events = Events()
        self.is_disk_full = False
        services = SessionServices(
            events=self.events, open_recorder=FakeRecordings().open, is_disk_full=lambda: self.is_disk_full
        )
        self.registry = SessionRegistry(services, Limits())

    def active(self, kind: str = "sftp", **more: Any) -> LiveSession:
        session = self.registry.open(grant(**more))
        session.activate(kind)
        return session


@pytest.fixture
async def place() -> Place:
    return Place()


def ends(place: Place) -> list[EndReason]:
    return [event.reason for event in place.events.of(SessionEnded)]


@pytest.mark.parametrize("why", ["reserve", "no room"])
async def test_no_session_starts_if_its_end_could_not_be_reported(place: Place, why: str) -> None:
    place.is_disk_full = why == "reserve"
    place.events.room = 0 if why == "no room" else place.events.room
    with pytest.raises(NoNewSessions, match="no room left to log") as caught:
        place.registry.open(grant())
    assert caught.value.reason is EndReason.CANNOT_RECORD
    assert ends(place) == [EndReason.CANNOT_RECORD]
    assert len(place.registry) == 0


async def test_session_ends_when_there_is_no_space_for_its_next_action(place: Place) -> None:
    session = place.active()
    place.events.room = 0
    assert session.log.hold("/etc/shadow") == 0
    assert ends(place) == [EndReason.CANNOT_RECORD]
    assert "no room left to log" in session.end_message


async def test_command_without_log_space_does_not_run(place: Place) -> None:
    session = place.registry.open(grant())
    place.events.room = 0
    with pytest.raises(SessionOver, match="no room left to log"):
        session.hold_command("rm -rf /srv")


async def test_shell_whose_command_used_the_last_space_ends_before_the_next(place: Place) -> None:
    session = place.active("shell")
    place.events.room = 0
    session.log.command("cat /etc/shadow")
    assert [event.input for event in place.events.of(CommandSeen)] == ["cat /etc/shadow"]
    assert ends(place) == [EndReason.CANNOT_RECORD]
    assert session.user_input(b"x") is False


async def test_start_and_end_are_reported_whatever_the_disk_does_after_opening(place: Place) -> None:
    session = place.registry.open(grant())
    place.events.room = 0
    session.activate("sftp")
    assert session.end_reason is None
    session.end(EndReason.USER_CLOSED)
    assert (len(place.events.of(SessionStarted)), ends(place)) == (1, [EndReason.USER_CLOSED])


async def test_event_with_reserved_space_is_reported_and_the_session_continues(place: Place) -> None:
    session = place.active()
    held = session.log.hold("/srv/a")
    place.events.room = 0
    session.log.file_transferred(TransferDirection.DOWNLOAD, "download", "/srv/a", held=held)
    assert session.end_reason is None
    assert len(place.events.of(FileTransferred)) == 1


async def test_session_of_lenient_policy_continues(place: Place) -> None:
    place.is_disk_full = True
    session = place.active(recording=RecordingPolicy(strict=False))
    place.events.room = 0
    assert session.log.hold("/srv/a")
    session.log.command("id")
    assert session.end_reason is None


async def test_one_session_cannot_reserve_the_space_of_all(place: Place) -> None:
    session = place.active(recording=RecordingPolicy(strict=False))
    while session.log.hold("x" * 1000):
        assert place.events.held <= MAX_HELD_BYTES
    assert ends(place) == [EndReason.LIMIT]
    assert place.events.held == 0


async def test_sessions_of_one_user_cannot_reserve_the_space_of_all(place: Place) -> None:
    alice = UserIdentity(id=uuid4(), username="alice", name="Alice", language="en")
    while EndReason.LIMIT not in ends(place):
        place.active(user=alice).log.hold("x" * 4096, 20)
        assert place.events.held <= MAX_HELD_BYTES_PER_PERSON
    assert place.events.held > MAX_HELD_BYTES_PER_PERSON - MAX_HELD_BYTES
    assert place.active().log.hold("/srv/a")


async def test_ended_session_reserves_no_space(place: Place) -> None:
    session = place.active()
    session.log.hold("/srv/a", 2)
    session.log.release(session.log.hold("/srv/b"))
    session.end(EndReason.USER_CLOSED)
    assert place.events.held == 0


async def test_session_ends_when_an_event_cannot_be_stored_for_any_reason(place: Place) -> None:
    session = place.active()
    held = session.log.hold("/srv/file")
    keep = place.events.append

    def broken(event: Any, *, held: int = 0) -> None:
        if isinstance(event, FileTransferred):
            place.events.release(held)
            raise TypeError("no such event")
        keep(event, held=held)

    place.events.append = broken  # type: ignore[method-assign]  # a fault in keeping an event
    session.log.file_transferred(TransferDirection.UPLOAD, "upload", "/srv/file", held=held)

    assert ends(place) == [EndReason.CANNOT_RECORD]
    assert place.events.held == 0
