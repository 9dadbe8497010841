"""The real journal and sealer under real sessions: nothing unrecorded is shown, and watching has no gap."""

import asyncio
import errno
import os
import threading
import time
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from fakes.events import Events
from postern.contracts.access import RecordingPolicy, SessionGrant, Target, UserIdentity, WatchGrant
from postern.contracts.enums import Actions, EndReason, LoginFrom, Protocol, RecordingState
from postern.contracts.events import SessionEnded
from postern.contracts.vt import Screen
from postern.proxies.core.limits import Limits
from postern.proxies.core.recording import Journal, Recorder, RecordingConfig, RecordingService
from postern.proxies.core.sessions.registry import SessionRegistry
from postern.proxies.core.sessions.services import SessionServices
from postern.proxies.core.sessions.watching import Output, Picture
from proxies.recording.recording_tools import header, journal_in, recorded_output, seal_all
from timing import soon_async


def grant(*, strict: bool = True) -> SessionGrant:
    return SessionGrant(
        session_id=uuid4(),
        user=UserIdentity(id=uuid4(), username="ann", name="Ann", language="en"),
        org_id=UUID(int=2),
        asset_id=uuid4(),
        asset_name="db-01",
        system_user_id=uuid4(),
        system_user_name="deploy",
        login_name="deploy",
        manual=False,
        protocol=Protocol.SSH,
        login_from=LoginFrom.SSH_TERMINAL,
        remote_addr="192.0.2.1",
        target=Target(host="192.0.2.2", port=22),
        actions=Actions.ALL,
        recording=RecordingPolicy(strict=strict),
    )


def registry_of(journal: Journal, events: Events, pictures: Any = None) -> SessionRegistry:
    def open_recorder(grant: SessionGrant, columns: int, rows: int, _content: object = None, /) -> Recorder:
        return journal.open_session(grant.session_id, columns, rows, header(grant.session_id))

    return SessionRegistry(SessionServices(events=events, open_recorder=open_recorder), Limits(snapshot_s=60), pictures)


def fail_commits(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(_: int) -> None:
        if threading.current_thread().name == "journal-commit":
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fdatasync", failing)


async def test_promise_3_strict_session_ends_within_two_seconds_of_a_failed_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ended() -> float:
        with monkeypatch.context() as patch:
            return await seconds_to_the_end(tmp_path / uuid4().hex, patch)

    await soon_async(ended, 2)


async def seconds_to_the_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> float:
    """Return the time from a failing commit to the end of a strict session, and assert everything else."""
    journal = journal_in(folder, commit_interval_s=0.4)
    events = Events()
    registry = registry_of(journal, events)
    watch = asyncio.create_task(registry.run())
    session = registry.open(grant())
    session.activate("shell", 80, 24, record=True)
    ended: asyncio.Future[tuple[EndReason, str]] = asyncio.get_running_loop().create_future()
    session.on_end(lambda reason, message: ended.set_result((reason, message)))
    await asyncio.sleep(0.6)
    forwarded = b""
    fail_commits(monkeypatch)
    started_s = time.monotonic()
    while not ended.done():
        if session.target_output(b"output "):
            forwarded += b"output "
        await asyncio.sleep(0.05)
    took_s = time.monotonic() - started_s
    reason, message = await ended
    assert reason is EndReason.CANNOT_RECORD
    assert "record" in message
    assert [event.reason for event in events if isinstance(event, SessionEnded)] == [EndReason.CANNOT_RECORD]
    watch.cancel()
    journal.close()
    (sealed,) = seal_all(folder)
    assert sealed.state is RecordingState.INCOMPLETE
    assert recorded_output(sealed) == forwarded
    return took_s


async def test_promise_3_best_effort_session_continues_and_its_recording_is_incomplete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = journal_in(tmp_path)
    registry = registry_of(journal, Events())
    watch = asyncio.create_task(registry.run())
    session = registry.open(grant(strict=False))
    session.activate("shell", 80, 24, record=True)
    session.target_output(b"recorded")
    fail_commits(monkeypatch)
    async with asyncio.timeout(60):
        while session.recorded:
            session.target_output(b" more")
            await asyncio.sleep(0.05)
    assert session.target_output(b"not recorded")
    session.end(EndReason.USER_CLOSED)
    watch.cancel()
    journal.close()
    (sealed,) = seal_all(tmp_path)
    assert sealed.state is RecordingState.INCOMPLETE
    assert recorded_output(sealed).startswith(b"recorded")
    assert b"not recorded" not in recorded_output(sealed)


class Pictures:
    def __init__(self, service: RecordingService) -> None:
        self._service = service

    async def picture(self, session_id: UUID, at_least_offset: int) -> Picture:
        found = await self._service.snapshots.snapshot(session_id, at_least_offset, timeout_s=60)
        return Picture(columns=found.columns, rows=found.rows, offset=found.offset, data=found.repaint)


async def test_watcher_who_joins_late_sees_the_same_screen_as_the_user(tmp_path: Path) -> None:
    service = RecordingService(
        RecordingConfig(state_dir=tmp_path / "proxy", key_file=tmp_path / "key.pem", reserve_mb=0, segment_mb=1),
        on_checkpoint=lambda _: None,
        on_sealed=lambda *_: None,
    )
    await service.start()
    registry = registry_of(service.journal, Events(), Pictures(service))
    session = registry.open(grant())
    session.activate("shell", 80, 24, record=True)
    person = Screen(80, 24)

    def target(data: bytes) -> None:
        session.target_output(data)
        person.feed(data)

    for number in range(500):
        target(f"\x1b[3{number % 8}mline {number} 中文\x1b[0m\r\n".encode())
    target(b"\x1b[?1049h\x1b[2J\x1b[3;5Hfull screen \xe4")  # cut inside a character
    watcher = registry.watch(
        WatchGrant(session_id=session.grant.session_id, watcher=session.grant.user, watch_id=uuid4())
    )
    picture_task = asyncio.create_task(anext(watcher))
    await asyncio.sleep(0)
    for number in range(50):  # output continues while the snapshot is taken
        target(b"\xb8\xad\x1b[%d;1Hrow %d" % (number % 24 + 1, number) if number == 0 else b"more %d " % number)
        await asyncio.sleep(0)
    picture = await picture_task
    assert isinstance(picture, Picture)
    seen = Screen(picture.columns, picture.rows)
    seen.feed(picture.data)
    total = picture.offset
    while total < session.bytes_out:
        event = await asyncio.wait_for(anext(watcher), 60)
        assert isinstance(event, Output)
        assert event.offset == total
        seen.feed(event.data)
        total += len(event.data)
    assert seen.lines() == person.lines()
    assert seen.cursor == person.cursor
    watcher.close()
    session.end(EndReason.USER_CLOSED)
    await service.stop(60)
    assert [sealed.state for sealed in service.spool.pending()] == [RecordingState.SEALED]
