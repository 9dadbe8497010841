"""Which parts the supervisor keeps up, and since when each of them runs: a small file that the health page reads.

Signs of life in the cache or the database outlive a killed process by up to a minute. The supervisor is told of a death
at once, and the kernel knows it even earlier, so the reader asks the kernel whether each process is still there.
"""

import json
import logging
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from postern.foundation.settings import Settings

log = logging.getLogger(__name__)

#: In the environment of every supervised part: the process id of its supervisor.
SUPERVISOR_PID: Final = "POSTERN_SUPERVISOR_PID"


@dataclass(frozen=True, slots=True)
class PartLife:
    """One part: its process (0: none at the moment), and since when (seconds since the epoch)."""

    pid: int
    since: float


def path(settings: Settings) -> Path:
    """Where the board of an installation is."""
    return settings.run_dir / "parts.json"


def write(file: Path, lives: Mapping[str, PartLife]) -> None:
    """Replace the board. A disk that takes nothing leaves the old one, whose dead processes count as dead."""
    rows = {name: [life.pid, life.since] for name, life in lives.items()}
    fresh = file.with_suffix(".new")
    try:
        fresh.write_text(json.dumps({"supervisor": os.getpid(), "parts": rows}), encoding="utf-8")
        fresh.replace(file)
    except OSError as error:
        log.warning("the state of the parts could not be noted: %s", error)


def read(file: Path, environ: Mapping[str, str]) -> dict[str, PartLife]:
    """The board of this process's supervisor; empty for a part that was started alone."""
    supervisor = environ.get(SUPERVISOR_PID, "")
    if not supervisor:
        return {}
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        rows: Iterable[tuple[str, list[float]]] = (
            found["parts"].items() if str(found["supervisor"]) == supervisor else ()
        )
        return {name: PartLife(int(pid), float(since)) for name, (pid, since) in rows}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def lives(life: PartLife, supervisor: str) -> bool:
    """Whether the part's process is there, is no zombie, and is still the supervisor's."""
    if life.pid <= 0:
        return False
    if not sys.platform.startswith("linux"):
        try:
            os.kill(life.pid, 0)
        except OSError:
            return False
        return True
    try:
        # After the name in parentheses: state and parent
        state, parent = Path(f"/proc/{life.pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except (OSError, ValueError):
        return False
    return state not in {"Z", "X"} and parent == supervisor
