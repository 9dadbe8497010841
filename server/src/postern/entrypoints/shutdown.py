"""Stop signals: the first one starts an orderly shutdown, a second one cuts it short."""

import asyncio
import signal
from typing import Final

from postern.foundation.settings import Settings

#: With `postern up`, somebody usually waits at the keyboard for the end.
_SUPERVISED_S: Final = 3.0
#: Time for the proxy to end after its live sessions have ended; then the supervisor kills it.
PROXY_STOP_S: Final = 20.0
#: Time for what the proxy does not plan: closing its listeners, and ending the process.
_LAST_STEPS_S: Final = 4.0
#: Total time for the steps of the orderly shutdown after the live sessions have ended.
PROXY_ENDS_S: Final = PROXY_STOP_S - _LAST_STEPS_S


def supervised_shutdown_s(settings: Settings) -> float:
    """Time that live sessions get when `postern up` is stopped."""
    return _SUPERVISED_S if settings.shutdown_s is None else float(settings.shutdown_s)


class StopSignals:
    """SIGTERM, SIGINT and SIGHUP (the terminal was closed), turned into two asyncio events.

    Under a supervisor a second SIGTERM has no meaning: service managers may send SIGTERM to every process in addition
    to the supervisor's. The supervisor uses SIGINT to cut the shutdown short.
    """

    def __init__(self, *, supervised: bool) -> None:
        self._supervised = supervised
        self.stopping = asyncio.Event()
        self.at_once = asyncio.Event()

    def listen(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start handling the signals. An ignored SIGHUP (`nohup`) stays ignored."""
        hang_up = [] if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN else [signal.SIGHUP]
        for number in (signal.SIGTERM, signal.SIGINT, *hang_up):
            loop.add_signal_handler(number, self.take, number)

    def take(self, number: signal.Signals) -> None:
        """Handle a signal."""
        if not self.stopping.is_set():
            self.stopping.set()
        elif number == signal.SIGINT or (number == signal.SIGTERM and not self._supervised):
            self.at_once.set()
