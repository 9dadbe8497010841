"""Names of the SAML 2.0 standards, and limits for what a provider sends."""

from typing import Final

PROTOCOL: Final = "urn:oasis:names:tc:SAML:2.0:protocol"
ASSERTION: Final = "urn:oasis:names:tc:SAML:2.0:assertion"
METADATA: Final = "urn:oasis:names:tc:SAML:2.0:metadata"
DSIG: Final = "http://www.w3.org/2000/09/xmldsig#"
XENC: Final = "http://www.w3.org/2001/04/xmlenc#"
XENC11: Final = "http://www.w3.org/2009/xmlenc11#"

SUCCESS: Final = "urn:oasis:names:tc:SAML:2.0:status:Success"
STATUS_PREFIX: Final = "urn:oasis:names:tc:SAML:2.0:status:"
BEARER: Final = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
REDIRECT: Final = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
POST: Final = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"
ENTITY_FORMAT: Final = "urn:oasis:names:tc:SAML:2.0:nameid-format:entity"
TRANSIENT: Final = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"
PERSISTENT: Final = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"
EMAIL: Final = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"
UNSPECIFIED: Final = "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified"

#: Bytes of a document. An answer with 2,000 groups has about 200 KB.
MOST_BYTES: Final = 512 * 1024
#: Seconds by which two clocks may differ.
SKEW_S: Final = 60


def samlp(name: str) -> str:
    """An element of the protocol."""
    return f"{{{PROTOCOL}}}{name}"


def saml(name: str) -> str:
    """An element of assertions."""
    return f"{{{ASSERTION}}}{name}"


def md(name: str) -> str:
    """An element of metadata."""
    return f"{{{METADATA}}}{name}"


def ds(name: str) -> str:
    """An element of XML signatures."""
    return f"{{{DSIG}}}{name}"


def xenc(name: str) -> str:
    """An element of XML encryption."""
    return f"{{{XENC}}}{name}"


def xenc11(name: str) -> str:
    """An element of XML encryption 1.1."""
    return f"{{{XENC11}}}{name}"
