"""State of the supervised processes: a small file that the supervisor writes and the health page reads.

Signs of life in the cache or database outlive a killed process by up to a minute. The supervisor learns of a death
immediately and the kernel even earlier, so readers also ask the kernel whether each process still exists.
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

#: Environment variable of every supervised process: the process id of its supervisor.
SUPERVISOR_PID: Final = "POSTERN_SUPERVISOR_PID"


@dataclass(frozen=True, slots=True)
class PartLife:
    """One service: its process id (0: not running) and its start time in seconds since the epoch."""

    pid: int
    since: float


def path(settings: Settings) -> Path:
    """Path of the state file of an installation."""
    return settings.run_dir / "parts.json"


def write(file: Path, lives: Mapping[str, PartLife]) -> None:
    """Replace the file. If the disk is full the old file stays; `lives` recognizes its dead processes."""
    rows = {name: [life.pid, life.since] for name, life in lives.items()}
    new_file = file.with_suffix(".new")
    try:
        new_file.write_text(json.dumps({"supervisor": os.getpid(), "parts": rows}), encoding="utf-8")
        new_file.replace(file)
    except OSError as error:
        log.warning("cannot write the state of the processes: %s", error)


def read(file: Path, environ: Mapping[str, str]) -> dict[str, PartLife]:
    """The state as written by this process's supervisor; empty when this process has no supervisor."""
    supervisor = environ.get(SUPERVISOR_PID, "")
    if not supervisor:
        return {}
    try:
        board = json.loads(file.read_text(encoding="utf-8"))
        rows: Iterable[tuple[str, list[float]]] = (
            board["parts"].items() if str(board["supervisor"]) == supervisor else ()
        )
        return {name: PartLife(int(pid), float(since)) for name, (pid, since) in rows}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def lives(life: PartLife, supervisor: str) -> bool:
    """Whether the process exists, is not a zombie, and still is a child of the supervisor."""
    if life.pid <= 0:
        return False
    if not sys.platform.startswith("linux"):
        try:
            os.kill(life.pid, 0)
        except OSError:
            return False
        return True
    try:
        # Fields after the process name in parentheses: state and parent.
        state, parent = Path(f"/proc/{life.pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except (OSError, ValueError):
        return False
    return state not in {"Z", "X"} and parent == supervisor
