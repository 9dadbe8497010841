"""The one helper for dialling out (K36): which addresses Postern connects to when somebody else chose them.

Loopback, link-local (where clouds keep their metadata), unspecified, multicast and reserved addresses, and the
addresses of our own services, are refused after the name has been resolved, and the caller dials the address that was
checked, not the name, so that a second resolution can not answer differently.
`POSTERN_ALLOW_LOCAL_TARGETS=yes` allows loopback ones; `POSTERN_BLOCKED_NETWORKS` refuses more.
"""

import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from postern.foundation.settings import Settings
from postern.kernel.errors import PosternError

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


class TargetRefused(PosternError):
    """The address lies where Postern does not connect to."""

    code = "target_refused"


class TargetUnknown(PosternError):
    """The name does not resolve."""

    code = "target_unknown"


@dataclass(frozen=True, slots=True)
class DialTarget:
    """An address that was checked; dial exactly this one."""

    address: str
    port: int


def check_dial(host: str, port: int) -> DialTarget:
    """Resolve `host` and check every address that it has. Raises TargetRefused or TargetUnknown."""
    config: Settings = settings.POSTERN
    addresses = _resolve(host, port)
    own = _own_services(config)
    for address in addresses:
        if _is_refused(address, config) or (str(address), port) in own:
            raise TargetRefused(_("Connections to this address are not allowed."))
    return DialTarget(str(addresses[0]), port)


def _resolve(host: str, port: int) -> list[IpAddress]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise TargetUnknown(_("The name of the host can not be resolved.")) from None
    return [_plain(ipaddress.ip_address(str(entry[4][0]).partition("%")[0])) for entry in found]


def _plain(address: IpAddress) -> IpAddress:
    """IPv4 addresses that hide inside IPv6 ones are judged as what they are."""
    if isinstance(address, ipaddress.IPv6Address):
        return address.ipv4_mapped or address.sixtofour or address
    return address


def _is_refused(address: IpAddress, config: Settings) -> bool:
    if any(address in network for network in config.blocked_networks):
        return True
    if address.is_loopback:
        return not config.allow_local_targets
    return address.is_unspecified or address.is_multicast or address.is_link_local or address.is_reserved


def _own_services(config: Settings) -> set[tuple[str, int]]:
    """Addresses of the database, Redis and our own listeners, as far as they are reached over TCP."""
    named: list[tuple[str, int]] = [(config.http.host, config.http.port), (config.ssh.host, config.ssh.port)]
    if not config.database.is_sqlite and not config.database.host.startswith("/"):
        named.append((config.database.host, config.database.port))
    redis = urlsplit(config.redis_url)
    if redis.scheme in {"redis", "rediss"} and redis.hostname:
        named.append((redis.hostname, redis.port or 6379))
    own: set[tuple[str, int]] = set()
    for host, port in named:
        try:
            own.update((str(address), port) for address in _resolve(host, port))
        except TargetUnknown:
            continue
    return own
