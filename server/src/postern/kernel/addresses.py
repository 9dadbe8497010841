"""Which network addresses count as one client."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final

#: Providers assign at least such a network to a client, who controls all of its addresses.
_CLIENT_BITS: Final = 64
#: Networks of translators, which put the client's IPv4 address into the last bits (RFC 6052; RFC 2765).
_HOLDING_IPV4: Final = (IPv6Network("64:ff9b::/96"), IPv6Network("::ffff:0:0:0/96"))
#: Translators of a single site (RFC 8215). Each site chooses the position of the IPv4 address, but a client has only
#: one address.
_OF_TRANSLATED_CLIENTS: Final = IPv6Network("64:ff9b:1::/48")
_IPV4_BITS: Final = 32


def address_key(address: str) -> str:
    """The key under which an address is counted in limits of tries, places and connections. Logs use the address
    itself.

    The key of an IPv4 address is the address. So is that of an IPv6 address that embeds an IPv4 address (mapped, NAT64,
    6to4, Teredo): its owner is one client with any number of IPv6 addresses, and other clients of the same translator
    are not affected. The key of other IPv6 addresses is their network (`2001:db8:0:1::/64`). Keys and text that is not
    an address are returned unchanged.
    """
    try:
        parsed = ip_address(address.removesuffix(f"/{_CLIENT_BITS}").partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    embedded = _ipv4_in(parsed)
    if embedded is not None:
        return str(embedded)
    if parsed in _OF_TRANSLATED_CLIENTS:
        return str(parsed)
    return str(IPv6Network((int(parsed) >> _CLIENT_BITS << _CLIENT_BITS, _CLIENT_BITS)))


def _ipv4_in(address: IPv6Address) -> IPv4Address | None:
    """The client's IPv4 address, if its IPv6 address is derived from it."""
    if any(address in network for network in _HOLDING_IPV4):
        return IPv4Address(int(address) & ((1 << _IPV4_BITS) - 1))
    if address.teredo is not None:
        _server, client = address.teredo
        return client
    return address.ipv4_mapped or address.sixtofour


def is_loopback(address: str) -> bool:
    """Whether the address is a loopback address, including IPv4 written as IPv6."""
    try:
        parsed = ip_address(address)
    except ValueError:  # not an address, or the key of a network
        return False
    mapped = parsed.ipv4_mapped if isinstance(parsed, IPv6Address) else None
    return parsed.is_loopback or (mapped is not None and mapped.is_loopback)
