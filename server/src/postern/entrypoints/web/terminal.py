"""The controlling terminal of a command: SIGHUP means that it was closed, unless it still exists."""

import os
import signal
from typing import Final

_TERMINAL: Final = "/dev/tty"


class Terminal:
    """Create it before the command changes the handling of SIGHUP."""

    def __init__(self) -> None:
        #: False under a supervisor or service manager (no terminal), and under `nohup` (SIGHUP is ignored).
        self._matters = signal.getsignal(signal.SIGHUP) != signal.SIG_IGN and _is_there()
        self.has_hung_up = False

    def note_hang_up(self, _number: int, _frame: object) -> None:
        """Handler for SIGHUP while no processes are running that it could apply to."""
        self.has_hung_up = True

    def has_closed(self) -> bool:
        """Whether there was a terminal that this process should end with, and it is gone."""
        return self._matters and not _is_there()


def _is_there() -> bool:
    try:
        os.close(os.open(_TERMINAL, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return False
    return True
