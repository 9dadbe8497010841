import pytest

from postern.kernel.addresses import address_key, is_loopback


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
        ("64:ff9b::c000:201", "192.0.2.1"),
        ("64:ff9b::c633:6401", "198.51.100.1"),
        ("64:ff9b:1:2::c000:201", "64:ff9b:1:2::c000:201"),
        ("::ffff:0:c000:201", "192.0.2.1"),
        ("2002:c000:201::1", "192.0.2.1"),
        ("2002:c000:201:ffff:1:2:3:4", "192.0.2.1"),
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", "192.0.2.45"),
        ("strange", "strange"),
        ("", ""),
        ("strange/64", "strange/64"),
    ],
)
def test_ipv6_addresses_of_one_network_have_one_key_which_is_its_own_key(address: str, key: str) -> None:
    assert address_key(address) == key
    assert address_key(key) == key


@pytest.mark.parametrize("address", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
def test_loopback_is_recognized_in_every_spelling(address: str) -> None:
    assert is_loopback(address)


@pytest.mark.parametrize("address", ["192.0.2.1", "64:ff9b::7f00:1", "2002:7f00:1::1", "::/64", "strange", ""])
def test_address_of_another_machine_is_not_loopback(address: str) -> None:
    assert not is_loopback(address)
