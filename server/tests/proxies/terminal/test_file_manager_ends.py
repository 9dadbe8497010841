"""The file manager when something ends: a link, a right, a session, a host, a disk. And what costs no memory."""

import asyncio
import contextlib
import hashlib
import os
import signal
import tarfile
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path
from uuid import uuid4
from zipfile import ZipFile

import aiohttp
import psutil
import pytest

from peers.memory import held_bytes
from peers.small_volume import fill, small_volume
from peers.sshd import Sshd
from postern.contracts.access import ActionsUntil
from postern.contracts.enums import Actions
from postern.contracts.events import SessionEnded
from postern.contracts.files import CHECKED_TAIL_BYTES, SLICE_BYTES
from postern.contracts.terminals import ChangeGrant
from postern.proxies.terminal import browser_session
from postern.proxies.terminal.files import zip_format
from proxies.terminal.file_desk import FileDesk, FilePage, Reply, path_ids

pytestmark = pytest.mark.timeout(180)


def parts(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name.startswith(".postern-")]


class CutBody:
    """The body of a request whose sender stops in the middle, and later leaves or goes on."""

    def __init__(self, data: bytes, rest: bytes = b"") -> None:
        self._data, self._rest = data, rest
        self.size = len(data) + len(rest)
        self.go_on = asyncio.Event()

    async def __call__(self) -> AsyncIterator[bytes]:
        yield self._data
        await self.go_on.wait()
        yield self._rest

    def headers(self) -> dict[str, str]:
        return {"Content-Length": str(self.size)}


async def until_size(path: Path, size: int) -> None:
    """Wait until the host has written so much."""
    while path.stat().st_size < size:  # noqa: ASYNC110 - another process writes it
        await asyncio.sleep(0.01)


async def cut_off(page: FilePage, upload_id: str, part: Path, data: bytes, size: int) -> None:
    """Send the first bytes of a slice of `size` bytes, and leave when the host has them."""
    body = CutBody(data, b"x" * (size - len(data)))
    request = asyncio.create_task(page.slice(upload_id, 0, body(), headers=body.headers()))
    await until_size(part, len(data) - 200_000)
    request.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await request


async def test_upload_that_was_cut_off_continues_in_a_later_session(desk: FileDesk, tmp_path: Path) -> None:
    data = os.urandom(3_000_000)
    target = tmp_path / "up" / "file"
    target.parent.mkdir()
    async with desk.open() as page:
        upload_id = (await page.begin(target, data)).json["id"]
        (part,) = parts(target.parent)
        await cut_off(page, upload_id, part, data[:2_000_000], len(data))
        again = await page.slice(upload_id, 2_900_000, data[2_900_000:])
        assert again.problem == (409, "wrong_offset")
        offset = again.json["offset"]
        assert 0 < offset == part.stat().st_size < len(data)
        page.terminate()
        assert (await page.page.message("ended"))["reason"] == "terminated"
        over = await page.begin(target, data)
        assert over.problem == (410, "session_over")
        assert over.json["detail"] == "Stopped by admin"
        assert (await page.get("place", user=desk.world.plane.add_user("mallory"))).problem == (404, "no_session")
    async with desk.open() as page:
        state = (await page.begin(target, data)).json
        assert (state["id"], state["offset"]) == (upload_id, offset)
        tail = data[max(0, offset - CHECKED_TAIL_BYTES) : offset]
        assert state["tail_sha256"] == hashlib.sha256(tail).hexdigest()
        early = await page.post(f"upload/{upload_id}/finish")
        assert (early.problem, early.json["offset"]) == ((409, "wrong_offset"), offset)
        first, second = await asyncio.gather(
            page.slice(upload_id, offset, data[offset:]), page.slice(upload_id, offset, data[offset:])
        )
        assert sorted((first.status, second.status)) == [200, 409]
        assert {first.json["offset"], second.json["offset"]} == {len(data)}
        ends = await asyncio.gather(*(page.post(f"upload/{upload_id}/finish") for _ in range(2)))
        assert [end.status for end in ends] == [200, 200]
        assert ends[0].body == ends[1].body == (await page.post(f"upload/{upload_id}/finish")).body
        assert ends[0].json["sha256"] == hashlib.sha256(data).hexdigest()
        assert target.read_bytes() == data
        assert parts(target.parent) == []
        assert (await page.slice(upload_id, 0, data)).problem == (404, "not_found")


async def test_upload_begun_afresh_or_cancelled_leaves_nothing(desk: FileDesk, tmp_path: Path) -> None:
    data, folder = os.urandom(500_000), tmp_path / "up"
    folder.mkdir()
    async with desk.open() as page:
        upload_id = (await page.begin(folder / "file", data)).json["id"]
        assert (await page.slice(upload_id, 0, b"\0" * 100_000)).json["offset"] == 100_000
        assert (await page.slice(upload_id, 100_000, data)).problem == (400, "bad_request")
        assert (await page.begin(folder / "file", data)).json["offset"] == 100_000
        assert (await page.begin(folder / "file", data, fresh=True)).json["offset"] == 0
        assert (await page.upload(folder / "file", data)).json["sha256"] == hashlib.sha256(data).hexdigest()
        upload_id = (await page.begin(folder / "other", data)).json["id"]
        assert len(parts(folder)) == 1
        assert (await page.get(f"upload/{upload_id}", method="DELETE")).status == 204
        assert parts(folder) == []
        assert (await page.get(f"upload/{upload_id}", method="DELETE")).problem == (404, "not_found")
        too_long = await page.slice(upload_id, 0, b"x" * (SLICE_BYTES + 1))
        assert too_long.problem[0] in {404, 413}
        assert (await page.post("upload", path=path_ids(folder / "x"), size=-1, modified=1)).problem[0] == 400


async def test_two_sessions_that_upload_one_file_never_mix_it(desk: FileDesk, tmp_path: Path) -> None:
    data, target = os.urandom(2_000_000), tmp_path / "file"
    async with desk.open() as older, desk.open() as newer:
        upload_id = (await older.begin(target, data)).json["id"]
        assert (await older.slice(upload_id, 0, data[:600_000])).status == 200
        state = (await newer.begin(target, data)).json
        assert (state["id"], state["offset"]) == (upload_id, 600_000)
        assert (await older.slice(upload_id, 600_000, data[600_000:])).problem == (404, "not_found")
        assert (await older.post(f"upload/{upload_id}/finish")).problem == (404, "not_found")
        assert (await newer.upload(target, data)).json["sha256"] == hashlib.sha256(data).hexdigest()
    assert target.read_bytes() == data


async def test_slice_that_does_not_end_gives_way_to_a_later_session(desk: FileDesk, tmp_path: Path) -> None:
    data = os.urandom(2000)
    async with desk.open() as first, desk.open() as second:
        upload_id = (await first.begin(tmp_path / "file", data)).json["id"]
        (part,) = parts(tmp_path)
        body = CutBody(data[:500], data[500:])
        standing = asyncio.create_task(first.slice(upload_id, 0, body(), headers=body.headers()))
        await until_size(part, 500)
        first.lock(1, is_locked=True)
        assert (await second.begin(tmp_path / "file", data)).problem == (423, "locked")
        first.lock(2, is_locked=False)
        assert (await second.begin(tmp_path / "file", data)).json["offset"] == 500
        assert (await standing).problem == (404, "not_found")
        assert (await second.upload(tmp_path / "file", data)).status == 200
    assert (tmp_path / "file").read_bytes() == data


async def test_file_that_came_meanwhile_is_replaced_only_when_the_page_says_so(desk: FileDesk, tmp_path: Path) -> None:
    target = tmp_path / "file"
    async with desk.open() as page:
        upload_id = (await page.begin(target, b"new")).json["id"]
        assert (await page.slice(upload_id, 0, b"new")).status == 200
        target.write_bytes(b"theirs")
        assert (await page.post(f"upload/{upload_id}/finish")).problem == (409, "exists")
        assert target.read_bytes() == b"theirs"
        assert (await page.post(f"upload/{upload_id}/finish", replace=True)).status == 200
    assert target.read_bytes() == b"new"


class Download:
    """A download of a large sparse file that a browser has begun and does not go on reading."""

    def __init__(self, page: FilePage, path: Path) -> None:
        self._request = page.ask("GET", page.url("content", path))

    async def __aenter__(self) -> aiohttp.ClientResponse:
        answer: aiohttp.ClientResponse = await self._request.__aenter__()
        assert answer.status == 200
        assert await answer.content.readexactly(100_000) == bytes(100_000)
        return answer

    async def __aexit__(self, *failure: object) -> None:
        await self._request.__aexit__(*failure)


def sparse(path: Path, size: int) -> Path:
    with path.open("wb") as file:
        file.truncate(size)
    return path


async def breaks(answer: aiohttp.ClientResponse) -> None:
    """The answer ends before its end, and says so."""
    with pytest.raises(aiohttp.ClientError):
        async for _ in answer.content.iter_any():
            pass


async def test_end_of_the_session_breaks_what_runs(desk: FileDesk, tmp_path: Path) -> None:
    large = sparse(tmp_path / "large", 300_000_000)
    async with desk.open() as page:
        upload_id = (await page.begin(tmp_path / "up", b"x" * 1000)).json["id"]
        body = CutBody(b"x" * 500, b"x" * 500)
        upload = asyncio.create_task(page.slice(upload_id, 0, body(), headers=body.headers()))
        async with Download(page, large) as answer, page.ask("GET", page.url("archive", large)) as archive:
            await archive.content.readexactly(100_000)
            await until_size(parts(tmp_path)[0], 500)
            page.terminate()
            await breaks(answer)
            await breaks(archive)
            assert (await upload).problem == (410, "session_over")  # though the rest of the slice never came
            body.go_on.set()
        assert (await page.get("list")).problem == (410, "session_over")


@pytest.mark.parametrize("kill", ["connection", "whole host"])
async def test_host_that_dies_breaks_what_runs(desk: FileDesk, tmp_path: Path, kill: str) -> None:
    large = sparse(tmp_path / "large", 300_000_000)
    async with desk.open() as page:
        async with Download(page, large) as answer:
            server = psutil.Process(desk.world.sshd.pid)
            for process in server.children(recursive=True):
                with contextlib.suppress(psutil.NoSuchProcess):  # it has ended with its parent
                    process.send_signal(signal.SIGKILL)
            if kill == "whole host":
                server.send_signal(signal.SIGKILL)
            await breaks(answer)
        assert (await page.page.message("ended"))["reason"] == "target_closed"
        assert (await page.get("list")).problem == (410, "session_over")


def without(page: FilePage, version: int, actions: Actions) -> None:
    """Leave the session only these actions."""
    page.desk.registry.carry_out(
        ChangeGrant(
            order_id=uuid4(), session_id=page.session_id, version=version,
            ends=(ActionsUntil(actions=actions, until=None),),
        )
    )  # fmt: skip


async def test_right_that_is_withdrawn_ends_transfers_of_its_direction(desk: FileDesk, tmp_path: Path) -> None:
    large = sparse(tmp_path / "large", 300_000_000)
    async with desk.open() as page:
        upload_id = (await page.begin(tmp_path / "up", b"x" * 1000)).json["id"]
        body = CutBody(b"x" * 500, b"x" * 500)
        upload = asyncio.create_task(page.slice(upload_id, 0, body(), headers=body.headers()))
        async with Download(page, large) as answer:
            without(page, 1, Actions.CONNECT | Actions.UPLOAD_FILE)
            notice = await page.page.message("notice")
            assert notice["actions"] == Actions.CONNECT | Actions.UPLOAD_FILE
            await breaks(answer)
        assert (await page.get("content", large)).problem == (403, "not_permitted")
        without(page, 2, Actions.CONNECT | Actions.DOWNLOAD_FILE)
        body.go_on.set()
        assert (await upload).problem == (403, "not_permitted")
        assert (await page.get("content", large, headers={"Range": "bytes=0-9"})).status == 206


async def test_locked_session_stands_still_and_goes_on(desk: FileDesk, tmp_path: Path) -> None:
    large = sparse(tmp_path / "large", 100_000_000)
    async with desk.open() as page:
        upload_id = (await page.begin(tmp_path / "up", b"x" * 1000)).json["id"]
        body = CutBody(b"x" * 500, b"x" * 500)
        upload = asyncio.create_task(page.slice(upload_id, 0, body(), headers=body.headers()))
        (part,) = parts(tmp_path)
        await until_size(part, 500)
        async with Download(page, large) as answer:
            page.lock(1, is_locked=True)
            assert (await page.page.message("notice"))["code"] == "lock"
            assert (await page.get("place")).problem == (423, "locked")
            body.go_on.set()
            read = asyncio.create_task(answer.read())
            done, _ = await asyncio.wait({read, upload}, timeout=0.5)
            assert not done
            assert part.stat().st_size == 500
            page.lock(2, is_locked=False)
            assert len(await read) == 100_000_000 - 100_000
        assert (await upload).json["offset"] == 1000


async def test_file_that_shrinks_never_looks_whole(desk: FileDesk, tmp_path: Path) -> None:
    large = sparse(tmp_path / "large", 100_000_000)
    async with desk.open() as page:
        async with Download(page, large) as answer:
            os.truncate(large, 1_000_000)
            await breaks(answer)
        folder = tmp_path / "folder"
        folder.mkdir()
        for kind in ("tar", "zip"):
            sparse(folder / "large", 100_000_000)
            async with page.ask("GET", page.url("archive", folder, format=kind)) as archive:
                await archive.content.readexactly(100_000)
                os.truncate(folder / "large", 1_000_000)
                if kind == "tar":
                    await breaks(archive)
                else:
                    assert b"became shorter" in (await archive.read())[-4000:]


async def test_full_disk_is_named_and_the_upload_continues(desk: FileDesk, tmp_path: Path) -> None:
    data = os.urandom(3_000_000)
    with small_volume(tmp_path / "volume", megabytes=4) as volume:
        async with desk.open() as page:
            much = await page.post("upload", path=path_ids(volume / "much"), size=10**9, modified=1)
            assert much.problem == (507, "no_room")
            assert "1,000,000,000" in much.json["detail"]
            upload_id = (await page.begin(volume / "file", data)).json["id"]
            assert (await page.slice(upload_id, 0, data[:1_000_000])).status == 200
            filler = fill(volume)
            full = await page.slice(upload_id, 1_000_000, data[1_000_000:])
            assert full.problem == (507, "no_room")
            filler.unlink()
            ended = await page.upload(volume / "file", data)
            assert ended.json["sha256"] == hashlib.sha256(data).hexdigest()
            assert parts(volume) == []


async def test_host_without_sftp_is_explained(desk: FileDesk, tmp_path: Path) -> None:
    bare = Sshd(tmp_path / "bare")
    bare.sftp = ""
    async with bare:
        desk.world.asset.port = bare.port
        desk.world.system_user.private_key = bare.client_key.read_text()
        async with desk.page() as page:
            await page.say(type="open_files", token=desk.token())
            ended = await page.message("ended")
            assert "SFTP" in ended["message"]
            assert not [message for message in page.messages if message["type"] == "files_opened"]


async def test_session_lives_as_long_as_its_page(
    desk: FileDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"x")
    async with desk.open() as page:
        await page.page.socket.close()
        assert (await page.get("content", tmp_path / "file")).body == b"x"
        async with desk.page() as other:
            resume = {"type": "resume", "session_id": str(page.session_id), "received": 0, "columns": 0, "rows": 0}
            await other.say(**resume, resume_secret="guessed")
            assert (await other.message("ended"))["reason"] == "session_unknown"
        page.lock(1, is_locked=True)
        async with desk.page() as second:
            await second.say(**resume, resume_secret=page.opened["resume_secret"])
            resumed = await second.message("resumed")
            assert (await second.message("notice"))["code"] == "lock"
            page.lock(2, is_locked=False)
            assert (await page.get("content", tmp_path / "file")).body == b"x"
            monkeypatch.setattr(browser_session, "RESUME_GRACE_S", 0.2)
        await desk.world.plane.event(SessionEnded, session_id=page.session_id)
        assert (await page.get("place")).problem == (410, "session_over")
        async with desk.page() as late:
            await late.say(**resume, resume_secret=resumed["resume_secret"])
            assert (await late.message("ended"))["reason"] == "session_unknown"
    monkeypatch.undo()
    async with desk.open() as page:
        await page.page.socket.close()
        page.terminate()
        async with desk.page() as back:
            resume["session_id"] = str(page.session_id)
            await back.say(**resume, resume_secret=page.opened["resume_secret"])
            assert (await back.message("ended"))["reason"] == "terminated"
    async with desk.open() as page:
        await page.page.say(type="close")
        assert (await page.page.message("ended"))["reason"] == "user_closed"


async def test_operations_at_once_are_limited(desk: FileDesk, tmp_path: Path) -> None:
    large = sparse(tmp_path / "large", 100_000_000)
    async with desk.open() as page, contextlib.AsyncExitStack() as stack:
        for _ in range(8):
            await stack.enter_async_context(Download(page, large))
        assert (await page.get("content", large)).problem == (429, "too_many")
        assert (await page.get("place")).status == 200


async def test_browser_that_does_not_read_stops_the_host(desk: FileDesk, tmp_path: Path) -> None:
    size = 2_000_000_000
    large = sparse(tmp_path / "large", size)
    async with desk.open() as page:
        async with Download(page, large) as answer:
            session = desk.registry.get(page.session_id)
            assert session is not None
            before, last = held_bytes(os.getpid()), -1
            while session.bytes_out != last:  # until nothing more comes from the host
                last = session.bytes_out
                await asyncio.sleep(0.3)
            assert last < 20_000_000
            assert held_bytes(os.getpid()) - before < 20_000_000
            answer.close()
        got: Reply = await page.get("content", large, headers={"Range": "bytes=1000000000-1300000000"})
        assert len(got.body) == 300_000_001


async def test_folder_of_many_names_is_sent_in_pieces(desk: FileDesk, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(20_000):
        (folder / f"a file with a name {number}").touch()
    async with desk.open() as page, page.ask("GET", page.url("list", folder)) as answer:
        await answer.content.readline()
        before = held_bytes(os.getpid())
        count, last = 0, b""
        async for line in answer.content:
            count, last = count + 1, line
        assert (count, last) == (20_001, b'{"count":20000,"problem":null}\n')
        assert held_bytes(os.getpid()) - before < 20_000_000


async def test_large_upload_needs_no_memory(desk: FileDesk, tmp_path: Path) -> None:
    size = 200_000_000
    block = os.urandom(SLICE_BYTES)
    async with desk.open() as page:
        state = await page.post("upload", path=path_ids(tmp_path / "large"), size=size, modified=1)
        upload_id, offset = state.json["id"], 0
        before, digest = held_bytes(os.getpid()), hashlib.sha256()
        while offset < size:
            piece = block[: size - offset]
            digest.update(piece)
            offset = (await page.slice(upload_id, offset, BytesIO(piece))).json["offset"]
        assert held_bytes(os.getpid()) - before < 40_000_000
        ended = await page.post(f"upload/{upload_id}/finish")
        assert ended.json["sha256"] == digest.hexdigest()


async def test_zip_archive_of_many_files_says_when_it_is_full(
    desk: FileDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zip_format, "MAX_DIRECTORY_BYTES", 1000)
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(50):
        (folder / str(number)).touch()
    async with desk.open() as page:
        with ZipFile(BytesIO((await page.get("archive", folder)).body)) as made:
            *names, last = made.namelist()
            assert last == "MISSING.txt"
            assert 5 < len(names) < 25
            assert b"many: the zip archive takes no more entries" in made.read(last)
        with tarfile.open(fileobj=BytesIO((await page.get("archive", folder, query={"format": "tar"})).body)) as whole:
            assert len(whole.getnames()) == 51
