"""What the SSH front's parts share."""

from dataclasses import dataclass

from postern.proxies.core.control.plane import ControlPlane
from postern.proxies.core.control.tickets import TicketKeeper
from postern.proxies.core.limits import Limits
from postern.proxies.core.opening.pace import OpeningPace
from postern.proxies.core.sessions.registry import SessionRegistry
from postern.proxies.core.shared_settings import SharedSettings
from postern.proxies.ssh.target import SshTargets


@dataclass(frozen=True, kw_only=True)
class FrontServices:
    plane: ControlPlane
    tickets: TicketKeeper
    registry: SessionRegistry
    targets: SshTargets
    settings: SharedSettings
    openings: OpeningPace
    limits: Limits
