"""The local folder as a storage for recordings: the contract of all storages, and the faults that only a folder can
have.
"""

import io
import os
import resource
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from postern.integrations.replay_storages.local_folder import LocalFolder
from postern.integrations.replay_storages.port import ReplayStorage
from unit.integrations.replay_storages.contract import (
    AT,
    Progress,
    ReplayStorageContract,
    content_of,
    path_of,
    stored_path,
)

SESSION = UUID("00000000-0000-0000-0000-000000000001")


class TestLocalFolder(ReplayStorageContract):
    @pytest.fixture
    def storage(self, tmp_path: Path) -> ReplayStorage:
        return LocalFolder(tmp_path / "replays")

    @pytest.fixture(autouse=True)
    def _root(self, tmp_path: Path) -> None:
        self.root = tmp_path / "replays"

    def assert_no_unfinished(self, storage: Any) -> None:
        assert list((self.root / ".copies").iterdir()) == []


@pytest.fixture
def no_room() -> Iterator[None]:
    """Limit this process to files of 100 KiB: a write is cut short and then refused, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100 << 10, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    signal.signal(signal.SIGXFSZ, before)


@pytest.mark.usefixtures("no_room")
def test_part_that_does_not_fit_leaves_nothing(tmp_path: Path) -> None:
    storage = LocalFolder(tmp_path)
    with storage.incoming(SESSION) as incoming:
        incoming.append([b"kept"])
        with pytest.raises(OSError, match="File too large"):
            incoming.append([b"x" * (64 << 10), b"y" * (64 << 10)])
        assert incoming.received == 4
    assert storage.received(SESSION) == 4


def test_stored_files_are_accessible_only_to_the_owner(tmp_path: Path) -> None:
    previous = os.umask(0)
    try:
        path = stored_path(LocalFolder(tmp_path / "replays"), SESSION, b"secret")
    finally:
        os.umask(previous)
    stored = tmp_path / "replays" / path
    assert stored.stat().st_mode & 0o777 == 0o600
    for folder in (tmp_path / "replays", tmp_path / "replays" / ".incoming", *list(stored.parents)[:3]):
        assert folder.stat().st_mode & 0o777 == 0o700


def test_each_new_folder_is_synced_in_its_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    fsync = os.fsync

    def noted(descriptor: int) -> None:
        synced.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    root = tmp_path / "replays"
    path = stored_path(LocalFolder(root), SESSION, b"content")
    folders = {str(folder) for folder in (tmp_path, root, *list((root / path).parents)[:3])}
    assert folders <= set(synced)


def test_k7_storage_follows_no_link_out_of_its_folder(tmp_path: Path) -> None:
    root = tmp_path / "replays"
    day = root / "2026/11/21"
    day.mkdir(parents=True)
    (tmp_path / "secret.postern").write_bytes(b"secret")
    (day / f"{SESSION}.postern").symlink_to(tmp_path / "secret.postern")
    with pytest.raises(FileNotFoundError):
        LocalFolder(root).open(f"{AT:%Y/%m/%d}/{SESSION}.postern")


@pytest.mark.usefixtures("no_room")
def test_copy_that_does_not_fit_continues_when_there_is_room(tmp_path: Path) -> None:
    storage, path = LocalFolder(tmp_path), path_of(SESSION)
    content = os.urandom(200 << 10)
    with pytest.raises(OSError, match="File too large"):
        storage.copy_in(path, io.BytesIO(content), content_of(content), Progress())
    with pytest.raises(FileNotFoundError):
        storage.open(path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    storage.copy_in(path, io.BytesIO(content), content_of(content), Progress())
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    with storage.open(path) as file:
        assert file.read() == content
