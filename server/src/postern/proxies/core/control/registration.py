"""The proxy's own credential: kept in the state folder, obtained once, renewed when the control plane says so."""

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
    """What shows the credential to the control plane."""

    def use(self, credential: Registered) -> None: ...


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


async def obtain_credential(config: ProxyConfig) -> Registered:
    """The stored credential, or a new one that was accepted; waits for that, and for the control plane, as long as it takes.

    Raises `SettingsError` when there is neither a credential nor a usable bootstrap token, and when an administrator sent
    this proxy away.
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
    """Wait until the proxy is accepted. False: the control plane does not know it, so it has to register.

    A control plane that is away is no reason to wait: the proxy serves people, and refuses new sessions until it is back.
    Raises `SettingsError` when an administrator deleted the terminal; only the local proxy registers again by itself.
    """
    told = False
    while True:
        try:
            state = await registration_state(http, config.control_url, credential)
        except ControlUnavailable as error:
            log.debug("the control plane does not say whether this proxy is accepted: %s", error.message)
            if not told:
                return True
            state = StateOfRegistration.WAITING
        if state is StateOfRegistration.ACCEPTED:
            if told:
                log.info("this proxy was accepted")
            return True
        if state is StateOfRegistration.REFUSED and not config.local_secret:
            raise SettingsError(
                f"an administrator refused or deleted this proxy; to register it again, remove {config.credential_file}"
            )
        if state is not StateOfRegistration.WAITING:
            return False
        if not told:
            told = True
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
            return await register(http, config.control_url, name=name, shown=_shown(config, name))
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


def _shown(config: ProxyConfig, name: str) -> str:
    """What the proxy registers with: a proof made with the secret of its own data folder, or the bootstrap token."""
    if not config.local_secret:
        return f"BootstrapToken {config.bootstrap_token.reveal()}"
    proof = local_proof(config.local_secret.reveal(), name=name, made_at=int(now().timestamp()), nonce=new_token())
    return f"LocalProxy {proof}"


class CredentialRenewal:
    """Fetches a new credential when the control plane asks for it, keeps it, and shows it from then on."""

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
        """A heartbeat says that a new credential is due."""
        self._asked.set()

    async def run(self) -> None:
        """Renew when asked, until cancelled."""
        while True:
            await self._asked.wait()
            try:
                await self._renew()
            except (ControlUnavailable, ControlRefused, OSError) as error:  # not answered, or not kept on the disk
                log.warning("a new credential could not be fetched: %s", error)
            self._asked.clear()  # the next heartbeat asks again if it is still due

    async def _renew(self) -> None:
        renewed = await self._plane.renew_credential(self._boot_id)
        self._credential = msgspec.structs.replace(self._credential, secret=renewed.secret)
        # On disk first: from its first use on it is the only one.
        await asyncio.to_thread(store_credential, self._config.credential_file, self._credential)
        for user in self._users:
            user.use(self._credential)
        log.info(
            "this proxy has a new credential; its fingerprint is %s", fingerprint_of(hash_of_secret(renewed.secret))
        )
