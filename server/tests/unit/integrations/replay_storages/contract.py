"""The contract of storages for recordings.

A test class for each kind inherits from `RecordingStoreContract`, and the one in which recordings arrive from
`ReplayStorageContract`.
"""

import hashlib
import io
import os
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from postern.integrations.replay_storages.port import Content, Incoming, RecordingStore, ReplayStorage

AT = datetime(2026, 11, 21, 23, 59, tzinfo=UTC)
_NO_RECORDING = "2026/11/21/00000000-0000-0000-0000-000000000000.postern"


class Progress:
    """The progress of a copy. `dies_after`: the number of bytes in the target at which the process ends."""

    def __init__(self, *, dies_after: int | None = None) -> None:
        self.upload_id = ""
        self.counts: list[int] = []
        self.dies_after = dies_after

    def begin(self, upload_id: str) -> None:
        self.upload_id = upload_id

    def advance(self, count: int) -> None:
        self.counts.append(count)
        if self.dies_after is not None and count >= self.dies_after:
            raise KilledError


class KilledError(BaseException):
    """Simulates the death of the process: nothing after this point runs."""


class Counted(io.BytesIO):
    """Counts the bytes that were read."""

    total = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.total += len(data)
        return data


class Zeros(io.RawIOBase):
    """A file of zeros that are in no memory. `most`: the largest piece that was asked for."""

    most = 0

    def seek(self, offset: int, whence: int = 0) -> int:
        del whence
        return offset

    def read(self, size: int = -1, /) -> bytes:
        self.most = max(self.most, size)
        return bytes(size)


def content_of(data: bytes) -> Content:
    return Content(len(data), hashlib.sha256(data).hexdigest())


def path_of(session_id: UUID) -> str:
    return f"{AT:%Y/%m/%d}/{session_id}.postern"


class RecordingStoreContract:
    """Tests of the fixture `storage`, an empty storage that the subclass provides. `large`: bytes of a large copy."""

    large = 20 << 20

    @staticmethod
    def stored(storage: Any, session_id: UUID, content: bytes) -> str:
        """Store a recording; returns its path."""
        path = path_of(session_id)
        storage.copy_in(path, io.BytesIO(content), content_of(content), Progress())
        return path

    def test_recording_is_read_from_any_offset(self, storage: Any) -> None:
        content = os.urandom(3 << 20)
        with storage.open(self.stored(storage, uuid4(), content)) as file:
            assert file.seek(0, os.SEEK_END) == len(content)
            for first, length in ((2 << 20, 10), (0, 5), (len(content) - 3, 100), ((1 << 20) - 1, 2)):
                file.seek(first)
                assert file.read(length) == content[first : first + length]
            file.seek(0)
            assert file.read() == content

    def test_empty_recording_is_copied(self, storage: Any) -> None:
        with storage.open(self.stored(storage, uuid4(), b"")) as file:
            assert file.read() == b""

    def test_copy_that_is_there_is_not_sent_again(self, storage: Any) -> None:
        session_id, content = uuid4(), b"content"
        path = self.stored(storage, session_id, content)

        class Unreadable(io.BytesIO):
            def read(self, size: int | None = -1, /) -> bytes:
                raise AssertionError(size)

        storage.copy_in(path, Unreadable(), content_of(content), Progress())
        with storage.open(path) as file:
            assert file.read() == content

    def test_killed_copy_continues_in_another_process(self, storage: Any) -> None:
        content, path = os.urandom(self.large), path_of(uuid4())
        progress = Progress(dies_after=self.large // 2)
        with pytest.raises(KilledError):
            storage.copy_in(path, io.BytesIO(content), content_of(content), progress)
        with pytest.raises(FileNotFoundError):
            storage.open(path)
        progress.dies_after = None
        storage.copy_in(path, io.BytesIO(content), content_of(content), progress)
        with storage.open(path) as file:
            assert hashlib.sha256(file.read()).hexdigest() == content_of(content).sha256
        assert progress.counts[-1] == len(content)

    def test_copy_that_was_given_up_leaves_nothing(self, storage: Any) -> None:
        content, path = os.urandom(self.large), path_of(uuid4())
        progress = Progress(dies_after=1)
        with pytest.raises(KilledError):
            storage.copy_in(path, io.BytesIO(content), content_of(content), progress)
        storage.give_up(path, progress.upload_id)
        storage.give_up(path, progress.upload_id)
        self.assert_no_unfinished(storage)
        with pytest.raises(FileNotFoundError):
            storage.open(path)
        progress.dies_after = None
        storage.copy_in(path, io.BytesIO(content), content_of(content), progress)
        with storage.open(path) as file:
            assert file.read() == content

    def assert_no_unfinished(self, storage: Any) -> None:
        """Fail when the storage holds bytes of unfinished copies."""
        raise NotImplementedError

    def test_deleted_recording_is_gone_and_may_be_deleted_again(self, storage: Any) -> None:
        path, other = self.stored(storage, uuid4(), b"gone"), self.stored(storage, uuid4(), b"stays")
        storage.delete(path)
        storage.delete(path)
        with pytest.raises(FileNotFoundError):
            storage.open(path)
        with storage.open(other) as file:
            assert file.read() == b"stays"

    @pytest.mark.parametrize(
        "path",
        [
            "",
            ".",
            "/etc/passwd",
            "../secret.postern",
            "a/../../x.postern",
            "2026/11/21/../../../../x.postern",
            "2026/11/21/x.tar",
            ".incoming/x",
            "2026/11/21/\0.postern",
            _NO_RECORDING,
            f"{_NO_RECORDING}\n",
        ],
    )
    def test_k7_no_other_path_is_opened_or_deleted(self, storage: RecordingStore, path: str) -> None:
        with pytest.raises(FileNotFoundError):
            storage.open(path)
        if path != _NO_RECORDING:
            with pytest.raises(FileNotFoundError):
                storage.copy_in(path, io.BytesIO(b"x"), content_of(b"x"), Progress())
            with pytest.raises(FileNotFoundError):
                storage.give_up(path, "upload")
        try:
            storage.delete(path)
        except FileNotFoundError:
            return
        assert path == _NO_RECORDING

    def test_free_space_is_a_number_or_unbounded(self, storage: RecordingStore) -> None:
        room = storage.free_bytes()
        assert room is None or room > 0


class ReplayStorageContract(RecordingStoreContract):
    """Tests of a storage in which recordings arrive."""

    def test_recording_uploaded_in_parts_is_stored_whole_in_the_folder_of_its_day(self, storage: ReplayStorage) -> None:
        session_id = uuid4()
        assert storage.received(session_id) == 0
        with storage.incoming(session_id) as incoming:
            assert incoming.append([b"abc", b"", b"def"]) == 6
        assert storage.received(session_id) == 6
        with storage.incoming(session_id) as incoming:
            assert incoming.received == 6
            assert incoming.append([b"ghi"]) == 9
            assert incoming.digest() == hashlib.sha256(b"abcdefghi").hexdigest()
            path = incoming.keep(AT)
        assert path.startswith("2026/11/21/")
        with storage.open(path) as file:
            assert file.read() == b"abcdefghi"
        assert storage.received(session_id) == 0

    def test_upload_continues_after_its_hash_was_computed(self, storage: ReplayStorage) -> None:
        with storage.incoming(uuid4()) as incoming:
            incoming.append([b"abc"])
            assert incoming.digest() == hashlib.sha256(b"abc").hexdigest()
            incoming.append([b"def"])
            assert incoming.digest() == hashlib.sha256(b"abcdef").hexdigest()

    @pytest.mark.parametrize("again", [True, False], ids=["in the same hold", "in the next hold"])
    def test_interrupted_part_leaves_nothing(self, storage: ReplayStorage, *, again: bool) -> None:
        def breaks() -> Iterator[bytes]:
            yield b"lost"
            raise ConnectionError

        session_id = uuid4()
        with storage.incoming(session_id) as incoming:
            incoming.append([b"kept"])
            with pytest.raises(ConnectionError):
                incoming.append(breaks())
            assert incoming.received == 4
            if again:
                incoming.append([b"more"])
        if not again:
            assert storage.received(session_id) == 4
            with storage.incoming(session_id) as incoming:
                incoming.append([b"more"])
        with storage.incoming(session_id) as incoming:
            assert incoming.digest() == hashlib.sha256(b"keptmore").hexdigest()

    def test_discarded_upload_starts_again(self, storage: ReplayStorage) -> None:
        session_id = uuid4()
        with storage.incoming(session_id) as incoming:
            incoming.append([b"wrong"])
            incoming.discard()
            assert incoming.received == 0
            incoming.append([b"right"])
            assert incoming.digest() == hashlib.sha256(b"right").hexdigest()
        storage.discard_incoming(session_id)
        assert storage.received(session_id) == 0
        storage.discard_incoming(session_id)
        storage.discard_incoming(uuid4())

    def test_uploads_of_two_sessions_do_not_mix(self, storage: ReplayStorage) -> None:
        first, second = uuid4(), uuid4()
        with storage.incoming(first) as first_upload, storage.incoming(second) as other:
            first_upload.append([b"one"])
            other.append([b"other"])
            paths = first_upload.keep(AT), other.keep(AT)
        contents = []
        for path in paths:
            with storage.open(path) as file:
                contents.append(file.read())
        assert contents == [b"one", b"other"]

    @pytest.mark.parametrize("ending", ["keep", "discard", "remove", "leave"])
    def test_second_writer_waits_and_then_sees_what_the_first_wrote(self, storage: ReplayStorage, ending: str) -> None:
        session_id = uuid4()
        seen: list[int] = []

        def second() -> None:
            with storage.incoming(session_id) as incoming:
                seen.append(incoming.received)
                incoming.append([b"2"])

        waiting = threading.Thread(target=second)
        path = ""
        with storage.incoming(session_id) as incoming:
            incoming.append([b"first"])
            waiting.start()
            waiting.join(0.2)
            assert waiting.is_alive()
            path = self.end(storage, incoming, session_id, ending)
        waiting.join(10)
        assert seen == [5 if ending == "leave" else 0]
        assert storage.received(session_id) == seen[0] + 1
        if path:
            with storage.open(path) as file:
                assert file.read() == b"first"

    @staticmethod
    def end(storage: ReplayStorage, incoming: Incoming, session_id: UUID, ending: str) -> str:
        """End an upload in one of four ways. Returns the path when the upload was stored, else ""."""
        if ending == "keep":
            return incoming.keep(AT)
        if ending == "discard":
            incoming.discard()
        if ending == "remove":
            storage.discard_incoming(session_id)
        return ""

    def test_unfinished_upload_cannot_be_opened(self, storage: ReplayStorage) -> None:
        session_id = uuid4()
        with storage.incoming(session_id) as incoming:
            incoming.append([b"half"])
        for path in (str(session_id), f".incoming/{session_id}", f"2026/11/21/{session_id}.postern"):
            with pytest.raises(FileNotFoundError):
                storage.open(path)


def stored_path(storage: ReplayStorage, session_id: UUID, content: bytes) -> str:
    """Store a recording; returns its path."""
    with storage.incoming(session_id) as incoming:
        incoming.append([content])
        return incoming.keep(AT)
