"""Which gateways have failed lately: they are tried after the others of their stage, so that a dead one costs time once
and not for each session.
"""

from collections.abc import Sequence
from uuid import UUID

from postern.contracts.routes import Gateway
from postern.kernel.clock import monotonic_s
from postern.proxies.gateways.limits import GatewayLimits


class FailingGateways:
    def __init__(self, limits: GatewayLimits) -> None:
        self._limits = limits
        self._until_s: dict[tuple[UUID, str, int], float] = {}

    def in_order(self, stage: Sequence[Gateway]) -> list[Gateway]:
        """Return the gateways in the order to try: as given, those that failed lately last."""
        now_s = monotonic_s()
        return sorted(stage, key=lambda gateway: self._until_s.get(_key(gateway), 0.0) > now_s)

    def failed(self, gateway: Gateway) -> None:
        self._until_s.pop(_key(gateway), None)
        if len(self._until_s) >= self._limits.failed_kept:
            self._until_s.pop(next(iter(self._until_s)))  # the oldest
        self._until_s[_key(gateway)] = monotonic_s() + self._limits.failed_s

    def answered(self, gateway: Gateway) -> None:
        self._until_s.pop(_key(gateway), None)


def _key(gateway: Gateway) -> tuple[UUID, str, int]:
    # A changed address deserves a fresh try.
    return gateway.id, gateway.host, gateway.port
