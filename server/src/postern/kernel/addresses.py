"""Which network addresses count as one client."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final

#: A provider gives a client at least such a network: whoever has one address of it has all.
_CLIENT_BITS: Final = 64
#: Translators write the IPv4 address of a client into the last bits of these (RFC 6052; RFC 2765).
_HOLDING_IPV4: Final = (IPv6Network("64:ff9b::/96"), IPv6Network("::ffff:0:0:0/96"))
#: Translators of one site (RFC 8215). Where the IPv4 address stands in it is the site's choice, but each client has one address.
_OF_TRANSLATED_CLIENTS: Final = IPv6Network("64:ff9b:1::/48")
_IPV4_BITS: Final = 32


def address_key(address: str) -> str:
    """What counts as one address wherever tries, places or connections are counted. Logs keep the address itself.

    An IPv4 address, also one that an IPv6 address holds (mapped, NAT64, 6to4, Teredo): its owner is one client, however many IPv6
    addresses they make of it, and the others behind the same translator are not. Of any other IPv6 address its network
    (`2001:db8:0:1::/64`). A key is its own key, and text that is no address stays as it is.
    """
    try:
        parsed = ip_address(address.removesuffix(f"/{_CLIENT_BITS}").partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    held = _ipv4_in(parsed)
    if held is not None:
        return str(held)
    if parsed in _OF_TRANSLATED_CLIENTS:
        return str(parsed)
    return str(IPv6Network((int(parsed) >> _CLIENT_BITS << _CLIENT_BITS, _CLIENT_BITS)))


def _ipv4_in(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address of the client, where its IPv6 address is made from it."""
    if any(address in network for network in _HOLDING_IPV4):
        return IPv4Address(int(address) & ((1 << _IPV4_BITS) - 1))
    if address.teredo is not None:
        _server, client = address.teredo
        return client
    return address.ipv4_mapped or address.sixtofour


def is_loopback(address: str) -> bool:
    """Whether it is an address of this machine for itself, also one of IPv4 that is written as IPv6."""
    try:
        parsed = ip_address(address)
    except ValueError:  # no address, or the key of a network
        return False
    mapped = parsed.ipv4_mapped if isinstance(parsed, IPv6Address) else None
    return parsed.is_loopback or (mapped is not None and mapped.is_loopback)
