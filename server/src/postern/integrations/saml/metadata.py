"""Metadata (SAML 2.0 Metadata): what a provider's file says, and the file that describes Postern to the provider."""

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from cryptography import x509
from lxml import etree

from postern.integrations.saml import certificates, failures
from postern.integrations.saml.decryption import CONTENT_KEYS, OAEP, OAEP_MGF1P
from postern.integrations.saml.documents import Element, children, parsed, text_of
from postern.integrations.saml.names import DSIG, METADATA, POST, PROTOCOL, REDIRECT, ds, md

_WHOLE_FEDERATION: Final = md("EntitiesDescriptor")
_MOST_CHARS: Final = 255
MOST_ADDRESS_CHARS: Final = 1000


@dataclass(frozen=True, slots=True)
class Provider:
    """What Postern uses of the metadata. `slo_url`: empty when the provider signs nobody out by redirect."""

    entity_id: str
    sso_url: str
    slo_url: str
    certificates: tuple[x509.Certificate, ...]


@dataclass(frozen=True, slots=True)
class Own:
    """Postern as a provider sees it. `certificate`: PEM of the key with which Postern signs.

    `encryption_certificate`: PEM of the key with which it decrypts; empty when it decrypts nothing. Some providers encrypt
    as soon as the metadata contain a certificate for that.
    """

    entity_id: str
    acs: str
    logout: str
    certificate: str
    signs_requests: bool
    name_format: str
    encryption_certificate: str = ""


def read(text: str) -> Provider:
    """The provider of a metadata document. Its signature is not checked: an administrator vouches for the file.

    Raises WebApiFailed.
    """
    root = parsed(text.encode(errors="replace"), may_have_comments=True)
    if root.tag == _WHOLE_FEDERATION:
        entities = [entity for entity in root.iter(md("EntityDescriptor")) if children(entity, md("IDPSSODescriptor"))]
        if len(entities) != 1:
            raise failures.several_providers(len(entities))
        root = entities[0]
    if root.tag != md("EntityDescriptor"):
        raise failures.not_metadata()
    roles = [
        descriptor
        for descriptor in children(root, md("IDPSSODescriptor"))
        if PROTOCOL in descriptor.get("protocolSupportEnumeration", "").split()
    ]
    entity_id = root.get("entityID", "")
    if len(roles) != 1 or not 0 < len(entity_id) <= _MOST_CHARS:
        raise failures.not_metadata()
    sso_url = _redirect(roles[0], "SingleSignOnService", "Location")
    if not is_usable_address(sso_url):
        raise failures.no_redirect()
    slo_url = _slo(roles[0])
    return Provider(entity_id, sso_url, slo_url if is_usable_address(slo_url) else "", _certificates(roles[0]))


def own_document(own: Own) -> bytes:
    """Postern's metadata for a provider."""
    root = etree.Element(md("EntityDescriptor"), nsmap={"md": METADATA, "ds": DSIG})
    root.set("entityID", own.entity_id)
    role = etree.SubElement(root, md("SPSSODescriptor"))
    role.set("protocolSupportEnumeration", PROTOCOL)
    role.set("AuthnRequestsSigned", "true" if own.signs_requests else "false")
    role.set("WantAssertionsSigned", "true")
    _key(role, "signing", own.certificate)
    if own.encryption_certificate:
        key = _key(role, "encryption", own.encryption_certificate)
        for algorithm in (*reversed(CONTENT_KEYS), OAEP, OAEP_MGF1P):
            etree.SubElement(key, md("EncryptionMethod")).set("Algorithm", algorithm)
    _point(role, "SingleLogoutService", REDIRECT, own.logout)
    if own.name_format:
        etree.SubElement(role, md("NameIDFormat")).text = own.name_format
    service = _point(role, "AssertionConsumerService", POST, own.acs)
    service.set("index", "0")
    service.set("isDefault", "true")
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)


def is_usable_address(text: str) -> bool:
    """Whether a browser may be sent there: `https:`, or `http:` on this machine; no name, no fragment."""
    try:
        parts = urlsplit(text)
        is_whole = bool(parts.hostname) and parts.username is None and not parts.fragment and (parts.port or 1) > 0
    except ValueError:
        return False
    is_plain = text.isprintable() and text.isascii() and " " not in text
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and is_this_machine(parts.hostname))
    return is_whole and is_plain and is_safe and len(text) <= MOST_ADDRESS_CHARS


def is_this_machine(host: str | None) -> bool:
    try:
        return host == "localhost" or ip_address(str(host)).is_loopback
    except ValueError:
        return False


def _key(role: Element, use: str, certificate: str) -> Element:
    key = etree.SubElement(role, md("KeyDescriptor"))
    key.set("use", use)
    holder = etree.SubElement(etree.SubElement(key, ds("KeyInfo")), ds("X509Data"))
    lines = [line for line in certificate.splitlines() if not line.startswith("-----")]
    etree.SubElement(holder, ds("X509Certificate")).text = "".join(lines)
    return key


def _point(role: Element, name: str, binding: str, address: str) -> Element:
    made = etree.SubElement(role, md(name))
    made.set("Binding", binding)
    made.set("Location", address)
    return made


def _redirect(role: Element, name: str, attribute: str) -> str:
    for service in children(role, md(name)):
        if service.get("Binding") == REDIRECT:
            return service.get(attribute, "")
    return ""


def _slo(role: Element) -> str:
    """One address for requests and answers. A provider that wants answers elsewhere is not signed out at."""
    address, answers = (_redirect(role, "SingleLogoutService", name) for name in ("Location", "ResponseLocation"))
    return address if answers in {"", address} else ""


def _certificates(role: Element) -> tuple[x509.Certificate, ...]:
    """Those for signing, and those for any use."""
    texts = [
        text_of(element)
        for key in children(role, md("KeyDescriptor"))
        if key.get("use", "signing") == "signing"
        for element in key.iter(ds("X509Certificate"))
    ]
    return certificates.usable([certificates.from_base64(text) for text in texts])
