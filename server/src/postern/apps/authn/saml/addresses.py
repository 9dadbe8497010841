"""Addresses of this console for a provider, derived from SITE_URL, never from the Host header."""

from postern.apps.authn.federation.addresses import at_console


def acs_path(slug: str) -> str:
    """The path to which the browser posts the answer of a provider."""
    return f"/core/auth/saml/{slug}/acs/"


def acs(slug: str) -> str:
    return at_console(acs_path(slug))


def entity_id(slug: str) -> str:
    """Our entity ID, which is also the address of our metadata."""
    return at_console(f"/core/auth/saml/{slug}/metadata/")


def logout(slug: str) -> str:
    """The address for the provider's messages about signing out."""
    return at_console(f"/core/auth/saml/{slug}/logout/")
