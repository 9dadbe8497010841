"""The addresses of this console for a provider. From the setting SITE_URL, never from the Host header."""

from postern.apps.authn.federation.addresses import at_console

_LOGIN_PAGE = "/core/auth/login/"


def callback_path(slug: str) -> str:
    """The path to which a provider sends the browser back; without `slug` the path of the contract."""
    return f"/core/auth/openid/{slug}/callback/" if slug else "/core/auth/openid/callback/"


def callback(slug: str) -> str:
    return at_console(callback_path(slug))


def back_channel_logout(slug: str) -> str:
    """Where a provider reports that a person signed out there."""
    return at_console(f"/core/auth/openid/{slug}/back-channel-logout/")


def after_logout() -> str:
    """Where a provider sends the browser after it has signed the person out there."""
    return at_console(_LOGIN_PAGE)
