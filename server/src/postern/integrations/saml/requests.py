"""The request that leads a browser to a provider (SAML 2.0 Core section 3.4)."""

from dataclasses import dataclass
from datetime import datetime

from cryptography.hazmat.primitives.asymmetric import rsa
from lxml import etree

from postern.integrations.saml import redirects
from postern.integrations.saml.documents import Element
from postern.integrations.saml.names import ASSERTION, POST, PROTOCOL, saml, samlp


@dataclass(frozen=True, slots=True)
class Asking:
    """A sign-in that begins. `entity_id`, `acs`: ours. `name_format`: the NameID that is asked for; "" for any.

    `asks_again`: the provider must ask the person who they are, even if they have a session there.
    """

    entity_id: str
    acs: str
    request_id: str
    name_format: str = ""
    asks_again: bool = False


def sign_in_address(
    sso_url: str, asking: Asking, *, relay_state: str, key: rsa.RSAPrivateKey | None, now: datetime
) -> str:
    """The page of the provider, with the request."""
    root = begun("AuthnRequest", asking.request_id, asking.entity_id, sso_url, now)
    root.set("AssertionConsumerServiceURL", asking.acs)
    root.set("ProtocolBinding", POST)
    if asking.asks_again:
        root.set("ForceAuthn", "true")
    policy = etree.SubElement(root, samlp("NameIDPolicy"))
    if asking.name_format:
        policy.set("Format", asking.name_format)
    policy.set("AllowCreate", "true")
    return redirects.address(sso_url, "SAMLRequest", etree.tostring(root), relay_state=relay_state, key=key)


def begun(name: str, message_id: str, entity_id: str, destination: str, now: datetime) -> Element:
    """A message of ours, with its issuer."""
    root = etree.Element(samlp(name), nsmap={"samlp": PROTOCOL, "saml": ASSERTION})
    root.set("ID", message_id)
    root.set("Version", "2.0")
    root.set("IssueInstant", now.strftime("%Y-%m-%dT%H:%M:%SZ"))
    root.set("Destination", destination)
    etree.SubElement(root, saml("Issuer")).text = entity_id
    return root
