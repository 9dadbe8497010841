"""The operations that Postern needs of HashiCorp Vault: key-value 2, transit, state.

Every operation ends within the time limit of the settings, with all repetitions. After a failure the next callers are
refused at once for some seconds, so an unreachable Vault does not occupy every thread and every row lock for that time.
Thread-safe. A process must not use the client of its parent.
"""

import base64
import binascii
import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import hvac
import requests
import urllib3.exceptions

from postern.foundation.configuration.secret_store import VaultSettings
from postern.integrations.hashicorp_vault.errors import (
    VaultMissing,
    VaultRefused,
    VaultSealed,
    VaultUnavailable,
    VaultUndecryptable,
)
from postern.integrations.hashicorp_vault.sign_in import SignIns
from postern.integrations.hashicorp_vault.transport import BadAnswer, DialCheck, left_s, session, time_limit
from postern.kernel.clock import monotonic_s
from postern.kernel.errors import PosternError

logger = logging.getLogger(__name__)

_Result = TypeVar("_Result")

#: How long callers are refused at once after a failure.
_REST_S: Final = 3.0
#: Limit of the caller that then tries whether Vault can be used again.
_TRIAL_S: Final = 1.0
_FIRST_PAUSE_S: Final = 0.1
_LONGEST_PAUSE_S: Final = 1.0
#: Limit of a look at the state: the health page waits for it.
_CHECK_S: Final = 0.9
#: A list of all secrets may be long.
_LIST_S: Final = 60.0
_FORBIDDEN, _PRECONDITION, _STANDBY, _SEALED = 403, 412, 429, 503


@dataclass(frozen=True, slots=True)
class VaultState:
    """What Vault says about itself."""

    version: str
    standby: bool


class VaultClient:
    """One Vault as the settings name it."""

    def __init__(self, config: VaultSettings, check: DialCheck) -> None:
        self._config = config
        self._sign_ins = SignIns(config, session(check, config.ca_file))
        self._rest = _Rest()

    def write(self, path: str, fields: Mapping[str, str]) -> int:
        """Store a new document at an unused path; returns its version.

        A repeated write is harmless: Vault refuses it, because the document exists, and what is there is compared.
        Raises `VaultUnavailable`.
        """

        def work(vault: hvac.Client) -> int:
            try:
                answer = vault.secrets.kv.v2.create_or_update_secret(
                    path=path, secret=dict(fields), cas=0, mount_point=self._config.kv_mount
                )
            except BadAnswer as error:
                if error.status != 400 or self._document(vault, path, 1) != dict(fields):
                    raise
                return 1
            return _positive(_data(answer).get("version"))

        return self._call(work)

    def read(self, path: str, version: int) -> Mapping[str, str]:
        """One version of a document. Raises `VaultMissing`, `VaultUnavailable`."""

        def work(vault: hvac.Client) -> Mapping[str, str] | None:
            return self._document(vault, path, version)

        document = self._call(work)
        if document is None:
            raise VaultMissing(path)
        return document

    def remove(self, path: str) -> None:
        """Delete a document with all versions; no-op when it is gone. Raises `VaultUnavailable`."""

        def work(vault: hvac.Client) -> None:
            try:
                vault.secrets.kv.v2.delete_metadata_and_all_versions(path=path, mount_point=self._config.kv_mount)
            except BadAnswer as error:
                if error.status != 404:
                    raise

        self._call(work)

    def names(self, folder: str) -> list[str]:
        """Names in a folder; those of folders end in `/`. Raises `VaultUnavailable`."""

        def work(vault: hvac.Client) -> list[str]:
            try:
                answer = vault.secrets.kv.v2.list_secrets(path=folder, mount_point=self._config.kv_mount)
            except BadAnswer as error:
                if error.status != 404:
                    raise
                return []
            keys = _data(answer).get("keys")
            if not isinstance(keys, list):
                raise _not_understood()
            return [str(key) for key in keys]

        return self._call(work, limit_s=_LIST_S)

    def encrypt(self, plain: bytes) -> str:
        """Encrypt with the transit key. Raises `VaultUnavailable`."""
        text = base64.b64encode(plain).decode("ascii")

        def work(vault: hvac.Client) -> str:
            answer = vault.secrets.transit.encrypt_data(
                name=self._config.transit_key, plaintext=text, mount_point=self._config.transit_mount
            )
            return _text(_data(answer).get("ciphertext"))

        return self._call(work)

    def decrypt(self, ciphertext: str) -> bytes:
        """Decrypt with the transit key. Raises `VaultUndecryptable`, `VaultUnavailable`."""

        def work(vault: hvac.Client) -> str | None:
            try:
                answer = vault.secrets.transit.decrypt_data(
                    name=self._config.transit_key, ciphertext=ciphertext, mount_point=self._config.transit_mount
                )
            except BadAnswer as error:
                if error.status != 400:
                    raise
                return None
            return _text(_data(answer).get("plaintext"))

        plain = self._call(work)
        if plain is None:
            raise VaultUndecryptable
        try:
            return base64.b64decode(plain, validate=True)
        except binascii.Error:
            raise VaultUndecryptable from None

    def rewrap(self, ciphertexts: Sequence[str]) -> list[str | None]:
        """Encrypt again with the newest version of the transit key; None for what it cannot decrypt.

        Raises `VaultUnavailable`.
        """

        def work(vault: hvac.Client) -> list[str | None]:
            try:
                answer = vault.secrets.transit.rewrap_data(
                    name=self._config.transit_key,
                    ciphertext="",
                    batch_input=[{"ciphertext": ciphertext} for ciphertext in ciphertexts],
                    mount_point=self._config.transit_mount,
                )
            except BadAnswer as error:
                if error.status != 400 or len(ciphertexts) == 1:
                    raise
                # Vault may refuse the whole batch because of one item.
                return [next(iter(self._one(vault, ciphertext))) for ciphertext in ciphertexts]
            results = _data(answer).get("batch_results")
            if not isinstance(results, list) or len(results) != len(ciphertexts):
                raise _not_understood()
            return [None if item.get("error") else _text(item.get("ciphertext")) for item in results]

        return self._call(work)

    def check(self) -> None:
        """Whether Vault answers and accepts the token, within a second. Renews the token if it is due.

        A slow answer is reported here, and does not make other callers be refused. Raises `VaultUnavailable`.
        """

        def work(vault: hvac.Client) -> None:
            vault.auth.token.lookup_self()

        self._rest.look()
        with time_limit(_CHECK_S):
            self._attempts(work, repeat=False)
        self._rest.worked()

    def state(self) -> VaultState:
        """What Vault says about itself, without a token. Raises `VaultUnavailable`."""
        with time_limit(self._config.timeout_s):
            try:
                about = self._sign_ins.anonymous().sys.read_health_status(method="GET", standby_ok=True)
            except BadAnswer as error:
                if error.status == _STANDBY:
                    return VaultState(version="", standby=True)
                if error.status == _SEALED:
                    raise VaultSealed("it is sealed") from None
                raise VaultUnavailable(_shown(error)) from None
            except _FAILURES as error:
                raise VaultUnavailable(_shown(error)) from None
        return VaultState(version=str(about.get("version", ""))[:32], standby=bool(about.get("standby")))

    def _one(self, vault: hvac.Client, ciphertext: str) -> list[str | None]:
        try:
            answer = vault.secrets.transit.rewrap_data(
                name=self._config.transit_key, ciphertext=ciphertext, mount_point=self._config.transit_mount
            )
        except BadAnswer as error:
            if error.status != 400:
                raise
            return [None]
        return [_text(_data(answer).get("ciphertext"))]

    def _document(self, vault: hvac.Client, path: str, version: int) -> dict[str, str] | None:
        """None for a version that is absent, deleted or destroyed: Vault answers 404 to all three."""
        try:
            answer = vault.secrets.kv.v2.read_secret_version(
                path=path, version=version, mount_point=self._config.kv_mount, raise_on_deleted_version=True
            )
        except BadAnswer as error:
            if error.status != 404:
                raise
            return None
        data = _data(answer)
        document, metadata = data.get("data"), data.get("metadata")
        if document is None or not isinstance(metadata, dict) or metadata.get("destroyed"):
            return None
        if not isinstance(document, dict):
            raise _not_understood()
        return {str(name): str(value) for name, value in document.items()}

    def _call(self, work: Callable[[hvac.Client], _Result], *, limit_s: float | None = None) -> _Result:
        with time_limit(self._rest.admit(limit_s or self._config.timeout_s)):
            try:
                result = self._attempts(work, repeat=True)
            except VaultUnavailable as error:
                self._rest.failed(error)
                raise
            except BaseException:
                self._rest.probed()
                raise
        self._rest.worked()
        return result

    def _attempts(self, work: Callable[[hvac.Client], _Result], *, repeat: bool) -> _Result:
        pause_s = _FIRST_PAUSE_S
        while True:
            try:
                return self._once(work)
            except (BadAnswer, PosternError, *_FAILURES) as error:
                failure = _repeatable(error)
            # Some callers wait a little longer than others, so that they do not all come back at once.
            wait_s = pause_s * (0.75 + secrets.randbelow(50) / 100)
            if not repeat or not _has_time(wait_s):
                raise VaultUnavailable(_shown(failure)) from None
            time.sleep(wait_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    def _once(self, work: Callable[[hvac.Client], _Result]) -> _Result:
        sign_in = self._sign_ins.current()
        try:
            return work(sign_in.client)
        except BadAnswer as error:
            # 403: no right, or the token has ended. One new sign-in tells the two apart.
            if error.status != _FORBIDDEN or not self._sign_ins.replace(sign_in):
                raise
        return work(self._sign_ins.current().client)


class _Rest:
    """After a failure callers are refused at once for a while; then one of them tries for all."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._failure: VaultUnavailable | None = None
        self._until_s = 0.0

    def look(self) -> None:
        """Raises the last failure again while Vault rests, without being the caller that tries."""
        with self._lock:
            failure = self._failure if monotonic_s() < self._until_s else None
        if failure is not None:
            raise type(failure)(failure.reason)

    def admit(self, limit_s: float) -> float:
        """The time limit of a caller. Raises the last failure again while Vault rests.

        The caller that tries for all gets a short time: it may hold locks that others wait for.
        """
        with self._lock:
            failure, now = self._failure, monotonic_s()
            if failure is None:
                return limit_s
            if now < self._until_s:
                raise type(failure)(failure.reason)
            self._until_s = now + 2 * _TRIAL_S  # nobody else tries meanwhile
            return min(limit_s, _TRIAL_S)

    def failed(self, failure: VaultUnavailable) -> None:
        if isinstance(failure, VaultRefused):  # an answer: it concerns this operation, perhaps not the next operation
            logger.warning("the secret store refused a request: %s", failure.reason)
            self.worked()
            return
        with self._lock:
            is_new = self._failure is None
            self._failure, self._until_s = failure, monotonic_s() + _REST_S
        if is_new:
            logger.warning("the secret store cannot be used: %s", failure.reason)

    def worked(self) -> None:
        if self._failure is None:
            return
        with self._lock:
            self._failure = None
        logger.info("the secret store can be used again")

    def probed(self) -> None:
        """The caller that tried ended in another way: the next caller tries."""
        with self._lock:
            self._until_s = 0.0


_FAILURES: Final = (OSError, ValueError, requests.RequestException, urllib3.exceptions.HTTPError)


def _repeatable(error: Exception) -> Exception:
    """The failure, if the same request may succeed in a moment. Otherwise raises `VaultUnavailable`."""
    if isinstance(error, VaultUnavailable):
        raise error
    if isinstance(error, PosternError):  # the address must not be dialled, or its name cannot be resolved
        raise VaultUnavailable(error.message) from None
    if isinstance(error, requests.exceptions.SSLError):
        raise VaultUnavailable(_shown(error)) from None
    if isinstance(error, BadAnswer):
        if error.status not in {_PRECONDITION, _STANDBY} and error.status < 500:
            raise VaultRefused(_shown(error)) from None
        if error.status == _SEALED and any("sealed" in text for text in error.errors):
            raise VaultSealed("it is sealed") from None
    return error


def _has_time(seconds: float) -> bool:
    try:
        return left_s() > seconds
    except TimeoutError:
        return False


def _shown(failure: Exception) -> str:
    """What an operator reads. Texts of answers and libraries are left out, because they may repeat what was sent."""
    if isinstance(failure, BadAnswer):
        if 300 <= failure.status < 400:
            return (
                f"it answered with a redirect (HTTP {failure.status}), which is not followed; POSTERN_VAULT_ADDR must "
                "name the active node or a load balancer in front of it"
            )
        if failure.status == 403:
            return "it answered HTTP 403: the token has ended, or its policy does not allow the operation"
        return f"it answered HTTP {failure.status}"
    if isinstance(failure, requests.exceptions.SSLError):
        return "its certificate was not accepted, or TLS failed"
    if isinstance(failure, TimeoutError | requests.Timeout):
        return "it did not answer within the time limit"
    if isinstance(failure, requests.ConnectionError | ConnectionError):
        return "the connection failed"
    return f"its answer cannot be used ({type(failure).__name__})"


def _data(answer: Any) -> dict[str, Any]:
    data = answer.get("data")
    if not isinstance(data, dict):
        raise _not_understood()
    return data


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _not_understood()
    return value


def _positive(value: Any) -> int:
    if not isinstance(value, int) or value < 1:
        raise _not_understood()
    return value


def _not_understood() -> ValueError:
    return ValueError("the answer lacks what was asked for")
