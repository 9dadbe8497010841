"""Which network addresses count as one client."""

from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Final

#: A provider gives a client at least such a network: whoever has one address of it has all.
_CLIENT_BITS: Final = 64


def address_key(address: str) -> str:
    """What counts as one address wherever tries, places or connections are counted. Logs keep the address itself.

    An IPv4 address, also one that is written as IPv6; of any other IPv6 address its network (`2001:db8:0:1::/64`). A key is its
    own key, and text that is no address stays as it is.
    """
    try:
        parsed = ip_address(address.removesuffix(f"/{_CLIENT_BITS}").partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(IPv6Network((int(parsed) >> _CLIENT_BITS << _CLIENT_BITS, _CLIENT_BITS)))


def is_loopback(address: str) -> bool:
    """Whether it is an address of this machine for itself, also one of IPv4 that is written as IPv6."""
    for text in (address, address_key(address)):
        try:
            if ip_address(text).is_loopback:
                return True
        except ValueError:  # no address, or the key of a network
            continue
    return False
