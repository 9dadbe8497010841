"""JSON calls to the service of another company.

One deadline covers all calls of an operation, from the lookup of the name to the last byte, so a server that sends a
byte each second cannot hold a caller longer. Redirects are not followed, answers have a limit, certificates are
verified, and the connection goes to the address that was checked. Nothing of the environment (proxies, credentials)
is used.
"""

import asyncio
import json
import socket
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from postern.foundation.network.outbound import DialTarget, TargetRefused, TargetUnknown
from postern.integrations.web_apis import failures
from postern.kernel.clock import monotonic_s
from postern.kernel.dialing import plain

#: Checks an address. Raises TargetRefused or TargetUnknown.
DialCheck = Callable[[str, int], DialTarget]

_MOST_ANSWER_BYTES: Final = 256 * 1024
_CHUNK_BYTES: Final = 16 * 1024
_PORTS: Final = {"https": 443, "http": 80}


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer. `document`: its JSON object."""

    host: str
    status: int
    document: Mapping[str, Any]
    #: The instant at which the service answered by its own clock (header `Date`), as it wrote it.
    date: str = ""

    def text(self, *names: str) -> str:
        """The text at this place, which must not be empty. Raises WebApiFailed."""
        value: Any = self.document
        for name in names:
            value = value.get(name) if isinstance(value, Mapping) else None
        if not isinstance(value, str) or not value:
            raise failures.bad_answer(self.host, self.status)
        return value

    def number(self, name: str) -> int:
        """The whole number at this place. Raises WebApiFailed."""
        value = self.document.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise failures.bad_answer(self.host, self.status)
        return value


class WebCalls:
    """The calls of one operation. `limit_s`: seconds for all of them together."""

    def __init__(self, *, check: DialCheck, limit_s: float) -> None:
        self._check = check
        self._limit_s = limit_s
        self._until_s = monotonic_s() + limit_s

    def get(self, url: str, query: Mapping[str, str], *, headers: Mapping[str, str] | None = None) -> Reply:
        """Raises WebApiFailed. So do `post` and `post_form`."""
        return self._call(_Request("GET", _address(url, query), headers=headers or {}))

    def post(
        self,
        url: str,
        body: Mapping[str, Any],
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        return self._call(_Request("POST", _address(url, query or {}), body=body, headers=headers or {}))

    def post_form(
        self,
        url: str,
        form: Mapping[str, str],
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """As `post`, with a form as its body."""
        return self._call(_Request("POST", _address(url, query or {}), form=form, headers=headers or {}))

    def _call(self, request: "_Request") -> Reply:
        address = urlsplit(str(request.url))
        host = str(address.hostname)
        target = self._checked(address)
        try:
            # A loop of its own: callers are threads of the web part and of the worker.
            with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
                status, content, date = runner.run(_exchange(request, target, left_s=self._until_s - monotonic_s()))
        except TimeoutError:
            raise failures.timeout(host, self._limit_s) from None
        except aiohttp.ClientSSLError as error:
            raise failures.tls(host, error.__cause__ or error.os_error) from None
        except _TooLong:
            raise failures.too_long(host) from None
        except (aiohttp.ClientError, OSError, ValueError):
            raise failures.unreachable(host) from None
        return Reply(host, status, _document(content, host, status), date)

    def _checked(self, address: SplitResult) -> DialTarget:
        host = str(address.hostname)
        try:
            target = self._check(host, address.port or _PORTS[address.scheme])
        except TargetUnknown:
            raise failures.name_unknown(host) from None
        except TargetRefused as error:
            raise failures.not_dialled(error) from None
        if address.scheme == "http" and not _is_loopback(target.address):
            raise failures.unencrypted(host)
        return target


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    url: URL
    body: Mapping[str, Any] | None = None
    form: Mapping[str, str] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


class _TooLong(Exception):
    """The answer has more than the permitted bytes."""


class CheckedResolver(AbstractResolver):
    """Gives the address that was checked instead of looking the name up a second time."""

    def __init__(self, target: DialTarget) -> None:
        self._target = target

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        del family
        address = self._target.address
        address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        return [
            ResolveResult(
                hostname=host, host=address, port=port, family=address_family, proto=0, flags=socket.AI_NUMERICHOST
            )
        ]

    async def close(self) -> None:
        """Nothing is held."""


async def _exchange(request: _Request, target: DialTarget, *, left_s: float) -> tuple[int, bytes, str]:
    connector = aiohttp.TCPConnector(
        resolver=CheckedResolver(target), ssl=tls_context(), force_close=True, use_dns_cache=False
    )
    async with (
        asyncio.timeout(left_s),
        aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            # What is compressed could become any length.
            auto_decompress=False,
            headers={"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "Postern"},
            timeout=aiohttp.ClientTimeout(total=None),
        ) as session,
        session.request(
            request.method,
            request.url,
            json=request.body,
            data=request.form,
            headers=request.headers,
            allow_redirects=False,
        ) as answer,
    ):
        parts, count = [], 0
        async for part in answer.content.iter_chunked(_CHUNK_BYTES):
            parts.append(part)
            count += len(part)
            if count > _MOST_ANSWER_BYTES:
                raise _TooLong
        return answer.status, b"".join(parts), answer.headers.get("Date", "")


@cache
def tls_context() -> ssl.SSLContext:
    return ssl.create_default_context()


def _document(content: bytes, host: str, status: int) -> Mapping[str, Any]:
    """The JSON object of an answer. Error codes come with any status, so callers judge it."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        raise failures.bad_answer(host, status) from None
    if not isinstance(document, dict) or 300 <= status < 400:
        raise failures.bad_answer(host, status)
    return document


def _address(url: str, query: Mapping[str, str]) -> URL:
    """Raises WebApiFailed for an address that cannot be called."""
    _split(url)
    return URL(url).with_query(dict(query))


def _split(url: str) -> SplitResult:
    try:
        address = urlsplit(url)
        is_usable = address.scheme in _PORTS and bool(address.hostname) and (address.port or 1) > 0
    except ValueError:
        raise failures.address_invalid(url) from None
    if not is_usable or address.username is not None or address.query or address.fragment:
        raise failures.address_invalid(url)
    return address


def _is_loopback(address: str) -> bool:
    host = plain(address)
    return host is not None and host.is_loopback
