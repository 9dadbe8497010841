"""What a front (ssh, browser terminal) asks of a target, whatever carries it there."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from postern.contracts.enums import EndReason
from postern.kernel.errors import PosternError
from postern.proxies.core.sessions.live_session import LiveSession

#: Asks the person for something: text of the question and whether the answer may be shown. Raises `PromptCancelled`.
Prompter = Callable[[str, bool], Awaitable[str]]
#: Told about progress while opening: `connecting`, `authenticating`, `opening_shell`.
Progress = Callable[[str], None]


class PromptCancelled(PosternError):
    """The person did not answer."""

    code = "prompt_cancelled"


class TargetFailed(PosternError):
    """The target could not be opened. `message` is in the person's language; `detail` is for the audit log."""

    code = "target_failed"

    def __init__(self, reason: EndReason, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, kw_only=True)
class Pty:
    """A terminal as the person's side described it. Sizes in cells and pixels; modes as in RFC 4254 section 8."""

    term: str = "xterm-256color"
    columns: int = 80
    rows: int = 24
    width_px: int = 0
    height_px: int = 0
    modes: dict[int, int] = field(default_factory=dict)
    environment: dict[bytes, bytes] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class TargetExit:
    """How the target's program ended. `signal` without "SIG"; both None when the connection was lost."""

    status: int | None = None
    signal: str | None = None
    core_dumped: bool = False
    message: str = ""


class TargetEvents(Protocol):
    """What a front is told by an open target. Called on the event loop; must not block and must not raise."""

    def on_target_data(self, data: bytes, *, stderr: bool) -> None:
        """Output. The front gives it to `LiveSession.target_output` first, and forwards it only if that says so."""

    def on_target_eof(self) -> None:
        """No more output will come."""

    def on_target_exit(self, how: TargetExit) -> None:
        """The last call: all output was delivered before."""

    def on_target_pause(self) -> None:
        """The target does not keep up with the input: stop reading from the person."""

    def on_target_resume(self) -> None:
        """The target takes input again."""


class TargetShell(Protocol):
    """An open shell (or command, or subsystem) on a target."""

    @property
    def host_key_fingerprint(self) -> str:
        """`SHA256:…` of the key that the target showed."""

    def write(self, data: bytes) -> None:
        """Send input; ignored after the end."""

    def write_eof(self) -> None: ...

    def resize(self, columns: int, rows: int, width_px: int = 0, height_px: int = 0) -> None: ...

    def pause_reading(self) -> None:
        """The person does not keep up with the output."""

    def resume_reading(self) -> None: ...

    def close(self) -> None:
        """End the program and the connection. Idempotent; no event follows."""


class TargetLink(ABC):
    """An open connection to a target, logged in, for one session. What else it can do is its own type's matter."""

    @abstractmethod
    def close(self) -> None:
        """Leave the target. Idempotent."""


class ShellLink(TargetLink):
    """A link on which a shell with a terminal can be opened."""

    @abstractmethod
    async def open_shell(self, pty: Pty, events: TargetEvents, *, language: str) -> TargetShell:
        """Start a shell. No output is delivered before `resume_reading`. Raises `TargetFailed`.

        The caller activates the session before it forwards anything.
        """


LinkT_co = TypeVar("LinkT_co", bound=TargetLink, covariant=True)


class TargetConnector(Protocol[LinkT_co]):
    """Opens links to targets of one protocol (`connectors.Connectors` knows which)."""

    async def connect(self, session: LiveSession, *, prompter: Prompter, progress: Progress) -> LinkT_co:
        """Dial (`dialing.dial`), make sure of the target, log in. Raises `TargetFailed`, `PromptCancelled`.

        The credential is asked for last. The caller ends the session in every case.
        """
