"""The addresses that Postern may dial when somebody else names them (K36: only addresses of permitted targets are
dialled).
"""

import socket
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_address
from typing import Any
from unittest import mock

import pytest
from django.conf import settings

from peers.silent_names import silent_names
from postern.foundation.network.outbound import TargetRefused, TargetUnknown, check_behind_gateway, check_dial
from postern.foundation.network.surroundings import look_around
from postern.foundation.settings import Settings


@pytest.fixture(autouse=True)
def _strict() -> Iterator[None]:
    config: Settings = Settings.load(
        {"POSTERN_ALLOW_LOCAL_TARGETS": "no", "POSTERN_BLOCKED_NETWORKS": "198.51.100.0/24"}
    )
    with mock.patch.object(settings, "POSTERN", config):
        yield


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.9.9.9",
        "localhost",
        "0.0.0.0",
        "::1",
        "::",
        "169.254.169.254",
        "fe80::1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "2002:7f00:1::",
        "224.0.0.1",
        "240.0.0.1",
        "198.51.100.20",
    ],
)
def test_k36_dial_to_an_internal_address_is_refused(host: str) -> None:
    with pytest.raises(TargetRefused):
        check_dial(host, 22)


@pytest.mark.parametrize("host", ["10.1.2.3", "192.168.1.1", "203.0.113.5", "2001:db8::5"])
def test_dial_to_an_ordinary_address_is_allowed(host: str) -> None:
    assert check_dial(host, 22).address == host


def test_k36_dial_to_allowed_loopback_still_refuses_our_own_services() -> None:
    config = replace(settings.POSTERN, allow_local_targets=True)
    with mock.patch.object(settings, "POSTERN", config):
        assert check_dial("127.0.0.1", 2022).address == "127.0.0.1"
        for port in (config.http.port, config.ssh.port):
            with pytest.raises(TargetRefused):
                check_dial("127.0.0.1", port)


def test_k36_dial_to_a_name_with_an_internal_address_is_refused() -> None:
    answers: list[Any] = [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("203.0.113.5", 22)),
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 22)),
    ]
    with mock.patch("socket.getaddrinfo", return_value=answers), pytest.raises(TargetRefused):
        check_dial("rebind.example.test", 22)


def test_dial_to_an_unknown_name_gets_a_clear_error() -> None:
    with pytest.raises(TargetUnknown):
        check_dial("no-such-host.invalid", 22)


def test_dial_to_an_unanswered_name_fails_without_waiting() -> None:
    """A proxy looks names up itself and may wait. Waiting here would delay the requests of all proxies."""
    with silent_names(), pytest.raises(TargetUnknown):
        check_dial("host.silent.example", 22)


def test_k36_own_service_is_recognized_by_earlier_addresses_while_its_name_is_unanswered() -> None:
    with silent_names() as names:
        names.answers.set()
        assert look_around([("db.silent.example", 5432)]).services == {(ip_address("127.0.0.1"), 5432)}
        names.answers.clear()
        assert look_around([("db.silent.example", 5432)]).services == {(ip_address("127.0.0.1"), 5432)}


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "::1",
        "localhost",
        "LOCALHOST.",
        "db.localhost",
        "localhost.localdomain",
        "0x7f000001",
        "0177.0.0.1",
        "127.1",
        "2130706433",
        "169.254.169.254",
        "0xa9fea9fe",
        "metadata.google.internal",
        "::ffff:127.0.0.1",
        "0.0.0.0",
        "198.51.100.20",
    ],
)
def test_k36_target_behind_a_gateway_is_refused_however_its_address_is_written(host: str) -> None:
    with pytest.raises(TargetRefused):
        check_behind_gateway(host, 22)


@pytest.mark.parametrize("host", ["10.1.2.3", "db-1", "db.branch.example", "no-such-host.invalid", "2001:db8::5"])
def test_name_behind_a_gateway_is_not_looked_up(host: str) -> None:
    with mock.patch("socket.getaddrinfo", side_effect=AssertionError(host)):
        check_behind_gateway(host, 22)
