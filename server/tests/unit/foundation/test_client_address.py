"""The client address in a header is believed only from configured proxies (K9: forged address headers
change nothing).
"""

import ipaddress

import pytest

from postern.foundation.requests.middleware import client_address

PROXIES = (ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_network("fd00::/8"))


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("192.0.2.1", "", "192.0.2.1"),
        ("192.0.2.1", "203.0.113.9", "192.0.2.1"),  # an unknown client cannot claim another address
        ("10.0.0.1", "203.0.113.9", "203.0.113.9"),
        # the entry that the client itself sent is further left
        ("10.0.0.1", "198.51.100.7, 203.0.113.9", "203.0.113.9"),
        ("10.0.0.1", "203.0.113.9, 10.2.2.2", "203.0.113.9"),
        ("10.0.0.1", "10.2.2.2", "10.2.2.2"),
        ("10.0.0.1", "nonsense", "10.0.0.1"),
        ("10.0.0.1", "203.0.113.9, <script>", "10.0.0.1"),
        ("fd00::1", "2001:db8::5", "2001:db8::5"),
        ("", "203.0.113.9", ""),
    ],
)
def test_k9_client_address_comes_only_from_trusted_hops(peer: str, forwarded: str, client: str) -> None:
    assert client_address(peer, forwarded, PROXIES) == client


def test_k9_client_address_without_configured_proxies_ignores_headers() -> None:
    assert client_address("127.0.0.1", "203.0.113.9", ()) == "127.0.0.1"
