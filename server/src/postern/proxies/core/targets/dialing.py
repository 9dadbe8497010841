"""Outbound connections to targets, always with a timeout.

Only the permitted asset is dialled, never this machine or Postern's own services (K36: only permitted targets are
dialled).
"""

import asyncio
import errno
import socket
from collections.abc import Sequence
from typing import Final

from postern.contracts.access import Target
from postern.contracts.enums import EndReason
from postern.foundation.network.names import NAMES, Entry, NameNotFound
from postern.kernel.dialing import DialPolicy, Refusal
from postern.proxies.core.targets.ports import TargetFailed
from postern.proxies.core.texts import Text

_REFUSALS: Final = {
    Refusal.METADATA: Text.DIAL_METADATA,
    Refusal.OWN_SERVICE: Text.DIAL_OWN_SERVICE,
    Refusal.BLOCKED_NETWORK: Text.DIAL_BLOCKED,
    Refusal.THIS_MACHINE: Text.DIAL_FORBIDDEN,
    Refusal.NOT_A_HOST: Text.DIAL_NOT_A_HOST,
}


async def dial(target: Target, policy: DialPolicy, *, timeout_s: float, language: str) -> socket.socket:
    """Return a connected, non-blocking TCP socket. Raises `TargetFailed` with a message for the user."""
    loop = asyncio.get_running_loop()
    where = {"host": target.host, "port": target.port}
    try:
        async with asyncio.timeout(timeout_s):
            try:
                entries = await NAMES.find_soon(target.host, target.port)
            except NameNotFound as error:
                message = Text.UNRESOLVED.say(language, host=target.host)
                raise TargetFailed(EndReason.UNREACHABLE, message, f"resolve: {error}") from error
            around = await loop.run_in_executor(None, policy.look_around)
            for entry in entries:
                refusal = policy.refusal(str(entry[4][0]), target.port, around)
                if refusal is not None:
                    message = _REFUSALS[refusal].say(language, **where)
                    raise TargetFailed(EndReason.UNREACHABLE, message, f"dial refused: {refusal.value}")
            return await _first_that_answers(loop, entries)
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
