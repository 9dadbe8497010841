"""The services that every protocol's front receives."""

from dataclasses import dataclass

from postern.proxies.core.control.plane import ControlPlane
from postern.proxies.core.control.tickets import TicketKeeper
from postern.proxies.core.control.web_plane import WebPlane
from postern.proxies.core.limits import Limits
from postern.proxies.core.opening.outbound import Outbound
from postern.proxies.core.opening.pace import OpeningPace
from postern.proxies.core.sessions.registry import SessionRegistry, SnapshotSource
from postern.proxies.core.shared_settings import SharedSettings
from postern.proxies.core.targets.connectors import Connectors


@dataclass(frozen=True, kw_only=True)
class CoreServices:
    """Created once by the composition root and shared by all fronts."""

    plane: ControlPlane
    web_plane: WebPlane
    tickets: TicketKeeper
    registry: SessionRegistry
    connectors: Connectors
    settings: SharedSettings
    openings: OpeningPace
    pictures: SnapshotSource
    outbound: Outbound
    limits: Limits
