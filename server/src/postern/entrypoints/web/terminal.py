"""The terminal that a command was started in: SIGHUP means its end, unless the terminal is still there."""

import os
import signal
from typing import Final

_TERMINAL: Final = "/dev/tty"


class Terminal:
    """Made before the command changes what SIGHUP does."""

    def __init__(self) -> None:
        #: False under a supervisor or a service manager (they give no terminal), and under `nohup`, which ignores SIGHUP.
        self._matters = signal.getsignal(signal.SIGHUP) != signal.SIG_IGN and _is_there()
        self.has_hung_up = False

    def note_hang_up(self, _number: int, _frame: object) -> None:
        """A handler for SIGHUP while nothing is there that could act on it."""
        self.has_hung_up = True

    def has_closed(self) -> bool:
        """Whether there was a terminal that would take this process along, and is none any more."""
        return self._matters and not _is_there()


def _is_there() -> bool:
    try:
        os.close(os.open(_TERMINAL, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return False
    return True
