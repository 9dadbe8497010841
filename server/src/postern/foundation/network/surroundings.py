"""The addresses of this machine and of Postern's own services, which outgoing connections must not reach."""

import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

import psutil

from postern.foundation.network.names import NAMES, NameNotFound
from postern.foundation.settings import Settings
from postern.kernel.dialing import IpAddress, Surroundings, plain

Endpoint = tuple[str, int]

#: Addresses of our services at their last successful lookup.
_last_found: dict[str, tuple[IpAddress, ...]] = {}


def own_services(settings: Settings) -> tuple[Endpoint, ...]:
    """Listening addresses from the settings: web and API, SSH front, database, Redis, Vault. Unix sockets are left out."""
    services: list[Endpoint] = [(settings.http.host, settings.http.port), (settings.ssh.host, settings.ssh.port)]
    if not settings.database.is_sqlite and not settings.database.host.startswith("/"):
        services.append((settings.database.host or "localhost", settings.database.port))
    redis = urlsplit(settings.redis_url)
    if redis.scheme in {"redis", "rediss"}:
        services.append((redis.hostname or "localhost", redis.port or 6379))
    if settings.vault is not None:
        services.append((settings.vault.host, settings.vault.port))
    return tuple(services)


def look_around(services: Iterable[Endpoint]) -> Surroundings:
    """The current addresses of the machine and of the services. Blocks for a few seconds at most."""
    return Surroundings(
        machine=machine_addresses(),
        services=frozenset((address, port) for host, port in services if port for address in _addresses_of(host)),
    )


def machine_addresses() -> frozenset[IpAddress]:
    """Every address of every network interface."""
    entries = (entry for interface in psutil.net_if_addrs().values() for entry in interface)
    addresses = (plain(entry.address) for entry in entries if entry.family in {socket.AF_INET, socket.AF_INET6})
    return frozenset(address for address in addresses if address is not None)


def _addresses_of(host: str) -> Iterable[IpAddress]:
    address = plain(host)
    if address is not None:
        return (address,)
    try:
        entries = NAMES.find(host, 0)
    except NameNotFound:
        # If the name cannot be resolved, a target's name cannot lead to the service either. Keep the last known
        # addresses: while only the name servers are down, the service may still be there.
        return _last_found.get(host, ())
    addresses = (plain(str(entry[4][0])) for entry in entries)
    _last_found[host] = tuple(address for address in addresses if address is not None)
    return _last_found[host]
