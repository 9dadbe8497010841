"""Protective limits that all protocols share. Every queue is bounded and every wait has a named timeout.

Limits of a single protocol are a frozen dataclass in that protocol's folder (`ssh/limits.py`, `terminal/limits.py`).
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, Protocol, Self

#: Files reserved for the journal, the outbox, uploads of recordings, and requests to the control plane.
_OTHER_FILES: Final = 256
_FILES_OF_A_SESSION: Final = 2  # the connection to the target, and in a browser the websocket


class FileLimits(Protocol):
    """Limits that determine how many files are open at the same time."""

    @property
    def files(self) -> int:
        """Maximum number of open files when all limits are reached."""

    def with_share_of_files(self, share: Fraction) -> Self:
        """Return the same limits scaled to `share` (between 0 and 1) of `files`."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits that protect the proxy and its other sessions. Times in seconds, sizes in bytes."""

    # One session
    opening_s: float = 150.0  # longest time from permission to an open shell, including prompts
    connect_s: float = 10.0  # TCP connect to a target
    prompt_s: float = 60.0
    sessions: int = 2000

    # Watching
    watcher_queue_bytes: int = 1024 * 1024
    watchers_per_session: int = 16
    snapshot_s: float = 10.0

    # Control plane
    control_request_s: float = 15.0
    control_hold_s: float = 10.0  # how long users' requests wait for a control plane that is away
    control_held: int = 250
    control_held_per_source: int = 20
    control_answer_bytes: int = 4 * 1024 * 1024
    outbox_segment_bytes: int = 256 * 1024
    outbox_total_bytes: int = 1024 * 1024 * 1024

    # Shutdown
    drain_s: float = 60.0  # how long running sessions may continue after SIGTERM

    @property
    def files(self) -> int:
        return _FILES_OF_A_SESSION * self.sessions

    def with_share_of_files(self, share: Fraction) -> Self:
        return replace(self, sessions=int(self.sessions * share))


def share_of_files(open_files: int, *parts: FileLimits) -> Fraction:
    """Return the share of all limits on open files that fits into a process with `open_files` files; 1 if all fit.

    A process without a free file can neither record nor report. Then every session would end, not only the session that
    exceeds the limit.
    """
    room = open_files - min(_OTHER_FILES, open_files // 2)
    wanted = sum(part.files for part in parts)
    return Fraction(1) if wanted <= room else Fraction(room, wanted)
