"""One part of a proxy process, and the front of a protocol, which brings one."""

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
    """In which order parts are drained. Each stage may still use what later ones keep open."""

    SESSIONS = 1  # people finish what they are doing
    RECORDINGS = 2  # what has just ended is sealed
    REPORTS = 3  # and told, while the line to the control plane is still there


def _nothing() -> None:
    """For parts that need no such step."""


async def _at_once() -> None:
    """For parts that need no such step."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """Everything but the name is optional. The steps, in this order:

    `start`: parts are started in the order in which they are listed. Raises `SettingsError`, `OSError`.
    `work`: runs beside the others until it is cancelled; when it ends by itself, the proxy ends.
    `close`: take nothing new; what is there stays.
    `drain`: let what is there come to its end; all parts of a `stage` before those of the next.
    `stop`: in the reverse order of the start, and also when a later part could not start.

    `addresses` is where the part listens: nothing of that may be dialled (K36). `announces` is for heartbeats.
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
    """How people come in, or what carries a protocol: what a protocol's folder offers to the composition."""

    @property
    def limits(self) -> FileLimits:
        """What decides how many files it holds."""

    def with_share_of_files(self, share: Fraction) -> Self:
        """The same front with limits that fit the open files of the process."""

    async def part(self, services: CoreServices) -> Part:
        """Register connectors with `services.connectors`, and give the part that serves. Called once."""
