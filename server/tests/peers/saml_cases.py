"""Answers of a SAML provider, right and wrong, as a table: what a strict reader and python3-saml must make of each.

The eight wrappings are those of "On Breaking SAML: Be Whoever You Want to Be" (Somorovsky and others, 2012): the signed
element stays in the document, and another one with the attacker's name stands where a careless reader looks.
"""

import base64
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Final

from lxml import etree

from peers.saml_stand_in import DS, SAML, SAMLP, Answer, encoded, pair, sign

Element = etree._Element
IDP: Final = pair("idp")
GOOD: Final = Answer(acs="https://postern.example/acs", audience="https://postern.example/md", request_id="_request-1")
EVIL: Final = "s-admin"
_RESPONSE, _ASSERTION = ("response",), ("assertion",)


@dataclass(frozen=True)
class Case:
    """`code`: why the strict reader refuses; empty when it takes the answer. `oracle`: python3-saml takes it."""

    name: str
    make: Callable[[], str]
    code: str = ""
    oracle: bool = False


def _said(*parts: str, **changes: Any) -> Callable[[], str]:
    return lambda: encoded(replace(GOOD, **changes).signed(IDP, *parts))


def _signature(element: Element) -> Element:
    found = element.find(f"{{{DS}}}Signature")
    assert found is not None
    return found


def _evil(element: Element) -> Element:
    """A copy without signatures, of another ID, with the attacker's name."""
    copy = deepcopy(element)
    for signature in list(copy.iter(f"{{{DS}}}Signature")):
        parent = signature.getparent()
        assert parent is not None
        parent.remove(signature)
    for name in copy.iter(f"{{{SAML}}}NameID"):
        name.text = EVIL
    copy.set("ID", "_evil")
    return copy


def _response_and_evil() -> tuple[Element, Element, Element]:
    """A signed response without its signature, the signature, and an evil response."""
    good = GOOD.signed(IDP, *_RESPONSE)
    evil, signature = _evil(good), _signature(good)
    good.remove(signature)
    return good, signature, evil


def _assertion_and_evil() -> tuple[Element, Element, Element]:
    """A response, its signed assertion, and an evil assertion."""
    root = GOOD.signed(IDP, *_ASSERTION)
    good = root.find(f"{{{SAML}}}Assertion")
    assert good is not None
    return root, good, _evil(good)


def _wrapped_1() -> str:
    good, signature, evil = _response_and_evil()
    signature.append(good)
    evil.insert(1, signature)
    return encoded(evil)


def _wrapped_2() -> str:
    good, signature, evil = _response_and_evil()
    evil.insert(1, good)
    evil.insert(2, signature)
    return encoded(evil)


def _wrapped_3() -> str:
    root, good, evil = _assertion_and_evil()
    root.insert(root.index(good), evil)
    return encoded(root)


def _wrapped_4() -> str:
    root, good, evil = _assertion_and_evil()
    root.replace(good, evil)
    evil.append(good)
    return encoded(root)


def _wrapped_5() -> str:
    root, good, evil = _assertion_and_evil()
    signature = _signature(good)
    root.replace(good, evil)
    good.remove(signature)
    evil.insert(1, signature)
    root.append(good)
    return encoded(root)


def _wrapped_6() -> str:
    root, good, evil = _assertion_and_evil()
    signature = _signature(good)
    root.replace(good, evil)
    good.remove(signature)
    signature.append(good)
    evil.insert(1, signature)
    return encoded(root)


def _wrapped_7() -> str:
    root, _good, evil = _assertion_and_evil()
    extensions = etree.Element(f"{{{SAMLP}}}Extensions")
    extensions.append(evil)
    root.insert(1, extensions)
    return encoded(root)


def _wrapped_8() -> str:
    root, good, evil = _assertion_and_evil()
    signature = _signature(good)
    root.replace(good, evil)
    good.remove(signature)
    holder = etree.SubElement(signature, f"{{{DS}}}Object")
    holder.append(good)
    evil.insert(1, signature)
    return encoded(root)


def _same_id() -> str:
    root, good, evil = _assertion_and_evil()
    evil.set("ID", good.get("ID", ""))
    root.insert(root.index(good), evil)
    return encoded(root)


def _bomb() -> str:
    levels = "".join(f'<!ENTITY a{number} "{f"&a{number - 1};" * 10}">' for number in range(1, 9))
    text = etree.tostring(GOOD.signed(IDP, *_ASSERTION)).decode()
    text = text.replace(">s-ann<", ">&a8;<")
    return base64.b64encode(f'<!DOCTYPE r [<!ENTITY a0 "x">{levels}]>{text}'.encode()).decode()


def _commented() -> str:
    text = etree.tostring(replace(GOOD, name="s-admin.evil").signed(IDP, *_ASSERTION)).decode()
    return base64.b64encode(text.replace("s-admin.evil", "s-admin<!---->.evil").encode()).decode()


def _sha1() -> str:
    return encoded(GOOD.response(sign(GOOD.assertion(), IDP, sha1=True)))


def _encrypted() -> str:
    root = GOOD.response()
    root.append(etree.fromstring(f'<saml:EncryptedAssertion xmlns:saml="{SAML}"/>'))
    return encoded(sign(root, IDP))


def _foreign() -> str:
    """Signed by a stranger, whose certificate is in KeyInfo."""
    return encoded(GOOD.signed(pair("foreign"), *_ASSERTION))


def _altered() -> str:
    text = etree.tostring(GOOD.signed(IDP, *_ASSERTION)).decode()
    return base64.b64encode(text.replace(">s-ann<", f">{EVIL}<").encode()).decode()


_SIGNED: Final = ("assertion",)
CASES: Final = (
    Case("signed assertion", _said("assertion"), oracle=True),
    Case("signed response", _said("response"), oracle=True),
    Case("both signed", _said("assertion", "response"), oracle=True),
    Case("unsigned", _said(), "saml.unsigned"),
    Case("foreign key", _foreign, "saml.bad_signature"),
    Case("altered after signing", _altered, "saml.bad_signature"),
    Case("expired", _said(*_SIGNED, not_after_s=-400), "saml.expired"),
    Case("other audience", _said(*_SIGNED, audience="https://other.example/md"), "saml.other_audience"),
    Case("other issuer", _said(*_SIGNED, issuer="https://other.example/entity"), "saml.other_issuer"),
    Case("bomb of entities", _bomb, "saml.not_plain"),
    Case("wrapping 1", _wrapped_1, "saml.wrapped"),
    Case("wrapping 2", _wrapped_2, "saml.wrapped"),
    Case("wrapping 3", _wrapped_3, "saml.wrapped"),
    Case("wrapping 4", _wrapped_4, "saml.wrapped"),
    Case("wrapping 5", _wrapped_5, "saml.wrapped"),
    Case("wrapping 6", _wrapped_6, "saml.wrapped"),
    Case("wrapping 7", _wrapped_7, "saml.wrapped"),
    Case("wrapping 8", _wrapped_8, "saml.wrapped"),
    Case("the same ID twice", _same_id, "saml.wrapped"),
    Case("other Recipient", _said(*_SIGNED, recipient="https://other.example/acs"), "saml.other_address"),
    Case("other Destination", _said(*_SIGNED, destination="https://other.example/acs"), "saml.other_address"),
    Case("other InResponseTo", _said(*_SIGNED, request_id="_request-2"), "saml.other_request"),
    Case("failed status", _said("response", status="Responder", inner_status="AuthnFailed"), "saml.status"),
    Case("confirmation expired", _said(*_SIGNED, confirmed_until_s=-400), "saml.expired"),
    Case("no AudienceRestriction", _said(*_SIGNED, audience=None), "saml.no_audience", oracle=True),
    Case("RSA-SHA1", _sha1, "saml.weak_algorithm"),
    Case("valid in five minutes", _said(*_SIGNED, not_before_s=290), "saml.ahead", oracle=True),
    Case("comment inside the name", _commented, "saml.not_plain", oracle=True),
    Case("encrypted assertion", _encrypted, "saml.encrypted"),
)
