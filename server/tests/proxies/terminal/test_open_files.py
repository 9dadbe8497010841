"""What the file manager itself checks, with a host that obeys no rule: one in memory, which lies and shrinks."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import pytest

from postern.contracts.enums import Actions
from postern.contracts.files import BeginUpload, Delete, EndOfList, FileKind, FileProblem, UploadState
from postern.proxies.core.targets.files import Attributes, FilesFailed, RemoteEntry
from postern.proxies.terminal.files.content import send
from postern.proxies.terminal.files.deleting import delete
from postern.proxies.terminal.files.names import id_of
from postern.proxies.terminal.files.open_files import OpenFiles
from postern.proxies.terminal.files.uploads import Uploads

FILE = Attributes(kind=FileKind.FILE, size=9, modified=1)


class Lock:
    def __init__(self) -> None:
        self.is_on = False
        self.sentence = "locked by admin"
        self.opened = asyncio.Event()
        self.asked = asyncio.Event()

    async def passable(self) -> None:
        self.asked.set()
        await self.opened.wait()


class Session:
    """The part of a live session that the files of it use."""

    language = "en"
    end_reason = None
    end_message = ""
    entered_login_name = "alice"

    def __init__(self) -> None:
        self.lock = Lock()
        self.actions = Actions.ALL
        user = type("User", (), {"id": 1})()
        facts = {"charset": "utf8", "user": user, "asset_id": 2, "system_user_id": 3}
        self.grant = type("Grant", (), facts)()

    def may(self, actions: Actions) -> bool:
        return bool(self.actions & actions)

    def refusal(self, actions: Actions) -> str:
        return f"no {actions!r}"


class Host:
    """Files of three pieces, and a folder with names that are none."""

    attributes = FILE

    async def look(self, path: bytes, *, follow: bool) -> Attributes:
        return FILE

    async def open_reading(self, path: bytes) -> "Host":
        return self

    async def data(self, offset: int, size: int) -> AsyncGenerator[bytes]:
        for piece in (b"one", b"two"):
            yield piece

    async def close(self) -> None: ...

    async def entries(self, folder: bytes) -> AsyncGenerator[Sequence[RemoteEntry]]:
        names = (b"good", b"..", b".", b"", b"../up", b"a/b", b"a\0b", b"x" * 256)
        yield [RemoteEntry(name=name, attributes=FILE) for name in names]


@pytest.fixture
def files() -> OpenFiles:
    session: Any = Session()
    host: Any = Host()
    return OpenFiles(session, host, b"/")


class Full:
    """A host that opens no file at first, and then one."""

    def __init__(self) -> None:
        self.refusals = 1

    async def real_path(self, path: bytes) -> bytes:
        return path

    async def look(self, path: bytes, *, follow: bool) -> Attributes:
        raise FilesFailed(FileProblem.NOT_FOUND, "nothing there")

    async def free(self, folder: bytes) -> None: ...

    async def open_writing(self, path: bytes, **_: Any) -> "Empty":
        await asyncio.sleep(0)  # the other request waits for its turn
        if self.refusals:
            self.refusals -= 1
            raise FilesFailed(FileProblem.DENIED, "not now")
        return Empty()


class Empty:
    """A file that was just made."""

    size = 0
    tail = b""

    async def settle(self) -> None: ...
    async def give_up(self) -> None: ...


async def test_upload_that_waited_for_one_that_failed_can_go_on(files: OpenFiles) -> None:
    host: Any = Full()
    files.remote = host
    uploads = Uploads(files, {})
    message = BeginUpload(path=id_of(b"name"), size=3, modified=1)
    failed, state = await asyncio.gather(uploads.begin(message), uploads.begin(message), return_exceptions=True)
    assert isinstance(failed, FilesFailed)
    assert isinstance(state, UploadState)
    assert uploads.find(state.id).writing is not None


async def test_folders_without_end_are_not_followed(files: OpenFiles) -> None:
    with pytest.raises(FilesFailed) as failed:
        await anext(files.entries(b"/folder" * 600))
    assert failed.value.problem is FileProblem.FAILED


class Regrowing:
    """A host with a folder that is in its folder again whenever that is read."""

    top = b"/"

    def __init__(self) -> None:
        self.removed: list[bytes] = []

    async def look(self, path: bytes, *, follow: bool) -> Attributes:
        return Attributes(kind=FileKind.FOLDER)

    async def entries(self, folder: bytes) -> AsyncGenerator[Sequence[RemoteEntry]]:
        names = [b"inner"] if folder == b"/folder" else []
        yield [RemoteEntry(name=name, attributes=Attributes(kind=FileKind.FOLDER)) for name in names]

    async def remove_folder(self, path: bytes) -> None:
        assert len(self.removed) < 100, "the deletion does not end"
        self.removed.append(path)


class Deletion:
    """A request to delete a folder."""

    has_begun = False

    def __init__(self, files: OpenFiles) -> None:
        self.files = files
        self.told: list[Any] = []

    async def message(self, _kind: type, _limit: int) -> Delete:
        return Delete(paths=(id_of(b"folder"),))

    async def lines(self, *messages: Any) -> None:
        self.told += messages

    def end(self) -> None: ...


async def test_deletion_of_a_folder_that_grows_again_ends(files: OpenFiles) -> None:
    host: Any = Regrowing()
    files.remote = host
    request: Any = Deletion(files)
    await delete(request)
    assert host.removed[-1] == b"/folder"
    assert request.told[-1] == EndOfList(count=len(host.removed))


async def test_names_that_lead_elsewhere_are_left_out(files: OpenFiles) -> None:
    assert [entry.name async for piece in files.entries(b"/") for entry in piece] == [b"good"]


async def test_pieces_stand_still_while_the_session_is_locked(files: OpenFiles) -> None:
    lock: Any = files.session.lock
    reading, _ = await files.open_reading(b"/file")
    async with contextlib.aclosing(files.pieces(reading, 0, 9)) as pieces:
        assert await anext(pieces) == b"one"
        lock.is_on = True
        rest = asyncio.create_task(anext(pieces))
        await lock.asked.wait()
        assert not rest.done()
        lock.is_on = False
        lock.opened.set()
        assert await rest == b"two"


async def test_pieces_end_with_the_right(files: OpenFiles) -> None:
    session: Any = files.session
    reading, _ = await files.open_reading(b"/file")
    async with contextlib.aclosing(files.pieces(reading, 0, 9)) as pieces:
        await anext(pieces)
        session.actions = Actions.CONNECT | Actions.UPLOAD_FILE
        with pytest.raises(FilesFailed) as failed:
            await anext(pieces)
    assert failed.value.problem is FileProblem.NOT_PERMITTED


async def test_answer_with_too_few_bytes_fails(files: OpenFiles) -> None:
    class Answer:
        has_begun = False
        sent = b""

        def __init__(self) -> None:
            self.files = files

        async def begin(self, headers: Any, **more: Any) -> None:
            self.has_begun = True

        async def write(self, data: bytes) -> None:
            self.sent += data

    answer: Any = Answer()
    reading, size = await files.open_reading(b"/file")
    with pytest.raises(FilesFailed):
        await send(answer, files.pieces(reading, 0, size), size, {})
    assert answer.sent == b"onetwo"


async def test_operations_of_a_session_are_limited_and_end_with_it(files: OpenFiles) -> None:
    async def work(*, is_transfer: bool) -> None:
        with files.operation(is_transfer=is_transfer):
            await asyncio.Event().wait()

    running = [asyncio.create_task(work(is_transfer=number < 8)) for number in range(40)]
    await asyncio.sleep(0)
    for is_transfer in (True, False):
        with pytest.raises(FilesFailed) as failed, files.operation(is_transfer=is_transfer):
            pass
        assert failed.value.problem is FileProblem.TOO_MANY
    files.end_operations()
    assert {type(each) for each in await asyncio.gather(*running, return_exceptions=True)} == {asyncio.CancelledError}
    with files.operation(is_transfer=True):
        pass
