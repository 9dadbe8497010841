"""A target in memory, which echoes input and does what the test asks."""

import asyncio
from collections.abc import Awaitable, Callable

from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.targets.ports import (
    Progress,
    Prompter,
    Pty,
    ShellLink,
    TargetConnector,
    TargetEvents,
    TargetExit,
    TargetShell,
)


class FakeShell(TargetShell):
    """An open shell. Output that arrives while reading is paused waits in `held`."""

    def __init__(self, events: TargetEvents, pty: Pty) -> None:
        self.events = events
        self.pty = pty
        self.typed = b""
        self.sizes: list[tuple[int, int]] = []
        self.paused = True
        self.closed = False
        self.held: list[bytes] = []

    @property
    def host_key_fingerprint(self) -> str:
        return "SHA256:fake"

    def write(self, data: bytes) -> None:
        self.typed += data
        self.show(data)

    def write_eof(self) -> None: ...

    def resize(self, columns: int, rows: int, width_px: int = 0, height_px: int = 0) -> None:
        self.sizes.append((columns, rows))

    def pause_reading(self) -> None:
        self.paused = True

    def resume_reading(self) -> None:
        self.paused = False
        while self.held and not self.paused:
            self.events.on_target_data(self.held.pop(0), stderr=False)

    def fence(self, reached: Callable[[], None]) -> bool:
        asyncio.get_running_loop().call_soon(reached)
        return True

    def close(self) -> None:
        self.closed = True

    def show(self, data: bytes) -> None:
        """Send output from the target."""
        self.held.append(data)
        if not self.paused:
            self.resume_reading()

    def exit(self, status: int) -> None:
        self.events.on_target_exit(TargetExit(status=status))


class FakeLink(ShellLink):
    """A connection whose shells a test finds in `FakeTargets.shells`."""

    def __init__(self, targets: "FakeTargets") -> None:
        self._targets = targets

    async def open_shell(self, pty: Pty, events: TargetEvents, *, language: str) -> FakeShell:
        shell = FakeShell(events, pty)
        self._targets.shells.append(shell)
        self._targets.opened.set()
        return shell

    def close(self) -> None: ...


class FakeTargets(TargetConnector[FakeLink]):
    """Opens a `FakeShell` for each session. `before_open` may prompt, wait or fail."""

    def __init__(self) -> None:
        self.shells: list[FakeShell] = []
        self.before_open: Callable[[Prompter, Progress], Awaitable[None]] | None = None
        self.opened = asyncio.Event()

    async def connect(self, session: LiveSession, *, prompter: Prompter, progress: Progress) -> FakeLink:
        progress("connecting")
        if self.before_open is not None:
            await self.before_open(prompter, progress)
        return FakeLink(self)
