"""What the file manager itself checks, with a host that obeys no rule: one in memory, which lies and shrinks."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import pytest

from postern.contracts.enums import Actions
from postern.contracts.files import FileKind, FileProblem
from postern.proxies.core.targets.files import Attributes, FilesFailed, RemoteEntry
from postern.proxies.terminal.files.content import send
from postern.proxies.terminal.files.open_files import OpenFiles

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

    def __init__(self) -> None:
        self.lock = Lock()
        self.actions = Actions.ALL
        self.grant = type("Grant", (), {"charset": "utf8"})()

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
