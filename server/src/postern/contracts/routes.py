"""The way from a proxy to a target: directly, or through SSH gateways.

A domain has gateways, and may itself be reached through another domain. Each domain on the way is a *stage*: one of its
gateways is passed. If a gateway does not answer, the next gateway of its stage is tried.
"""

from typing import Final
from uuid import UUID

import msgspec

_ARROW: Final = " → "
#: The control plane stores no more characters.
MAX_VIA: Final = 600


class Gateway(msgspec.Struct, frozen=True, kw_only=True):
    """An SSH server that forwards connections. Its secret is requested separately (`access.GatewayCredentialRequest`)."""

    id: UUID
    name: str
    host: str
    port: int
    login_name: str


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """Stages from the proxy towards the target, each with its gateways in the order to try. No stages: direct.

    A stage without gateways cannot be passed: the target is unreachable, never dialled directly.
    """

    stages: tuple[tuple[Gateway, ...], ...] = ()


def via_of(names: tuple[str, ...]) -> str:
    """Return the names of gateways as one text, at most `MAX_VIA` characters."""
    text = _ARROW.join(names)
    return text if len(text) <= MAX_VIA else text[: MAX_VIA - 1] + "…"
