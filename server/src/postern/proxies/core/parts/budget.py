"""The time that the orderly end of a proxy may take."""

from postern.kernel.clock import monotonic_s


class StopBudget:
    """The time that is left for the orderly end of the proxy, shared by its steps: none has a limit of its own."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._ends_s: float | None = None

    def left(self, *, keep_s: float = 0.0) -> float:
        """Seconds that the next step may take, so that `keep_s` are left for later ones. The first call is the start."""
        if self._ends_s is None:
            self._ends_s = monotonic_s() + self._limit_s
        return max(0.0, self._ends_s - monotonic_s() - keep_s)
