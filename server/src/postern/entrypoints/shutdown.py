"""How a stop signal is taken: the first one asks for the end, a second one for the end at once."""

import asyncio
import signal
from typing import Final

from postern.foundation.settings import Settings

#: Under `postern up` somebody usually waits at the keyboard for the end.
_SUPERVISED_S: Final = 3.0
#: How long the proxy may take to end after its live sessions have; the supervisor kills it then.
PROXY_STOP_S: Final = 20.0
#: What the proxy does not plan with: closing its listeners, and the end of the process itself.
_LAST_STEPS_S: Final = 4.0
#: What the steps of the orderly end may take together, after the live sessions have ended.
PROXY_ENDS_S: Final = PROXY_STOP_S - _LAST_STEPS_S


def supervised_shutdown_s(settings: Settings) -> float:
    """How long live sessions may go on when `postern up` is stopped."""
    return _SUPERVISED_S if settings.shutdown_s is None else float(settings.shutdown_s)


class StopSignals:
    """SIGTERM, SIGINT and SIGHUP (the terminal was closed) of one process, as two events.

    Under a supervisor a second SIGTERM says nothing: service managers may send theirs to every process, beside the
    supervisor's own. The supervisor asks for the end at once with SIGINT.
    """

    def __init__(self, *, supervised: bool) -> None:
        self._supervised = supervised
        self.stopping = asyncio.Event()
        self.at_once = asyncio.Event()

    def listen(self, loop: asyncio.AbstractEventLoop) -> None:
        """Take the signals from now on. A SIGHUP that is ignored (`nohup`) stays so."""
        hang_up = [] if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN else [signal.SIGHUP]
        for number in (signal.SIGTERM, signal.SIGINT, *hang_up):
            loop.add_signal_handler(number, self.take, number)

    def take(self, number: signal.Signals) -> None:
        """A signal has come."""
        if not self.stopping.is_set():
            self.stopping.set()
        elif number == signal.SIGINT or (number == signal.SIGTERM and not self._supervised):
            self.at_once.set()
