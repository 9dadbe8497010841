"""What an installation must not be led to when it dials out: its own machine and its own services (K36)."""

import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

import psutil

from postern.foundation.network.names import NAMES, NameNotFound
from postern.foundation.settings import Settings
from postern.kernel.dialing import IpAddress, Surroundings, plain

Endpoint = tuple[str, int]

#: The addresses that the names of our services had when they were last found.
_last_found: dict[str, tuple[IpAddress, ...]] = {}


def own_services(settings: Settings) -> tuple[Endpoint, ...]:
    """Where the parts listen that the settings name: web and API, SSH front, database, Redis. Unix sockets are none."""
    services: list[Endpoint] = [(settings.http.host, settings.http.port), (settings.ssh.host, settings.ssh.port)]
    if not settings.database.is_sqlite and not settings.database.host.startswith("/"):
        services.append((settings.database.host or "localhost", settings.database.port))
    redis = urlsplit(settings.redis_url)
    if redis.scheme in {"redis", "rediss"}:
        services.append((redis.hostname or "localhost", redis.port or 6379))
    return tuple(services)


def look_around(services: Iterable[Endpoint]) -> Surroundings:
    """The machine's addresses and the services' addresses as they are now. Blocks for some seconds at most."""
    return Surroundings(
        machine=machine_addresses(),
        services=frozenset((address, port) for host, port in services if port for address in _addresses_of(host)),
    )


def machine_addresses() -> frozenset[IpAddress]:
    """Every address of every interface."""
    entries = (entry for interface in psutil.net_if_addrs().values() for entry in interface)
    found = (plain(entry.address) for entry in entries if entry.family in {socket.AF_INET, socket.AF_INET6})
    return frozenset(address for address in found if address is not None)


def _addresses_of(host: str) -> Iterable[IpAddress]:
    address = plain(host)
    if address is not None:
        return (address,)
    try:
        entries = NAMES.find(host, 0)
    except NameNotFound:
        # A service that nobody can find is not reached by a target's name either. One that was found before may be
        # there still, while the name servers are silent.
        return _last_found.get(host, ())
    found = (plain(str(entry[4][0])) for entry in entries)
    _last_found[host] = tuple(address for address in found if address is not None)
    return _last_found[host]
