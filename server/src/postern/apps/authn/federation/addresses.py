"""Addresses of this console for a provider, derived from SITE_URL, never from the Host header."""

from postern.apps.authn.errors import console_address


def at_console(path: str) -> str:
    return f"{console_address().rstrip('/')}{path}"
