"""A proxy whose disk fills up during an open file transfer, with a real sftp: no file passes that the log cannot
name.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from fakes.control_plane import FakeControlPlane
from peers.small_volume import fill, small_volume
from peers.ssh_proxy import World, make_world, run, ssh_proxy
from peers.sshd import Sshd
from postern.contracts.enums import EndReason
from postern.contracts.events import FileTransferred, SessionEnded, SessionStarted
from postern.proxies.core.sessions.event_ledger import NoRoomForEvents

FILES = 2500


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with small_volume(tmp_path / "disk", megabytes=4) as place:
        yield place


@pytest.fixture
async def world(small_disk: Path, control_plane: FakeControlPlane, sshd: Sshd) -> AsyncIterator[World]:
    async with ssh_proxy(control_plane, small_disk / "proxy") as proxy:
        yield make_world(proxy, control_plane, sshd)


async def test_open_transfer_continues_as_long_as_the_log_has_space_and_no_file_longer(
    world: World, small_disk: Path, tmp_path: Path
) -> None:
    source, got = tmp_path / "source", tmp_path / "got"
    source.mkdir()
    got.mkdir()
    for number in range(FILES):
        (source / f"file-{number:04d}").write_bytes(b"x")
    sftp = await asyncio.create_subprocess_exec(
        *world.proxy.sftp(world.login), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    await world.plane.event(SessionStarted)
    world.plane.down = True  # the events pile up on the disk
    filler = fill(small_disk)

    _, errors = await asyncio.wait_for(sftp.communicate(f"get {source}/file-* {got}/\n".encode()), 90)

    passed = {path.name for path in got.iterdir() if path.stat().st_size}
    assert 0 < len(passed) < FILES
    assert b"no room left to log" in errors
    assert len(world.proxy.registry) == 0
    filler.unlink()
    world.plane.down = False
    assert (await world.plane.event(SessionEnded)).reason is EndReason.CANNOT_RECORD
    logged = world.plane.of(FileTransferred)
    assert passed <= {Path(event.path).name for event in logged}
    assert sum(event.size for event in logged) >= len(passed)
    assert (await run(world.proxy.ssh(world.login, "echo on"))).out == b"on\n"


async def test_no_command_runs_and_no_session_opens_on_a_full_disk(
    world: World, small_disk: Path, tmp_path: Path
) -> None:
    filler = fill(small_disk)
    ran = tmp_path / "ran"
    for command in (("touch", str(ran)), ()):
        with contextlib.suppress(NoRoomForEvents):
            while True:  # the rest of the last segment
                world.proxy.outbox.hold(1000)
        result = await run(world.proxy.ssh(world.login, *command), stdin=f"touch {ran}\n".encode())
        assert result.status == 255
        assert b"no room left to log" in result.err
    assert not ran.exists()
    filler.unlink()
    await world.plane.until(lambda: len(world.plane.of(SessionEnded)) == 2)
    assert {event.reason for event in world.plane.of(SessionEnded)} == {EndReason.CANNOT_RECORD}
    assert (await run(world.proxy.ssh(world.login, "echo on"))).out == b"on\n"
