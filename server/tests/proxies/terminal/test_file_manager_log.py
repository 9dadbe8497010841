"""What the log says about the file manager: what arrived, what did not, and what was only looked at."""

from pathlib import Path

import pytest

from postern.contracts.enums import TransferDirection
from postern.contracts.events import FileTransferred, RequestRefused
from proxies.terminal.file_desk import FileDesk

pytestmark = pytest.mark.timeout(180)

DOWNLOAD = TransferDirection.DOWNLOAD


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
