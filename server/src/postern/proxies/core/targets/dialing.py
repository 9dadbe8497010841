"""The TCP connections that the proxy itself opens, always with a timeout. Called by the dialler (`routing.RouteDialer`)
only, which protocols reach through `opening.outbound`.

Only the permitted asset is dialled, never this machine or Postern's own services (K36: only permitted targets are
dialled).
"""

import asyncio
import errno
import socket
from collections.abc import Mapping, Sequence
from dataclasses import replace
from ipaddress import ip_address
from typing import Final

from postern.contracts.access import Target
from postern.contracts.enums import EndReason
from postern.foundation.network.names import NAMES, Entry, NameNotFound
from postern.kernel.dialing import DialPolicy, Refusal, Surroundings
from postern.kernel.sentences import Sentence, Value
from postern.proxies.core.targets.ports import TargetFailed
from postern.proxies.core.texts import Text

_REFUSALS: Final = {
    Refusal.METADATA: Text.DIAL_METADATA,
    Refusal.OWN_SERVICE: Text.DIAL_OWN_SERVICE,
    Refusal.BLOCKED_NETWORK: Text.DIAL_BLOCKED,
    Refusal.THIS_MACHINE: Text.DIAL_FORBIDDEN,
    Refusal.NOT_A_HOST: Text.DIAL_NOT_A_HOST,
}

_LOOPBACK: Final = "127.0.0.1"
_LOCAL_NAMES: Final = frozenset(("localhost", "localhost4", "localhost6", "ip6-localhost", "ip6-loopback"))


async def dial(target: Target, policy: DialPolicy, *, timeout_s: float, language: str) -> socket.socket:
    """Return a connected, non-blocking TCP socket. Raises `TargetFailed` with a message for the user."""
    loop = asyncio.get_running_loop()
    where: dict[str, Value] = {"host": target.host, "port": target.port}
    try:
        async with asyncio.timeout(timeout_s):
            try:
                entries = await NAMES.find_soon(target.host, target.port)
            except NameNotFound as error:
                message = Text.UNRESOLVED.sentence(language, host=target.host)
                raise TargetFailed(EndReason.UNREACHABLE, message, f"resolve: {error}") from error
            around = await loop.run_in_executor(None, policy.look_around)
            for entry in entries:
                refusal = policy.refusal(str(entry[4][0]), target.port, around)
                if refusal is not None:
                    message = _REFUSALS[refusal].sentence(language, **where)
                    raise TargetFailed(EndReason.UNREACHABLE, message, f"dial refused: {refusal.value}")
            return await _first_that_answers(loop, entries)
    except TimeoutError as error:
        message = Text.CONNECT_TIMEOUT.sentence(language, **where)
        raise TargetFailed(EndReason.UNREACHABLE, message, "connect: timed out") from error
    except OSError as error:
        raise TargetFailed(EndReason.UNREACHABLE, _explain(error, where, language), f"connect: {error}") from error


def refuse_behind_gateway(target: Target, policy: DialPolicy, language: str) -> None:
    """Refuse an address that a gateway would dial and that can only mean the gateway itself, or no host: loopback
    (unless the policy allows it), metadata services, multicast. Raises `TargetFailed`.

    Behind a gateway is another network. This machine's addresses, its services and the blocked networks mean something
    else there, and names are resolved there.
    """
    there = replace(policy, blocked_networks=())
    for address in _written_addresses(target.host):
        refusal = there.refusal(address, target.port, Surroundings())
        if refusal is not None:
            message = Text.DIAL_BEHIND_GATEWAY.sentence(language, host=target.host, port=target.port)
            raise TargetFailed(EndReason.UNREACHABLE, message, f"dial refused: {refusal.value} behind a gateway")


def _written_addresses(host: str) -> tuple[str, ...]:
    """Return the address that `host` itself states, in whatever form a resolver accepts; none for an ordinary name."""
    name = host.strip().rstrip(".").lower()
    if name.split(".")[-1] in _LOCAL_NAMES or name.split(".")[0] in _LOCAL_NAMES:
        return (_LOOPBACK,)
    bare = name.removeprefix("[").removesuffix("]")
    try:
        address = str(ip_address(bare.partition("%")[0]))
    except ValueError:
        try:
            address = str(ip_address(socket.inet_aton(bare)))  # 127.1, 0x7f000001, 2130706433
        except (OSError, ValueError):
            return ()
    if ip_address(address).is_unspecified:
        return (_LOOPBACK,)  # connecting to it reaches the machine itself
    return (address,)


def _explain(error: OSError, where: Mapping[str, Value], language: str) -> Sentence:
    if isinstance(error, ConnectionRefusedError):
        return Text.CONNECT_REFUSED.sentence(language, **where)
    detail = errno.errorcode.get(error.errno or 0, type(error).__name__)
    return Text.CONNECT_FAILED.sentence(language, **where, detail=detail)


async def _first_that_answers(loop: asyncio.AbstractEventLoop, entries: Sequence[Entry]) -> socket.socket:
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
