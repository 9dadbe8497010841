"""A part of a proxy process, and the front of a protocol, which provides a part."""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from typing import Any, Protocol, Self

from postern.proxies.core.control.announcement import Announcement
from postern.proxies.core.limits import FileLimits
from postern.proxies.core.opening.services import CoreServices
from postern.proxies.core.parts.budget import StopBudget


class DrainStage(IntEnum):
    """The order in which parts are drained. Each stage may still use what later stages keep open."""

    SESSIONS = 1  # users finish their work
    RECORDINGS = 2  # recordings of ended sessions are sealed
    REPORTS = 3  # and reported while the connection to the control plane is still open


def _nothing() -> None:
    """Do nothing, for parts without this step."""


async def _at_once() -> None:
    """Do nothing, for parts without this step."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """The steps of a part. Everything except the name is optional.

    - `start`: called in the order in which the parts are listed. Raises `SettingsError`, `OSError`.
    - `work`: runs beside the other parts until cancelled. If it returns earlier, the proxy stops.
    - `close`: accepts nothing new and keeps existing work.
    - `drain`: waits for existing work. All parts of a `stage` drain before the next stage.
    - `stop`: called in reverse order of the start, also if a later part could not start.

    `addresses` returns the part's listening addresses, which may never be dialled as targets (K36: only addresses of
    permitted targets are dialled). `announces` returns its fields for heartbeats.
    """

    name: str
    start: Callable[[], Awaitable[None]] = _at_once
    work: Callable[[], Coroutine[Any, Any, None]] | None = None
    close: Callable[[], None] = _nothing
    drain: Callable[[StopBudget], Awaitable[None]] | None = None
    stage: DrainStage = DrainStage.SESSIONS
    stop: Callable[[], Awaitable[None]] = _at_once
    addresses: Callable[[], Sequence[tuple[str, int]]] = tuple
    announces: Callable[[], Announcement] = Announcement


class Front(Protocol):
    """The interface between a protocol's folder and the composition root: it accepts users or connects to targets."""

    @property
    def limits(self) -> FileLimits:
        """The limits that determine how many files the front holds open."""

    def with_share_of_files(self, share: Fraction) -> Self:
        """Return the same front with limits scaled to the open files of the process."""

    async def part(self, services: CoreServices) -> Part:
        """Register connectors with `services.connectors` and return the serving part. Called once."""
