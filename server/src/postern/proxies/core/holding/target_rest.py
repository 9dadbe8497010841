"""Whether the target rests: it has handled all earlier keys, and its output has ended.

A fence tells that the keys were read. Behind a second hop it is answered before the echo, so the times of the last
echoes count too.
"""

from collections import deque
from collections.abc import Callable
from typing import Final

from postern.kernel.clock import monotonic_s
from postern.proxies.core.holding.ports import FencedTarget

#: The target rests when it shows nothing for this long. Measured with bash and zsh at up to 80 ms of distance.
QUIET_S: Final = 0.015
#: Constant output must not hold a line for ever: after the fence it is judged as it is.
_NEVER_QUIET_S: Final = 0.3
#: A target that answers no fence for this long: the line is judged as it is.
_NO_FENCE_S: Final = 10.0
#: How long waiting input waits for the target to rest after a line was released or refused.
_SETTLE_S: Final = 0.2
#: How many of the last echoes count, and the longest that one is taken to be.
_ECHOES: Final = 8
_LONGEST_ECHO_S: Final = 0.5


class TargetRest:
    """The times of one target's output and of its user's input. All times are seconds of the monotonic clock."""

    def __init__(self, target: FencedTarget) -> None:
        self._target = target
        self._output_s = 0.0
        self._input_s = 0.0
        #: When the present wait began.
        self._since_s = 0.0
        self._fence_s: float | None = None
        self._fence_number = 0
        #: When a key was forwarded whose echo has not arrived, and the last times that echoes took.
        self._key_s = 0.0
        self._echo_times: deque[float] = deque([0.0], maxlen=_ECHOES)

    def output(self) -> None:
        """Note output of the target."""
        now_s = self._output_s = monotonic_s()
        if self._key_s:
            self._echo_times.append(min(_LONGEST_ECHO_S, now_s - self._key_s))
            self._key_s = 0.0

    def input(self, *, is_measured: bool) -> None:
        """Note that input was forwarded. `is_measured` tells whether the time of its echo counts."""
        now_s = self._input_s = monotonic_s()
        if is_measured and not self._key_s and now_s - self._output_s > QUIET_S:
            self._key_s = now_s

    def begin(self) -> None:
        """Begin to wait."""
        self._since_s = monotonic_s()

    # Fences

    @property
    def is_fenced(self) -> bool:
        """Whether the target has handled all keys that were forwarded before `ask`, or cannot tell."""
        return self._fence_s is not None

    def forget_fence(self) -> None:
        """Forget that a fence was reached."""
        self._fence_s = None

    def ask(self, reached: Callable[[], None]) -> None:
        """Ask the target whether it has handled all keys. `reached` is called unless something else is asked meanwhile,
        and confirms with `fence_reached`.
        """
        self._fence_number += 1
        number = self._fence_number
        if not self._target.fence(lambda: reached() if number == self._fence_number else None):
            self._fence_s = self._since_s

    def fence_reached(self) -> None:
        """Note that the target has handled all keys."""
        self._fence_s = monotonic_s()

    def ask_no_more(self) -> None:
        """Ignore the answer to the last fence."""
        self._fence_number += 1

    @property
    def awaits_fence(self) -> bool:
        """Whether the target has not answered the fence, and may do so yet."""
        return self._fence_s is None and monotonic_s() - self._since_s < _NO_FENCE_S

    # Rest

    def has_rested_after(self, released_s: float) -> bool:
        """Whether the target has shown something since `released_s`, and rested when the wait began."""
        return released_s < self._output_s < self._since_s - QUIET_S

    @property
    def is_idle(self) -> bool:
        """Whether neither side has sent anything for a while."""
        return monotonic_s() - max(self._output_s, self._input_s) >= QUIET_S

    def rests(self, *, is_echo_due: bool) -> bool:
        """Whether the screen shows the whole line, as far as anyone can tell. With `is_echo_due`, the slowest of the
        last echoes would have arrived.
        """
        if self._fence_s is None:
            return False
        now_s = monotonic_s()
        echo_s = self._since_s + max(self._echo_times) if is_echo_due else 0.0
        if now_s - max(self._fence_s, echo_s) < QUIET_S:
            return False
        return now_s - self._output_s >= QUIET_S or now_s - self._fence_s >= _NEVER_QUIET_S

    def is_settled(self, *, is_echo_due: bool) -> bool:
        """Whether the target has answered the last key and rests, or took too long for either."""
        now_s = monotonic_s()
        longest_s = _SETTLE_S + (max(self._echo_times) if is_echo_due else 0.0)
        is_answered = self._output_s > self._since_s and now_s - self._output_s >= QUIET_S
        return is_answered or now_s - self._since_s >= longest_s
