"""Addresses of this console for a provider, derived from SITE_URL, never from the Host header."""

from postern.apps.authn.federation.addresses import at_console

_LOGIN_PAGE = "/core/auth/login/"


def callback_path(slug: str) -> str:
    """The path to which a provider redirects the browser; without `slug` the path of the contract."""
    return f"/core/auth/openid/{slug}/callback/" if slug else "/core/auth/openid/callback/"


def callback(slug: str) -> str:
    return at_console(callback_path(slug))


def back_channel_logout(slug: str) -> str:
    """The address at which a provider reports that a person signed out there."""
    return at_console(f"/core/auth/openid/{slug}/back-channel-logout/")


def after_logout() -> str:
    """The address to which a provider redirects the browser after signing out there."""
    return at_console(_LOGIN_PAGE)
