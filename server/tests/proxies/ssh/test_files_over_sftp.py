"""The files of a real sshd as the file manager reaches them: each operation, its log, its rights and its failures."""

import asyncio
import contextlib
import hashlib
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from peers.ssh_proxy import World
from postern.contracts.enums import Actions, EndReason, LoginFrom, TransferDirection
from postern.contracts.events import FileTransferred, RequestRefused, SessionEnded, SessionStarted, TransferBegun
from postern.contracts.files import CHECKED_TAIL_BYTES, FileKind, FileProblem
from postern.contracts.terminals import TerminateSession
from postern.proxies.core.opening.permission import take_up
from postern.proxies.core.opening.reaching import ending, reach
from postern.proxies.core.opening.refused import Refused
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.targets.files import FilesFailed, FilesLink, RemoteEntry, RemoteFiles, Writing
from proxies.holding.filters import control, rule

pytestmark = pytest.mark.timeout(120)


class Opened:
    """A live session with its files, and whether the host has closed them."""

    def __init__(self, world: World, session: LiveSession, files: RemoteFiles) -> None:
        self.world, self.session, self.files = world, session, files

    async def logged(self, path: Path, operation: str) -> FileTransferred:
        """The end of a transfer, whose beginning was reported before."""
        plane = self.world.plane
        event: FileTransferred = await plane.event(FileTransferred, path=str(path), operation=operation)
        assert any(begun.id == event.id for begun in plane.of(TransferBegun))
        return event


async def never(_text: str, _echo: bool) -> str:
    raise AssertionError("nothing is asked")


@asynccontextmanager
async def opened(world: World, gone: Callable[[], None] = lambda: None) -> AsyncIterator[Opened]:
    services = world.proxy.services
    grant = world.plane.grant(world.alice, world.asset, world.system_user, login_from=LoginFrom.WEB_TERMINAL)
    session = take_up(services.registry, grant)
    with ending(session):
        link = await reach(
            services.connectors, session, FilesLink, prompter=never, progress=lambda *_: None  # type: ignore[type-abstract]  # asked for, not made
        )  # fmt: skip
        try:
            files = await link.open_files(session, on_gone=gone)
        except BaseException:
            link.close()
            raise
    try:
        yield Opened(world, session, files)
    finally:
        files.close()
        session.end(EndReason.USER_CLOSED)


async def problem(work: Awaitable[object]) -> FileProblem:
    with pytest.raises(FilesFailed) as failed:
        await work
    return failed.value.problem


async def names(files: RemoteFiles, folder: Path) -> dict[bytes, RemoteEntry]:
    return {entry.name: entry async for piece in files.entries(bytes(folder)) for entry in piece}


async def read(files: RemoteFiles, path: Path, offset: int = 0, size: int | None = None) -> bytes:
    reading = await files.open_reading(bytes(path))
    try:
        whole = reading.attributes.size or 0
        return b"".join([piece async for piece in reading.data(offset, whole if size is None else size)])
    finally:
        await reading.close()


async def write(files: RemoteFiles, part: Path, final: Path, data: bytes) -> str:
    writing = await files.open_writing(bytes(part), stands_for=bytes(final), mode=0o600)
    await writing.write(data)
    await writing.sync()
    assert writing.size == len(data)
    return await writing.close()


async def _without_end(writing: Writing) -> None:
    while True:
        await writing.write(b"x" * 100_000)


async def test_a_session_of_files_is_a_session(world: World) -> None:
    gone = asyncio.Event()
    async with opened(world, gone.set) as place:
        assert place.files.host_key_fingerprint.startswith("SHA256:")
        home = await place.files.start()
        assert home == os.fsencode(world.sshd.directory / "home") or home == os.fsencode(Path.home())
        assert place.files.top == b"/"
        started = await world.plane.event(SessionStarted, session_id=place.session.grant.session_id)
        assert (started.kind, started.recording) == ("sftp", False)
        place.files.close()
        await world.plane.event(SessionEnded, session_id=place.session.grant.session_id, reason=EndReason.USER_CLOSED)
        assert gone.is_set()
        assert await problem(place.files.look(b"/", follow=True)) is FileProblem.SESSION_OVER


async def test_names_are_bytes(world: World, tmp_path: Path) -> None:
    strange = (b"a\nb", "\u202egnp.exe".encode(), b"\xff\xfe", b"x" * 255, "第一".encode("gbk"), b" ", b"-rf", b"'\"\\")
    folder = tmp_path / "names"
    folder.mkdir()
    for name in strange:
        (Path(os.fsdecode(bytes(folder) + b"/" + name))).write_bytes(name)
    async with opened(world) as place:
        assert set(await names(place.files, folder)) == set(strange)
        for name in strange:
            assert await read(place.files, Path(os.fsdecode(bytes(folder) + b"/" + name))) == name


async def test_what_a_folder_states(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "kinds"
    (folder / "sub").mkdir(parents=True)
    (folder / "file").write_bytes(b"12345")
    (folder / "file").chmod(0o640)
    os.utime(folder / "file", (1, 1_500_000_000))
    (folder / "link").symlink_to("file")
    (folder / "broken").symlink_to("nothing")
    os.mkfifo(folder / "pipe")
    async with opened(world) as place:
        found = await names(place.files, folder)
        assert {name: entry.attributes.kind for name, entry in found.items()} == {
            b"sub": FileKind.FOLDER, b"file": FileKind.FILE, b"link": FileKind.LINK, b"broken": FileKind.LINK, b"pipe": FileKind.OTHER,
        }  # fmt: skip
        file = found[b"file"].attributes
        assert (file.size, file.mode, file.modified, file.owner) == (5, 0o640, 1_500_000_000, folder.owner())
        assert (await place.files.look(bytes(folder / "link"), follow=True)).kind is FileKind.FILE
        assert await problem(place.files.look(bytes(folder / "broken"), follow=True)) is FileProblem.NOT_FOUND
        assert await place.files.read_link(bytes(folder / "broken")) == b"nothing"
        assert await place.files.real_path(bytes(folder / "sub" / ".." / "link")) == bytes((folder / "file").resolve())
        assert (await place.files.free(bytes(folder)) or 0) > 0


async def test_a_folder_of_many_names_comes_in_pieces(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(1_500):
        (folder / f"{number}").touch()
    async with opened(world) as place:
        pieces = [piece async for piece in place.files.entries(bytes(folder))]
        assert len(pieces) > 5
        assert {entry.name for piece in pieces for entry in piece} == {str(number).encode() for number in range(1_500)}
        # Somebody who leaves early leaves nothing open: a server of OpenSSH has 256 handles for folders and files.
        for _ in range(300):
            listing = place.files.entries(bytes(folder))
            assert await anext(listing)
            await listing.aclose()
        assert await names(place.files, folder)


async def test_reading_is_logged_with_its_hash(world: World, tmp_path: Path) -> None:
    content = os.urandom(5_000_003)
    file = tmp_path / "big"
    file.write_bytes(content)
    async with opened(world) as place:
        assert await read(place.files, file) == content
        event = await place.logged(file, "download")
        assert (event.direction, event.size, event.success, event.detail) == (
            TransferDirection.DOWNLOAD, len(content), True, "",
        )  # fmt: skip
        assert event.sha256 == hashlib.sha256(content).hexdigest()


async def test_a_part_has_no_hash_and_says_which_part(world: World, tmp_path: Path) -> None:
    content = os.urandom(300_000)
    file = tmp_path / "part"
    file.write_bytes(content)
    async with opened(world) as place:
        assert await read(place.files, file, 100_000, 50_000) == content[100_000:150_000]
        event = await place.logged(file, "download")
        assert (event.size, event.sha256, event.detail) == (50_000, "", "bytes 100000-150000 of 300000")
        assert await read(place.files, file, 299_999, 50) == content[-1:]
        assert await read(place.files, file, 300_000, 50) == b""


async def test_an_empty_file_has_the_hash_of_nothing(world: World, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    async with opened(world) as place:
        assert await read(place.files, tmp_path / "empty") == b""
        assert (await place.logged(tmp_path / "empty", "download")).sha256 == hashlib.sha256(b"").hexdigest()


async def test_a_reader_who_leaves_stops_the_host(world: World, tmp_path: Path) -> None:
    file = tmp_path / "long"
    with file.open("wb") as out:
        out.truncate(200 << 20)
    async with opened(world) as place:
        reading = await place.files.open_reading(bytes(file))
        pieces = reading.data(0, 200 << 20)
        await anext(pieces)
        await pieces.aclose()
        await reading.close()
        event = await place.logged(file, "download")
        assert event.sha256 == ""
        assert event.size < 8 << 20


async def test_a_file_that_shrinks_is_never_whole(world: World, tmp_path: Path) -> None:
    file = tmp_path / "shrinking"
    file.write_bytes(b"x" * 10_000_000)
    async with opened(world) as place:
        reading = await place.files.open_reading(bytes(file))
        pieces = reading.data(0, 10_000_000)
        await anext(pieces)
        os.truncate(file, 100)
        with pytest.raises(FilesFailed) as failed:
            async for _ in pieces:
                pass
        assert failed.value.problem is FileProblem.CHANGED
        await reading.close()
        assert (await place.logged(file, "download")).sha256 == ""


async def test_only_files_are_read(world: World, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    async with opened(world) as place:
        for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero")):
            assert await problem(place.files.open_reading(bytes(path))) is FileProblem.BAD_REQUEST
        assert await problem(place.files.open_reading(bytes(tmp_path / "none"))) is FileProblem.NOT_FOUND
        async with asyncio.timeout(20):  # the pipe has not blocked the server
            await place.files.look(bytes(tmp_path), follow=True)


async def test_writing_is_logged_under_its_last_name(world: World, tmp_path: Path) -> None:
    content = os.urandom(3_000_001)
    part, final = tmp_path / ".new.part", tmp_path / "new"
    async with opened(world) as place:
        digest = await write(place.files, part, final, content)
        assert part.read_bytes() == content
        assert part.stat().st_mode & 0o777 == 0o600
        assert digest == hashlib.sha256(content).hexdigest()
        event = await place.logged(final, "upload")
        assert (event.direction, event.size, event.sha256) == (TransferDirection.UPLOAD, len(content), digest)
        assert await place.files.rename(bytes(part), bytes(final), replace=False)
        assert final.read_bytes() == content
        await place.logged(Path(f"{part} -> {final}"), "rename")


async def test_writing_does_not_overwrite(world: World, tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"kept")
    (tmp_path / "link").symlink_to("elsewhere")
    async with opened(world) as place:
        for name in ("there", "link"):
            path = bytes(tmp_path / name)
            assert await problem(place.files.open_writing(path, stands_for=path, mode=0o600)) is FileProblem.EXISTS
        assert (tmp_path / "there").read_bytes() == b"kept"
        assert not (tmp_path / "elsewhere").exists()


async def test_an_upload_continues_with_the_hash_of_the_whole(world: World, tmp_path: Path) -> None:
    content = os.urandom(2_000_000)
    part, final = tmp_path / ".f.part", tmp_path / "f"
    part.write_bytes(content[:1_234_567])
    world.asset.actions = Actions.CONNECT | Actions.UPLOAD_FILE  # what is read back goes to nobody
    async with opened(world) as place:
        writing = await place.files.open_writing(bytes(part), stands_for=bytes(final), mode=0o600, resume=True)
        assert writing.size == 1_234_567
        assert writing.tail == content[1_234_567 - CHECKED_TAIL_BYTES : 1_234_567]
        await writing.write(content[1_234_567:1_234_600])
        assert writing.tail == content[1_234_600 - CHECKED_TAIL_BYTES : 1_234_600]
        await writing.write(content[1_234_600:])
        assert await writing.close() == hashlib.sha256(content).hexdigest()
        event = await place.logged(final, "upload")
        assert event.sha256 == hashlib.sha256(content).hexdigest()
        assert (event.size, event.detail) == (len(content) - 1_234_567, "continued at byte 1234567")
        assert not [one for one in world.plane.of(FileTransferred) if one.direction is TransferDirection.DOWNLOAD]
        (tmp_path / "link.part").symlink_to(part)
        resumed = place.files.open_writing(bytes(tmp_path / "link.part"), stands_for=b"/x", mode=0o600, resume=True)
        assert await problem(resumed) is FileProblem.BAD_REQUEST


async def test_a_given_up_upload_failed(world: World, tmp_path: Path) -> None:
    async with opened(world) as place:
        writing = await place.files.open_writing(bytes(tmp_path / "p"), stands_for=bytes(tmp_path / "q"), mode=0o600)
        await writing.write(b"half")
        await writing.give_up()
        await writing.give_up()
        event = await place.logged(tmp_path / "q", "upload")
        assert (event.success, event.sha256, event.size) == (False, "", 4)
        assert event.detail == "given up at byte 4"


async def test_changes(world: World, tmp_path: Path) -> None:
    async with opened(world) as place:
        files = place.files
        await files.make_folder(bytes(tmp_path / "folder"))
        assert await problem(files.make_folder(bytes(tmp_path / "folder"))) is FileProblem.EXISTS
        (tmp_path / "folder" / "file").write_bytes(b"1")
        assert await problem(files.remove_folder(bytes(tmp_path / "folder"))) is FileProblem.NOT_EMPTY
        await files.set_mode(bytes(tmp_path / "folder" / "file"), 0o4755)
        await files.set_modified(bytes(tmp_path / "folder" / "file"), 1_000_000_000)
        stated = (tmp_path / "folder" / "file").stat()
        assert (stated.st_mode & 0o7777, stated.st_mtime) == (0o4755, 1_000_000_000)
        found = await files.look(bytes(tmp_path / "folder" / "file"), follow=True)
        assert found.ids == (stated.st_uid, stated.st_gid)
        if os.geteuid() == 0:
            await files.set_owner(bytes(tmp_path / "folder" / "file"), (4711, 4712))
            changed = (tmp_path / "folder" / "file").stat()
            assert (changed.st_uid, changed.st_gid) == (4711, 4712)
        (tmp_path / "other").write_bytes(b"2")
        assert (
            await problem(files.rename(bytes(tmp_path / "other"), bytes(tmp_path / "folder" / "file"), replace=False))
            is FileProblem.EXISTS
        )
        assert await files.rename(bytes(tmp_path / "other"), bytes(tmp_path / "folder" / "file"), replace=True)
        assert (tmp_path / "folder" / "file").read_bytes() == b"2"
        (tmp_path / "link").symlink_to("folder")
        await files.remove(bytes(tmp_path / "link"))
        assert (tmp_path / "folder").is_dir()
        await files.remove(bytes(tmp_path / "folder" / "file"))
        await files.remove_folder(bytes(tmp_path / "folder"))
        assert not (tmp_path / "folder").exists()
        assert await problem(files.remove(bytes(tmp_path / "folder"))) is FileProblem.NOT_FOUND
        assert [one async for one in files.entries(bytes(tmp_path))]
        (tmp_path / "no-folder").touch()
        assert await problem(anext(files.entries(bytes(tmp_path / "no-folder")))) is FileProblem.BAD_REQUEST


@pytest.mark.parametrize(
    ("actions", "may_read", "may_write"),
    [(Actions.DOWNLOAD_FILE, True, False), (Actions.UPLOAD_FILE, False, True)],
)
async def test_each_direction_needs_its_action(
    world: World, tmp_path: Path, actions: Actions, may_read: bool, may_write: bool
) -> None:
    (tmp_path / "file").write_bytes(b"content")
    world.asset.actions = Actions.CONNECT | actions
    async with opened(world) as place:
        files = place.files
        assert b"file" in await names(files, tmp_path)
        if may_read:
            assert await read(files, tmp_path / "file") == b"content"
        else:
            assert await problem(files.open_reading(bytes(tmp_path / "file"))) is FileProblem.NOT_PERMITTED
        if may_write:
            await write(files, tmp_path / "p", tmp_path / "q", b"new")
        else:
            path = bytes(tmp_path / "p")
            for refused in (
                files.open_writing(path, stands_for=path, mode=0o600), files.make_folder(path), files.remove(bytes(tmp_path / "file")),
                files.rename(bytes(tmp_path / "file"), path, replace=True), files.set_mode(bytes(tmp_path / "file"), 0o777),
            ):  # fmt: skip
                assert await problem(refused) is FileProblem.NOT_PERMITTED
            assert not (tmp_path / "p").exists()
            await world.plane.event(RequestRefused, detail=str(tmp_path / "p"))


async def test_without_either_action_there_is_no_session(world: World) -> None:
    world.asset.actions = Actions.CONNECT
    with pytest.raises(Refused):
        async with opened(world):
            pass
    await world.plane.until(lambda: not world.proxy.registry.ids())
    assert not world.plane.of(SessionStarted)


async def test_below_a_root(world: World, tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "sub").mkdir(parents=True)
    outside.mkdir()
    (outside / "secret").write_bytes(b"secret")
    (root / "leak").symlink_to(outside / "secret")
    (root / "near").symlink_to("sub")
    world.system_user.sftp_root = str(root)
    async with opened(world) as place:
        files = place.files
        assert await files.start() == files.top == bytes(root)
        assert set(await names(files, root)) == {b"sub", b"leak", b"near"}
        content = os.urandom(600_000)
        await write(files, root / "near" / ".p", root / "near" / "p", content)
        assert await read(files, root / "sub" / ".p") == content
        for path in (root / "leak", outside / "secret", root / ".." / "outside" / "secret"):
            assert await problem(files.open_reading(bytes(path))) is FileProblem.DENIED
        with pytest.raises(FilesFailed) as failed:
            await names(files, outside)
        assert str(root) in failed.value.message


async def test_a_command_filter_can_refuse_it(world: World) -> None:
    world.asset.command_control = control(rule("sftp-server"))
    with pytest.raises(Refused):
        async with opened(world):
            pass


@pytest.mark.parametrize("sftp", ["", "Subsystem sftp /nonexistent/sftp-server", "Subsystem sftp /bin/echo hello"])
async def test_a_host_without_sftp_is_named(world: World, sftp: str) -> None:
    await world.sshd.stop()
    world.sshd.sftp = sftp
    await world.sshd.start()
    with pytest.raises(Refused) as refused:
        async with opened(world):
            pass
    assert "SFTP" in " ".join(refused.value.sentences)
    assert not world.plane.of(SessionStarted)


async def test_an_ordered_end_ends_everything_at_once(world: World, tmp_path: Path) -> None:
    file = tmp_path / "long"
    with file.open("wb") as out:
        out.truncate(100 << 20)
    gone = asyncio.Event()
    async with opened(world, gone.set) as place:
        reading = await place.files.open_reading(bytes(file))
        pieces = reading.data(0, 100 << 20)
        await anext(pieces)
        order = TerminateSession(
            order_id=uuid4(), session_id=place.session.grant.session_id, by="bob", reason="terminated", message_zh="", message_en="Ended by bob.",
        )  # fmt: skip
        world.proxy.registry.carry_out(order)
        assert gone.is_set()
        with pytest.raises(FilesFailed) as failed:
            async for _ in pieces:
                pass
        assert (failed.value.problem, failed.value.message) == (FileProblem.SESSION_OVER, "Ended by bob.")
        await reading.close()
        event = await world.plane.event(FileTransferred, path=str(file))
        assert (event.success, event.detail, event.sha256) == (False, "not closed", "")


async def test_a_host_that_is_killed_ends_the_session(world: World, tmp_path: Path) -> None:
    async with opened(world) as place:
        writing = await place.files.open_writing(bytes(tmp_path / "p"), stands_for=bytes(tmp_path / "q"), mode=0o600)
        assert world.sshd.pid is not None
        for child in Path(f"/proc/{world.sshd.pid}/task/{world.sshd.pid}/children").read_text().split():
            with contextlib.suppress(ProcessLookupError):  # it has ended with another one
                os.kill(int(child), signal.SIGKILL)
        assert await problem(_without_end(writing)) is FileProblem.SESSION_OVER
        await world.plane.event(SessionEnded, session_id=place.session.grant.session_id)


async def test_a_full_disk_is_called_so(world: World, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs the right to mount")
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = await asyncio.create_subprocess_exec("mount", "-t", "tmpfs", "-o", "size=1m", "none", str(disk))
    if await mounted.wait():
        pytest.skip("cannot mount here")
    try:
        async with opened(world) as place:
            writing = await place.files.open_writing(bytes(disk / "p"), stands_for=bytes(disk / "q"), mode=0o600)
            assert await problem(_without_end(writing)) is FileProblem.NO_ROOM
            await writing.give_up()
            assert not (await place.logged(disk / "q", "upload")).success
    finally:
        await (await asyncio.create_subprocess_exec("umount", "-l", str(disk))).wait()


async def test_many_operations_at_once(world: World, tmp_path: Path) -> None:
    contents = {tmp_path / f"f{number}": os.urandom(400_000 + number) for number in range(8)}
    for path, content in contents.items():
        path.write_bytes(content)
    async with opened(world) as place:
        files = place.files
        writes = [write(files, tmp_path / f"p{n}", tmp_path / f"q{n}", os.urandom(400_000)) for n in range(8)]
        results = await asyncio.gather(*(read(files, path) for path in contents), *writes)
        assert list(results[:8]) == list(contents.values())
        for number in range(8):
            digest = hashlib.sha256((tmp_path / f"p{number}").read_bytes()).hexdigest()
            assert digest in {event.sha256 for event in world.plane.of(FileTransferred)} or await place.logged(
                tmp_path / f"q{number}", "upload"
            )
