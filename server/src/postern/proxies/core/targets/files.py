"""The interface between the file manager and a host whose files it shows, whatever carries them.

Paths are absolute and made of bytes. Whoever implements this judges each request by the actions and the root of the
session, and reports each file that passes to the session's log. Failures are raised as `FilesFailed`.
"""

from abc import abstractmethod
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import TYPE_CHECKING, Protocol

import msgspec

from postern.contracts.files import FileKind, FileProblem
from postern.kernel.errors import PosternError
from postern.proxies.core.targets.ports import TargetLink

if TYPE_CHECKING:
    from postern.proxies.core.sessions.live_session import LiveSession


class FilesFailed(PosternError):
    """An operation failed. `message` is in the person's language."""

    code = "files_failed"

    def __init__(self, problem: FileProblem, message: str, *, offset: int | None = None) -> None:
        super().__init__(message)
        self.problem = problem
        self.offset = offset


class Attributes(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What the host states about a file. What it does not state is None. Times are seconds since 1970."""

    kind: FileKind
    size: int | None = None
    mode: int | None = None  # permission bits, without those of the kind
    modified: int | None = None
    owner: str = ""
    group: str = ""
    ids: tuple[int, int] | None = None  # numbers of owner and group


class RemoteEntry(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One entry of a folder."""

    name: bytes
    attributes: Attributes  # of the link itself, if it is one


class Reading(Protocol):
    """A file that is open for reading."""

    @property
    def attributes(self) -> Attributes:
        """As they were when it was opened."""

    def data(self, offset: int, size: int) -> AsyncGenerator[bytes]:
        """Yield this part of the file in order, in pieces of some 32 to 256 KiB; less if the file ends before.

        At most some 2 MiB are asked for ahead. Closing the iterator stops that. Raises `FilesFailed`.
        """

    async def close(self) -> None:
        """Close it. Never raises; idempotent. The log has the hash if everything was read once and in order."""


class Writing(Protocol):
    """A file that is open for writing, in order."""

    @property
    def size(self) -> int:
        """The bytes that the host has taken, with those that were there at the beginning."""

    @property
    def tail(self) -> bytes:
        """The last of the bytes that `size` counts, at most `CHECKED_TAIL_BYTES`."""

    async def write(self, data: bytes) -> None:
        """Append. Waits while the host does not keep up. A failure of the host is raised by a later call."""

    async def settle(self) -> None:
        """Wait until the host has taken everything. Raises `FilesFailed`."""

    async def sync(self) -> None:
        """Wait until the host has it on its disk, if it can say so. Raises `FilesFailed`."""

    async def close(self) -> str:
        """Close it, and return the SHA-256 of the whole file in hexadecimal. Raises `FilesFailed`."""

    async def give_up(self) -> None:
        """Close it as failed. Never raises; idempotent."""


class RemoteFiles(Protocol):
    """The files of one session. Operations may run at once; all raise `FilesFailed`."""

    @property
    def host_key_fingerprint(self) -> str: ...

    @property
    def top(self) -> bytes:
        """The folder above which nothing may be reached; b"/" if there is no such folder."""

    async def start(self) -> bytes:
        """Return the folder to begin in: the root of the session, or the home folder. To be called first."""

    async def real_path(self, path: bytes) -> bytes:
        """Return the path without links and dots."""

    async def read_link(self, path: bytes) -> bytes:
        """Return what a link says it leads to: a path that may be relative, and lead nowhere."""

    async def look(self, path: bytes, *, follow: bool) -> Attributes:
        """Return the attributes of a file, or of the link itself."""

    async def leads_to(self, link: bytes) -> FileKind | None:
        """Return what a link leads to, for a list that shows it. None if it leads nowhere, or where the session may not
        go: that is no attempt of the user, so it is not logged.
        """

    def entries(self, folder: bytes) -> AsyncGenerator[Sequence[RemoteEntry]]:
        """Yield the entries of a folder in pieces, as the host lists them, without `.` and `..`."""

    async def open_reading(self, path: bytes) -> Reading:
        """Open a file. Its transfer is in the log from here on."""

    async def open_writing(self, path: bytes, *, stands_for: bytes, mode: int, resume: bool = False) -> Writing:
        """Make a file and open it for writing; `stands_for` is the name that it gets at last, and that the log shows.

        With `resume` it exists, and continues at its end: its bytes are read back for the hash. Otherwise it must not
        exist (`exists`).
        """

    async def rename(self, path: bytes, to: bytes, *, replace: bool) -> bool:
        """Give a file another name. Returns whether that happened in one step. Without `replace`, `exists`."""

    async def remove(self, path: bytes) -> None:
        """Remove a file or a link."""

    async def make_folder(self, path: bytes) -> None: ...

    async def remove_folder(self, path: bytes) -> None:
        """Remove an empty folder."""

    async def set_mode(self, path: bytes, mode: int) -> None: ...

    async def set_owner(self, path: bytes, ids: tuple[int, int]) -> None:
        """Give a file the owner and group of these numbers. Only some accounts may (`denied`)."""

    async def set_modified(self, path: bytes, modified: int) -> None: ...

    async def free(self, folder: bytes) -> int | None:
        """Return the room on the disk of a folder in bytes. None if the host does not say."""

    def close(self) -> None:
        """Close everything. Idempotent."""


class FilesLink(TargetLink):
    """A link that can show the files of its host."""

    @abstractmethod
    async def open_files(self, session: "LiveSession", *, on_gone: Callable[[], None]) -> RemoteFiles:
        """Open the files of the host, and activate the session. Raises `TargetFailed`, and `Refused` or `SessionOver`
        if the session may not.

        `on_gone` is called when the host has closed them; the session has ended then.
        """
