"""What an SFTP session has open and asked, as its inspector remembers it."""

from dataclasses import dataclass, field

from postern.contracts.enums import TransferDirection
from postern.proxies.core.sessions.session_log import Begun
from postern.proxies.ssh import sftp_packets as sftp


@dataclass(frozen=True, slots=True)
class OwnFile:
    """What the proxy's own client says about a file before it opens it, because the request does not show it.

    `stands_for` is the name that the file gets later; the log shows it. With `reads_back`, what is read goes to nobody:
    the proxy needs it for the hash.
    """

    stands_for: bytes = b""
    reads_back: bool = False


@dataclass(slots=True)
class OpenFile:
    """A handle that the target issued. `in_flight` counts unanswered requests; the report waits for their answers."""

    path: str
    flags: int
    is_folder: bool = False
    written: int = 0
    read: int = 0
    failed: bool = False
    in_flight: int = 0
    begun: dict[TransferDirection, Begun] = field(default_factory=dict)
    own: OwnFile | None = None
    #: The hash of the whole file, if the proxy's own client knows it.
    sha256: str = ""
    detail: str = ""
    #: Of a folder below a root: its real path, and the root's age when it was located.
    place: bytes = b""
    age: int = 0
    closed: bool | None = None  # whether closing succeeded; None until it is answered

    @property
    def only_reads(self) -> bool:
        return not self.flags & sftp.FLAGS_CHANGING

    @property
    def direction(self) -> TransferDirection:
        """The direction it was opened for. A file opened for both may be read as well."""
        return TransferDirection.DOWNLOAD if self.only_reads else TransferDirection.UPLOAD


@dataclass(slots=True)
class Pending:
    """A request in flight, and what its answer refers to."""

    type: int
    change: Begun | None = None
    file: OpenFile | None = None
    #: For requests with paths, in a session with a root: whether names may lead elsewhere afterwards.
    moves: bool | None = None
