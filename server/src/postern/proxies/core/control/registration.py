"""The proxy's own credential: kept in the state folder, obtained once with the bootstrap token."""

import asyncio
import logging
import os
from pathlib import Path
from typing import Final

import msgspec

from postern.contracts.terminals import Registered
from postern.kernel.errors import SettingsError
from postern.proxies.core.control.client import http_session, register
from postern.proxies.core.control.plane import ControlRefused, ControlUnavailable
from postern.proxies.core.settings import ProxyConfig

log = logging.getLogger(__name__)

_FIRST_PAUSE_S: Final = 0.2
_LONGEST_PAUSE_S: Final = 5.0
_TELL_FROM_PAUSE_S: Final = 1.0
_BAD_REQUEST: Final = 400


def stored_credential(path: Path) -> Registered | None:
    """The credential on file, or None. An unreadable file counts as none."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Registered)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as error:
        log.warning("the credential file cannot be used: %s", error)
        return None


def store_credential(path: Path, credential: Registered) -> None:
    """Write the credential so that only this user can read it, and never half of it."""
    fresh = path.with_suffix(".new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(msgspec.json.encode(credential))
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


async def obtain_credential(config: ProxyConfig, *, renew: bool = False) -> Registered:
    """The stored credential, or a new one; waits for the control plane as long as it takes.

    `renew` asks for a new one because the control plane does not know the old one. Raises `SettingsError` when there
    is neither a credential nor a usable bootstrap token.
    """
    credential = None if renew else stored_credential(config.credential_file)
    if credential is not None:
        return credential
    if not config.bootstrap_token:
        raise SettingsError("this proxy is not registered and has no bootstrap token")
    pause_s = _FIRST_PAUSE_S
    async with http_session(config.limits) as http:
        name = config.name
        while True:
            try:
                credential = await register(
                    http, config.control_url, name=name, bootstrap_token=config.bootstrap_token.reveal()
                )
                break
            except ControlUnavailable as error:
                # When all parts start together the first tries come too early; that is nothing to tell.
                level = logging.INFO if pause_s >= _TELL_FROM_PAUSE_S else logging.DEBUG
                log.log(level, "waiting for the control plane: %s", error.message)
            except ControlRefused as error:
                if error.http_status == _BAD_REQUEST and name == config.name:
                    # The name is taken, most likely by this proxy in an earlier life whose credential is gone.
                    name = f"{config.name}-{os.urandom(4).hex()}"
                    continue
                raise SettingsError(error.message) from error
            await asyncio.sleep(pause_s)
            pause_s = min(_LONGEST_PAUSE_S, pause_s * 2)
    store_credential(config.credential_file, credential)
    log.info("registered as terminal %s (%s)", credential.terminal_id, credential.name)
    return credential
