"""The site for which passkeys are made: the address of the setting SITE_URL, never the Host header of a request.

Pure functions. Browsers bind a passkey to a host name (`rp_id`) and offer it to pages of that name only. They refuse IP
addresses, and plain http except for localhost.
"""

import ipaddress
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from urllib.parse import urlsplit

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_LOCAL: Final = "localhost"


class SiteProblem(StrEnum):
    """The reason why passkeys cannot be made or used at the address of the console."""

    NONE = ""
    ADDRESS = "address"  # an IP address instead of a host name
    INSECURE = "insecure"  # plain http


@dataclass(frozen=True, slots=True)
class Site:
    """`origin` in the form of browsers: `https://postern.example.com`, with the port unless it is the default."""

    rp_id: str
    origin: str
    problem: SiteProblem = SiteProblem.NONE


def site_of(url: str) -> Site:
    """The site of a console at this address."""
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".").lower()
    scheme = parts.scheme.lower()
    port = _port_of(url)
    bracketed_host = f"[{host}]" if ":" in host else host
    origin = (
        f"{scheme}://{bracketed_host}"
        if port in {None, _DEFAULT_PORTS.get(scheme)}
        else f"{scheme}://{bracketed_host}:{port}"
    )
    return Site(rp_id=_ascii(host), origin=origin.replace(host, _ascii(host), 1), problem=_problem(scheme, host))


def _problem(scheme: str, host: str) -> SiteProblem:
    if _is_address(host):
        return SiteProblem.ADDRESS
    is_local = host == _LOCAL or host.endswith(f".{_LOCAL}")
    return SiteProblem.NONE if scheme == "https" or is_local else SiteProblem.INSECURE


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _ascii(host: str) -> str:
    """The form of a host name that browsers use: international names in ASCII."""
    try:
        return host.encode("idna").decode("ascii") if not host.isascii() else host
    except UnicodeError:
        return host


def _port_of(url: str) -> int | None:
    try:
        return urlsplit(url).port
    except ValueError:
        return None
