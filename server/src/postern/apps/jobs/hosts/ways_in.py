"""How jobs get to an asset: SSH, or WinRM on Windows assets that have no SSH."""

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.apps.assets import facade as assets
from postern.apps.jobs.hosts.fleet import HostNotTried
from postern.contracts.enums import Protocol
from postern.contracts.runner import HostResult, Remote, Shell
from postern.foundation.phrases import Phrase

#: Ports of WinRM that speak HTTP. All others speak HTTPS.
_HTTP_PORTS: Final = frozenset((80, 5985))
_UNIX: Final = frozenset((Protocol.SSH,))
_WINDOWS: Final = frozenset((Protocol.SSH, Protocol.RDP))
_NO_SSH: Final = Phrase("jobs.no_ssh", _("The asset does not have the protocol SSH."))
_NO_WAY_TO_WINDOWS: Final = Phrase("jobs.no_way_to_windows", _("The asset has neither the protocol SSH nor WinRM."))


@dataclass(frozen=True, slots=True)
class WayIn:
    """The port, what is spoken there, and whether Windows is expected."""

    port: int
    over: Remote
    is_windows: bool

    def shell(self, otherwise: Shell) -> Shell:
        """What runs a script: PowerShell on Windows."""
        return Shell.POWERSHELL if self.is_windows else otherwise

    @property
    def system_user_protocols(self) -> frozenset[Protocol]:
        """Protocols of system users whose accounts are accounts of this host."""
        return _WINDOWS if self.is_windows else _UNIX


def way_in(asset: assets.AssetBrief) -> WayIn | None:
    """How jobs get to the asset, or None if it has no protocol for them. SSH is preferred: its host key is pinned."""
    port = asset.protocols.get(Protocol.SSH)
    if port is not None:
        return WayIn(port, Remote.SSH, asset.is_windows)
    port = asset.protocols.get(Protocol.WINRM) if asset.is_windows else None
    if port is not None:
        return WayIn(port, Remote.WINRM if port in _HTTP_PORTS else Remote.WINRM_TLS, is_windows=True)
    return None


def way_to(asset: assets.AssetBrief) -> WayIn:
    """`way_in`. Raises HostNotTried if there is none."""
    way = way_in(asset)
    if way is None:
        raise HostNotTried(HostResult.REFUSED, (_NO_WAY_TO_WINDOWS if asset.is_windows else _NO_SSH).say())
    return way
