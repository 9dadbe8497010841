"""Interface to the gateways of domains. They have secrets and belong to the vault, an app in a higher layer.

The vault registers the implementation, so that no import points up the stack.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Protocol
from uuid import UUID

from postern.foundation.provided import Provided


class GatewayDirectory(Protocol):
    """Looks up gateways."""

    def listed(self, domain_ids: Iterable[UUID]) -> Mapping[UUID, Sequence[Mapping[str, Any]]]:
        """The gateways of each domain as the API shows them, in the order in which sessions try them. Never a secret."""
        ...

    def names(self, gateway_ids: Iterable[UUID]) -> Mapping[UUID, str]:
        """The name of each existing gateway, by id."""
        ...


DIRECTORY: Final = Provided[GatewayDirectory]("the gateways of domains")


def listed(domain_ids: Iterable[UUID]) -> Mapping[UUID, Sequence[Mapping[str, Any]]]:
    """The gateways of each domain as the API shows them."""
    wanted = set(domain_ids)
    return DIRECTORY.value.listed(wanted) if wanted else {}


def names(gateway_ids: Iterable[UUID]) -> Mapping[UUID, str]:
    """The name of each existing gateway."""
    wanted = set(gateway_ids)
    return DIRECTORY.value.names(wanted) if wanted else {}
