"""Events that wait on disk: a record that is torn, damaged or refused by the disk costs no other one."""

import asyncio
import contextlib
import os
import resource
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes.control_plane import FakeControlPlane
from postern.contracts.events import RequestRefused
from postern.kernel.clock import now
from postern.proxies.core.control.client import HttpControlPlane
from postern.proxies.core.control.outbox import EventOutbox
from postern.proxies.core.control.outbox_file import framed, records
from postern.proxies.core.control.registration import obtain_credential
from postern.proxies.core.limits import Limits
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
    """Everything that waits is delivered."""
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
    """No file of this process grows beyond `size` bytes: a longer write is short, the next one fails."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_short_write_of_an_event_costs_no_other_event(
    control_plane: FakeControlPlane, client: HttpControlPlane, tmp_path: Path
) -> None:
    outbox = EventOutbox(tmp_path / "o", LIMITS)
    outbox.append(refusal("first"))
    (segment,) = (tmp_path / "o").glob("*.jsonl")
    whole = segment.read_bytes()
    with files_end_at(len(whole) + 20):
        outbox.append(refusal("the disk takes twenty bytes of it"))
    assert segment.read_bytes() == whole
    outbox.append(refusal("second"))
    assert outbox.unsent == 2
    await sent(outbox, client)
    assert details(control_plane) == ["first", "second"]


async def test_torn_record_that_cannot_be_taken_back_costs_no_other_event(
    control_plane: FakeControlPlane, client: HttpControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_descriptor: int, _length: int) -> None:
        raise OSError("not now")

    outbox = EventOutbox(tmp_path / "o", LIMITS)
    outbox.append(refusal("first"))
    (segment,) = (tmp_path / "o").glob("*.jsonl")
    with monkeypatch.context() as patch, files_end_at(segment.stat().st_size + 20):
        patch.setattr(os, "ftruncate", refuse)
        outbox.append(refusal("torn"))
    for number in range(3):
        outbox.append(refusal(f"after {number}"))
        with files_end_at(segment.stat().st_size + 20):
            outbox.append(refusal("torn again, and taken back"))
    await sent(outbox, client)
    assert details(control_plane) == ["first", "after 0", "after 1", "after 2"]


async def test_damaged_records_of_a_killed_proxy_do_not_stop_the_rest(
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
    (tmp_path / "o" / "cursor").write_text("000000000001 2")  # counted lines: not an offset
    outbox = EventOutbox(tmp_path / "o", LIMITS)
    assert outbox.unsent == 3
    await sent(outbox, client)
    assert details(control_plane) == ["0", "1", "2"]


async def test_restart_between_two_batches_goes_on_behind_what_was_accepted(
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


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A volume of 3 MB."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small volume needs root")
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", place], check=False)
    if mounted.returncode != 0:
        pytest.skip("no tmpfs here")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


async def test_full_disk_has_room_for_events_and_sets_it_aside_again(
    control_plane: FakeControlPlane, client: HttpControlPlane, small_disk: Path
) -> None:
    outbox = EventOutbox(small_disk / "o", Limits())
    with contextlib.suppress(OSError), (small_disk / "filler").open("wb", buffering=0) as filler:
        while filler.write(b"x" * 4096):
            pass
    for number in range(500):
        outbox.append(refusal(str(number)))
    assert outbox.unsent == 500
    await sent(outbox, client)  # the cursor cannot be written either: no reason to stop
    assert details(control_plane) == [str(number) for number in range(500)]
    (small_disk / "filler").unlink()
    again = EventOutbox(small_disk / "o", Limits())
    await sent(again, client)
    assert (small_disk / "o" / "reserve").stat().st_size == 1024 * 1024


@given(st.lists(st.tuples(st.text(max_size=30), st.integers(0, 60) | st.none()), max_size=12))
def test_every_whole_record_is_found_whatever_is_torn_beside_it(written: list[tuple[str, int | None]]) -> None:
    """`None`: written whole; a number: torn after so many bytes."""
    data, whole = b"", []
    for detail, torn_at in written:
        record = framed(msgspec.json.encode({"detail": detail}))
        if torn_at is None or torn_at >= len(record):
            whole.append(detail)
            data += record
        else:
            data += record[:torn_at]
    found = [msgspec.json.decode(record.text)["detail"] for record in records(data)]
    assert found == whole
