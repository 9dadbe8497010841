"""The contract of every storage for recordings: a test class for each kind inherits from `ReplayStorageContract`."""

import hashlib
import os
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

from postern.integrations.replay_storages.port import Incoming, ReplayStorage

AT = datetime(2026, 11, 21, 23, 59, tzinfo=UTC)


class ReplayStorageContract:
    """Tests of the fixture `storage`, an empty storage that the subclass provides."""

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

    def test_recording_is_read_from_any_offset(self, storage: ReplayStorage) -> None:
        content = os.urandom(3 << 20)
        with storage.open(stored_path(storage, uuid4(), content)) as file:
            assert file.seek(0, os.SEEK_END) == len(content)
            for first, length in ((2 << 20, 10), (0, 5), (len(content) - 3, 100), ((1 << 20) - 1, 2)):
                file.seek(first)
                assert file.read(length) == content[first : first + length]

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

    def test_deleted_recording_is_gone_and_may_be_deleted_again(self, storage: ReplayStorage) -> None:
        path, other = stored_path(storage, uuid4(), b"gone"), stored_path(storage, uuid4(), b"stays")
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
            "2026/11/21/00000000-0000-0000-0000-000000000000.postern",
            "2026/11/21/00000000-0000-0000-0000-000000000000.postern\n",
        ],
    )
    def test_k7_no_other_path_is_opened_or_deleted(self, storage: ReplayStorage, path: str) -> None:
        with pytest.raises(FileNotFoundError):
            storage.open(path)
        try:
            storage.delete(path)
        except FileNotFoundError:
            return
        assert path == "2026/11/21/00000000-0000-0000-0000-000000000000.postern"

    def test_unfinished_upload_cannot_be_opened(self, storage: ReplayStorage) -> None:
        session_id = uuid4()
        with storage.incoming(session_id) as incoming:
            incoming.append([b"half"])
        for path in (str(session_id), f".incoming/{session_id}", f"2026/11/21/{session_id}.postern"):
            with pytest.raises(FileNotFoundError):
                storage.open(path)

    def test_free_space_is_a_number_or_unbounded(self, storage: ReplayStorage) -> None:
        room = storage.free_bytes()
        assert room is None or room > 0


def stored_path(storage: ReplayStorage, session_id: UUID, content: bytes) -> str:
    """Store a recording; returns its path."""
    with storage.incoming(session_id) as incoming:
        incoming.append([content])
        return incoming.keep(AT)
