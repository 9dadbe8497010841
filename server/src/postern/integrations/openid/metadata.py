"""The metadata of a provider (OpenID Connect Discovery 1.0), cached for an hour by each process."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from postern.integrations.openid import failures
from postern.integrations.web_apis.calls import WebCalls
from postern.kernel.clock import monotonic_s

#: What ID tokens and logout tokens may be signed with. Always given to the verifier: the token never chooses.
ALGORITHMS: Final = ("RS256", "PS256", "ES256", "EdDSA")
KEPT_S: Final = 3600.0
_PATH: Final = "/.well-known/openid-configuration"
_MOST_URL_CHARS: Final = 2_000
_MOST_KEPT: Final = 200


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address of the provider. `query` is a part of it (some providers name the policy there)."""

    url: str
    query: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Metadata:
    """What Postern uses of the metadata. `names_itself`: the provider adds `iss` to its redirects (RFC 9207)."""

    issuer: str
    authorization: Endpoint
    token: Endpoint
    keys: Endpoint
    userinfo: Endpoint | None
    end_session: Endpoint | None
    takes_basic: bool
    names_itself: bool
    #: None: the provider does not say.
    challenge_methods: tuple[str, ...] | None
    algorithms: tuple[str, ...]
    #: `Date` of the answer.
    date: str


@dataclass(frozen=True, slots=True)
class _Kept:
    metadata: Metadata
    until_s: float


_LOCK: Final = threading.Lock()
_KEPT: Final[dict[str, _Kept]] = {}


def metadata_of(issuer: str, calls: WebCalls) -> Metadata:
    """The metadata of this issuer, at most an hour old. Raises WebApiFailed."""
    with _LOCK:
        cached = _KEPT.get(issuer)
    if cached is not None and cached.until_s > monotonic_s():
        return cached.metadata
    metadata = fetch(issuer, calls)
    with _LOCK:
        if len(_KEPT) >= _MOST_KEPT:
            _KEPT.clear()
        _KEPT[issuer] = _Kept(metadata, monotonic_s() + KEPT_S)
    return metadata


def fetch(issuer: str, calls: WebCalls) -> Metadata:
    """The metadata, asked for now. Raises WebApiFailed, also for a provider that calls itself differently."""
    reply = calls.get(f"{issuer.removesuffix('/')}{_PATH}", {})
    document = reply.document
    if reply.status != 200 or not isinstance(document.get("issuer"), str):
        raise failures.no_metadata(reply.host, reply.status)
    if document["issuer"] != issuer:
        raise failures.other_issuer(document["issuer"], issuer)
    is_local = urlsplit(issuer).scheme == "http"
    methods = document.get("code_challenge_methods_supported")
    authentication = document.get("token_endpoint_auth_methods_supported")
    return Metadata(
        issuer=issuer,
        authorization=_needed(document, "authorization_endpoint", is_local),
        token=_needed(document, "token_endpoint", is_local),
        keys=_needed(document, "jwks_uri", is_local),
        userinfo=_endpoint(document, "userinfo_endpoint", is_local),
        end_session=_endpoint(document, "end_session_endpoint", is_local),
        # Without a word of the provider, it is this method (Discovery section 3).
        takes_basic=authentication is None or "client_secret_basic" in _texts(authentication),
        names_itself=document.get("authorization_response_iss_parameter_supported") is True,
        challenge_methods=_texts(methods) if isinstance(methods, list) else None,
        algorithms=_texts(document.get("id_token_signing_alg_values_supported")),
        date=reply.date,
    )


def _needed(document: Mapping[str, Any], name: str, is_local: bool) -> Endpoint:
    endpoint = _endpoint(document, name, is_local)
    if endpoint is None:
        raise failures.no_endpoint(name)
    return endpoint


def _endpoint(document: Mapping[str, Any], name: str, is_local: bool) -> Endpoint | None:
    """The browser goes to some of these addresses, so only `https:` is taken; `http:` of this machine for a local issuer."""
    text = document.get(name)
    if not isinstance(text, str) or not 0 < len(text) <= _MOST_URL_CHARS or not text.isprintable():
        return None
    try:
        parts = urlsplit(text)
        is_usable = bool(parts.hostname) and parts.username is None and (parts.port or 1) > 0
    except ValueError:
        return None
    if not is_usable or not (
        parts.scheme == "https" or (is_local and parts.scheme == "http" and _is_here(parts.hostname))
    ):
        return None
    return Endpoint(urlunsplit(parts._replace(query="", fragment="")), dict(parse_qsl(parts.query)))


def _is_here(host: str | None) -> bool:
    try:
        return host == "localhost" or ip_address(str(host)).is_loopback
    except ValueError:
        return False


def _texts(value: Any) -> tuple[str, ...]:
    items: Sequence[Any] = value if isinstance(value, list) else ()
    return tuple(item for item in items[:100] if isinstance(item, str))
