"""Legacy scp over the front with real peers at both ends: OpenSSH's client and host, other clients, and hostile
users.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import asyncssh
import pytest

from peers.ssh_proxy import Ran, World, run
from postern.contracts.enums import EndReason
from postern.contracts.events import FileTransferred, SessionEnded

#: Longer than any file system accepts.
TOO_LONG = "x" * 300


@pytest.fixture
def here(tmp_path: Path) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    for name in ("a", "b", "c d"):
        (folder / name).write_bytes(name.encode() * 500)
    return folder


@pytest.fixture
def there(tmp_path: Path) -> Path:
    folder = tmp_path / "there"
    folder.mkdir()
    return folder


async def scp(world: World, *paths: str | Path, options: tuple[str, ...] = ()) -> Ran:
    return await run(world.proxy.scp(world.login, *map(str, paths), options=("-O", *options)))


async def logged(world: World) -> list[tuple[str, int, bool]]:
    ended = await world.plane.event(SessionEnded)
    assert ended.reason in (EndReason.TARGET_CLOSED, EndReason.USER_CLOSED), ended
    return [(one.path, one.size, one.success) for one in world.plane.of(FileTransferred)]


async def test_file_rejected_by_the_host_does_not_stop_the_others(world: World, here: Path, there: Path) -> None:
    (there / "a").mkdir()
    result = await scp(world, here / "a", here / "b", here / "c d", f":{there}")

    assert result.status == 1
    assert b"Is a directory" in result.err
    assert (there / "b").read_bytes() == (here / "b").read_bytes()
    assert (there / "c d").read_bytes() == (here / "c d").read_bytes()
    assert await logged(world) == [(f"{there}/a", 0, False), (f"{there}/b", 500, True), (f"{there}/c d", 1500, True)]


async def test_file_that_the_client_cannot_store_does_not_stop_the_others(
    world: World, here: Path, there: Path
) -> None:
    (there / "a").mkdir()
    result = await scp(world, f":{here}/{{a,b}}", there)

    assert result.status == 1
    assert (there / "b").read_bytes() == (here / "b").read_bytes()
    assert await logged(world) == [(f"{here}/a", 0, False), (f"{here}/b", 500, True)]


async def test_file_that_the_client_cannot_read_does_not_stop_the_others(world: World, here: Path, there: Path) -> None:
    result = await scp(world, here / "gone", here / "b", f":{there}")

    assert result.status == 1
    assert await logged(world) == [(f"{there}/b", 500, True)]


async def test_files_missing_on_the_host_do_not_stop_the_others(world: World, here: Path, there: Path) -> None:
    result = await scp(world, f":{here}/{{gone,b}}", there)

    assert result.status == 1
    assert await logged(world) == [(f"{here}/b", 500, True)]


@pytest.mark.parametrize("upload", [True, False], ids=["up", "down"])
async def test_trees_with_times_and_a_refused_folder(world: World, here: Path, there: Path, upload: bool) -> None:
    (here / "sub" / "二").mkdir(parents=True)
    (here / "sub" / "二" / "deep").write_bytes(b"deep")
    (here / "sub" / "empty").write_bytes(b"")
    (here / "taken").mkdir()
    (here / "taken" / "lost").write_bytes(b"lost")
    (there / "here").mkdir()
    (there / "here" / "taken").write_bytes(b"a file stands where the folder would go")
    paths = (here, f":{there}") if upload else (f":{here}", there)
    result = await scp(world, *paths, options=("-r", "-p"))

    assert result.status == 1
    assert (there / "here" / "sub" / "二" / "deep").read_bytes() == b"deep"
    assert (there / "here" / "a").stat().st_mtime == int((here / "a").stat().st_mtime)
    assert sorted(await logged(world)) == [
        (f"{name} -> {there}" if upload else f"{here.parent}/{name}", size, True)
        for name, size in (
            ("here/a", 500),
            ("here/b", 500),
            ("here/c d", 1500),
            ("here/sub/empty", 0),
            ("here/sub/二/deep", 4),
        )
    ]


async def test_asyncssh_copies_a_tree_both_ways(world: World, here: Path, there: Path) -> None:
    async with connected(world) as connection:
        await asyncssh.scp(str(here), (connection, str(there)), recurse=True, preserve=True)
        await asyncssh.scp((connection, str(there / "here")), str(there / "back"), recurse=True, preserve=True)

    await world.plane.until(lambda: len(world.plane.of(SessionEnded)) == 2)
    assert (there / "back" / "c d").read_bytes() == (here / "c d").read_bytes()
    assert sorted(await logged(world)) == sorted(
        (place, size, True)
        for name, size in (("a", 500), ("b", 500), ("c d", 1500))
        for place in (f"here/{name} -> {there}", f"{there}/here/{name}")
    )


def connected(world: World) -> "asyncssh.misc._ACMWrapper[asyncssh.SSHClientConnection]":
    return asyncssh.connect(
        "127.0.0.1", world.proxy.port, username=world.login, client_keys=[str(world.proxy.key)],
        known_hosts=None, config=None, agent_path=None,
    )  # fmt: skip


@pytest.fixture
async def cheating(world: World) -> AsyncIterator[asyncssh.SSHClientConnection]:
    async with connected(world) as connection:
        yield connection


async def test_user_who_declines_a_file_cannot_hide_the_next(
    world: World, here: Path, cheating: asyncssh.SSHClientConnection
) -> None:
    (here / "shadow").write_bytes(b"root:secret\n")
    writer, reader, _ = await cheating.open_session(f"scp -f {here}/a {here}/shadow", encoding=None)
    writer.write(b"\0")
    assert b" 500 a" in await reader.readuntil(b"\n")
    writer.write(b"\x01no\n")
    assert b" 12 shadow" in await reader.readuntil(b"\n")
    writer.write(b"\0")
    assert await reader.readexactly(13) == b"root:secret\n\0"
    writer.write(b"\0")
    writer.write_eof()

    assert await logged(world) == [(f"{here}/a", 0, False), (f"{here}/shadow", 12, True)]


async def test_name_rejected_by_the_host_does_not_hide_the_next(
    world: World, there: Path, cheating: asyncssh.SSHClientConnection
) -> None:
    writer, reader, _ = await cheating.open_session(f"scp -t {there}", encoding=None)
    assert await reader.readexactly(1) == b"\0"
    writer.write(b"C0644 1000 " + TOO_LONG.encode() + b"\n")
    assert b"too long" in await reader.readuntil(b"\n")
    writer.write(b"C0600 6 authorized_keys\n")
    assert await reader.readexactly(1) == b"\0"
    writer.write(b"EVIL!\n\0")
    assert await reader.readexactly(1) == b"\0"
    writer.write_eof()

    assert await logged(world) == [
        (f"{TOO_LONG} -> {there}", 0, False),
        (f"authorized_keys -> {there}", 6, True),
    ]


async def test_file_whose_path_is_on_the_command_line_is_logged_with_that_path(
    world: World, there: Path, cheating: asyncssh.SSHClientConnection
) -> None:
    """The client may call it anything: the host writes to the path of the command line."""
    writer, reader, _ = await cheating.open_session(f"scp -t {there}/authorized_keys", encoding=None)
    assert await reader.readexactly(1) == b"\0"
    writer.write(b"C0600 6 holiday.jpg\n")
    assert await reader.readexactly(1) == b"\0"
    writer.write(b"EVIL!\n\0")
    assert await reader.readexactly(1) == b"\0"
    writer.write_eof()

    assert await logged(world) == [(f"holiday.jpg -> {there}/authorized_keys", 6, True)]
    assert (there / "authorized_keys").read_bytes() == b"EVIL!\n"


async def test_unasked_content_of_a_refused_file_does_not_reach_the_host(
    world: World, there: Path, cheating: asyncssh.SSHClientConnection
) -> None:
    writer, reader, _ = await cheating.open_session(f"scp -t {there}", encoding=None)
    writer.write(b"C0644 1000 " + TOO_LONG.encode() + b"\nC0600 6 authorized_keys\nEVIL!\n\0")
    writer.write_eof()
    answers = await asyncio.wait_for(reader.read(), 30)
    assert b"File name too long" in answers
    await asyncio.wait_for(writer.channel.wait_closed(), 30)

    ended = await world.plane.event(SessionEnded)
    assert (ended.reason, ended.exit_status) == (EndReason.TARGET_CLOSED, 1)
    assert await logged(world) == [(f"{TOO_LONG} -> {there}", 0, False)]
    assert list(there.iterdir()) == []


async def test_client_that_waits_for_no_answer_and_ends_its_input_immediately_works(
    world: World, there: Path, cheating: asyncssh.SSHClientConnection
) -> None:
    """As hand-made clients do: everything in one write, then the end of the input."""
    writer, _, _ = await cheating.open_session(f"scp -t {there}", encoding=None)
    big = bytes(range(256)) * 4096
    writer.write(b"C0644 6 first\nhello\n\0C0600 %d second\n" % len(big) + big + b"\0")
    writer.write_eof()
    await asyncio.wait_for(writer.channel.wait_closed(), 30)

    assert await logged(world) == [
        (f"first -> {there}", 6, True),
        (f"second -> {there}", len(big), True),
    ]
    assert ((there / "first").read_bytes(), (there / "second").read_bytes()) == (b"hello\n", big)
    assert (await world.plane.event(SessionEnded)).exit_status == 0
