"""What the log says about the file manager: what arrived, what did not, and what was only looked at."""

import logging
import os
from pathlib import Path

import pytest

from postern.contracts.enums import Actions, TransferDirection
from postern.contracts.events import FileTransferred, RequestRefused
from postern.contracts.files import MAX_TEXT_BYTES
from proxies.terminal.file_desk import FileDesk, path_ids
from proxies.terminal.test_file_manager_ends import cut_off, parts

pytestmark = pytest.mark.timeout(180)

UPLOAD, DOWNLOAD = TransferDirection.UPLOAD, TransferDirection.DOWNLOAD


async def outcome(desk: FileDesk, path: Path, direction: TransferDirection) -> tuple[bool, int, str]:
    event = await desk.world.plane.event(FileTransferred, path=str(path), direction=direction)
    return event.success, event.size, event.detail


async def test_links_that_lead_out_of_the_root_are_listed_without_a_refusal(desk: FileDesk, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "in").mkdir()
    (root / "inner").symlink_to("in")
    (root / "outer").symlink_to("/etc")
    async with desk.open(sftp_root=str(root)) as page:
        _place, *entries, end = (await page.get("list")).lines
        assert {entry["name"]["text"]: entry["leads_to"] for entry in entries} == {
            "in": None, "inner": "folder", "outer": None,
        }  # fmt: skip
        assert end["problem"] is None
        (root / "file").write_bytes(b"last")
        assert (await page.get("content", root / "file")).status == 200
        await outcome(desk, root / "file", DOWNLOAD)  # events arrive in their order
        assert not desk.world.plane.of(RequestRefused)
        assert not [message for message in page.page.messages if message["type"] == "notice"]
        assert (await page.get("list", root / "outer")).problem == (403, "denied")
        assert await desk.world.plane.event(RequestRefused)  # an attempt of the user


async def test_upload_that_did_not_arrive_is_no_success(desk: FileDesk, tmp_path: Path) -> None:
    data = os.urandom(1_000_000)
    cancelled, occupied = tmp_path / "cancelled", tmp_path / "occupied"
    async with desk.open() as page:
        upload_id = (await page.begin(cancelled, data)).json["id"]
        await page.slice(upload_id, 0, data[:400_000])
        assert (await page.get(f"upload/{upload_id}", method="DELETE")).status == 204
        assert await outcome(desk, cancelled, UPLOAD) == (False, 400_000, "given up at byte 400000")

        upload_id = (await page.begin(occupied, data)).json["id"]
        await page.slice(upload_id, 0, data)
        occupied.write_bytes(b"of somebody else")
        assert (await page.post(f"upload/{upload_id}/finish")).problem == (409, "exists")
        assert (await page.get(f"upload/{upload_id}", method="DELETE")).status == 204
        assert await outcome(desk, occupied, UPLOAD) == (False, 1_000_000, "given up at byte 1000000")
    assert not parts(tmp_path)


async def test_download_that_the_browser_breaks_off_is_no_success(
    desk: FileDesk, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    large, small = tmp_path / "large", tmp_path / "small"
    large.touch()
    os.truncate(large, 300_000_000)
    small.write_bytes(b"0123456789")
    async with desk.open() as page:
        async with page.ask("GET", page.url("content", large)) as answer:
            await answer.content.readexactly(100_000)
        success, size, detail = await outcome(desk, large, DOWNLOAD)
        assert not success
        assert 100_000 <= size < 300_000_000
        assert detail.startswith("bytes 0-")
        # The user who leaves is no error of the proxy.
        assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
        assert (await page.get("content", small, headers={"Range": "bytes=2-4"})).body == b"234"
        assert await outcome(desk, small, DOWNLOAD) == (True, 3, "bytes 2-5 of 10")


async def test_upload_that_the_browser_breaks_off_is_no_error(
    desk: FileDesk, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    data = os.urandom(3_000_000)
    async with desk.open() as page:
        upload_id = (await page.begin(tmp_path / "up", data)).json["id"]
        (part,) = parts(tmp_path)
        await cut_off(page, upload_id, part, data[:2_000_000], len(data))
        assert (await page.slice(upload_id, 2_900_000, data[2_900_000:])).problem == (409, "wrong_offset")
        assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_file_that_is_too_large_to_be_shown_is_not_opened(desk: FileDesk, tmp_path: Path) -> None:
    large, small = tmp_path / "large", tmp_path / "small"
    large.write_bytes(b"x" * (MAX_TEXT_BYTES + 1))
    small.write_bytes(b"text")
    async with desk.open() as page:
        assert (await page.get("text", large)).problem == (413, "too_large")
        assert (await page.get("text", small)).status == 200
        assert await outcome(desk, small, DOWNLOAD) == (True, 4, "")
        assert not [event for event in desk.world.plane.of(FileTransferred) if event.path == str(large)]


async def test_everything_in_a_folder_of_many_names_is_deleted(desk: FileDesk, tmp_path: Path) -> None:
    names = [tmp_path / f"a name of a usual length, number {number}" for number in range(700)]
    for name in names:
        name.touch()
    async with desk.open(actions=Actions.CONNECT | Actions.UPLOAD_FILE) as page:
        deleted = await page.post("delete", paths=[path_ids(name) for name in names])
        assert deleted.lines[-1] == {"count": 700, "problem": None}
    assert not any(name.exists() for name in names)
