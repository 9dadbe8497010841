"""How a stop signal is taken: the first one asks for the end, a second one for the end at once."""

import asyncio
import signal
from typing import Final

from postern.foundation.settings import Settings

#: Under `postern up` somebody usually waits at the keyboard for the end.
_SUPERVISED_S: Final = 3.0


def supervised_shutdown_s(settings: Settings) -> float:
    """How long live sessions may go on when `postern up` is stopped."""
    return _SUPERVISED_S if settings.shutdown_s is None else float(settings.shutdown_s)


class StopSignals:
    """SIGTERM and SIGINT of one process, as two events.

    Under a supervisor a second SIGTERM says nothing: service managers may send theirs to every process, beside the
    supervisor's own. The supervisor asks for the end at once with SIGINT.
    """

    def __init__(self, *, supervised: bool) -> None:
        self._supervised = supervised
        self.stopping = asyncio.Event()
        self.at_once = asyncio.Event()

    def listen(self, loop: asyncio.AbstractEventLoop) -> None:
        """Take both signals from now on."""
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.take, number)

    def take(self, number: signal.Signals) -> None:
        """A signal has come."""
        if not self.stopping.is_set():
            self.stopping.set()
        elif number == signal.SIGINT or not self._supervised:
            self.at_once.set()
