"""A SAML 2.0 identity provider of the tests: templates, signed by signxml, that can be as wrong as a test wants.

It reads the request of Postern (redirect binding), and answers with the form that a browser would post.
"""

import base64
import importlib
import zlib
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import parse_qsl, quote, urlsplit
from xml.sax.saxutils import escape

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from lxml import etree
from signxml.algorithms import DigestAlgorithm, SignatureMethod
from signxml.signer import XMLSigner

#: Its stubs do not describe it.
xmlsec: Final[Any] = importlib.import_module("xmlsec")

SAMLP: Final = "urn:oasis:names:tc:SAML:2.0:protocol"
SAML: Final = "urn:oasis:names:tc:SAML:2.0:assertion"
DS: Final = "http://www.w3.org/2000/09/xmldsig#"
RSA_SHA256: Final = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
PERSISTENT: Final = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"


@dataclass(frozen=True)
class Pair:
    key: rsa.RSAPrivateKey
    certificate: x509.Certificate

    @property
    def pem(self) -> str:
        return self.certificate.public_bytes(serialization.Encoding.PEM).decode()

    @property
    def base64(self) -> str:
        return base64.b64encode(self.certificate.public_bytes(serialization.Encoding.DER)).decode()


_PAIRS: Final[dict[tuple[str, int, int], Pair]] = {}


def pair(name: str, *, bits: int = 2048, days: int = 365) -> Pair:
    """The same key and certificate for the same name: making one takes a while. `days`: until it ends."""
    wanted = (name, bits, days)
    if wanted not in _PAIRS:
        key = rsa.generate_private_key(public_exponent=65537, key_size=bits)
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        now = datetime.now(UTC)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=800))
            .not_valid_after(now + timedelta(days=days))
            .sign(key, hashes.SHA256())
        )
        _PAIRS[wanted] = Pair(key, certificate)
    return _PAIRS[wanted]


class _Sha1Signer(XMLSigner):
    """signxml refuses to sign with SHA-1, but providers exist that do."""

    def check_deprecated_methods(self) -> None:
        return


@dataclass(frozen=True)
class Answer:
    """A response before it is signed. A field of None is left out of the document."""

    acs: str
    audience: str | None
    request_id: str | None
    issuer: str = "https://idp.example/entity"
    name: str = "s-ann"
    name_format: str = PERSISTENT
    attributes: dict[str, list[str]] = field(default_factory=dict)
    session: str | None = "session-1"
    status: str = "Success"
    inner_status: str = ""
    destination: str | None = None
    recipient: str | None = None
    assertion_id: str = "_assertion-1"
    response_id: str = "_response-1"
    not_before_s: float = -30
    not_after_s: float = 300
    confirmed_until_s: float | None = 300
    issued_s: float = 0
    #: Seconds from now at which the person was asked; as issued when None, and left out when empty.
    asked_s: float | str | None = None
    more_conditions: str = ""

    def assertion(self) -> etree._Element:
        issued = _instant(self.issued_s)
        asked = issued if self.asked_s is None else _instant(self.asked_s) if isinstance(self.asked_s, float) else None
        audience = (
            f"<saml:AudienceRestriction><saml:Audience>{escape(self.audience)}</saml:Audience></saml:AudienceRestriction>"
            if self.audience is not None
            else ""
        )
        data = {
            "InResponseTo": self.request_id,
            "Recipient": self.recipient or self.acs,
            "NotOnOrAfter": _instant(self.confirmed_until_s) if self.confirmed_until_s is not None else None,
        }
        attributes = "".join(
            f'<saml:Attribute Name="{escape(name)}">'
            + "".join(f"<saml:AttributeValue>{escape(value)}</saml:AttributeValue>" for value in values)
            + "</saml:Attribute>"
            for name, values in self.attributes.items()
        )
        return etree.fromstring(f"""<saml:Assertion xmlns:saml="{SAML}" Version="2.0" ID="{self.assertion_id}"
 IssueInstant="{issued}"><saml:Issuer>{escape(self.issuer)}</saml:Issuer>
<saml:Subject><saml:NameID Format="{self.name_format}">{escape(self.name)}</saml:NameID>
<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">
<saml:SubjectConfirmationData {_written(data)}/></saml:SubjectConfirmation></saml:Subject>
<saml:Conditions NotBefore="{_instant(self.not_before_s)}" NotOnOrAfter="{_instant(self.not_after_s)}">{audience}
{self.more_conditions}</saml:Conditions>
<saml:AuthnStatement {_written({"AuthnInstant": asked, "SessionIndex": self.session})}><saml:AuthnContext>
<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified</saml:AuthnContextClassRef>
</saml:AuthnContext></saml:AuthnStatement>
{f"<saml:AttributeStatement>{attributes}</saml:AttributeStatement>" if attributes else ""}</saml:Assertion>""")

    def response(self, *assertions: etree._Element) -> etree._Element:
        inner = f'<samlp:StatusCode Value="{_status(self.inner_status)}"/>' if self.inner_status else ""
        head = {"Destination": self.destination or self.acs, "InResponseTo": self.request_id}
        root = etree.fromstring(f"""<samlp:Response xmlns:samlp="{SAMLP}" xmlns:saml="{SAML}" Version="2.0"
 ID="{self.response_id}" IssueInstant="{_instant(self.issued_s)}" {_written(head)}><saml:Issuer>{escape(self.issuer)}</saml:Issuer>
<samlp:Status><samlp:StatusCode Value="{_status(self.status)}">{inner}</samlp:StatusCode></samlp:Status></samlp:Response>""")
        root.extend(assertions)
        return root

    def signed(self, by: Pair, *parts: str, encrypted_for: str = "") -> etree._Element:
        """The response, with signatures on "assertion", "response" or both. `encrypted_for`: the certificate of the reader."""
        assertion = self.assertion()
        if "assertion" in parts:
            assertion = sign(assertion, by)
        if encrypted_for:
            assertion = encrypt(assertion, encrypted_for)
        root = self.response(*([assertion] if self.status == "Success" else []))
        return sign(root, by) if "response" in parts else root


def sign(element: etree._Element, by: Pair, *, sha1: bool = False) -> etree._Element:
    """The element with a signature after its issuer, where the schema wants it."""
    signer = _Sha1Signer if sha1 else XMLSigner
    made = signer(
        signature_algorithm=SignatureMethod.RSA_SHA1 if sha1 else SignatureMethod.RSA_SHA256,
        digest_algorithm=DigestAlgorithm.SHA1 if sha1 else DigestAlgorithm.SHA256,
        c14n_algorithm="http://www.w3.org/2001/10/xml-exc-c14n#",
    )
    holder = etree.fromstring(etree.tostring(element))
    place = etree.Element(f"{{{DS}}}Signature", nsmap={"ds": DS})
    place.set("Id", "placeholder")
    holder.insert(1, place)
    done = made.sign(holder, key=by.key, cert=[by.certificate], reference_uri=f"#{element.get('ID')}")
    return etree.fromstring(etree.tostring(done))


#: Algorithms of the content by their names in libxmlsec, which encrypts here.
GCM: Final = "AES256_GCM"


def encrypt(element: etree._Element, certificate: str, *, content: str = GCM, key: str = "RSA_OAEP") -> etree._Element:
    """The element as an `EncryptedAssertion`, by libxmlsec. `certificate`: PEM of the reader; `content`, `key`: names of
    its transforms.
    """
    holder = etree.Element(f"{{{SAML}}}EncryptedAssertion", nsmap={"saml": SAML})
    holder.append(etree.fromstring(etree.tostring(element)))
    data = xmlsec.template.encrypted_data_create(
        holder, getattr(xmlsec.Transform, content), type=xmlsec.EncryptionType.ELEMENT, ns="xenc"
    )
    xmlsec.template.encrypted_data_ensure_cipher_value(data)
    info = xmlsec.template.encrypted_data_ensure_key_info(data, ns="ds")
    wrapped = xmlsec.template.add_encrypted_key(info, getattr(xmlsec.Transform, key))
    xmlsec.template.encrypted_data_ensure_cipher_value(wrapped)
    keys = xmlsec.KeysManager()
    keys.add_key(xmlsec.Key.from_memory(certificate, xmlsec.KeyFormat.CERT_PEM, None))
    context = xmlsec.EncryptionContext(keys)
    bits = int("".join(char for char in content if char.isdigit()))
    context.key = xmlsec.Key.generate(xmlsec.KeyData.AES, bits, xmlsec.KeyDataType.SESSION)
    done = context.encrypt_xml(data, holder[0])
    made = etree.Element(f"{{{SAML}}}EncryptedAssertion", nsmap={"saml": SAML})
    made.append(done)
    return etree.fromstring(etree.tostring(made))


def encoded(root: etree._Element) -> str:
    """As a form posts it."""
    return base64.b64encode(etree.tostring(root)).decode()


def inflated(text: str) -> bytes:
    """A parameter of the redirect binding."""
    return zlib.decompress(base64.b64decode(text), -15)


def deflated(content: bytes) -> str:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.b64encode(packer.compress(content) + packer.flush()).decode()


def signed_query(by: Pair | None, **parameters: str) -> str:
    """A query of the redirect binding, signed as it stands."""
    query = "&".join(f"{name}={quote(value, safe='')}" for name, value in parameters.items() if value)
    if by is None:
        return query
    query += f"&SigAlg={quote(RSA_SHA256, safe='')}"
    signature = by.key.sign(query.encode(), padding.PKCS1v15(), hashes.SHA256())
    return f"{query}&Signature={quote(base64.b64encode(signature).decode(), safe='')}"


@dataclass
class SamlStandIn:
    """A provider whose people are at `person`. `alter`: changes of the answer before it is signed."""

    entity_id: str = "https://idp.example/entity"
    sso_url: str = "https://idp.example/sso?tenant=1"
    slo_url: str = "https://idp.example/slo"
    name: str = "idp"
    person: dict[str, Any] = field(default_factory=lambda: {"name": "s-ann"})
    parts: tuple[str, ...] = ("assertion",)
    #: The certificate for which assertions are encrypted; empty: they are not.
    encrypted_for: str = ""
    answers: int = 0

    @property
    def pair(self) -> Pair:
        return pair(self.name)

    def metadata(self, *pairs: Pair) -> str:
        keys = "".join(
            f'<md:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>{one.base64}'
            "</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>"
            for one in pairs or (self.pair,)
        )
        redirect = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
        slo = f'<md:SingleLogoutService Binding="{redirect}" Location="{self.slo_url}"/>' if self.slo_url else ""
        return f"""<?xml version="1.0"?>
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="{DS}" entityID="{self.entity_id}">
<md:IDPSSODescriptor protocolSupportEnumeration="{SAMLP}">{keys}{slo}
<md:SingleSignOnService Binding="{redirect}" Location="{self.sso_url}"/></md:IDPSSODescriptor></md:EntityDescriptor>"""

    def asked(self, page: str) -> tuple[etree._Element, dict[str, str]]:
        """The request that a page address carries, and all of its parameters."""
        assert page.startswith(f"{self.sso_url}&SAMLRequest="), page
        query = dict(parse_qsl(urlsplit(page).query))
        return etree.fromstring(inflated(query["SAMLRequest"])), query

    def answer_to(self, request: etree._Element, **changes: Any) -> Answer:
        self.answers += 1
        made = Answer(
            acs=request.get("AssertionConsumerServiceURL", ""),
            audience=request.findtext(f"{{{SAML}}}Issuer"),
            request_id=request.get("ID", ""),
            issuer=self.entity_id,
            assertion_id=f"_assertion-{id(self)}-{self.answers}",
            **self.person,
        )
        return replace(made, **changes)

    def come_back(self, page: str, **changes: Any) -> tuple[str, dict[str, str]]:
        """The person signs in at the page: the path to which the browser posts, and the form."""
        request, query = self.asked(page)
        answer = self.answer_to(request, **changes)
        form = {
            "SAMLResponse": encoded(answer.signed(self.pair, *self.parts, encrypted_for=self.encrypted_for)),
            "RelayState": query["RelayState"],
        }
        return urlsplit(answer.acs).path, form


def _instant(seconds: float) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _status(name: str) -> str:
    return f"urn:oasis:names:tc:SAML:2.0:status:{name}"


def _written(attributes: dict[str, str | None]) -> str:
    return " ".join(f'{name}="{escape(value)}"' for name, value in attributes.items() if value is not None)
