"""An action ends when its grant ends: in live shells, SFTP sessions and running transfers, by date or by order."""

import asyncio
import os
import shutil
from datetime import datetime, timedelta
from pathlib import Path
from uuid import uuid4

import asyncssh
import pytest

from peers.ssh_proxy import World, run
from peers.terminal import Terminal
from postern.contracts.access import ActionsUntil
from postern.contracts.enums import Actions, EndReason
from postern.contracts.events import ActionsEnded, FileTransferred, RequestRefused, SessionEnded, SessionStarted
from postern.contracts.terminals import ChangeGrant
from postern.kernel.clock import now

YEAR = timedelta(days=365)
ALL_BUT_UPLOAD = Actions.ALL & ~Actions.UPLOAD_FILE
#: A transfer would take this long at the client's own rate limit. Every test ends long before.
BIG = 12_000_000
KBIT_S = "8000"


@pytest.fixture
def big(tmp_path: Path) -> Path:
    file = tmp_path / "big.bin"
    file.write_bytes(os.urandom(BIG))
    return file


def until(instant: datetime, actions: Actions) -> tuple[ActionsUntil, ...]:
    """Let `actions` end at the instant, and all others in a year."""
    rest = Actions.ALL & ~actions
    groups = (ActionsUntil(actions=actions, until=instant), ActionsUntil(actions=rest, until=now() + YEAR))
    return tuple(group for group in groups if group.actions)


def change(world: World, ends: tuple[ActionsUntil, ...], version: int = 1) -> bool:
    """Return the control plane's order when the last session's grant has changed."""
    session_id = world.plane.of(SessionStarted)[-1].session_id
    order = ChangeGrant(order_id=uuid4(), session_id=session_id, version=version, ends=ends)
    return world.proxy.registry.carry_out(order)


async def test_running_upload_ends_with_its_action_and_the_session_continues(
    world: World, big: Path, tmp_path: Path
) -> None:
    target = tmp_path / "there"
    world.asset.ends = until(now() + YEAR, Actions.NONE)
    commands = f'put "{big}" "{target}"\nls {tmp_path}\n'.encode()
    client = asyncio.create_task(run(world.proxy.sftp(world.login, options=("-l", KBIT_S, "-b", "-")), stdin=commands))
    await world.plane.event(SessionStarted)
    await world.plane.until(lambda: target.exists() and target.stat().st_size > 0)
    assert change(world, (ActionsUntil(actions=ALL_BUT_UPLOAD, until=now() + YEAR),))
    result = await client
    assert result.status == 1
    assert b"Your permission for this asset no longer includes: uploading files." in result.err
    assert b"ermission denied" in result.err
    ended = await world.plane.event(SessionEnded)
    assert ended.reason is not EndReason.GRANT_WITHDRAWN, "reading goes on"
    [file] = world.plane.of(FileTransferred)
    assert (file.operation, file.path, file.success) == ("upload", str(target), False)
    assert 0 < target.stat().st_size < BIG
    refused = [event.request for event in world.plane.of(RequestRefused)]
    assert refused.count("sftp upload") == 1


async def test_download_continues_and_a_new_upload_is_refused_after_the_action_ends(
    world: World, tmp_path: Path
) -> None:
    world.asset.ends = until(now() + timedelta(seconds=1.5), Actions.UPLOAD_FILE)
    (tmp_path / "source").write_bytes(b"content")
    host, port, key = "127.0.0.1", world.proxy.port, str(world.proxy.key)
    async with (
        asyncssh.connect(host, port, username=world.login, client_keys=[key], known_hosts=None) as client,
        client.start_sftp_client() as sftp,
    ):
        async with sftp.open(str(tmp_path / "first"), "wb") as file:
            await file.write(b"early")
            event = await world.plane.event(ActionsEnded)
            assert event.actions == Actions.UPLOAD_FILE
            with pytest.raises(asyncssh.SFTPPermissionDenied, match="no longer includes: uploading files"):
                await file.write(b"late")
        with pytest.raises(asyncssh.SFTPPermissionDenied):
            await sftp.remove(str(tmp_path / "source"))
        async with sftp.open(str(tmp_path / "source"), "rb") as file:
            assert await file.read() == b"content"
    assert (tmp_path / "first").read_bytes() == b"early"


async def test_session_without_any_remaining_transfer_action_ends(world: World) -> None:
    world.asset.ends = until(now() + timedelta(seconds=1.5), Actions.UPDOWNLOAD)
    result = await run(world.proxy.sftp(world.login, options=("-b", "-")), stdin=b"!sleep 20\nls /\n", timeout_s=60)
    assert result.status != 0
    assert b"no longer includes: uploading files, downloading files" in result.err
    ended = await world.plane.event(SessionEnded)
    assert ended.reason is EndReason.GRANT_EXPIRED


@pytest.mark.parametrize("way", ["date", "order"])
@pytest.mark.parametrize("program", ["scp", "rsync"])
async def test_scp_and_rsync_uploads_end_together_with_their_action(
    world: World, big: Path, tmp_path: Path, program: str, way: str
) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    target = tmp_path / "there"
    world.asset.ends = until(now() + (timedelta(seconds=3) if way == "date" else YEAR), Actions.UPLOAD_FILE)
    if program == "scp":
        argv = world.proxy.scp(world.login, str(big), f":{target}", options=("-O", "-l", KBIT_S))
    else:
        shell = " ".join(["ssh", *world.proxy.options(), "-p", str(world.proxy.port), "-l", world.login])
        argv = ["rsync", "--inplace", f"--bwlimit={int(KBIT_S) // 8}", "-e", shell, str(big), f"127.0.0.1:{target}"]
    client = asyncio.create_task(run(argv))
    await world.plane.event(SessionStarted)
    await world.plane.until(target.exists)
    if way == "order":
        assert change(world, (ActionsUntil(actions=ALL_BUT_UPLOAD, until=now() + YEAR),))
    result = await client
    assert result.status != 0
    assert b"no longer includes: uploading files" in result.err
    ended = await world.plane.event(SessionEnded)
    assert ended.reason is (EndReason.GRANT_EXPIRED if way == "date" else EndReason.GRANT_WITHDRAWN)
    assert target.stat().st_size < BIG


async def test_shell_is_told_of_an_ended_action_and_continues(world: World) -> None:
    world.asset.ends = until(now() + timedelta(seconds=2), Actions.UPLOAD_FILE)
    async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as terminal:
        await terminal.expect(r"[#$] ")
        await terminal.expect("no longer includes: uploading files")
        await terminal.type("echo still-$((40+2))\n")
        await terminal.expect("still-42")
        told = await world.plane.event(ActionsEnded)
        assert (told.actions, told.version) == (Actions.UPLOAD_FILE, 0)
        assert change(world, until(now() + YEAR, Actions.NONE))
        await terminal.expect("now includes: uploading files")
    assert len(world.plane.of(ActionsEnded)) == 1


async def test_moved_end_takes_effect_on_time_after_a_warning(world: World) -> None:
    world.alice.language = "zh-hans"
    async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as terminal:
        await terminal.expect(r"[#$] ")
        await world.plane.event(SessionStarted)
        assert change(world, (ActionsUntil(actions=Actions.ALL, until=now() + timedelta(seconds=30)),))
        await terminal.expect("你的授权将在 (29|30) 秒后到期")
        assert change(world, (ActionsUntil(actions=Actions.ALL, until=now() + YEAR),), version=2)
        await terminal.expect("你的授权已延长")
        end = now() + timedelta(seconds=2)
        assert change(world, (ActionsUntil(actions=Actions.ALL, until=end),), version=3)
        assert change(world, (ActionsUntil(actions=Actions.ALL, until=now() + YEAR),), version=2), "stale"
        await terminal.expect("秒后到期")
        await terminal.expect("你的授权已到期")
        assert await terminal.wait() == 255
    ended = await world.plane.event(SessionEnded)
    assert ended.reason is EndReason.GRANT_EXPIRED
    assert end <= ended.at


async def test_withdrawn_connect_ends_the_shell_as_withdrawn(world: World) -> None:
    async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as terminal:
        await terminal.expect(r"[#$] ")
        await world.plane.event(SessionStarted)
        assert change(world, (ActionsUntil(actions=Actions.UPDOWNLOAD, until=now() + YEAR),))
        await terminal.expect("was withdrawn or changed")
    assert (await world.plane.event(SessionEnded)).reason is EndReason.GRANT_WITHDRAWN
