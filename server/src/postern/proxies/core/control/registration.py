"""The proxy's own credential: obtained once, stored in the state folder, and renewed when the control plane asks for
it.
"""

import asyncio
import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol
from uuid import UUID

import aiohttp
import msgspec

from postern.contracts.terminals import (
    Registered,
    StateOfRegistration,
    fingerprint_of,
    hash_of_secret,
    local_proof,
)
from postern.kernel.clock import now
from postern.kernel.errors import SettingsError
from postern.kernel.ids import new_token
from postern.proxies.core.control.client import HttpControlPlane, http_session, register, registration_state
from postern.proxies.core.control.plane import ControlRefused, ControlUnavailable
from postern.proxies.core.settings import ProxyConfig

log = logging.getLogger(__name__)

_FIRST_PAUSE_S: Final = 0.2
_LONGEST_PAUSE_S: Final = 5.0
_TELL_FROM_PAUSE_S: Final = 1.0
_BAD_REQUEST: Final = 400
_ASK_AGAIN_S: Final = 2.0


class CredentialUser(Protocol):
    """A client that authenticates to the control plane with the credential."""

    def use(self, credential: Registered) -> None: ...


def stored_credential(path: Path) -> Registered | None:
    """Return the stored credential, or None. An unreadable file counts as none."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Registered)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as error:
        log.warning("the credential file cannot be used: %s", error)
        return None


def store_credential(path: Path, credential: Registered) -> None:
    """Write the credential atomically, readable only by this user."""
    fresh = path.with_suffix(".new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(msgspec.json.encode(credential))
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


async def obtain_credential(config: ProxyConfig) -> Registered:
    """Return the stored credential, or register and return a new one that was accepted.

    Waits for acceptance and for the control plane as long as necessary. Raises `SettingsError` when there is neither a
    credential nor a usable bootstrap token, and when an administrator refused or deleted this proxy.
    """
    async with http_session(config.limits) as http:
        stored = stored_credential(config.credential_file)
        if stored is not None and await _is_known(http, config, stored):
            return stored
        credential = await _register(http, config)
        store_credential(config.credential_file, credential)
        log.info("registered as terminal %s (%s)", credential.terminal_id, credential.name)
        if not await _is_known(http, config, credential):
            raise SettingsError("the registration of this proxy was withdrawn at once")
    return credential


async def _is_known(http: aiohttp.ClientSession, config: ProxyConfig, credential: Registered) -> bool:
    """Wait until the proxy is accepted. Returns False if the control plane does not know it, so that it has to
    register.

    Does not wait for a control plane that is away: the proxy starts, and refuses new sessions until it answers. Raises
    `SettingsError` when an administrator deleted the terminal. Only the local proxy registers again on its own.
    """
    is_announced = False
    while True:
        try:
            state = await registration_state(http, config.control_url, credential)
        except ControlUnavailable as error:
            log.debug("cannot learn from the control plane whether this proxy is accepted: %s", error.message)
            if not is_announced:
                return True
            state = StateOfRegistration.WAITING
        if state is StateOfRegistration.ACCEPTED:
            if is_announced:
                log.info("this proxy was accepted")
            return True
        if state is StateOfRegistration.REFUSED and not config.local_secret:
            raise SettingsError(
                f"an administrator refused or deleted this proxy; to register it again, remove {config.credential_file}"
            )
        if state is not StateOfRegistration.WAITING:
            return False
        if not is_announced:
            is_announced = True
            log.warning(
                "this proxy waits until a super administrator accepts it on the page of terminals; its fingerprint is %s",
                fingerprint_of(hash_of_secret(credential.secret)),
            )
        await asyncio.sleep(_ASK_AGAIN_S)


async def _register(http: aiohttp.ClientSession, config: ProxyConfig) -> Registered:
    if not config.bootstrap_token and not config.local_secret:
        raise SettingsError("this proxy is not registered and has no bootstrap token")
    pause_s = _FIRST_PAUSE_S
    name = config.name
    while True:
        try:
            return await register(http, config.control_url, name=name, auth_header=_auth_header(config, name))
        except ControlUnavailable as error:
            # When all services start together, the first attempts come too early. That is not worth a visible message.
            level = logging.INFO if pause_s >= _TELL_FROM_PAUSE_S else logging.DEBUG
            log.log(level, "waiting for the control plane: %s", error.message)
        except ControlRefused as error:
            if error.http_status == _BAD_REQUEST and name == config.name:
                # The name is taken, most likely by an earlier registration of this proxy whose credential is lost.
                name = f"{config.name}-{os.urandom(4).hex()}"
                continue
            raise SettingsError(error.message) from error
        await asyncio.sleep(pause_s)
        pause_s = min(_LONGEST_PAUSE_S, pause_s * 2)


def _auth_header(config: ProxyConfig, name: str) -> str:
    """Return the `Authorization` header for the registration: a proof from the local data folder's secret, or the
    bootstrap token.
    """
    if not config.local_secret:
        return f"BootstrapToken {config.bootstrap_token.reveal()}"
    proof = local_proof(config.local_secret.reveal(), name=name, made_at=int(now().timestamp()), nonce=new_token())
    return f"LocalProxy {proof}"


class CredentialRenewal:
    """Fetches a new credential when the control plane asks for it, stores it, and hands it to all clients."""

    def __init__(
        self,
        config: ProxyConfig,
        credential: Registered,
        plane: HttpControlPlane,
        *,
        users: Sequence[CredentialUser],
        boot_id: UUID,
    ) -> None:
        self._boot_id = boot_id
        self._config = config
        self._credential = credential
        self._plane = plane
        self._users = users
        self._asked = asyncio.Event()

    def ask(self) -> None:
        """Request a renewal, because a heartbeat's answer said that it is due."""
        self._asked.set()

    async def run(self) -> None:
        """Renew the credential on request, until cancelled."""
        while True:
            await self._asked.wait()
            try:
                await self._renew()
            except (ControlUnavailable, ControlRefused, OSError) as error:  # no answer, or not written to the disk
                log.warning("cannot fetch a new credential: %s", error)
            self._asked.clear()  # the next heartbeat asks again if the renewal is still due

    async def _renew(self) -> None:
        renewed = await self._plane.renew_credential(self._boot_id)
        self._credential = msgspec.structs.replace(self._credential, secret=renewed.secret)
        # Store it first: after its first use the old credential is no longer valid.
        await asyncio.to_thread(store_credential, self._config.credential_file, self._credential)
        for user in self._users:
            user.use(self._credential)
        log.info(
            "this proxy has a new credential; its fingerprint is %s", fingerprint_of(hash_of_secret(renewed.secret))
        )
