"""The address that the console shows in ssh command lines."""

from dataclasses import replace
from typing import Any

import pytest
from rest_framework.test import APIClient

from factories.proxy_client import Proxy
from postern.foundation.configuration.environ import Address

PATH = "/api/v1/terminal/ssh-address/"


@pytest.mark.parametrize(
    ("configured", "expected"),
    [
        ((Address("gate.example.com", 22), 2222), {"host": "gate.example.com", "port": 22}),
        ((Address("2001:db8::1", 2200), 2222), {"host": "2001:db8::1", "port": 2200}),
        ((None, 2222), {"host": "", "port": 2222}),
        ((None, 0), {"host": "", "port": 40022}),
    ],
)
def test_ssh_address_is_the_public_one_or_the_listening_port(
    proxy: Proxy, as_user: APIClient, settings: Any, configured: tuple[Address | None, int], expected: dict[str, Any]
) -> None:
    public, listens = configured
    proxy.beat(ssh_port=40022)
    ssh = Address("0.0.0.0", listens)
    settings.POSTERN = replace(settings.POSTERN, ssh_public=public, ssh=ssh)
    assert as_user.get(PATH).json() == expected
