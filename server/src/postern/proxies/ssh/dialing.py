"""Outbound connections to targets: only to the permitted asset, never inwards (K36), always with an end in sight."""

import asyncio
import errno
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from postern.contracts.access import Target
from postern.contracts.enums import EndReason
from postern.proxies.core.target import TargetFailed
from postern.proxies.core.texts import Text

_AddressInfo = tuple[
    socket.AddressFamily,
    socket.SocketKind,
    int,
    str,
    tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes],
]


@dataclass(frozen=True, kw_only=True)
class DialPolicy:
    """Which addresses may be dialled. `own_ports` are those of this installation on this machine."""

    allow_local: bool = False
    blocked_networks: tuple[IPv4Network | IPv6Network, ...] = ()
    own_ports: frozenset[int] = frozenset()

    def permits(self, address: str, port: int) -> bool:
        """Judged on the resolved address, so that a name cannot hide where it leads."""
        parsed: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
        if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
            parsed = parsed.ipv4_mapped
        if any(parsed in network for network in self.blocked_networks):
            return False
        if parsed.is_loopback:
            return self.allow_local and port not in self.own_ports
        if parsed.is_link_local:
            return self.allow_local
        return not (parsed.is_multicast or parsed.is_unspecified or parsed.is_reserved)


async def dial(target: Target, policy: DialPolicy, *, timeout_s: float, language: str) -> socket.socket:
    """A connected, non-blocking TCP socket. Raises `TargetFailed` with a sentence for the person."""
    loop = asyncio.get_running_loop()
    where = {"host": target.host, "port": target.port}
    try:
        async with asyncio.timeout(timeout_s):
            try:
                found = await loop.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
            except (OSError, UnicodeError) as error:
                message = Text.UNRESOLVED.say(language, host=target.host)
                raise TargetFailed(EndReason.UNREACHABLE, message, f"resolve: {error}") from error
            permitted = [entry for entry in found if policy.permits(str(entry[4][0]), target.port)]
            if not permitted:
                message = Text.DIAL_FORBIDDEN.say(language, **where)
                raise TargetFailed(EndReason.UNREACHABLE, message, "address not permitted by the dial policy")
            return await _first_that_answers(loop, permitted)
    except TimeoutError as error:
        message = Text.CONNECT_TIMEOUT.say(language, **where)
        raise TargetFailed(EndReason.UNREACHABLE, message, "connect: timed out") from error
    except OSError as error:
        raise TargetFailed(EndReason.UNREACHABLE, _explain(error, where, language), f"connect: {error}") from error


def _explain(error: OSError, where: dict[str, object], language: str) -> str:
    if isinstance(error, ConnectionRefusedError):
        return Text.CONNECT_REFUSED.say(language, **where)
    detail = errno.errorcode.get(error.errno or 0, type(error).__name__)
    return Text.CONNECT_FAILED.say(language, **where, detail=detail)


async def _first_that_answers(loop: asyncio.AbstractEventLoop, entries: Sequence[_AddressInfo]) -> socket.socket:
    failure: OSError = OSError("no address")
    for family, kind, protocol, _, address in entries:
        connection = socket.socket(family, kind, protocol)
        connection.setblocking(False)
        try:
            await loop.sock_connect(connection, address)
        except OSError as error:
            connection.close()
            failure = error
        except BaseException:
            connection.close()
            raise
        else:
            return connection
    raise failure
