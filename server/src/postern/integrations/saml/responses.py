"""Who came back from a provider: the strict reading of a SAML response (Web Browser SSO, SAML 2.0 Profiles section 4.1).

The order: plain XML, the shape of the response, its status, signatures; then everything is read again from the signed
elements only, and compared with the request that Postern made.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from postern.integrations.saml import failures
from postern.integrations.saml.decryption import decrypted, is_encrypted
from postern.integrations.saml.documents import (
    Element,
    children,
    decoded,
    instant,
    only_child,
    parsed,
    parsed_within,
    text_of,
)
from postern.integrations.saml.names import (
    BEARER,
    ENTITY_FORMAT,
    SKEW_S,
    STATUS_PREFIX,
    SUCCESS,
    TRANSIENT,
    saml,
    samlp,
)
from postern.integrations.saml.signatures import signed_parts
from postern.integrations.web_apis.failures import WebApiFailed

_SKEW: Final = timedelta(seconds=SKEW_S)
_CONDITIONS: Final = frozenset({saml("AudienceRestriction"), saml("OneTimeUse"), saml("ProxyRestriction")})
_MOST_CHARS: Final = 255


@dataclass(frozen=True, slots=True)
class Expected:
    """What an answer must fit. `issuer`: entity ID of the provider; `audience`: ours; `acs`: our address for answers.

    `decryption_key`: ours; None while encrypted assertions are not taken.
    `asked_since`: the provider must have asked the person at this instant or later; None: any session there will do.
    """

    issuer: str
    audience: str
    acs: str
    request_id: str
    certificates: Sequence[x509.Certificate]
    asked_since: datetime | None = None
    decryption_key: RSAPrivateKey | None = None


@dataclass(frozen=True, slots=True)
class NameId:
    """How the provider calls the person. The qualifiers are empty when it does not say."""

    value: str
    format: str
    name_qualifier: str
    sp_name_qualifier: str


@dataclass(frozen=True, slots=True)
class Assertion:
    """The provider's statement, verified. `until`: after this time the assertion is refused. `session`: at the provider."""

    id: str
    name_id: NameId
    session: str
    attributes: Mapping[str, tuple[str, ...]]
    until: datetime


def read(answer: str, expected: Expected, now: datetime) -> Assertion:
    """The assertion in a parameter `SAMLResponse`. Raises WebApiFailed."""
    root = parsed(decoded(answer))
    if root.tag != samlp("Response"):
        raise failures.not_a_response()
    _require_status(root)
    if is_encrypted(root):
        return _read_encrypted(root, expected, now)
    inside = list(root.iter(saml("Assertion")))
    assertion = only_child(root, saml("Assertion"))
    if assertion is None or len(inside) != 1 or any(True for _ in root.iterdescendants(samlp("Response"))):
        raise failures.wrapped()
    parts = signed_parts(root, [root, assertion], expected.certificates, now)
    if not parts:
        raise failures.unsigned()
    response = parts.get(root.get("ID", ""), root)
    signed = parts.get(assertion.get("ID", ""))
    if signed is None:  # the response is signed, and so is what it contains
        signed = only_child(response, saml("Assertion"))
    if signed is None or signed.get("ID") != assertion.get("ID"):
        raise failures.wrapped()
    _require_response(response, expected, now, is_signed=response is not root)
    return _assertion(signed, expected, now)


def _read_encrypted(root: Element, expected: Expected, now: datetime) -> Assertion:
    """The envelope is judged as it came, then its assertion is decrypted and read as a document of its own.

    The response is signed over the ciphertext, or the assertion in it is signed, or both.
    """
    if expected.decryption_key is None:
        raise failures.encrypted()
    if any(True for _ in root.iter(saml("EncryptedID"), saml("EncryptedAttribute"))):
        raise failures.encrypted_parts()
    inside = list(root.iter(saml("EncryptedAssertion"), saml("Assertion")))
    if (
        len(inside) != 1
        or inside[0].getparent() is not root
        or any(True for _ in root.iterdescendants(samlp("Response")))
    ):
        raise failures.wrapped()
    response = signed_parts(root, [root], expected.certificates, now).get(root.get("ID", ""), root)
    _require_response(response, expected, now, is_signed=response is not root)
    holder = only_child(response, saml("EncryptedAssertion"))
    if holder is None:
        raise failures.wrapped()
    assertion = parsed_within(decrypted(holder, expected.decryption_key), holder)
    if assertion.tag != saml("Assertion") or any(True for _ in assertion.iterdescendants(saml("Assertion"))):
        raise failures.wrapped()
    if is_encrypted(assertion):
        raise failures.encrypted_parts()
    signed = signed_parts(assertion, [assertion], expected.certificates, now).get(assertion.get("ID", ""))
    if signed is None and response is root:
        raise failures.unsigned()
    return _assertion(signed if signed is not None else assertion, expected, now)


def _require_status(root: Element) -> None:
    status = only_child(root, samlp("Status"))
    code = only_child(status, samlp("StatusCode")) if status is not None else None
    if code is None:
        raise failures.bad_value("Status")
    if code.get("Value") == SUCCESS:
        return
    inner = only_child(code, samlp("StatusCode"))
    value = (inner if inner is not None else code).get("Value", "")
    raise failures.status(value.removeprefix(STATUS_PREFIX))


def _require_response(response: Element, expected: Expected, now: datetime, *, is_signed: bool) -> None:
    """The envelope. It may be unsigned; then it can only make an answer refused."""
    if response.get("Version") != "2.0" or not response.get("ID"):
        raise failures.bad_value("Version")
    _require_status(response)
    issuers = children(response, saml("Issuer"))
    if len(issuers) > 1 or (issuers and not _is_issuer(issuers[0], expected.issuer)):
        raise failures.other_issuer(text_of(issuers[0]), expected.issuer)
    destination = response.get("Destination")
    if destination != expected.acs and (destination is not None or is_signed):
        raise failures.other_address(destination or "", expected.acs)
    if response.get("InResponseTo") != expected.request_id:
        raise failures.other_request()
    _require_not_ahead(instant(response.get("IssueInstant", "")), now)


def _assertion(assertion: Element, expected: Expected, now: datetime) -> Assertion:
    if assertion.get("Version") != "2.0" or not 0 < len(assertion.get("ID", "")) <= _MOST_CHARS:
        raise failures.bad_value("Version")
    issuer = only_child(assertion, saml("Issuer"))
    if issuer is None or not _is_issuer(issuer, expected.issuer):
        raise failures.other_issuer(text_of(issuer), expected.issuer)
    _require_not_ahead(instant(assertion.get("IssueInstant", "")), now)
    _require_conditions(only_child(assertion, saml("Conditions")), expected, now)
    subject = only_child(assertion, saml("Subject"))
    if subject is None:
        raise failures.bad_value("Subject")
    until = _confirmed(subject, expected, now)
    return Assertion(
        id=assertion.get("ID", ""),
        name_id=_name_id(subject, expected),
        session=_session(assertion, expected, now),
        attributes=_attributes(assertion),
        until=until + _SKEW,
    )


def _is_issuer(element: Element, wanted: str) -> bool:
    return text_of(element) == wanted and element.get("Format", ENTITY_FORMAT) == ENTITY_FORMAT


def _require_conditions(conditions: Element | None, expected: Expected, now: datetime) -> None:
    if conditions is None or any(child.tag not in _CONDITIONS for child in conditions):
        raise failures.bad_value("Conditions")
    _require_begun(conditions, now)
    _require_not_over(conditions, now, is_needed=False)
    restrictions = children(conditions, saml("AudienceRestriction"))
    if not restrictions:
        raise failures.no_audience(expected.audience)
    for restriction in restrictions:
        audiences = [text_of(element) for element in children(restriction, saml("Audience"))]
        if expected.audience not in audiences:
            raise failures.other_audience(", ".join(audiences), expected.audience)


def _confirmed(subject: Element, expected: Expected, now: datetime) -> datetime:
    """The end of the bearer confirmation. Of several, one must fit; else the first failure is reported."""
    failed: WebApiFailed | None = None
    for confirmation in children(subject, saml("SubjectConfirmation")):
        data = only_child(confirmation, saml("SubjectConfirmationData"))
        if confirmation.get("Method") != BEARER or data is None:
            continue
        try:
            return _until(data, expected, now)
        except WebApiFailed as error:
            failed = failed or error
    raise failed or failures.bad_value("SubjectConfirmation")


def _until(data: Element, expected: Expected, now: datetime) -> datetime:
    if data.get("Recipient") != expected.acs:
        raise failures.other_address(data.get("Recipient", ""), expected.acs)
    if data.get("InResponseTo") != expected.request_id:
        raise failures.other_request()
    _require_begun(data, now)
    return _require_not_over(data, now, is_needed=True)


def _name_id(subject: Element, expected: Expected) -> NameId:
    element = only_child(subject, saml("NameID"))
    value = text_of(element)
    if element is None or not 0 < len(value) <= _MOST_CHARS or not value.isprintable():
        raise failures.bad_value("NameID")
    name_id = NameId(
        value, element.get("Format", ""), element.get("NameQualifier", ""), element.get("SPNameQualifier", "")
    )
    # The same value of another namespace would be another person.
    if name_id.name_qualifier not in {"", expected.issuer} or name_id.sp_name_qualifier not in {"", expected.audience}:
        raise failures.bad_value("NameQualifier")
    return name_id


def is_transient(name_id: NameId) -> bool:
    """Whether the name changes with each sign-in."""
    return name_id.format == TRANSIENT


def _session(assertion: Element, expected: Expected, now: datetime) -> str:
    """The session at the provider; empty when it does not name it."""
    statements = children(assertion, saml("AuthnStatement"))
    if not statements:
        raise failures.bad_value("AuthnStatement")
    for statement in statements:
        end = statement.get("SessionNotOnOrAfter")
        if end is not None and _is_over(instant(end), now):
            raise failures.expired()
        if expected.asked_since is not None:
            _require_asked(instant(statement.get("AuthnInstant", "")), expected.asked_since, now)
    index = statements[0].get("SessionIndex", "")
    return index if len(index) <= _MOST_CHARS and index.isprintable() else ""


def _require_asked(asked: datetime | None, since: datetime, now: datetime) -> None:
    if asked is None:
        raise failures.bad_value("AuthnInstant")
    if asked < since - _SKEW:
        raise failures.not_asked()
    if asked > now + _SKEW:
        raise failures.ahead()


def _attributes(assertion: Element) -> dict[str, tuple[str, ...]]:
    """All values by the name of their attribute. An attribute that is there twice has the values of both."""
    values_by_name: dict[str, list[str]] = {}
    for statement in children(assertion, saml("AttributeStatement")):
        for attribute in children(statement, saml("Attribute")):
            values = [text_of(value) for value in children(attribute, saml("AttributeValue"))]
            values_by_name.setdefault(attribute.get("Name", ""), []).extend(value for value in values if value)
    return {name: tuple(values) for name, values in values_by_name.items() if name}


def _require_begun(element: Element, now: datetime) -> None:
    text = element.get("NotBefore")
    if text is not None:
        _require_not_ahead(instant(text), now)


def _require_not_over(element: Element, now: datetime, *, is_needed: bool) -> datetime:
    text = element.get("NotOnOrAfter")
    end = instant(text) if text is not None else None
    if (text is None and is_needed) or (text is not None and _is_over(end, now)):
        raise failures.expired() if text else failures.bad_value("NotOnOrAfter")
    return end or now


def _is_over(end: datetime | None, now: datetime) -> bool:
    return end is None or end <= now - _SKEW


def _require_not_ahead(begin: datetime | None, now: datetime) -> None:
    if begin is None:
        raise failures.bad_value("IssueInstant")
    if begin > now + _SKEW:
        raise failures.ahead()
