"""Where web part and task monitor meet."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from postern.foundation.settings import Settings

#: Beginning of all paths of the monitor, as its pages know it.
PREFIX: Final = "flower"
#: Header by which the web part tells that a person has opened a page; pages also refresh themselves.
IS_PAGE: Final = "X-Postern-Page"


@dataclass(frozen=True, slots=True)
class Places:
    """The socket on which the monitor listens, and the lock that it holds while it runs."""

    socket: Path
    lock: Path

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """The places of this installation, in a folder that only its user can enter."""
        return cls(settings.run_dir / "monitor.sock", settings.run_dir / "monitor.lock")
