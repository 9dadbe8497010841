"""Connecting to the host of a task and signing in there."""

import asyncio
from typing import Final

import asyncssh

from postern.contracts.enums import EndReason
from postern.contracts.runner import RunOnHost
from postern.kernel.log import printable
from postern.kernel.sentences import Value
from postern.proxies.core.spoken import ENGLISH
from postern.proxies.core.targets.ports import TargetFailed
from postern.proxies.core.targets.wires import Wire
from postern.proxies.core.texts import Text
from postern.proxies.runner.host_login import HostLogin
from postern.proxies.ssh_connections.sign_in import ServerLink, SshClient

_MAX_DETAIL: Final = 300


async def sign_in(client: SshClient, wire: Wire, login: HostLogin, wish: RunOnHost) -> ServerLink | None:
    """Sign in over an open connection. Returns None if only the host key was wanted. Raises `TargetFailed`."""
    where: dict[str, Value] = {"host": wish.target.host, "port": wish.target.port}
    try:
        async with asyncio.timeout(wish.limits.sign_in_s):
            return await client.connect(
                wire, login, host=wish.target.host, port=wish.target.port, login_name=wish.login_name
            )
    except (TargetFailed, asyncssh.Error, OSError) as error:  # a TimeoutError is an OSError
        if login.has_reached:
            return None
        if login.failure is not None:
            raise login.failure from error
        if isinstance(error, TargetFailed):
            raise
        if isinstance(error, asyncssh.PermissionDenied) or login.too_many_tries(error):
            message = Text.ACCOUNT_REFUSED.sentence(
                wish.language, host=wish.target.host, login=wish.login_name, story=login.walk.story(wish.language)
            )
            raise TargetFailed(EndReason.CREDENTIAL_REFUSED, message, login.walk.story(ENGLISH).text) from error
        if isinstance(error, TimeoutError):
            message = Text.CONNECT_TIMEOUT.sentence(wish.language, **where)
            raise TargetFailed(EndReason.UNREACHABLE, message, "log-in timed out") from error
        detail = printable(str(error))
        message = Text.CONNECT_NOT_SSH.sentence(wish.language, **where, detail=detail[:200])
        raise TargetFailed(EndReason.UNREACHABLE, message, detail[:_MAX_DETAIL]) from error
