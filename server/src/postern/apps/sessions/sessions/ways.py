"""The way of a session from its proxy to its target: which addresses may be dialled, and through which gateways.

Decided anew for each session (K36: only addresses of permitted targets and their gateways are dialled).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from postern.apps.assets import facade as assets
from postern.apps.sessions.terminals import queries as terminal_queries
from postern.apps.vault import facade as vault
from postern.contracts.routes import Gateway, Route
from postern.foundation.network import outbound
from postern.foundation.network.outbound import TargetRefused, TargetUnknown
from postern.foundation.network.surroundings import Endpoint
from postern.foundation.phrases import Phrase

_AT_GATEWAY: Final = Phrase("sessions.gateway_refused", _("Gateway %(name)s: %(reason)s"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """`host` is the target's address as the last machine on the way dials it, `route` what is passed before."""

    host: str
    route: Route

    @property
    def shown(self) -> list[list[str]]:
        """The gateways of each stage as the audit record stores them."""
        return [[f"{gateway.name} ({gateway.host}:{gateway.port})" for gateway in stage] for stage in self.route.stages]


def checked_way(*, address: str, port: int, domain_id: UUID | None) -> Way:
    """The way to a target, with checked addresses. Raises TargetRefused.

    What the proxy dials is resolved here: the target itself, or the gateways of the first stage. What lies behind a
    gateway is not, because names may have another meaning there. Call it outside of a transaction: resolving may take
    long.
    """
    return checked_route(address=address, port=port, route=vault.route_to(domain_id))


def checked_route(*, address: str, port: int, route: Route) -> Way:
    """The way to a target on this route, with checked addresses. See `checked_way`."""
    services = terminal_queries.proxy_endpoints()
    if not route.stages:
        return Way(host=_dialled(address, port, services), route=route)
    outbound.check_behind_gateway(address, port, *services)

    def from_here(gateway: Gateway) -> str:
        return _dialled(gateway.host, gateway.port, services)

    def behind(gateway: Gateway) -> str:
        outbound.check_behind_gateway(gateway.host, gateway.port, *services)
        return gateway.host

    first, *inner = route.stages
    stages = (_permitted(first, from_here), *(_permitted(stage, behind) for stage in inner))
    return Way(host=address, route=Route(stages=stages))


def route_now(asset_id: UUID) -> Route | None:
    """The route to an asset as its domain has it now; None when the asset is gone."""
    domains = assets.domains_of([asset_id])
    return vault.route_to(domains[asset_id]) if asset_id in domains else None


def place_of(route: Route, gateway_id: UUID) -> tuple[int, Gateway] | None:
    """Number of the stage (from 0) and the gateway; None when the gateway is not on the route."""
    for number, stage in enumerate(route.stages):
        for gateway in stage:
            if gateway.id == gateway_id:
                return number, gateway
    return None


def _dialled(host: str, port: int, services: Sequence[Endpoint]) -> str:
    try:
        return outbound.check_dial(host, port, *services).address
    except TargetUnknown:
        return host  # the name may be known in the proxy's network


def _permitted(stage: Sequence[Gateway], check: Callable[[Gateway], str]) -> tuple[Gateway, ...]:
    """The gateways of a stage that may be dialled, with the address to dial. Raises TargetRefused if none may."""
    permitted: list[Gateway] = []
    refused: TargetRefused | None = None
    for gateway in stage:
        try:
            host = check(gateway)
        except TargetRefused as error:
            refused = TargetRefused(_AT_GATEWAY.say(name=gateway.name, reason=error.sentence))
        else:
            permitted.append(
                Gateway(id=gateway.id, name=gateway.name, host=host, port=gateway.port, login_name=gateway.login_name)
            )
    if refused is not None and not permitted:
        raise refused
    return tuple(permitted)
