import pytest

from postern.kernel.addresses import address_key


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3::9", "2001:db8:1:2::/64"),
        ("2001:0DB8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::9", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::/64"),
        ("strange", "strange"),
        ("", ""),
        ("strange/64", "strange/64"),
    ],
)
def test_ipv6_addresses_of_one_client_are_one_key_and_a_key_is_its_own(address: str, key: str) -> None:
    assert address_key(address) == key
    assert address_key(key) == key
