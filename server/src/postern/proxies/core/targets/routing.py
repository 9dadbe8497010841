"""The interface of the dialler that knows ways through gateways, and what it asks of its caller.

It needs no session: whoever opens connections (a session, a job) passes a target, its route and an `Approver`.
"""

from typing import Protocol

from postern.contracts.access import Credential, HostKeyAnswer, Target
from postern.contracts.routes import Gateway, Route
from postern.proxies.core.targets.ports import Progress
from postern.proxies.core.targets.wires import Wire


class Approver(Protocol):
    """Answers what a dialler must ask for each gateway. Both methods raise `TargetFailed`.

    With the reason `UNREACHABLE` the dialler tries the next gateway. With any other reason it gives up.
    """

    async def judge(self, gateway: Gateway, public_key: str, via: str) -> HostKeyAnswer:
        """Judge the host key that the gateway presented, one line in OpenSSH format. `via` names the gateways on the
        way to it.
        """

    async def credential(self, gateway: Gateway) -> Credential:
        """Return the gateway's secret. Asked for after its host key was judged, and only if it wants one."""


class RouteDialer(Protocol):
    """Opens connections to targets, directly or through gateways."""

    async def dial(
        self, target: Target, route: Route, approver: Approver, *, language: str, progress: Progress
    ) -> Wire:
        """Return an open connection. Raises `TargetFailed` with a message in `language`."""
