"""SFTP and scp through the front with OpenSSH's own clients: content, audit, and transfers without permission."""

import asyncio
import hashlib
import os
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from peers.ssh_proxy import World, run
from postern.contracts.enums import Actions, TransferDirection
from postern.contracts.events import FileTransferred, RequestRefused, SessionEnded, SessionStarted

CONTENT = os.urandom(700_001)


@pytest.fixture(params=[True, False], ids=["fast", "stock"])
def fast(request: pytest.FixtureRequest) -> bool:
    """Everything here must hold with the fast data path and with the library's own."""
    return bool(request.param)


@pytest.fixture
def local(tmp_path: Path) -> Path:
    file = tmp_path / "local file.bin"
    file.write_bytes(CONTENT)
    return file


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    folder = tmp_path / "remote"
    folder.mkdir()
    return folder


def transfers(world: World) -> list[tuple[str, str, str, int, bool]]:
    return [(e.direction.value, e.operation, e.path, e.size, e.success) for e in world.plane.of(FileTransferred)]


def names_in(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


async def sftp(world: World, *commands: str) -> tuple[int | None, bytes]:
    result = await run(world.proxy.sftp(world.login, options=("-b", "-")), stdin="\n".join(commands).encode())
    return result.status, result.out + result.err


async def test_sftp_put_and_get_are_complete_and_audited(
    world: World, local: Path, remote: Path, tmp_path: Path
) -> None:
    back = tmp_path / "back"
    status, _ = await sftp(world, f'put "{local}" "{remote}/there"', f'get "{remote}/there" "{back}"')

    assert status == 0
    assert (remote / "there").read_bytes() == back.read_bytes() == CONTENT
    ended = await world.plane.event(SessionEnded)
    assert transfers(world) == [
        ("upload", "upload", f"{remote}/there", len(CONTENT), True),
        ("download", "download", f"{remote}/there", len(CONTENT), True),
    ]
    assert world.plane.of(SessionStarted)[0].kind == "sftp"
    assert ended.bytes_in > len(CONTENT)
    assert ended.bytes_out > len(CONTENT)


async def test_sftp_changes_are_audited_with_their_outcome(world: World, local: Path, remote: Path) -> None:
    await sftp(
        world, f"mkdir {remote}/d", f'put "{local}" {remote}/d/a', f"rename {remote}/d/a {remote}/d/b",
        f"chmod 600 {remote}/d/b", f"-rm {remote}/d/none", f"ln -s b {remote}/d/l", f"rm {remote}/d/l", f"rm {remote}/d/b",
        f"rmdir {remote}/d",
    )  # fmt: skip

    await world.plane.event(SessionEnded)
    seen = [(operation, path.replace(str(remote), ""), success) for _, operation, path, _, success in transfers(world)]
    assert ("mkdir", "/d", True) in seen
    assert ("rename", "/d/a -> /d/b", True) in seen
    assert ("setstat", "/d/b", True) in seen
    assert ("remove", "/d/b", True) in seen
    assert ("rmdir", "/d", True) in seen
    assert any(operation == "symlink" for operation, _, _ in seen)


async def test_sftp_without_upload_right_reads_but_changes_nothing(world: World, local: Path, remote: Path) -> None:
    world.asset.actions = Actions.CONNECT | Actions.DOWNLOAD_FILE
    (remote / "have").write_bytes(CONTENT)
    status, output = await sftp(
        world, f'-put "{local}" {remote}/new', f"-rm {remote}/have", f"-rename {remote}/have {remote}/x",
        f"-mkdir {remote}/d", f"-chmod 777 {remote}/have", f"get {remote}/have {local.parent}/got", f"ls {remote}",
    )  # fmt: skip

    assert status == 0
    assert (local.parent / "got").read_bytes() == CONTENT
    assert names_in(remote) == ["have"]
    assert b"does not include uploading files" in output or b"Permission denied" in output
    await world.plane.event(SessionEnded)
    refused = {e.request for e in world.plane.of(RequestRefused)}
    assert {"sftp upload", "sftp remove", "sftp rename", "sftp mkdir", "sftp setstat"} <= refused
    assert all(direction == "download" for direction, *_ in transfers(world))


async def test_sftp_without_download_right_accepts_uploads_only(world: World, local: Path, remote: Path) -> None:
    world.asset.actions = Actions.CONNECT | Actions.UPLOAD_FILE
    (remote / "secret").write_bytes(CONTENT)
    status, _ = await sftp(world, f"-get {remote}/secret {local.parent}/got", f'put "{local}" {remote}/new')

    assert status == 0
    assert (remote / "new").read_bytes() == CONTENT
    assert not (local.parent / "got").exists() or (local.parent / "got").read_bytes() == b""
    await world.plane.event(RequestRefused, request="sftp download", detail=f"{remote}/secret")


async def test_sftp_without_any_transfer_right_is_refused(world: World, remote: Path) -> None:
    world.asset.actions = Actions.CONNECT
    result = await run(world.proxy.sftp(world.login, options=("-b", "-")), stdin=f"ls {remote}\n".encode())

    assert result.status == 255
    assert b"does not include file transfer" in result.err
    await world.plane.event(RequestRefused, request="sftp")
    assert (await world.plane.event(SessionEnded)).ever_active is False


async def test_sftp_server_as_a_command_is_inspected_like_the_subsystem(
    world: World, local: Path, remote: Path
) -> None:
    world.asset.actions = Actions.CONNECT | Actions.DOWNLOAD_FILE
    result = await run(
        world.proxy.sftp(world.login, options=("-s", "/usr/lib/openssh/sftp-server", "-b", "-")),
        stdin=f'-put "{local}" {remote}/new\n'.encode(),
    )

    assert result.status == 0
    assert names_in(remote) == []


async def test_k37_sftp_shows_the_target_never_the_proxy(world: World) -> None:
    status, output = await sftp(world, f"ls {world.proxy.config.state_dir}/nothing-of-ours", "pwd")
    # Both are this machine here. The proof is that the target's own server answered each request.
    await world.plane.event(SessionEnded)
    assert "session opened" in world.sshd.log or "Starting session: subsystem 'sftp'" in world.sshd.log
    assert status is not None
    assert b"Remote working directory" in output or b"not found" in output


@pytest.mark.parametrize("options", [(), ("-O",)], ids=["sftp", "legacy"])
async def test_scp_up_and_down_is_complete_and_audited(
    world: World, local: Path, remote: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    back = tmp_path / "back"
    up = await run(world.proxy.scp(world.login, str(local), f":{remote}/there", options=options))
    down = await run(world.proxy.scp(world.login, f":{remote}/there", str(back), options=options))

    assert (up.status, down.status) == (0, 0), (up, down)
    assert back.read_bytes() == CONTENT
    await world.plane.until(lambda: len(world.plane.of(SessionEnded)) == 2)
    seen = [(direction, path.rpartition("/")[2], size, ok) for direction, _, path, size, ok in transfers(world)]
    assert seen == [("upload", "there", len(CONTENT), True), ("download", "there", len(CONTENT), True)]
    assert world.plane.of(SessionStarted)[0].kind == ("scp" if options else "sftp")


async def test_legacy_scp_of_a_tree_names_each_file(world: World, tmp_path: Path, remote: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "sub").mkdir(parents=True)
    (tree / "one").write_bytes(b"1")
    (tree / "sub" / "zwei 二").write_bytes(b"22")
    (tree / "sub" / "empty").write_bytes(b"")
    result = await run(world.proxy.scp(world.login, "-r", str(tree), f":{remote}/", options=("-O",)))

    assert result.status == 0
    await world.plane.event(SessionEnded)
    seen = sorted((path, size) for _, _, path, size, _ in transfers(world))
    assert seen == [
        (f"{remote}/{name}", size) for name, size in (("tree/one", 1), ("tree/sub/empty", 0), ("tree/sub/zwei 二", 2))
    ]


@pytest.mark.parametrize("options", [(), ("-O",)], ids=["sftp", "legacy"])
async def test_scp_without_the_right_is_refused(
    world: World, local: Path, remote: Path, options: tuple[str, ...]
) -> None:
    world.asset.actions = Actions.CONNECT | Actions.DOWNLOAD_FILE
    result = await run(world.proxy.scp(world.login, str(local), f":{remote}/new", options=options))

    assert result.status != 0
    assert names_in(remote) == []
    assert b"upload" in result.err or b"ermission" in result.err


async def test_file_names_that_are_not_utf8_are_carried_and_shown_with_escapes(
    world: World, local: Path, remote: Path
) -> None:
    async with asyncssh.connect(
        "127.0.0.1", world.proxy.port, username=world.login, client_keys=[str(world.proxy.key)],
        known_hosts=None, config=None, agent_path=None,
    ) as connection, connection.start_sftp_client() as client:  # fmt: skip
        await client.put(os.fsencode(local), os.fsencode(remote) + b"/\xff\xe4\nname")

    assert (remote / os.fsdecode(b"\xff\xe4\nname")).read_bytes() == CONTENT
    assert (await world.plane.event(FileTransferred)).path == f"{remote}/\\xff\\xe4\nname"


async def test_interrupted_upload_is_reported_as_failed(world: World, remote: Path) -> None:
    async with asyncssh.connect(
        "127.0.0.1", world.proxy.port, username=world.login, client_keys=[str(world.proxy.key)],
        known_hosts=None, config=None, agent_path=None,
    ) as connection, connection.start_sftp_client() as client:  # fmt: skip
        file = await client.open(f"{remote}/half", "wb")
        await file.write(b"x" * 1000)
        connection.abort()

    told = await world.plane.event(FileTransferred)
    assert (told.direction, told.size, told.success, told.detail) == (
        TransferDirection.UPLOAD,
        1000,
        False,
        "not closed",
    )


async def test_k37_bytes_that_are_not_sftp_end_the_session(world: World) -> None:
    async with asyncssh.connect(
        "127.0.0.1", world.proxy.port, username=world.login, client_keys=[str(world.proxy.key)],
        known_hosts=None, config=None, agent_path=None,
    ) as connection:  # fmt: skip
        process = await connection.create_process(subsystem="sftp", encoding=None)
        process.stdin.write(b"\xff" * 100)
        result = await asyncio.wait_for(process.wait(), 60)

    assert result.exit_status == 255
    assert "file transfer protocol" in (await world.plane.event(SessionEnded)).detail


async def test_many_parallel_requests_keep_their_order_and_bytes(world: World, remote: Path) -> None:
    data = os.urandom(6_000_000)
    async with asyncssh.connect(
        "127.0.0.1", world.proxy.port, username=world.login, client_keys=[str(world.proxy.key)],
        known_hosts=None, config=None, agent_path=None,
    ) as connection, connection.start_sftp_client() as client:  # fmt: skip
        async with client.open(f"{remote}/big", "wb") as file:
            await file.write(data)
        async with client.open(f"{remote}/big", "rb") as file:
            back: Any = await file.read()

    assert hashlib.sha256(back).digest() == hashlib.sha256(data).digest()
    await world.plane.event(SessionEnded)
    assert [size for _, _, _, size, _ in transfers(world)] == [len(data), len(data)]
