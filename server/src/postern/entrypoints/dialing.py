"""Where the control plane is, and which addresses a process of this installation never connects to.

Apart from the settings of the proxy, whose fronts load far more than a job's runner needs.
"""

import os
from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import urlsplit

from postern.foundation.network.surroundings import Endpoint, look_around, own_services
from postern.foundation.settings import Settings
from postern.kernel.dialing import DialPolicy

CONTROL_URL: Final = "POSTERN_CONTROL_URL"
_ANY_HOST: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def control_url_of(settings: Settings) -> str:
    """Address of the control plane: the web service on the same machine if no other is set."""
    return os.environ.get(CONTROL_URL) or local_control_url(settings)


def local_control_url(settings: Settings) -> str:
    """Address of the web service on the same machine."""
    host = _ANY_HOST.get(settings.http.host, settings.http.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.http.port}"


def dial_policy_of(settings: Settings, control_url: str, listening: Callable[[], Sequence[Endpoint]]) -> DialPolicy:
    """The addresses that this process never connects to: all of Postern's services that it knows.

    `listening` returns the addresses that it listens on itself.
    """
    control = urlsplit(control_url)
    address = (control.hostname or "localhost", control.port or (443 if control.scheme == "https" else 80))
    services = (*own_services(settings), address)
    return DialPolicy(
        allow_local=settings.allow_local_targets,
        blocked_networks=settings.blocked_networks,
        look_around=lambda: look_around([*services, *listening()]),
    )
