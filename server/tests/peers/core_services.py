"""The services that the composition gives to every front, for tests that run a part of a proxy."""

from uuid import UUID

from postern.contracts.files import files_key
from postern.contracts.terminals import Registered, hash_of_secret
from postern.kernel.dialing import DialPolicy
from postern.proxies.core.control.plane import ControlPlane
from postern.proxies.core.control.tickets import TicketKeeper
from postern.proxies.core.control.web_plane import WebPlane
from postern.proxies.core.limits import Limits
from postern.proxies.core.opening.outbound import Outbound
from postern.proxies.core.opening.pace import OpeningPace
from postern.proxies.core.opening.services import CoreServices
from postern.proxies.core.sessions.registry import SessionRegistry, SnapshotSource
from postern.proxies.core.shared_settings import SharedSettings
from postern.proxies.core.targets.connectors import Connectors
from postern.proxies.gateways.dialer import Dialer
from postern.proxies.gateways.limits import GatewayLimits

#: The credential of the proxy, as far as the web plane's key follows from it.
TERMINAL_SECRET = "the secret of a terminal"
WEB_PLANE_KEY = files_key(hash_of_secret(TERMINAL_SECRET))


def core_services(
    plane: ControlPlane,
    registry: SessionRegistry,
    pictures: SnapshotSource,
    limits: Limits,
    policy: DialPolicy | None = None,
    *,
    gateway_limits: GatewayLimits | None = None,
    fast: bool = True,
) -> CoreServices:
    """Core services with no connectors yet."""
    settings = SharedSettings()
    return CoreServices(
        plane=plane,
        web_plane=WebPlane(Registered(terminal_id=UUID(int=1), name="test", secret=TERMINAL_SECRET)),
        tickets=TicketKeeper(plane),
        registry=registry,
        connectors=Connectors(),
        settings=settings,
        openings=OpeningPace(settings),
        pictures=pictures,
        outbound=Outbound(plane, Dialer(limits, policy or DialPolicy(allow_local=True), gateway_limits, fast=fast)),
        limits=limits,
    )
