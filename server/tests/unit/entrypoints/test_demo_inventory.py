"""The machines of the demo data are consistent, so that a tour finds no gaps."""

from collections import Counter
from ipaddress import ip_address, ip_network

from postern.entrypoints.demo import inventory

_MACHINES = [machine for listed in inventory.TREE.values() for machine in listed]
_NAMES = {name for name, *_rest in _MACHINES}
_FOR_DOCUMENTS = [ip_network(net) for net in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")]


def test_every_machine_has_a_unique_name_and_address() -> None:
    assert len(_NAMES) == len(_MACHINES)
    addresses = Counter(address for _name, address, *_rest in _MACHINES)
    assert max(addresses.values()) == 1
    # Addresses are from the ranges for documentation, so that the demo never reaches a real machine.
    assert all(any(ip_address(address) in net for net in _FOR_DOCUMENTS) for address in addresses)


def test_labels_and_hardware_belong_to_machines_of_the_demo() -> None:
    labelled = {name for carriers in inventory._LABELS.values() for name in carriers}
    assert labelled | set(inventory._HARDWARE) | set(inventory._RETIRED) <= _NAMES
    values = [value for _name, value in inventory._LABELS]
    assert len(set(values)) == len(values)


def test_inventory_shows_every_variant_of_a_row() -> None:
    """More than a page of machines, with and without hardware, with no, one and several labels, on several
    platforms.
    """
    carried = Counter(name for carriers in inventory._LABELS.values() for name in carriers)
    assert len(_NAMES) > 15
    assert {0, 1} < {carried[name] for name in _NAMES}
    assert 0 < len(inventory._HARDWARE) < len(_NAMES)
    assert len({platform for _name, _address, platform, *_rest in _MACHINES}) >= 5
