"""The check of target addresses (K36: only addresses of permitted targets are dialled), for invented machines. Nothing
is dialled.
"""

from ipaddress import ip_address, ip_network

import pytest

from postern.foundation.network.surroundings import look_around, machine_addresses, own_services
from postern.foundation.settings import Settings
from postern.kernel.dialing import DialPolicy, Refusal, Surroundings

#: A machine with an office address, a data centre address, a global IPv6 address, and the automatic ones.
MACHINE = ("127.0.0.1", "::1", "192.168.7.20", "10.20.30.40", "2001:db8:7::20", "fe80::5054:ff:fe12:3456")
STRICT = DialPolicy(blocked_networks=(ip_network("198.51.100.0/24"), ip_network("2001:db8:bad::/48")))
LOCAL = DialPolicy(allow_local=True)


def around(*services: tuple[str, int]) -> Surroundings:
    return Surroundings(
        machine=frozenset(ip_address(text) for text in MACHINE),
        services=frozenset((ip_address(host), port) for host, port in services),
    )


def refused(address: str, port: int = 22, policy: DialPolicy = STRICT, *services: tuple[str, int]) -> Refusal | None:
    return policy.refusal(address, port, around(*services))


METADATA = [
    "169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.0.23", "169.254.42.42", "100.100.100.200",
    "168.63.129.16", "192.0.0.192", "100.96.0.96", "fd00:ec2::254", "fd00:ec2::23", "fd00:c1::a9fe:a9fe",
    "fd20:ce::254", "fd00:42::42", "fd00:a9fe:a9fe::1", "fd00:100::100:200", "fe80::a9fe:a9fe%eth0",
    "::ffff:169.254.169.254", "::ffff:100.100.100.200", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1",
]  # fmt: skip


@pytest.mark.parametrize("address", METADATA)
@pytest.mark.parametrize("port", [22, 80, 443])
def test_k36_metadata_of_every_cloud_is_refused_whatever_is_allowed(address: str, port: int) -> None:
    assert refused(address, port) is Refusal.METADATA
    assert refused(address, port, LOCAL) is Refusal.METADATA


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.9.9.9", "::1", "::1%lo", "::ffff:127.0.0.1", "192.168.7.20", "::ffff:192.168.7.20",
        "10.20.30.40", "2001:db8:7::20", "fe80::5054:ff:fe12:3456%eth0", "2002:7f00:1::", "64:ff9b::c0a8:714",
    ],
)  # fmt: skip
def test_k36_own_addresses_of_this_machine_are_refused_unless_the_operator_allows_them(address: str) -> None:
    assert refused(address) is Refusal.THIS_MACHINE
    assert refused(address, policy=LOCAL) is None


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0", "0.1.2.3", "::", "224.0.0.1", "ff02::1%eth0", "240.0.0.1", "255.255.255.255", "fe80::1%eth0",
        "fe80::1", "::ffff:0.0.0.0", "::8.8.8.8", "100::1", "not-an-address", "", "64:ff9b:1::808:808",
    ],
)  # fmt: skip
def test_k36_addresses_that_are_no_host_are_refused_whatever_is_allowed(address: str) -> None:
    assert refused(address) is Refusal.NOT_A_HOST
    assert refused(address, policy=LOCAL) is Refusal.NOT_A_HOST


@pytest.mark.parametrize("address", ["198.51.100.20", "::ffff:198.51.100.20", "2001:db8:bad::1", "64:ff9b::c633:6414"])
def test_k36_blocked_networks_are_refused_in_every_spelling(address: str) -> None:
    assert refused(address) is Refusal.BLOCKED_NETWORK


@pytest.mark.parametrize(
    "address", ["10.1.2.3", "192.168.7.21", "203.0.113.5", "2001:db8:7::21", "fd12::5", "100.64.0.9"]
)
def test_ordinary_hosts_may_be_dialled(address: str) -> None:
    assert refused(address) is None
    assert refused(address, policy=LOCAL) is None


@pytest.mark.parametrize("bound", ["0.0.0.0", "::", "127.0.0.1", "::1", "192.168.7.20"])
@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.3.2.1",
        "::1",
        "192.168.7.20",
        "::ffff:10.20.30.40",
        "2001:db8:7::20",
        "fe80::5054:ff:fe12:3456%eth0",
    ],
)
def test_k36_own_service_is_refused_on_every_address_of_this_machine_however_it_is_bound(
    bound: str, address: str
) -> None:
    assert refused(address, 8080, LOCAL, (bound, 8080)) is Refusal.OWN_SERVICE
    assert refused(address, 22, LOCAL, (bound, 8080)) is None


def test_k36_own_service_on_another_machine_is_refused_only_there() -> None:
    assert refused("203.0.113.9", 5432, LOCAL, ("203.0.113.9", 5432)) is Refusal.OWN_SERVICE
    assert refused("::ffff:203.0.113.9", 5432, LOCAL, ("203.0.113.9", 5432)) is Refusal.OWN_SERVICE
    assert refused("203.0.113.9", 22, LOCAL, ("203.0.113.9", 5432)) is None
    assert refused("127.0.0.1", 5432, LOCAL, ("203.0.113.9", 5432)) is None


def test_k36_all_services_of_an_installation_are_known() -> None:
    settings = Settings.load(
        {
            "POSTERN_HTTP": "0.0.0.0:8080",
            "POSTERN_SSH": "[::]:2222",
            "DATABASE_URL": "postgresql://ann:pw@127.0.0.1:6543/postern",
            "POSTERN_REDIS_URL": "rediss://:secret@localhost/0",
            "POSTERN_ALLOW_LOCAL_TARGETS": "yes",
        }
    )
    here = look_around(own_services(settings))
    policy = DialPolicy(allow_local=True)
    for port in (8080, 2222, 6543, 6379):
        for address in ("127.0.0.1", "::1", "::ffff:127.0.0.1", *map(str, machine_addresses())):
            refusal = policy.refusal(address, port, here)
            assert refusal in {Refusal.OWN_SERVICE, Refusal.METADATA}, (address, port)


def test_k36_unresolvable_service_name_does_not_hide_other_services() -> None:
    here = look_around([("no-such-host.invalid", 5432), ("127.0.0.1", 8080)])
    assert DialPolicy(allow_local=True).refusal("127.0.0.1", 8080, here) is Refusal.OWN_SERVICE


def test_machine_addresses_include_loopback_and_have_no_zone() -> None:
    addresses = machine_addresses()
    assert ip_address("127.0.0.1") in addresses
    assert all("%" not in str(address) for address in addresses)
