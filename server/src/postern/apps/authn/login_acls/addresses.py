"""Groups of addresses: `*`, an address, a network (`10.0.0.0/8`) or a range (`10.0.0.1-10.0.0.9`), IPv4 and IPv6."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

ANY: Final = "*"
#: IPv4-mapped IPv6 addresses.
_IPV4_AS_IPV6: Final = IPv6Network("::ffff:0:0/96")
Address = IPv4Address | IPv6Address


def parsed_address(text: str) -> Address | None:
    """The parsed address; an IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) as IPv4. None for other texts."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def is_item(text: str) -> bool:
    """Whether the text can be an entry of a group. IPv4-mapped IPv6 cannot, because such callers have IPv4 addresses."""
    if text == ANY:
        return True
    if "-" in text:  # its ends are parsed like the addresses of callers
        return _range(text) is not None
    try:
        network = ip_network(text, strict=False)
    except ValueError:
        return False
    return not (isinstance(network, IPv6Network) and network.subnet_of(_IPV4_AS_IPV6))


def contains(item: str, address: Address | None) -> bool:
    """Whether the address belongs to the item. An unknown address (None) belongs only to `*`."""
    if item == ANY:
        return True
    if address is None:
        return False
    if "-" in item:
        limits = _range(item)
        return limits is not None and limits[0].version == address.version and limits[0] <= address <= limits[1]  # type: ignore[operator]  # compared within one version
    try:
        return address in ip_network(item, strict=False)
    except ValueError:
        return False


def _range(text: str) -> tuple[Address, Address] | None:
    first, _separator, last = text.partition("-")
    low, high = parsed_address(first.strip()), parsed_address(last.strip())
    if low is None or high is None or low.version != high.version:
        return None
    return (low, high) if int(low) <= int(high) else None
