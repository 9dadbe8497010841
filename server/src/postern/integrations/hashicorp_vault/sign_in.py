"""The token for Vault: read from the settings or got with an AppRole, renewed before it ends, replaced when refused."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import hvac
import requests

from postern.foundation.configuration.secret_store import VaultSettings
from postern.integrations.hashicorp_vault.errors import VaultRefused
from postern.integrations.hashicorp_vault.transport import BadAnswer, Requests, left_s
from postern.kernel.clock import monotonic_s

_Result = TypeVar("_Result")

#: A token is renewed when this part of its time is over.
_RENEWED_AFTER: Final = 2 / 3
#: A renewal that gives less than this part of the first time shows that the token's maximum is near.
_SHORTENED: Final = 0.5
_LONGEST_TOKEN_FILE: Final = 8 * 1024


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SignIn:
    """One token. Times are on the monotonic clock; None for a token that does not end. Never printed."""

    client: hvac.Client
    token: str
    renew_at_s: float | None = None
    ends_at_s: float | None = None
    #: The time that the token was given at the sign-in.
    first_lease_s: float = 0.0
    renewable: bool = False


class SignIns:
    """Hands out the current token. Threads that need a new token at the same time share one sign-in."""

    def __init__(self, config: VaultSettings, session: requests.Session) -> None:
        self._config = config
        self._session = session
        self._lock = threading.Lock()
        self._current: SignIn | None = None

    def anonymous(self) -> hvac.Client:
        """A client without a token."""
        return self._client("")

    def current(self) -> SignIn:
        """A token that should be accepted. Raises `VaultRefused`, `BadAnswer`, OSError."""
        sign_in = self._current
        if sign_in is not None and (sign_in.renew_at_s is None or monotonic_s() < sign_in.renew_at_s):
            return sign_in
        return self._alone(self._current_or_new)

    def replace(self, refused: SignIn) -> bool:
        """Vault refused this token: sign in again, once for all callers. False when there is no other token."""

        def again() -> bool:
            if self._current is not refused:
                return True
            if not self._config.role_id and self._token() == refused.token:
                return False
            self._current = self._new()
            return True

        return self._alone(again)

    def _alone(self, work: Callable[[], _Result]) -> _Result:
        if not self._lock.acquire(timeout=left_s()):
            raise TimeoutError("another thread is still signing in")
        try:
            return work()
        finally:
            self._lock.release()

    def _current_or_new(self) -> SignIn:
        now, sign_in = monotonic_s(), self._current
        if sign_in is None or (sign_in.ends_at_s is not None and now >= sign_in.ends_at_s):
            sign_in = self._new()
        elif sign_in.renew_at_s is not None and now >= sign_in.renew_at_s:
            sign_in = self._renewed(sign_in)
        self._current = sign_in
        return sign_in

    def _renewed(self, sign_in: SignIn) -> SignIn:
        if sign_in.renewable:
            try:
                answer = sign_in.client.auth.token.renew_self()
                renewed = self._made(sign_in.token, answer["auth"], first_lease_s=sign_in.first_lease_s)
            except (BadAnswer, KeyError):
                renewed = None
            if renewed is not None and renewed.ends_at_s is not None:
                lease_s = renewed.ends_at_s - monotonic_s()
                if lease_s >= _SHORTENED * sign_in.first_lease_s or not self._config.role_id:
                    return renewed
        return self._new()

    def _new(self) -> SignIn:
        if self._config.role_id:
            return self._with_role()
        token = self._token()
        client = self._client(token)
        try:
            about = client.auth.token.lookup_self()["data"]
            times = {"lease_duration": about.get("ttl", 0), "renewable": about.get("renewable", False)}
        except (BadAnswer, KeyError, AttributeError):  # the policy may forbid it: then the token is used as it is
            times = {}
        return self._made(token, times)

    def _with_role(self) -> SignIn:
        config = self._config
        secret_id = config.secret_id.reveal() if config.secret_id is not None else _read(config.secret_id_file)
        try:
            answer = self.anonymous().auth.approle.login(
                role_id=config.role_id, secret_id=secret_id, use_token=False, mount_point=config.approle_mount
            )
            return self._made(answer["auth"]["client_token"], answer["auth"])
        except BadAnswer as error:
            if error.status in {400, 401, 403, 404}:
                raise VaultRefused("the sign-in with the AppRole was refused") from None
            raise
        except (KeyError, TypeError):
            raise VaultRefused("the answer to the sign-in has no token") from None

    def _token(self) -> str:
        if self._config.token is not None:
            return self._config.token.reveal()
        return _read(self._config.token_file)

    def _made(self, token: str, times: dict[str, Any], *, first_lease_s: float = 0.0) -> SignIn:
        now, lease_s = monotonic_s(), float(times.get("lease_duration") or 0)
        return SignIn(
            client=self._client(token),
            token=token,
            renew_at_s=now + lease_s * _RENEWED_AFTER if lease_s > 0 else None,
            ends_at_s=now + lease_s if lease_s > 0 else None,
            first_lease_s=first_lease_s or lease_s,
            renewable=bool(times.get("renewable")),
        )

    def _client(self, token: str) -> hvac.Client:
        # An empty token: with None, hvac would look for one in the environment and the home folder.
        return hvac.Client(
            url=self._config.address,
            token=token,
            namespace=self._config.namespace or None,
            session=self._session,
            adapter=Requests,
            allow_redirects=False,
            verify=True,
        )


def _read(path: Path | None) -> str:
    """The one line of a file with a secret. Raises `VaultRefused` without its content."""
    try:
        text = path.read_text("ascii")[:_LONGEST_TOKEN_FILE].strip() if path is not None else ""
    except (OSError, ValueError):
        text = ""
    if not text or not text.isprintable():
        raise VaultRefused("the file with the token or secret id is missing, empty or not one line of ASCII")
    return text
