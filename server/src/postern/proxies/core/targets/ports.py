"""The interface between a front (ssh, browser terminal) and a target, whatever carries the connection."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from postern.contracts.enums import EndReason
from postern.kernel.errors import PosternError
from postern.kernel.sentences import Sentence

if TYPE_CHECKING:  # a job's runner knows no sessions, and starts without loading them
    from postern.proxies.core.sessions.live_session import LiveSession

#: Asks the user a question: its text, and whether the answer may be echoed. Raises `PromptCancelled`.
Prompter = Callable[[str, bool], Awaitable[str]]


class Progress(Protocol):
    """Called with the progress while opening: `connecting`, `authenticating`, `opening_shell`.

    `via` names the gateways on the way that is being tried ("edge → inner"); "" on the direct way.
    """

    def __call__(self, state: str, via: str = "", /) -> None: ...


class PromptCancelled(PosternError):
    """The user did not answer a question."""

    code = "prompt_cancelled"


class TargetFailed(PosternError):
    """The target could not be opened. `message` is in the user's language; `detail` is for the audit log."""

    code = "target_failed"

    def __init__(self, reason: EndReason, message: str | Sentence, detail: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, kw_only=True)
class Pty:
    """A terminal as the user's client described it. Sizes in cells and pixels; modes as in RFC 4254 section 8."""

    term: str = "xterm-256color"
    columns: int = 80
    rows: int = 24
    width_px: int = 0
    height_px: int = 0
    modes: dict[int, int] = field(default_factory=dict)
    environment: dict[bytes, bytes] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class TargetExit:
    """How the target's program ended. `signal` is without "SIG". Both are None if the connection was lost."""

    status: int | None = None
    signal: str | None = None
    core_dumped: bool = False
    message: str = ""


class TargetEvents(Protocol):
    """Callbacks of an open target to its front. Called on the event loop; they must neither block nor raise."""

    def on_target_data(self, data: bytes, *, stderr: bool) -> None:
        """Output. The front passes it to `LiveSession.target_output` first, and forwards it only if that returns
        True.
        """

    def on_target_eof(self) -> None:
        """No more output follows."""

    def on_target_exit(self, how: TargetExit) -> None:
        """The last call, after all output was delivered."""

    def on_target_pause(self) -> None:
        """The target does not keep up with the input: stop reading from the user."""

    def on_target_resume(self) -> None:
        """The target accepts input again."""


class TargetShell(Protocol):
    """An open shell, command or subsystem on a target."""

    @property
    def host_key_fingerprint(self) -> str:
        """`SHA256:…` of the host key that the target presented."""

    def write(self, data: bytes) -> None:
        """Send input. Ignored after the end."""

    def write_eof(self) -> None: ...

    def resize(self, columns: int, rows: int, width_px: int = 0, height_px: int = 0) -> None: ...

    def fence(self, reached: Callable[[], None]) -> bool:
        """Call `reached` once the target has handled all input written so far. Returns False if it cannot tell."""

    def pause_reading(self) -> None:
        """Pause, because the user does not keep up with the output."""

    def resume_reading(self) -> None: ...

    def close(self) -> None:
        """End the program and the connection. Idempotent; no further callbacks."""


class TargetLink(ABC):
    """An open, authenticated connection to a target, for one session. Subclasses define what else it can do."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection. Idempotent."""


class ShellLink(TargetLink):
    """A link that can open a shell with a terminal."""

    @abstractmethod
    async def open_shell(self, pty: Pty, events: TargetEvents, *, language: str) -> TargetShell:
        """Start a shell. No output is delivered before `resume_reading`. Raises `TargetFailed`.

        The caller activates the session before it forwards anything.
        """


LinkT_co = TypeVar("LinkT_co", bound=TargetLink, covariant=True)


class TargetConnector(Protocol[LinkT_co]):
    """Opens links to targets of one protocol. Registered with `connectors.Connectors`."""

    async def connect(self, session: "LiveSession", *, prompter: Prompter, progress: Progress) -> LinkT_co:
        """Connect (`opening.outbound.Outbound`), verify the target's identity, and log in. Raises `TargetFailed`,
        `PromptCancelled`.

        The credential is requested last. The caller ends the session in every case.
        """
