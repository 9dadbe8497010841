"""Tokens of applications, shared by all processes.

A service limits how often a token may be fetched, and some end the former token with each new one. So one process
fetches it, and all use it until five minutes before its end. The stored token is encrypted with the secret of the
application: whoever reads Redis has no token. Without Redis each operation fetches its own.
"""

import base64
import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from cryptography.fernet import Fernet, InvalidToken
from django.core.cache import cache
from redis.exceptions import RedisError

from postern.integrations.web_apis.failures import Fault, WebApiFailed
from postern.kernel.clock import monotonic_s
from postern.kernel.ids import new_token, same, token_hash
from postern.kernel.secret import Secret

_EARLY_S: Final = 300
_LONGEST_S: Final = 7200
#: Longer than the deadline of an operation: the lock of a killed process ends by itself.
_LOCK_S: Final = 20
_WAIT_S: Final = 5.0
_POLL_S: Final = 0.05

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class Fetched:
    """A new token and the seconds that it is valid."""

    token: Secret
    lifetime_s: int


@dataclass(frozen=True, slots=True)
class AppTokens:
    """The token of one application at one address. Another secret is another application."""

    address: str
    app: str
    secret: Secret
    fetch: Callable[[], Fetched]

    def use(self, call: Callable[[str], _Answer]) -> _Answer:
        """`call` with a token; once more with a new one if the service refuses the first."""
        token = self._current()
        try:
            return call(token)
        except WebApiFailed as error:
            if error.fault is not Fault.TOKEN:
                raise
        self._drop(token)
        return call(self._current())

    def _current(self) -> str:
        try:
            return self._stored() or self._fetched_by_one()
        except RedisError:
            return self.fetch().token.reveal()

    def _fetched_by_one(self) -> str:
        lock, holder, until = f"{self._key}:lock", new_token(), monotonic_s() + _WAIT_S
        while not cache.add(lock, holder, _LOCK_S):
            time.sleep(_POLL_S)
            stored = self._stored()
            if stored:
                return stored
            if monotonic_s() > until:  # the holder hangs: do not wait for it
                return self.fetch().token.reveal()
        try:
            return self._stored() or self._fetch()
        finally:
            if cache.get(lock) == holder:
                cache.delete(lock)

    def _fetch(self) -> str:
        fetched = self.fetch()
        token, kept_s = fetched.token.reveal(), min(fetched.lifetime_s, _LONGEST_S) - _EARLY_S
        if kept_s > 0:
            cache.set(self._key, self._cipher.encrypt(token.encode()), kept_s)
        return token

    def _stored(self) -> str:
        sealed = cache.get(self._key)
        try:
            return self._cipher.decrypt(sealed).decode() if sealed else ""
        except (InvalidToken, TypeError, ValueError):
            return ""

    def _drop(self, token: str) -> None:
        """Only the refused token: another process may have stored a new token."""
        try:
            if same(self._stored(), token):
                cache.delete(self._key)
        except RedisError:
            return

    @property
    def _key(self) -> str:
        parts = f"{self.address}\n{self.app}\n{self.secret.reveal()}"
        return f"web_apis:app_token:{token_hash(parts)}"

    @property
    def _cipher(self) -> Fernet:
        digest = hashlib.sha256(b"postern app token\n" + self.secret.reveal().encode()).digest()
        return Fernet(base64.urlsafe_b64encode(digest))
