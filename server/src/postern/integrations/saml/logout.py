"""Signing out on both sides by the redirect binding (SAML 2.0 Profiles section 4.4). Every message is signed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import unquote_plus

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from lxml import etree

from postern.integrations.saml import failures, redirects
from postern.integrations.saml.documents import Element, children, instant, only_child, parsed, text_of
from postern.integrations.saml.names import SKEW_S, SUCCESS, saml, samlp
from postern.integrations.saml.requests import begun
from postern.integrations.saml.responses import NameId

#: How old a message of the provider may be. The browser carries it at once.
AGE_S: Final = 300
_MOST_CHARS: Final = 255


@dataclass(frozen=True, slots=True)
class Side:
    """The provider as signing out sees it. `address`: of the provider; `own_address`: of this console."""

    issuer: str
    address: str
    entity_id: str
    own_address: str
    certificates: Sequence[x509.Certificate]


@dataclass(frozen=True, slots=True)
class Asked:
    """The provider asks to sign a person out. `sessions`: at the provider; empty for all of the person."""

    id: str
    name: str
    sessions: tuple[str, ...]
    relay_state: str


def request_address(
    side: Side, name_id: NameId, session: str, *, request_id: str, key: rsa.RSAPrivateKey, now: datetime
) -> str:
    """Where the browser goes to sign a person out at the provider."""
    root = begun("LogoutRequest", request_id, side.entity_id, side.address, now)
    root.set("NotOnOrAfter", (now + timedelta(seconds=AGE_S)).strftime("%Y-%m-%dT%H:%M:%SZ"))
    name = etree.SubElement(root, saml("NameID"))
    name.text = name_id.value
    for attribute, value in (
        ("Format", name_id.format),
        ("NameQualifier", name_id.name_qualifier),
        ("SPNameQualifier", name_id.sp_name_qualifier),
    ):
        if value:
            name.set(attribute, value)
    if session:
        etree.SubElement(root, samlp("SessionIndex")).text = session
    return redirects.address(side.address, "SAMLRequest", etree.tostring(root), relay_state="", key=key)


def response_address(side: Side, asked: Asked, *, response_id: str, key: rsa.RSAPrivateKey, now: datetime) -> str:
    """Where the browser goes to tell the provider that the person is signed out here."""
    root = begun("LogoutResponse", response_id, side.entity_id, side.address, now)
    root.set("InResponseTo", asked.id)
    status = etree.SubElement(root, samlp("Status"))
    etree.SubElement(status, samlp("StatusCode")).set("Value", SUCCESS)
    return redirects.address(side.address, "SAMLResponse", etree.tostring(root), relay_state=asked.relay_state, key=key)


def asked(query: str, side: Side, now: datetime) -> Asked:
    """The request in a raw query, whose signature was verified. Raises WebApiFailed."""
    raw = redirects.parameters_of(query)
    if "SAMLRequest" not in raw or "SAMLResponse" in raw:
        raise failures.not_a_logout()
    redirects.require_signed(raw, "SAMLRequest", side.certificates, now)
    root = parsed(redirects.inflated(unquote_plus(raw["SAMLRequest"])))
    if root.tag != samlp("LogoutRequest"):
        raise failures.not_a_logout()
    _require_fitting(root, side, now)
    element = only_child(root, saml("NameID"))
    name = text_of(element)
    if not 0 < len(name) <= _MOST_CHARS:
        raise failures.bad_value("NameID")
    sessions = tuple(text_of(index) for index in children(root, samlp("SessionIndex")))
    return Asked(root.get("ID", ""), name, sessions, unquote_plus(raw.get("RelayState", "")))


def _require_fitting(root: Element, side: Side, now: datetime) -> None:
    skew = timedelta(seconds=SKEW_S)
    if root.get("Version") != "2.0" or not 0 < len(root.get("ID", "")) <= _MOST_CHARS:
        raise failures.bad_value("Version")
    issuer = only_child(root, saml("Issuer"))
    if text_of(issuer) != side.issuer:
        raise failures.other_issuer(text_of(issuer), side.issuer)
    if root.get("Destination") != side.own_address:
        raise failures.other_address(root.get("Destination", ""), side.own_address)
    issued = instant(root.get("IssueInstant", ""))
    if issued is None:
        raise failures.bad_value("IssueInstant")
    if issued > now + skew:
        raise failures.ahead()
    end = root.get("NotOnOrAfter")
    until = instant(end) if end is not None else issued + timedelta(seconds=AGE_S)
    if until is None or until <= now - skew or issued <= now - timedelta(seconds=AGE_S) - skew:
        raise failures.expired()
