"""Events queued on disk: a torn, damaged or rejected record costs no other record."""

import asyncio
import contextlib
import errno
import os
import resource
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes.control_plane import FakeControlPlane
from peers.small_volume import fill, small_volume
from postern.contracts.enums import TransferDirection
from postern.contracts.events import EventBatch, FileTransferred, RequestRefused, TransferBegun
from postern.kernel.clock import now
from postern.proxies.core.control.client import HttpControlPlane
from postern.proxies.core.control.outbox import EventOutbox
from postern.proxies.core.control.outbox_file import framed, records
from postern.proxies.core.control.registration import obtain_credential
from postern.proxies.core.limits import Limits
from postern.proxies.core.sessions.event_ledger import NoRoomForEvents, event_bytes
from proxies.core.test_control_link import config_for

LIMITS = Limits(outbox_segment_bytes=4000)


@pytest.fixture
async def client(control_plane: FakeControlPlane, tmp_path: Path) -> AsyncIterator[HttpControlPlane]:
    credential = await obtain_credential(config_for(control_plane, tmp_path))
    async with HttpControlPlane(control_plane.url, credential, LIMITS) as plane:
        yield plane


def refusal(detail: str) -> RequestRefused:
    return RequestRefused(id=uuid4(), session_id=uuid4(), at=now(), request="x11", detail=detail)


def text(detail: str) -> bytes:
    return msgspec.json.encode(refusal(detail))


async def sent(outbox: EventOutbox, client: HttpControlPlane) -> None:
    """Wait until all queued events are delivered."""
    task = asyncio.create_task(outbox.run(client))
    try:
        assert await outbox.flushed(60)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        outbox.close()


def details(plane: FakeControlPlane) -> list[str]:
    return [event.detail for event in plane.events if isinstance(event, RequestRefused)]


@contextlib.contextmanager
def files_end_at(size: int) -> Iterator[None]:
    """No file of this process can grow beyond `size` bytes: a longer write is short, and the next write fails."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_short_write_loses_no_event(
    control_plane: FakeControlPlane, client: HttpControlPlane, tmp_path: Path
) -> None:
    outbox = EventOutbox(tmp_path / "o", LIMITS)
    outbox.append(refusal("first"))
    with files_end_at(len(framed(text("first"))) + 20), pytest.raises(NoRoomForEvents):
        outbox.append(refusal("the disk takes twenty bytes of it"))
    assert outbox.unsent == 2
    outbox._settle()  # as the periodic maintenance does
    outbox.append(refusal("second"))
    await sent(outbox, client)
    assert details(control_plane) == ["first", "the disk takes twenty bytes of it", "second"]


async def test_short_record_over_a_torn_longer_record_is_read(
    control_plane: FakeControlPlane, client: HttpControlPlane, tmp_path: Path
) -> None:
    outbox = EventOutbox(tmp_path / "o", LIMITS)
    outbox.append(refusal("first"))
    with files_end_at(len(framed(text("first"))) + 400), pytest.raises(NoRoomForEvents):
        outbox.append(refusal("torn " * 100))
    outbox._owed.clear()
    outbox.append(refusal("short"))
    # A proxy killed now leaves the rest of the torn record behind the short record.
    again = EventOutbox(tmp_path / "o", LIMITS)
    again.append(refusal("after the restart"))
    await sent(again, client)
    assert details(control_plane) == ["first", "short", "after the restart"]
    outbox.close()


async def test_damaged_records_of_a_killed_proxy_do_not_block_the_rest(
    control_plane: FakeControlPlane, client: HttpControlPlane, tmp_path: Path
) -> None:
    (tmp_path / "o").mkdir()
    (tmp_path / "o" / "000000000001.jsonl").write_bytes(
        framed(text("1"))
        + framed(b'{"damaged": 1}')
        + framed(text("torn"))[:-20]
        + framed(text("2"))
        + b"\x00" * 300
        + framed(text("3"))
        + framed(text("torn at the end"))[:-1]
    )
    outbox = EventOutbox(tmp_path / "o", LIMITS)
    outbox.append(refusal("4"))
    await sent(outbox, client)
    assert details(control_plane) == ["1", "2", "3", "4"]
    assert outbox.unsent == 0


async def test_lines_of_an_older_version_are_sent(
    control_plane: FakeControlPlane, client: HttpControlPlane, tmp_path: Path
) -> None:
    (tmp_path / "o").mkdir()
    (tmp_path / "o" / "000000000001.jsonl").write_bytes(b"".join(text(str(number)) + b"\n" for number in range(3)))
    (tmp_path / "o" / "cursor").write_text("000000000001 2")  # a line count of the old version, not an offset
    outbox = EventOutbox(tmp_path / "o", LIMITS)
    assert outbox.unsent == 3
    await sent(outbox, client)
    assert details(control_plane) == ["0", "1", "2"]


def transfer(key: UUID, session: UUID) -> tuple[TransferBegun, FileTransferred]:
    values: dict[str, Any] = {
        "id": key,
        "session_id": session,
        "at": now(),
        "direction": TransferDirection.UPLOAD,
        "path": "/x",
    }
    return TransferBegun(operation="upload", **values), FileTransferred(operation="upload", **values)


async def test_short_transfer_is_sent_in_one_batch(
    control_plane: FakeControlPlane, client: HttpControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control plane then stores one row once, although the beginning was on the disk earlier."""
    monkeypatch.setattr("postern.proxies.core.control.outbox._TEND_S", 3600)
    begun, over = transfer(uuid4(), uuid4())
    outbox = EventOutbox(tmp_path / "o", LIMITS)
    task = asyncio.create_task(outbox.run(client))
    outbox.append(refusal("first"))
    assert await outbox.flushed(60)
    outbox.append(begun)
    for _ in range(5):
        await client.send_events(EventBatch(events=()))
    assert outbox.unsent == 1
    outbox.append(over)
    assert await outbox.flushed(60)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    outbox.close()
    batches = [message.events for _path, message in control_plane.calls if isinstance(message, EventBatch)]
    assert [batch for batch in batches if batch][1:] == [(begun, over)]


async def test_beginning_of_a_long_transfer_is_sent_before_its_end(
    control_plane: FakeControlPlane, client: HttpControlPlane, tmp_path: Path
) -> None:
    begun, _over = transfer(uuid4(), uuid4())
    outbox = EventOutbox(tmp_path / "o", LIMITS)
    task = asyncio.create_task(outbox.run(client))
    outbox.append(refusal("first"))
    assert await outbox.flushed(60)
    outbox.append(begun)
    assert await outbox.flushed(60)
    assert control_plane.of(TransferBegun) == [begun]
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    outbox.close()


async def test_restart_between_two_batches_resumes_after_the_accepted_events(
    control_plane: FakeControlPlane, client: HttpControlPlane, tmp_path: Path
) -> None:
    outbox = EventOutbox(tmp_path / "o", Limits())
    for number in range(700):
        outbox.append(refusal(str(number)))
    assert await outbox._send_next(client)  # one batch
    outbox.close()
    again = EventOutbox(tmp_path / "o", Limits())
    assert again.unsent == 200
    again.append(refusal("700"))
    await sent(again, client)
    assert details(control_plane) == [str(number) for number in range(701)]


async def test_proxy_killed_while_removing_sent_events_skips_no_later_event(
    control_plane: FakeControlPlane, client: HttpControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / "o"
    outbox = EventOutbox(directory, Limits())
    for number in range(700):
        outbox.append(refusal(str(number)))
    assert await outbox._send_next(client)  # one batch; the cursor records it
    outbox.close()
    outbox = EventOutbox(directory, Limits())
    unlink, removed = Path.unlink, 0

    def killed_after_one(path: Path, missing_ok: bool = False) -> None:
        nonlocal removed
        removed += 1
        if removed > 1:
            raise KeyboardInterrupt
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", killed_after_one)
    with pytest.raises(KeyboardInterrupt):
        await outbox._send_next(client)
    monkeypatch.undo()
    EventOutbox(directory, Limits()).append(refusal("later"))  # by a process that is killed as well
    await sent(EventOutbox(directory, Limits()), client)
    assert details(control_plane)[-1] == "later"
    assert set(details(control_plane)) == {*map(str, range(700)), "later"}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with small_volume(tmp_path / "disk", megabytes=3) as place:
        yield place


async def test_full_disk_accepts_every_event_with_reserved_space(
    control_plane: FakeControlPlane, client: HttpControlPlane, small_disk: Path
) -> None:
    outbox = EventOutbox(small_disk / "o", Limits())
    for _ in range(100):
        outbox.hold(event_bytes("x"))
    fill(small_disk)
    held = 100
    with contextlib.suppress(NoRoomForEvents):
        while True:  # the rest of the last segment may still be reserved
            outbox.hold(event_bytes("x"))
            held += 1
    for number in range(held):
        outbox.append(refusal(str(number)), held=event_bytes("x"))  # raises nothing
    await sent(outbox, client)
    assert details(control_plane) == [str(number) for number in range(held)]


async def test_full_disk_stores_unreserved_events_and_reports_no_space(
    control_plane: FakeControlPlane, client: HttpControlPlane, small_disk: Path
) -> None:
    outbox = EventOutbox(small_disk / "o", Limits())
    filler = fill(small_disk)
    refusals, kept_silently = 0, True
    for _ in range(8000):  # beyond the emergency reserve they wait in memory
        try:
            outbox.append(refusal(str(refusals)))
        except NoRoomForEvents:
            kept_silently = False
        else:
            assert kept_silently, "room came from nowhere"
        refusals += 1
    assert not kept_silently
    assert outbox.unsent == refusals
    with pytest.raises(NoRoomForEvents):
        outbox.hold(1)
    filler.unlink()
    outbox._settle()
    outbox.hold(1)
    await sent(outbox, client)
    assert details(control_plane) == [str(number) for number in range(refusals)]


async def test_proxy_started_on_a_full_disk_delivers_from_memory_and_recovers(
    control_plane: FakeControlPlane, client: HttpControlPlane, small_disk: Path
) -> None:
    (small_disk / "o").mkdir()
    filler = fill(small_disk)
    outbox = EventOutbox(small_disk / "o", Limits())
    with pytest.raises(NoRoomForEvents):
        outbox.append(refusal("in memory"))
    assert len(outbox.unreported() or ()) == 1
    task = asyncio.create_task(outbox.run(client))
    assert await outbox.flushed(60)
    assert details(control_plane) == ["in memory"]
    filler.unlink()
    while True:
        with contextlib.suppress(NoRoomForEvents):
            outbox.hold(1)
            break
        await asyncio.sleep(0.05)
    outbox.append(refusal("on the disk"))
    assert await outbox.flushed(60)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    outbox.close()
    assert details(control_plane) == ["in memory", "on the disk"]


async def test_reservation_of_an_event_that_cannot_be_encoded_is_released(tmp_path: Path) -> None:
    outbox = EventOutbox(tmp_path / "o", Limits(outbox_total_bytes=1024 * 1024))
    size = event_bytes("x" * 4096)
    for _ in range(100):
        outbox.hold(size)
        with pytest.raises(UnicodeEncodeError):
            outbox.append(refusal("\ud800"), held=size)
    outbox.close()


async def test_outbox_never_grows_beyond_its_limit(tmp_path: Path) -> None:
    outbox = EventOutbox(tmp_path / "o", Limits(outbox_segment_bytes=4000, outbox_total_bytes=40_000))
    refused = 0
    for number in range(1000):
        try:
            outbox.append(refusal(str(number)))
        except NoRoomForEvents:
            refused += 1
        on_disk = sum(path.stat().st_size for path in (tmp_path / "o").iterdir())
        assert on_disk == outbox._room._on_disk <= 40_000
    assert refused > 700
    outbox.close()


async def test_reservations_of_others_survive_a_lack_of_descriptors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outbox = EventOutbox(tmp_path / "o", LIMITS)
    outbox.hold(4096)
    before = outbox._room._free
    outbox.append(refusal("x" * 3000))  # the first segment is almost full
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", no_descriptor)
        for _ in range(20):
            with pytest.raises(NoRoomForEvents):
                outbox.append(refusal("x" * 3000))
    assert outbox._room._free >= min(before - 4000, outbox._room._held)
    outbox.close()


def no_descriptor(*_arguments: object, **_options: object) -> int:
    raise OSError(errno.EMFILE, "too many open files")


async def test_space_that_is_no_longer_needed_is_released(tmp_path: Path) -> None:
    outbox = EventOutbox(tmp_path / "o", Limits())
    at_rest = len(list((tmp_path / "o").iterdir()))
    for _ in range(50):
        outbox.hold(100_000)
    assert len(list((tmp_path / "o").iterdir())) > at_rest + 10
    outbox.release(5_000_000)
    outbox._settle()
    assert len(list((tmp_path / "o").iterdir())) <= at_rest + 3
    outbox.close()
    assert not list((tmp_path / "o").iterdir())


@given(st.lists(st.tuples(st.text(max_size=30), st.integers(0, 60) | st.none()), max_size=12))
def test_every_whole_record_is_read_whatever_is_torn_beside_it(written: list[tuple[str, int | None]]) -> None:
    """`None`: written completely. A number: torn after that many bytes."""
    data, whole = b"", []
    for detail, torn_at in written:
        record = framed(msgspec.json.encode({"detail": detail}))
        if torn_at is None or torn_at >= len(record):
            whole.append(detail)
            data += record
        else:
            data += record[:torn_at]
    details = [msgspec.json.decode(record.text)["detail"] for record in records(data)]
    assert details == whole
