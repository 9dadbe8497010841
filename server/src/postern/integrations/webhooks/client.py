"""Sends one signed request to an endpoint, and judges only the status of the answer.

One deadline covers the lookup of the name, the connection and the head of the answer, so a server that sends a byte each
second holds nobody longer. Redirects are not followed and bodies are not read. Certificates are verified, and the connection
goes to the address that was checked.
"""

import asyncio
import base64
import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urlsplit

import aiohttp
from yarl import URL

from postern.foundation.network.outbound import DialTarget, TargetRefused, TargetUnknown
from postern.integrations.web_apis import failures
from postern.integrations.web_apis.calls import CheckedResolver, DialCheck, tls_context
from postern.kernel import clock
from postern.kernel.dialing import plain

_PORTS: Final = {"https": 443, "http": 80}
_MOST_HEADER_BYTES: Final = 16 * 1024


@dataclass(frozen=True, slots=True)
class Post:
    """A message for an endpoint. `keys`: those that sign, the newest first. `message_id`: the same in all tries."""

    address: str
    message_id: str
    body: bytes
    keys: Sequence[bytes]


async def send(post: Post, *, check: DialCheck, limit_s: float) -> int:
    """The HTTP status of the answer. Raises WebApiFailed when there is none."""
    address = split_address(post.address)
    host = str(address.hostname)
    try:
        async with asyncio.timeout(limit_s):
            target = await asyncio.to_thread(_checked, address, check)
            return await _status(post, target)
    except TimeoutError:
        raise failures.timeout(host, limit_s) from None
    except aiohttp.ClientSSLError as error:
        raise failures.tls(host, error.__cause__ or error.os_error) from None
    except (aiohttp.ClientError, OSError, ValueError):
        raise failures.unreachable(host) from None


def split_address(text: str) -> SplitResult:
    """The parts of an address to which messages may go. Raises WebApiFailed."""
    try:
        address = urlsplit(text)
        is_usable = address.scheme in _PORTS and bool(address.hostname) and (address.port or 1) > 0
    except ValueError:
        raise failures.address_invalid(text) from None
    if not is_usable or address.username is not None or address.password is not None or address.fragment:
        raise failures.address_invalid(text)
    return address


def signature(key: bytes, message_id: str, timestamp: int, body: bytes) -> str:
    """One entry of `webhook-signature`."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    return f"v1,{base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()}"


def _checked(address: SplitResult, check: DialCheck) -> DialTarget:
    host = str(address.hostname)
    try:
        target = check(host, address.port or _PORTS[address.scheme])
    except TargetUnknown:
        raise failures.name_unknown(host) from None
    except TargetRefused as error:
        raise failures.not_dialled(error) from None
    here = plain(target.address)
    if address.scheme == "http" and not (here is not None and here.is_loopback):
        raise failures.unencrypted(host)
    return target


async def _status(post: Post, target: DialTarget) -> int:
    timestamp = int(clock.now().timestamp())  # receivers refuse an old time, so each try has its own
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Postern",
        "webhook-id": post.message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(signature(key, post.message_id, timestamp, post.body) for key in post.keys),
    }
    connector = aiohttp.TCPConnector(
        resolver=CheckedResolver(target), ssl=tls_context(), force_close=True, use_dns_cache=False
    )
    async with (
        aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            timeout=aiohttp.ClientTimeout(total=None),
            max_line_size=_MOST_HEADER_BYTES,
            max_field_size=_MOST_HEADER_BYTES,
        ) as session,
        session.post(URL(post.address, encoded=True), data=post.body, headers=headers, allow_redirects=False) as answer,
    ):
        return answer.status
