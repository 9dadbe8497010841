"""The text form of an asset's protocols: `ssh/22`. Pure functions, used by the API, the models and imports."""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from postern.contracts.enums import Protocol

#: Protocols that an asset can have; the other protocols belong to applications.
ASSET_PROTOCOLS: Final = (Protocol.SSH, Protocol.RDP, Protocol.TELNET, Protocol.VNC, Protocol.WINRM)
DEFAULT_PORTS: Final = {
    Protocol.SSH: 22,
    Protocol.RDP: 3389,
    Protocol.TELNET: 23,
    Protocol.VNC: 5901,
    Protocol.WINRM: 5986,
}
DEFAULT_PROTOCOLS: Final = ("ssh/22",)
MAX_PROTOCOLS: Final = 5
PATTERN: Final = r"^(ssh|rdp|telnet|vnc|winrm)/(\d{1,5})$"

_SHAPE = re.compile(PATTERN, re.ASCII)
_MAX_PORT = 65535


class ProtocolPort(NamedTuple):
    """One protocol of an asset with the TCP port it listens on (1-65535)."""

    name: Protocol
    port: int

    def __str__(self) -> str:
        return f"{self.name.value}/{self.port}"


def parse(text: str) -> ProtocolPort | None:
    """Parse `ssh/22`. Returns None when the text has another form or the port is out of range."""
    match = _SHAPE.match(text)
    if match is None or text.endswith("\n"):
        return None
    port = int(match[2])
    if not 1 <= port <= _MAX_PORT:
        return None
    return ProtocolPort(Protocol(match[1]), port)


def repeated(protocols: Iterable[ProtocolPort]) -> Protocol | None:
    """The first protocol that appears twice, or None."""
    seen: set[Protocol] = set()
    for item in protocols:
        if item.name in seen:
            return item.name
        seen.add(item.name)
    return None
