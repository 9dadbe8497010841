"""The time limit for the orderly shutdown of a proxy."""

from postern.kernel.clock import monotonic_s


class StopBudget:
    """The time left for the shutdown, shared by all of its steps. No step has a limit of its own."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._ends_s: float | None = None

    def left(self, *, keep_s: float = 0.0) -> float:
        """Return the seconds that the next step may take if `keep_s` stay for later steps. The first call starts the
        clock.
        """
        if self._ends_s is None:
            self._ends_s = monotonic_s() + self._limit_s
        return max(0.0, self._ends_s - monotonic_s() - keep_s)
