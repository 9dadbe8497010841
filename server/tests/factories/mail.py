"""The mail account of the settings, for tests with a real mail server."""

from typing import Any

from peers.mail_server import PASSWORD, USER
from postern.apps.preferences.actions import change_settings
from postern.foundation.caller.actor import SYSTEM


def use_mail_server(port: int, **more: Any) -> None:
    """Enter the mail server on this port of 127.0.0.1, which has no TLS, as an administrator does."""
    changes: dict[str, Any] = {
        "EMAIL_HOST": "127.0.0.1",
        "EMAIL_PORT": str(port),
        "EMAIL_HOST_USER": USER,
        "EMAIL_HOST_PASSWORD": PASSWORD,
        "EMAIL_FROM": "Gate <gate@example.com>",
        "EMAIL_USE_SSL": False,
        "SITE_URL": "https://gate.example.com",
        **more,
    }
    change_settings(actor=SYSTEM, changes=changes)
