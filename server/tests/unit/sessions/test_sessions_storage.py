"""The local replay storage: parts, locks, atomic arrival, no way out of its folder."""

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from postern.apps.sessions.storage import LocalStorage

AT = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def test_storage_keeps_an_upload_under_its_date(tmp_path: Path) -> None:
    storage, session_id = LocalStorage(tmp_path), uuid4()
    assert storage.received(session_id) == 0
    with storage.incoming(session_id) as incoming:
        assert incoming.append([b"abc", b"def"]) == 6
    assert storage.received(session_id) == 6
    with storage.incoming(session_id) as incoming:
        assert incoming.received == 6
        incoming.append([b"ghi"])
        assert incoming.digest() == hashlib.sha256(b"abcdefghi").hexdigest()
        path = incoming.keep(AT)
    assert path == f"2026/11/21/{session_id}.postern"
    with storage.open(path) as file:
        assert file.read() == b"abcdefghi"
    assert storage.received(session_id) == 0
    assert (tmp_path / path).stat().st_mode & 0o777 == 0o600


def test_storage_forgets_a_part_that_broke_off(tmp_path: Path) -> None:
    storage, session_id = LocalStorage(tmp_path), uuid4()

    def breaks() -> "list[bytes]":
        yield b"lost"  # type: ignore[misc]  # a generator where an iterable is wanted
        raise ConnectionError

    with storage.incoming(session_id) as incoming:
        incoming.append([b"kept"])
        with pytest.raises(ConnectionError):
            incoming.append(breaks())
    assert storage.received(session_id) == 4


@pytest.mark.parametrize(
    "path",
    ["../secret.postern", "/etc/passwd", "a/../../x.postern", "2026/11/21/x.tar", "", ".incoming/x"],
)
def test_k7_storage_opens_nothing_outside_its_folder(tmp_path: Path, path: str) -> None:
    root = tmp_path / "replays"
    root.mkdir()
    (tmp_path / "secret.postern").write_bytes(b"secret")
    with pytest.raises(FileNotFoundError):
        LocalStorage(root).open(path)


def test_k7_storage_follows_no_link_out_of_its_folder(tmp_path: Path) -> None:
    root = tmp_path / "replays"
    root.mkdir()
    (tmp_path / "secret.postern").write_bytes(b"secret")
    (root / "link.postern").symlink_to(tmp_path / "secret.postern")
    with pytest.raises(FileNotFoundError):
        LocalStorage(root).open("link.postern")
