"""Input of one browser session on its way to the target: in order, bounded, each byte recorded and written once.

Nothing waits here. Input is written directly while the target accepts it. Otherwise it is queued, and events of the
target (`release`, `pass_on`) write the rest. So the reader of the link can always process acknowledgements and the end.
One buffer serves all links of the session in sequence: input of an old link is written before that of the next.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from postern.contracts.browser import InputCredit
from postern.proxies.core.charset import Charset
from postern.proxies.core.sessions.detection import KEYS_AT_ONCE_BYTES
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.targets.ports import TargetShell
from postern.proxies.terminal.limits import TerminalLimits

#: Maximum bytes written per turn of the event loop, so that other sessions get their turn.
_TURN_BYTES: Final = 16 * KEYS_AT_ONCE_BYTES
#: New credit is sent to the page in steps of this fraction of the window, not with each key.
_CREDIT_STEPS: Final = 16


class TypedInput:
    """The input that a page has sent, and how much of it the target has accepted. Totals count bytes of the page."""

    def __init__(
        self, session: LiveSession, charset: Charset, limits: TerminalLimits, on_moved: Callable[[], None]
    ) -> None:
        """`on_moved` is called after input was forwarded or had to wait."""
        self._session = session
        self._charset = charset
        self._window_bytes = limits.input_window_bytes
        self._most_bytes = limits.input_window_bytes + limits.input_excess_bytes
        self._on_moved = on_moved
        self._shell: TargetShell | None = None
        #: Queued bytes in the host's charset. They are never more than the page's bytes that they were made from.
        self._waiting = bytearray()
        self._received = 0
        self._passed = 0
        #: The total number of bytes that the page may send.
        self._until = self._window_bytes
        self._is_held = False
        self._is_passing = False
        self._turn: asyncio.Handle | None = None

    @property
    def received(self) -> int:
        """Bytes that have arrived from the page, over all links."""
        return self._received

    @property
    def taken(self) -> int:
        """Minimum number of these bytes that were recorded and forwarded to the target."""
        return self._passed if self._waiting else self._received

    @property
    def has_room(self) -> bool:
        """Whether less input waits than a page that counts its input may have in flight."""
        return len(self._waiting) <= self._window_bytes

    def credit_anew(self) -> int:
        """Return the total that a (re)connected page may send."""
        self._until = self.taken + self._window_bytes
        return self._until

    def new_credit(self) -> InputCredit | None:
        """Return the credit to tell the page, or None if it is not worth a message."""
        taken = self.taken
        if taken + self._window_bytes - self._until < self._window_bytes // _CREDIT_STEPS:
            return None
        return InputCredit(taken=taken, until=self.credit_anew())

    def begin(self, shell: TargetShell) -> None:
        """Accept input for the opened shell. Earlier input was not for the shell and is dropped."""
        self._shell = shell

    def put(self, data: bytes) -> bool:
        """Accept input of the page. Returns False if too much waits already; nothing is accepted then."""
        if self._shell is None:
            return True
        if self._session.lock.refuses_keys():  # nothing waits while it does
            self._received += len(data)
            self._on_moved()
            return True
        if len(self._waiting) + len(data) > self._most_bytes:
            return False
        keys = self._charset.from_utf8(data)
        if not self._waiting:
            self._passed = self._received  # in the host's charset the input may have fewer bytes than the page sent
        self._received += len(data)
        if not self._waiting and len(keys) <= KEYS_AT_ONCE_BYTES and self._may_pass:
            self._pass(self._shell, keys)
            self._on_moved()
        else:
            self._waiting += keys
            self.pass_on()
        return True

    def drop_waiting(self) -> None:
        """Drop queued input, because the session is locked."""
        self._waiting.clear()
        self._charset.restart_keys()
        self._on_moved()

    def hold(self) -> None:
        """Note that the target accepts no input at present."""
        self._is_held = True

    def release(self) -> None:
        """Note that the target accepts input again."""
        self._is_held = False
        self.pass_on()

    def pass_on(self, *, one_more: bool = False) -> None:
        """Write queued input, as far as the target and command detection keep up.

        With `one_more` one piece is written even if detection has just become full again, so that output cannot starve
        the keys.
        """
        if self._is_passing:
            return  # called from within; the loop below continues
        self._is_passing = True
        try:
            written = 0
            while (
                self._waiting
                and self._shell is not None
                and (self._may_pass or (one_more and not self._is_held and not written))
            ):
                if written >= _TURN_BYTES:
                    self._go_on_later()
                    break
                piece = bytes(self._waiting[:KEYS_AT_ONCE_BYTES])
                del self._waiting[: len(piece)]
                written += len(piece)
                self._pass(self._shell, piece)
        finally:
            self._is_passing = False
        self._on_moved()

    def close(self) -> None:
        """Drop queued input at the end of the session."""
        self._shell = None
        self._waiting.clear()
        if self._turn is not None:
            self._turn.cancel()

    @property
    def _may_pass(self) -> bool:
        return not (self._is_held or self._session.is_behind or self._session.filtering.is_full)

    def _pass(self, shell: TargetShell, keys: bytes) -> None:
        gate = self._session.filtering.gate
        if gate is not None:
            gate.put(keys)
        elif keys and self._session.user_input(keys):
            shell.write(keys)
        self._passed += len(keys)

    def _go_on_later(self) -> None:
        if self._turn is None:
            self._turn = asyncio.get_running_loop().call_soon(self._next_turn)

    def _next_turn(self) -> None:
        self._turn = None
        self.pass_on()
