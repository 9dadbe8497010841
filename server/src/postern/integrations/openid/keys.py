"""The keys of a provider, cached by each process. An unknown key is requested at most once a minute."""

import base64
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from joserfc.errors import JoseError
from joserfc.jwk import ECKey, OKPKey, RSAKey

from postern.integrations.openid import failures
from postern.integrations.openid.metadata import KEPT_S, Endpoint
from postern.integrations.web_apis.calls import WebCalls
from postern.kernel.clock import monotonic_s

Key = RSAKey | ECKey | OKPKey

_PAUSE_S: Final = 60.0
_MOST_KEYS: Final = 100
_MOST_KEPT: Final = 200
_LEAST_RSA_BITS: Final = 2048
_TYPES: Final[Mapping[str, type[RSAKey] | type[ECKey] | type[OKPKey]]] = {"RSA": RSAKey, "EC": ECKey, "OKP": OKPKey}
_TYPE_OF_ALGORITHM: Final = {"RS256": "RSA", "PS256": "RSA", "ES256": "EC", "EdDSA": "OKP"}


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A key for signatures. `kid` and `algorithm` are empty when the provider does not say."""

    kid: str
    kind: str
    algorithm: str
    key: Key


@dataclass(frozen=True, slots=True)
class _Kept:
    keys: tuple[PublicKey, ...]
    fetched_s: float


_LOCK: Final = threading.Lock()
_KEPT: Final[dict[str, _Kept]] = {}


def candidates(endpoint: Endpoint, *, kid: str, algorithm: str, calls: WebCalls) -> tuple[PublicKey, ...]:
    """The keys that may have signed a token with this header; without `kid` all of the right type. Raises WebApiFailed."""
    cached = _kept(endpoint)
    now_s = monotonic_s()
    if cached is not None and cached.fetched_s + KEPT_S > now_s:
        matching = _matching(cached.keys, kid, algorithm)
        if matching or cached.fetched_s + _PAUSE_S > now_s:
            return matching
    keys = fetch(endpoint, calls)
    with _LOCK:
        if len(_KEPT) >= _MOST_KEPT:
            _KEPT.clear()
        _KEPT[_name(endpoint)] = _Kept(keys, monotonic_s())
    return _matching(keys, kid, algorithm)


def fetch(endpoint: Endpoint, calls: WebCalls) -> tuple[PublicKey, ...]:
    """The keys, asked for now; those that cannot be used are left out. Raises WebApiFailed."""
    reply = calls.get(endpoint.url, endpoint.query)
    rows = reply.document.get("keys")
    items: Sequence[Any] = rows if isinstance(rows, list) and reply.status == 200 else ()
    keys = tuple(key for key in map(_key, items[:_MOST_KEYS]) if key is not None)
    if not keys:
        raise failures.no_keys()
    return keys


def _kept(endpoint: Endpoint) -> _Kept | None:
    with _LOCK:
        return _KEPT.get(_name(endpoint))


def _name(endpoint: Endpoint) -> str:
    return f"{endpoint.url}?{sorted(endpoint.query.items())}"


def _matching(keys: Sequence[PublicKey], kid: str, algorithm: str) -> tuple[PublicKey, ...]:
    kind = _TYPE_OF_ALGORITHM.get(algorithm)
    return tuple(
        key for key in keys if key.kind == kind and key.algorithm in {"", algorithm} and (not kid or key.kid == kid)
    )


def _bits(number: str) -> int:
    """Bits of a number of a key (RFC 7518 section 2). Raises ValueError, TypeError."""
    content = base64.urlsafe_b64decode(number + "=" * (-len(number) % 4))
    return int.from_bytes(content, "big").bit_length()


def _key(row: Any) -> PublicKey | None:
    """None for keys for encryption, secret keys, weak keys, and kinds that nobody here can use."""
    if not isinstance(row, dict) or (row.get("use") or "sig") != "sig":
        return None
    kind = _TYPES.get(str(row.get("kty")))
    if kind is None:
        return None
    public = {name: row[name] for name in ("kty", "n", "e", "crv", "x", "y") if name in row}
    try:
        if kind is RSAKey and _bits(row["n"]) < _LEAST_RSA_BITS:
            return None
        key = kind.import_key(public)
    except (JoseError, ValueError, TypeError, KeyError):
        return None
    kid, algorithm = row.get("kid", ""), row.get("alg", "")
    if not isinstance(kid, str) or not isinstance(algorithm, str):
        return None
    return PublicKey(kid, str(row["kty"]), algorithm, key)
