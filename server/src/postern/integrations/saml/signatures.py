"""Signatures of a provider inside its documents. Only what a signature covers may be read: `signed_parts` returns it.

signxml verifies one signature by one certificate. Around it are the rules that keep a signed element from being moved:
signatures are in the root or in its assertion only, and cover the element that contains them and nothing else.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from cryptography import x509
from lxml import etree
from signxml.algorithms import DigestAlgorithm, SignatureMethod
from signxml.exceptions import SignXMLException
from signxml.verifier import SignatureConfiguration, XMLVerifier

from postern.integrations.saml import failures
from postern.integrations.saml.certificates import valid_now
from postern.integrations.saml.documents import Element, children, only_child
from postern.integrations.saml.names import DSIG, ds, saml

METHODS: Final = frozenset(
    {
        SignatureMethod.RSA_SHA256,
        SignatureMethod.RSA_SHA384,
        SignatureMethod.RSA_SHA512,
        SignatureMethod.ECDSA_SHA256,
        SignatureMethod.ECDSA_SHA384,
        SignatureMethod.ECDSA_SHA512,
        SignatureMethod.SHA256_RSA_MGF1,
        SignatureMethod.SHA384_RSA_MGF1,
        SignatureMethod.SHA512_RSA_MGF1,
    }
)
_DIGESTS: Final = frozenset({DigestAlgorithm.SHA256, DigestAlgorithm.SHA384, DigestAlgorithm.SHA512})
_EXCLUSIVE: Final = "http://www.w3.org/2001/10/xml-exc-c14n#"
#: Canonical forms of SignedInfo. There are no comments in the document, so the forms with comments are the same.
_FORMS: Final = frozenset(
    {
        _EXCLUSIVE,
        f"{_EXCLUSIVE}WithComments",
        "http://www.w3.org/TR/2001/REC-xml-c14n-20010315",
        "http://www.w3.org/2006/12/xml-c14n11",
    }
)
_ENVELOPED: Final = f"{DSIG}enveloped-signature"
_TRANSFORMS: Final = frozenset({_ENVELOPED, _EXCLUSIVE, f"{_EXCLUSIVE}WithComments"})


def signed_parts(
    root: Element, holders: Sequence[Element], certificates: Sequence[x509.Certificate], now: datetime
) -> dict[str, Element]:
    """The signed elements among `holders`, by their ID, read again from what their signatures cover. Raises WebApiFailed.

    `holders`: the root, and those of its children that may have a signature. Every signature of the document must be a
    child of one of them and must be valid.
    """
    signatures = list(root.iter(ds("Signature")))
    owners = [holder for holder in holders if children(holder, ds("Signature"))]
    if len(signatures) != len(owners) or any(only_child(owner, ds("Signature")) is None for owner in owners):
        raise failures.wrapped()
    if owners and not valid_now(certificates, now):
        raise failures.certificates_expired()
    return {owner.get("ID", ""): _verified(root, owner, valid_now(certificates, now), now) for owner in owners}


def _verified(root: Element, owner: Element, certificates: Sequence[x509.Certificate], now: datetime) -> Element:
    signature = only_child(owner, ds("Signature"))
    if signature is None:
        raise failures.wrapped()
    _require_own(signature, owner)
    config = SignatureConfiguration(
        location="./" if owner is root else f"./{saml('Assertion')}/",
        expect_references=1,
        signature_methods=METHODS,
        digest_algorithms=_DIGESTS,
        ignore_ambiguous_key_info=True,  # KeyInfo is never used: who signs, writes it
        verification_time=now,
    )
    content = etree.tostring(root)
    for certificate in certificates:
        try:
            verified = XMLVerifier().verify(content, x509_cert=certificate, id_attribute="ID", expect_config=config)
        except (SignXMLException, etree.LxmlError, ValueError, TypeError, KeyError):
            continue
        part = None if isinstance(verified, list) else verified.signed_xml
        if part is None or part.tag != owner.tag or part.get("ID") != owner.get("ID"):
            raise failures.wrapped()
        return part
    raise failures.bad_signature()


def _require_own(signature: Element, owner: Element) -> None:
    """The signature covers its parent, whole, by algorithms that are strong enough."""
    info = only_child(signature, ds("SignedInfo"))
    reference = only_child(info, ds("Reference")) if info is not None else None
    if info is None or reference is None or not owner.get("ID") or reference.get("URI") != f"#{owner.get('ID')}":
        raise failures.wrapped()
    if children(signature, ds("Object")):
        raise failures.wrapped()
    method = _algorithm(info, "SignatureMethod")
    digest = _algorithm(reference, "DigestMethod")
    if method not in {known.value for known in METHODS}:
        raise failures.weak_algorithm(method)
    if digest not in {known.value for known in _DIGESTS}:
        raise failures.weak_algorithm(digest)
    holder = only_child(reference, ds("Transforms"))
    transforms = [transform.get("Algorithm", "") for transform in holder] if holder is not None else []
    if _algorithm(info, "CanonicalizationMethod") not in _FORMS or _ENVELOPED not in transforms:
        raise failures.wrapped()
    if len(transforms) > 2 or not set(transforms) <= _TRANSFORMS:
        raise failures.wrapped()


def _algorithm(element: Element, name: str) -> str:
    child = only_child(element, ds(name))
    return child.get("Algorithm", "") if child is not None else ""
