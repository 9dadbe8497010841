"""Which addresses Postern may connect to on behalf of others, for web and proxy alike (K36: only permitted targets are
dialled).

Callers check every address of a name right before connecting, and connect to a checked address. A name that resolves
differently a moment later therefore has no effect.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

IpAddress = IPv4Address | IPv6Address
IpNetwork = IPv4Network | IPv6Network


class Refusal(Enum):
    """Why an address is refused."""

    #: It serves the identity and secrets of this machine. No setting permits it.
    METADATA = "metadata"
    #: A service of Postern: web, SSH front, browser endpoint, database, Redis. No setting permits it.
    OWN_SERVICE = "own service"
    #: In `POSTERN_BLOCKED_NETWORKS`.
    BLOCKED_NETWORK = "blocked network"
    #: This machine, and `POSTERN_ALLOW_LOCAL_TARGETS` does not allow it.
    THIS_MACHINE = "this machine"
    #: Unspecified, multicast, broadcast, link-local or reserved: never the address of a target.
    NOT_A_HOST = "not a host"


#: Metadata services of clouds, which return credentials and start-up data of the machine that asks. Most use
#: 169.254.169.254; others use addresses that look like ordinary private or even public addresses.
METADATA: Final[tuple[IpNetwork, ...]] = tuple(
    ip_network(text)
    for text in (
        "169.254.0.0/16",  # AWS, Azure, Google, Oracle, Huawei, Tencent, DigitalOcean, Hetzner, OpenStack; AWS containers
        "100.100.100.200/32",  # Alibaba
        "fd00:100::100:200/128",  # Alibaba, IPv6
        "168.63.129.16/32",  # Azure, wire server
        "192.0.0.192/32",  # Oracle, classic
        "fd00:c1::a9fe:a9fe/128",  # Oracle, IPv6
        "fd00:ec2::/32",  # AWS, IPv6: metadata, container identity, resolver
        "fd20:ce::254/128",  # Google, IPv6
        "fd00:42::42/128",  # Scaleway, IPv6
        "fd00:a9fe:a9fe::1/128",  # Akamai
        "100.96.0.96/32",  # Volcengine
        "fe80::a9fe:a9fe/128",  # OpenStack and others, IPv6
    )
)
_THIS_NETWORK: Final = ip_network("0.0.0.0/8")
#: Addresses that a translator maps to the IPv4 address in their last 32 bits.
_TRANSLATED: Final = ip_network("64:ff9b::/96")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The addresses of this machine and of Postern's services, collected right before connecting."""

    machine: frozenset[IpAddress] = frozenset()
    services: frozenset[tuple[IpAddress, int]] = frozenset()


def _nothing_around() -> Surroundings:
    return Surroundings()


@dataclass(frozen=True, kw_only=True)
class DialPolicy:
    """The operator's rules. `look_around` may block while names are resolved."""

    allow_local: bool = False
    blocked_networks: tuple[IpNetwork, ...] = ()
    look_around: Callable[[], Surroundings] = _nothing_around

    def refusal(self, address: str, port: int, around: Surroundings) -> Refusal | None:
        """Why `address` is refused; None when it is permitted. It is an address, not a name, and may have a zone."""
        try:
            written = ip_address(address.partition("%")[0])
        except ValueError:
            return Refusal.NOT_A_HOST
        refusals = [self._judge(meant, port, around) for meant in _meanings(written)]
        return next((refusal for refusal in refusals if refusal is not None), None)

    def _judge(self, address: IpAddress, port: int, around: Surroundings) -> Refusal | None:
        if any(address in network for network in METADATA):
            return Refusal.METADATA
        is_local = address.is_loopback or address in around.machine
        if (address, port) in around.services or (is_local and port in _local_ports(around)):
            return Refusal.OWN_SERVICE
        if any(address in network for network in self.blocked_networks):
            return Refusal.BLOCKED_NETWORK
        if is_local:
            return None if self.allow_local else Refusal.THIS_MACHINE
        if (
            address.is_unspecified
            or address.is_multicast
            or address.is_link_local
            or address.is_reserved
            or address in _THIS_NETWORK
        ):
            return Refusal.NOT_A_HOST
        return None


def _local_ports(around: Surroundings) -> frozenset[int]:
    """Ports of our services on this machine. They count for all local addresses, since a service on 0.0.0.0 answers on
    each.
    """
    return frozenset(
        port
        for address, port in around.services
        if address.is_unspecified or address.is_loopback or address in around.machine
    )


def _meanings(address: IpAddress) -> tuple[IpAddress, ...]:
    """The address, and an IPv4 address embedded in it, which is where the packets are finally sent."""
    if isinstance(address, IPv4Address):
        return (address,)
    if address.ipv4_mapped is not None:
        return (address.ipv4_mapped,)
    if address in _TRANSLATED:
        return (IPv4Address(int(address) & 0xFFFFFFFF),)
    if address.sixtofour is not None:
        return (address, address.sixtofour)
    if address.teredo is not None:
        return (address, address.teredo[1])
    return (address,)


def plain(address: str) -> IpAddress | None:
    """The address in the form for comparisons: without zone, IPv4-mapped as IPv4. None when it is not an address."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return None
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        return parsed.ipv4_mapped
    return parsed
