"""Maps protocols to connectors. Each protocol's folder adds its own, and `opening` looks them up."""

from dataclasses import dataclass
from typing import Any, TypeVar

from postern.contracts.enums import EndReason, Protocol
from postern.proxies.core.targets.ports import TargetConnector, TargetFailed, TargetLink
from postern.proxies.core.texts import Text

Link = TypeVar("Link", bound=TargetLink)


@dataclass(frozen=True)
class _Entry:
    connector: TargetConnector[Any]
    link: type[TargetLink]


class Connectors:
    """The connectors of this proxy, by protocol."""

    def __init__(self) -> None:
        self._entries: dict[Protocol, _Entry] = {}

    def add(self, protocol: Protocol, connector: TargetConnector[Link], link: type[Link]) -> None:
        """Register a connector that opens links of type `link`. Raises ValueError if the protocol already has one."""
        if protocol in self._entries:
            raise ValueError(f"there are two connectors for {protocol.value}")
        self._entries[protocol] = _Entry(connector, link)

    def find(self, protocol: Protocol, link: type[Link], language: str) -> TargetConnector[Link]:
        """Return the connector of `protocol` for a front that uses links of type `link`.

        Raises `TargetFailed` when this proxy does not support the protocol, or not for this front.
        """
        entry = self._entries.get(protocol)
        if entry is None or not issubclass(entry.link, link):
            message = Text.END_PROTOCOL_UNSUPPORTED.say(language)
            detail = "no connector" if entry is None else f"{entry.link.__name__} is no {link.__name__}"
            raise TargetFailed(EndReason.PROTOCOL_UNSUPPORTED, message, f"{protocol.value}: {detail}")
        return entry.connector
