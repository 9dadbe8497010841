"""The SFTP root of a system user with real clients and a real host: what is below it works, nothing outside is reached."""

import asyncio
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import asyncssh
import paramiko
import pytest

from peers.ssh_proxy import Ran, World, run
from postern.contracts.enums import Actions
from postern.contracts.events import CommandSeen, FileTransferred, RequestRefused, SessionEnded
from postern.proxies.ssh import sftp_packets
from postern.proxies.ssh.sftp_packets import Packet
from proxies.ssh.sftp_bytes import packet

SECRET = b"not for everybody\n"


@dataclass
class Place:
    """A root on the host, a folder beside it, and links from the one to the other."""

    world: World
    root: Path
    outside: Path
    local: Path

    @property
    def secret(self) -> Path:
        return self.outside / "secret"

    def untouched(self) -> bool:
        names = sorted(entry.name for entry in self.outside.iterdir())
        return names == ["secret"] and self.secret.read_bytes() == SECRET and self.secret.stat().st_nlink == 1


@pytest.fixture
async def place(world: World, tmp_path: Path) -> AsyncIterator[Place]:
    found = Place(world, tmp_path / "root", tmp_path / "outside", tmp_path / "local")
    for folder in (found.root / "sub", found.outside, found.local):
        folder.mkdir(parents=True)
    found.secret.write_bytes(SECRET)
    (found.root / "file").write_bytes(b"inside\n")
    (found.root / "out").symlink_to(found.outside)
    (found.root / "leak").symlink_to(found.secret)
    (found.root / "sub" / "up").symlink_to("../../outside")
    (found.root / "near").symlink_to("sub")
    (found.local / "new").write_bytes(b"new\n")
    world.system_user.sftp_root = str(found.root)
    yield found
    assert found.untouched()


async def sftp(world: World, *commands: str) -> Ran:
    return await run(world.proxy.sftp(world.login, options=("-b", "-")), stdin="\n".join(commands).encode())


async def client_of(world: World) -> asyncssh.SSHClientConnection:
    return await asyncssh.connect(
        "127.0.0.1", world.proxy.port, username=world.login, client_keys=[str(world.proxy.key)],
        known_hosts=None, config=None, agent_path=None,
    )  # fmt: skip


@pytest.mark.spec("S3-038")
async def test_openssh_starts_in_the_root_and_works_below_it_with_real_names(place: Place) -> None:
    result = await sftp(
        place.world, "pwd", f"put {place.local}/new", f"get file {place.local}/back", "mkdir d", f"put {place.local}/new d/x",
        "rename d/x d/y", "ln -s y d/l", "chmod 600 d/y", f"get near/../sub/../d/l {place.local}/l", "cd near", "pwd",
        f"ls {place.root}/d", "rm ../d/l", f"rm {place.root}/d/y", "rmdir ../d", "df",
    )  # fmt: skip

    assert result.status == 0, result
    assert f"Remote working directory: {place.root}\n".encode() in result.out
    assert f"Remote working directory: {place.root}/sub\n".encode() in result.out
    assert (place.root / "new").read_bytes() == b"new\n"
    assert (place.local / "back").read_bytes() == b"inside\n"
    assert (place.local / "l").read_bytes() == b"new\n"
    await place.world.plane.event(SessionEnded)
    assert not place.world.plane.of(RequestRefused)
    assert ("rename", f"{place.root}/d/x -> {place.root}/d/y") in [
        (event.operation, event.path) for event in place.world.plane.of(FileTransferred)
    ]


OUTSIDE = (
    "get {secret} {local}/got", "get out/secret {local}/got", "get leak {local}/got", "get sub/up/secret {local}/got",
    "get ../outside/secret {local}/got", "put {local}/new {outside}/new", "put {local}/new out/new", "put {local}/new leak",
    "rm {secret}", "rm out/secret", "rename {secret} taken", "rename file {outside}/file", "rename file out/file",
    "ln -s {secret} l", "ln -s ../outside l", "ln -s sub/../../outside l", "ln {secret} hard", "ln file {outside}/hard",
    "mkdir {outside}/d", "mkdir sub/up/d", "rmdir {outside}", "chmod 777 {secret}", "chmod 777 leak", "cd {outside}", "cd ..",
    "ls {outside}", "ls out/", "df {outside}", "rename out moved", "ln leak l2", "rmdir {root}", "rename {root} {root}2",
)  # fmt: skip


async def test_openssh_reaches_nothing_outside(place: Place) -> None:
    before = sorted(place.root.iterdir())
    names = {"secret": place.secret, "outside": place.outside, "local": place.local, "root": place.root}
    result = await sftp(place.world, *(f"-{command.format(**names)}" for command in OUTSIDE), "ls file")

    assert result.status == 0, result
    assert result.err.count(b"is limited to") >= 1
    assert not (place.local / "got").exists() or (place.local / "got").read_bytes() == b""
    assert sorted(place.root.iterdir()) == before
    await place.world.plane.event(SessionEnded)
    refused = place.world.plane.of(RequestRefused)
    assert len(refused) >= len(OUTSIDE)
    assert all(event.detail.endswith(f": outside the SFTP root {place.root}") for event in refused)


async def test_home_and_tmp_are_where_the_host_says(place: Place) -> None:
    world = place.world
    world.system_user.sftp_root = "home"
    there = await sftp(world, "pwd", "-ls /etc", f"-get {place.secret} {place.local}/got")
    start = os.path.realpath(await _start_of(world))
    assert there.status == 0, there
    assert f"Remote working directory: {start}\n".encode() in there.out
    assert f"limited to {start}, the SFTP root".encode() in there.err
    world.system_user.sftp_root = "tmp"
    there = await sftp(world, "pwd", "-ls /etc", f"get {place.root}/file {place.local}/got")
    assert b"Remote working directory: /tmp\n" in there.out
    is_below = place.root.is_relative_to("/tmp")  # noqa: S108 - the root
    assert (place.local / "got").exists() is is_below


async def _start_of(world: World) -> str:
    """Where the host's own SFTP starts."""
    root, world.system_user.sftp_root = world.system_user.sftp_root, "/"
    async with await client_of(world) as connection, connection.start_sftp_client() as files:
        start = await files.realpath(".")
    world.system_user.sftp_root = root
    return str(start)


async def test_missing_root_refuses_everything_and_says_why(place: Place) -> None:
    place.world.system_user.sftp_root = f"{place.root}/gone"
    result = await sftp(place.world, f"ls {place.root}")
    assert result.status != 0
    refused = await place.world.plane.event(RequestRefused)
    assert f"{place.root}/gone" in refused.detail


@pytest.mark.parametrize("options", [(), ("-O",)], ids=["sftp", "legacy"])
async def test_scp_in_both_modes(place: Place, options: tuple[str, ...]) -> None:
    proxy, world, local = place.world.proxy, place.world, place.local
    up = await run(proxy.scp(world.login, f"{local}/new", ":", options=options))
    down = await run(proxy.scp(world.login, f":{place.root}/file", f"{local}/a", options=options))
    relative = await run(proxy.scp(world.login, ":sub/../file", f"{local}/b", options=options))
    tree = await run(proxy.scp(world.login, "-r", str(local), ":sub", options=options))
    assert (up.status, down.status, tree.status) == (0, 0, 0), (up, down, tree)
    assert (place.root / "new").read_bytes() == b"new\n"
    assert (local / "a").read_bytes() == b"inside\n"
    assert (place.root / "sub" / "local" / "new").read_bytes() == b"new\n"
    assert (relative.status == 0) is (not options)
    for source in (f":{place.secret}", ":../outside/secret"):
        out = await run(proxy.scp(world.login, source, f"{local}/got", options=options))
        assert out.status != 0
        assert b"limited to" in out.err
        assert not (local / "got").exists()
    refused = await run(proxy.scp(world.login, f"{local}/new", f":{place.outside}/new", options=options))
    assert refused.status != 0


async def test_rsync_below_the_root(place: Place) -> None:
    proxy, world, local = place.world.proxy, place.world, place.local
    shell = " ".join(["ssh", *proxy.options(), "-p", str(proxy.port), "-l", world.login])

    async def rsync(*words: str) -> Ran:
        return await run(["rsync", "-e", shell, *words])

    for words in (
        ("-a", f"{local}/", "127.0.0.1:sub/tree"), ("-a", f"127.0.0.1:{place.root}/sub/tree/", f"{local}/back/"),
        (f"{local}/new", "127.0.0.1:"), ("-a", "127.0.0.1:file", f"{local}/relative"),
    ):  # fmt: skip
        result = await rsync(*words)
        assert result.status == 0, result
    assert (place.root / "sub/tree/new").read_bytes() == (local / "back/new").read_bytes() == b"new\n"
    assert (place.root / "new").exists()
    assert (local / "relative").read_bytes() == b"inside\n"
    for words in (
        (f"127.0.0.1:{place.secret}", f"{local}/got"), (f"{local}/new", f"127.0.0.1:{place.outside}/"),
        ("127.0.0.1:../outside/secret", f"{local}/got"), ("-A", f"{local}/new", "127.0.0.1:sub/"),
        ("-a", f"--temp-dir={place.outside}", f"{local}/new", "127.0.0.1:sub/"),
        ("-a", "--link-dest=../../outside", f"{local}/new", "127.0.0.1:sub/"),
    ):  # fmt: skip
        result = await rsync(*words)
        assert result.status != 0, words
        assert b"limited to" in result.err, result
    assert not (local / "got").exists()


async def test_sftp_server_as_a_command_cannot_start_elsewhere(place: Place) -> None:
    place.world.system_user.sftp_root = "home"
    options = ("-s", f"/usr/lib/openssh/sftp-server -d {place.outside}", "-b", "-")
    result = await run(place.world.proxy.sftp(place.world.login, options=options), stdin=b"ls\n")
    assert result.status != 0
    assert b"limited to" in result.err


async def test_shell_is_not_confined_and_the_command_that_runs_is_the_one_recorded(place: Place) -> None:
    world = place.world
    result = await run(world.proxy.ssh(world.login, f"cat {place.secret}"))
    assert result.out == SECRET
    await run(world.proxy.scp(world.login, f"{place.local}/new", ":sub/there", options=("-O",)))
    await world.plane.event(CommandSeen, input=f"scp -t {place.root}/sub/there")


async def test_rights_still_hold_below_the_root(place: Place) -> None:
    place.world.asset.actions = Actions.CONNECT | Actions.DOWNLOAD_FILE
    result = await sftp(place.world, f"-put {place.local}/new", f"get file {place.local}/back")
    assert result.status == 0
    assert not (place.root / "new").exists()
    await place.world.plane.event(RequestRefused, request="sftp upload", detail=f"{place.root}/new")


async def test_paramiko_below_the_root(place: Place) -> None:
    world = place.world

    def play() -> None:
        with paramiko.SSHClient() as client:
            client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
            client.connect(
                "127.0.0.1", world.proxy.port, world.login, key_filename=str(world.proxy.key),
                allow_agent=False, look_for_keys=False,
            )  # fmt: skip
            files = client.open_sftp()
            assert files.normalize(".") == str(place.root)
            files.put(str(place.local / "new"), "sub/p")
            files.chdir("sub")
            assert files.listdir() == ["p", "up"] or sorted(files.listdir()) == ["p", "up"]
            files.posix_rename("p", "q")
            assert files.stat("q").st_size == 4
            for attempt in (
                lambda: files.open(str(place.secret)),
                lambda: files.open("up/secret"),
                lambda: files.stat("../leak"),
                lambda: files.symlink("/etc/passwd", "l"),
                lambda: files.posix_rename("q", f"{place.outside}/q"),
                lambda: files.truncate("../leak", 0),
            ):
                with pytest.raises(PermissionError, match="limited to"):
                    attempt()

    await asyncio.to_thread(play)


async def test_curl_below_the_root(place: Place) -> None:
    proxy, world = place.world.proxy, place.world
    base = f"sftp://127.0.0.1:{proxy.port}"
    options = ["curl", "-sS", "-k", "-u", f"{world.login}:", "--key", str(proxy.key), "--pubkey", f"{proxy.key}.pub"]
    down = await run([*options, f"{base}{place.root}/file"])
    up = await run([*options, "-T", str(place.local / "new"), f"{base}{place.root}/sub/c"])
    relative = await run([*options, f"{base}/~/file"])
    out = await run([*options, f"{base}{place.secret}"])
    assert (down.status, up.status, relative.status) == (0, 0, 0), (down, up, relative)
    assert down.out == relative.out == b"inside\n"
    assert (place.root / "sub/c").read_bytes() == b"new\n"
    assert out.status != 0
    assert SECRET not in out.out


async def test_asyncssh_with_many_requests_at_once(place: Place) -> None:
    async with await client_of(place.world) as connection, connection.start_sftp_client() as files:
        assert await files.realpath(".") == str(place.root)

        async def play(number: int) -> None:
            name = f"sub/{number}"
            async with files.open(name, "wb") as file:
                await file.write(name * 1000)
            with pytest.raises(asyncssh.SFTPPermissionDenied, match="limited to"):
                await files.stat("out/secret")
            await files.posix_rename(name, f"{name}.done")
            async with files.open(f"near/{number}.done", "rb") as file:
                assert await file.read() == (name * 1000).encode()

        await asyncio.gather(*(play(number) for number in range(40)))
        with pytest.raises(asyncssh.SFTPPermissionDenied):
            await files.rename("out", "moved")


class RawClient:
    """Writes packets as they are, many at once, as WinSCP does."""

    def __init__(self, process: "asyncssh.SSHClientProcess[bytes]") -> None:
        self._process = process

    def send(self, *packets: bytes) -> None:
        self._process.stdin.write(b"".join(packets))

    async def answers(self, count: int) -> dict[int, Packet]:
        found = {}
        for _ in range(count):
            size = int.from_bytes(await self._process.stdout.readexactly(4), "big")
            raw = await self._process.stdout.readexactly(size)
            answer = Packet(raw[0], raw[1:], size + 4)
            found[answer.request_id] = answer
        return found


async def test_raw_requests_in_the_manner_of_winscp(place: Place) -> None:
    root = str(place.root).encode()
    async with await client_of(place.world) as connection:
        process = await connection.create_process(subsystem="sftp", encoding=None)
        client = RawClient(process)
        client.send((5).to_bytes(4, "big") + bytes([sftp_packets.INIT]) + (6).to_bytes(4, "big"))
        version = await client.answers(1)
        assert list(version) == [3]
        part = root + b"/up.bin.filepart"
        client.send(
            packet(sftp_packets.REALPATH, 1, b"."), packet(sftp_packets.OPENDIR, 2, root), packet(sftp_packets.LSTAT, 3, b"/"),
            packet(sftp_packets.OPENDIR, 4, b".."), packet(sftp_packets.LSTAT, 5, root + b"/up.bin"),
            packet(sftp_packets.OPEN, 6, part, 26, 0), packet(sftp_packets.EXTENDED, 7, b"copy-data", b"", b""),
        )  # fmt: skip
        first = await client.answers(7)
        assert first[1].string(8)[0] == root
        assert [first[number].type for number in (2, 6)] == [sftp_packets.HANDLE] * 2
        assert [first[number].number(4) for number in (3, 4, 5, 7)] == [3, 3, 2, 8]
        folder, file = first[2].string(4)[0], first[6].string(4)[0]
        client.send(
            packet(sftp_packets.READDIR, 10, folder), packet(sftp_packets.READDIR, 11, folder),
            packet(sftp_packets.CLOSE, 12, folder),
            *(packet(sftp_packets.WRITE, 20 + n, file, 0, n * 4, b"data") for n in range(8)),
            packet(sftp_packets.CLOSE, 30, file), packet(sftp_packets.SETSTAT, 31, part, 8, 1, 1),
            packet(sftp_packets.RENAME, 32, part, root + b"/up.bin"), packet(sftp_packets.STAT, 33, b"up.bin"),
            packet(sftp_packets.RENAME, 34, b"up.bin", b"out/up.bin"), packet(sftp_packets.OPEN, 35, b"leak", 26, 0),
        )  # fmt: skip
        second = await client.answers(17)
        assert second[33].type == sftp_packets.ATTRS
        assert [second[number].number(4) for number in (12, 27, 30, 31, 32, 34, 35)] == [0, 0, 0, 0, 0, 3, 3]
    assert (place.root / "up.bin").read_bytes() == b"data" * 8
