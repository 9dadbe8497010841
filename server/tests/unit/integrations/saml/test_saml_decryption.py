"""Encrypted assertions: made by libxmlsec, as providers make them, and by hand, as wrong as can be."""

import base64
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from lxml import etree
from onelogin.saml2.response import OneLogin_Saml2_Response
from onelogin.saml2.settings import OneLogin_Saml2_Settings

from peers.saml_cases import EVIL, GOOD, IDP
from peers.saml_stand_in import DS, SAML, Answer, encoded, encrypt, pair, sign
from postern.integrations.saml import responses
from postern.integrations.saml.certificates import own_key, own_pair
from postern.integrations.saml.names import XENC, XENC11
from postern.integrations.saml.responses import Assertion, Expected
from postern.integrations.web_apis.failures import WebApiFailed

KEY, CERTIFICATE = own_pair("postern.example", datetime.now(UTC))
PRIVATE: Final = own_key(KEY)
EXPECTED: Final = Expected(
    GOOD.issuer, str(GOOD.audience), GOOD.acs, str(GOOD.request_id), (IDP.certificate,), decryption_key=PRIVATE
)
SHA1: Final = f"{DS}sha1"
SHA256: Final = f"{XENC}sha256"
_HASHES: Final = {SHA1: hashes.SHA1(), SHA256: hashes.SHA256()}  # noqa: S303 - the default of the standard for OAEP


def read(answer: str, expected: Expected = EXPECTED) -> Assertion:
    return responses.read(answer, expected, datetime.now(UTC))


def refused(answer: str, expected: Expected = EXPECTED) -> str:
    with pytest.raises(WebApiFailed) as failed:
        read(answer, expected)
    return failed.value.sentence.code


def response_with(*parts: etree._Element) -> etree._Element:
    return GOOD.response(*parts)


def signed_assertion(answer: Answer = GOOD) -> etree._Element:
    return sign(answer.assertion(), IDP)


def by_hand(plain: bytes, **changes: Any) -> etree._Element:
    """An `EncryptedAssertion` of our own making. `changes`: what is wrong in it."""
    made: dict[str, Any] = {
        "content": f"{XENC11}aes256-gcm", "transport": f"{XENC11}rsa-oaep", "digest": SHA256, "mask": "sha256",
        "size": 32, "more": "", "beside": False, "type": f"{XENC}Element", "keys": 1, "spoil": lambda sealed: sealed,
    } | changes  # fmt: skip
    hashed = _HASHES[made["digest"]]
    mask = padding.MGF1(_HASHES[SHA256 if made["mask"] == "sha256" else SHA1])
    content_key, nonce = os.urandom(made["size"]), os.urandom(12)
    wrapped = PRIVATE.public_key().encrypt(content_key, padding.OAEP(mgf=mask, algorithm=hashed, label=None))
    sealed = made["spoil"](nonce + AESGCM(content_key).encrypt(nonce, plain, None))
    mgf = f'<x11:MGF Algorithm="{XENC11}mgf1{made["mask"]}"/>' if made["mask"] else ""
    digest = f'<ds:DigestMethod Algorithm="{made["digest"]}"/>'
    key = f"""<xenc:EncryptedKey><xenc:EncryptionMethod Algorithm="{made["transport"]}">{digest}{mgf}{made["more"]}
</xenc:EncryptionMethod>{_cipher(wrapped)}</xenc:EncryptedKey>""" * made["keys"]
    info = "" if made["beside"] else f"<ds:KeyInfo>{key}</ds:KeyInfo>"
    return etree.fromstring(f"""<saml:EncryptedAssertion xmlns:saml="{SAML}" xmlns:xenc="{XENC}" xmlns:x11="{XENC11}"
 xmlns:ds="{DS}"><xenc:EncryptedData Type="{made["type"]}"><xenc:EncryptionMethod Algorithm="{made["content"]}"/>{info}
{_cipher(sealed)}</xenc:EncryptedData>{key if made["beside"] else ""}</saml:EncryptedAssertion>""")


def _cipher(data: bytes) -> str:
    return f"<xenc:CipherData><xenc:CipherValue>{base64.b64encode(data).decode()}</xenc:CipherValue></xenc:CipherData>"


@pytest.mark.parametrize("parts", [("assertion",), ("response",), ("assertion", "response")])
@pytest.mark.parametrize("content", ["AES128_GCM", "AES192_GCM", "AES256_GCM"])
def test_what_libxmlsec_encrypts_is_read(parts: tuple[str, ...], content: str) -> None:
    assertion = signed_assertion() if "assertion" in parts else GOOD.assertion()
    root = response_with(encrypt(assertion, CERTIFICATE, content=content))
    found = read(encoded(sign(root, IDP) if "response" in parts else root))
    assert (found.name_id.value, found.session) == ("s-ann", "session-1")


def test_the_oracle_reads_the_same_document() -> None:
    """python3-saml decrypts with our key, so what libxmlsec made is what a provider makes."""
    der = base64.b64encode(PRIVATE.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )).decode()  # fmt: skip
    settings = OneLogin_Saml2_Settings(
        {
            "strict": True,
            "sp": {
                "entityId": GOOD.audience, "assertionConsumerService": {"url": GOOD.acs},
                "x509cert": "".join(CERTIFICATE.splitlines()[1:-1]), "privateKey": der,
            },
            "idp": {
                "entityId": GOOD.issuer, "singleSignOnService": {"url": "https://idp.example/sso"},
                "x509cert": IDP.base64,
            },
            "security": {"wantAttributeStatement": False, "wantAssertionsEncrypted": True},
        }
    )  # fmt: skip
    answer = encoded(response_with(encrypt(signed_assertion(), CERTIFICATE)))
    found = OneLogin_Saml2_Response(settings, answer)
    request = {"http_host": "postern.example", "script_name": "/acs", "https": "on", "get_data": {}, "post_data": {}}
    assert found.is_valid(request, GOOD.request_id), found.get_error()
    assert found.get_nameid() == read(answer).name_id.value


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"beside": True},
        {"digest": SHA1, "mask": "sha1"},
        {"digest": SHA256, "mask": "sha1", "transport": f"{XENC}rsa-oaep-mgf1p"},
        {"content": f"{XENC11}aes128-gcm", "size": 16},
    ],
    ids=["1.1", "key beside", "sha-1", "mgf1p", "128"],
)
def test_forms_of_the_standard(changes: dict[str, Any]) -> None:
    answer = response_with(by_hand(etree.tostring(signed_assertion()), **changes))
    assert read(encoded(answer)).name_id.value == "s-ann"


@pytest.mark.parametrize(
    ("content", "key"), [("AES256", "RSA_OAEP"), ("AES128", "RSA_OAEP"), ("AES256_GCM", "RSA_PKCS1")]
)
def test_k49_cbc_and_rsa_15_are_refused_before_anything_is_decrypted(content: str, key: str) -> None:
    answer = response_with(encrypt(signed_assertion(), CERTIFICATE, content=content, key=key))
    assert refused(encoded(answer)) == "saml.weak_encryption"


def _spoilt(at: int) -> Callable[[bytes], bytes]:
    return lambda sealed: sealed[:at] + bytes([sealed[at] ^ 1]) + sealed[at + 1 :]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"spoil": _spoilt(0)}, "saml.not_decrypted"),
        ({"spoil": _spoilt(40)}, "saml.not_decrypted"),
        ({"spoil": lambda sealed: sealed[:-1]}, "saml.not_decrypted"),
        ({"spoil": lambda sealed: sealed[:28]}, "saml.not_decrypted"),
        ({"spoil": lambda _sealed: b""}, "saml.not_decrypted"),
        ({"size": 16}, "saml.not_decrypted"),
        ({"keys": 2}, "saml.not_decrypted"),
        ({"keys": 0}, "saml.not_decrypted"),
        ({"type": f"{XENC}Content"}, "saml.not_decrypted"),
        ({"content": "urn:x"}, "saml.weak_encryption"),
        ({"transport": f"{XENC}rsa-1_5"}, "saml.weak_encryption"),
        ({"mask": "md5"}, "saml.weak_encryption"),
        ({"more": "<xenc:OAEPparams>AA==</xenc:OAEPparams>"}, "saml.weak_encryption"),
        ({"more": f'<ds:DigestMethod Algorithm="{SHA1}"/>'}, "saml.not_decrypted"),
        ({"digest": SHA1, "mask": "sha256", "transport": f"{XENC}rsa-oaep-mgf1p"}, "saml.not_decrypted"),
    ],
    ids=[
        "nonce", "text", "tag", "no text", "nothing", "size of the key", "two keys", "no key", "content only", "unknown",
        "rsa 1.5", "unknown mask", "label", "two digests", "another mask",
    ],
)  # fmt: skip
def test_k49_ciphertexts_that_are_refused(changes: dict[str, Any], code: str) -> None:
    assert refused(encoded(response_with(by_hand(etree.tostring(signed_assertion()), **changes)))) == code


def test_for_somebody_else() -> None:
    other = pair("other").pem
    assert refused(encoded(response_with(encrypt(signed_assertion(), other)))) == "saml.not_decrypted"


def test_while_it_is_switched_off() -> None:
    answer = encoded(response_with(encrypt(signed_assertion(), CERTIFICATE)))
    assert refused(answer, replace(EXPECTED, decryption_key=None)) == "saml.encrypted"


def test_k49_encryption_proves_nothing_about_its_author() -> None:
    """Anybody has our certificate."""
    assert refused(encoded(response_with(encrypt(GOOD.assertion(), CERTIFICATE)))) == "saml.unsigned"
    evil = replace(GOOD, name=EVIL)
    foreign = sign(evil.assertion(), pair("foreign"))
    assert refused(encoded(response_with(encrypt(foreign, CERTIFICATE)))) == "saml.bad_signature"
    beside = sign(response_with(encrypt(foreign, CERTIFICATE)), IDP)
    assert refused(encoded(beside)) == "saml.bad_signature", "both signatures must be right"


def test_k49_a_signature_of_the_response_covers_the_ciphertext() -> None:
    root = sign(response_with(encrypt(GOOD.assertion(), CERTIFICATE)), IDP)
    (holder,) = root.iter(f"{{{SAML}}}EncryptedAssertion")
    root.replace(holder, encrypt(replace(GOOD, name=EVIL).assertion(), CERTIFICATE))
    assert refused(encoded(root)) == "saml.bad_signature"


def test_k49_wrapped_and_mixed_documents() -> None:
    good, evil = signed_assertion(), replace(GOOD, name=EVIL).assertion()
    sealed = encrypt(good, CERTIFICATE)
    assert refused(encoded(response_with(sealed, encrypt(good, CERTIFICATE)))) == "saml.wrapped"
    assert refused(encoded(response_with(encrypt(good, CERTIFICATE), evil))) == "saml.wrapped"
    inner = encrypt(good, CERTIFICATE)
    assert refused(encoded(response_with(encrypt(inner, CERTIFICATE)))) == "saml.wrapped"
    holder = GOOD.assertion()
    holder.append(good)
    assert refused(encoded(response_with(encrypt(holder, CERTIFICATE)))) == "saml.wrapped"
    deep = etree.Element(f"{{{SAML}}}Advice")
    deep.append(encrypt(good, CERTIFICATE))
    assert refused(encoded(response_with(deep))) == "saml.wrapped"


@pytest.mark.parametrize("tag", ["EncryptedID", "EncryptedAttribute"])
def test_parts_are_not_decrypted(tag: str) -> None:
    assertion = GOOD.assertion()
    etree.SubElement(assertion, f"{{{SAML}}}{tag}")
    answer = response_with(encrypt(sign(assertion, IDP), CERTIFICATE))
    assert refused(encoded(answer)) == "saml.encrypted_parts"
    assert refused(encoded(response_with(sign(assertion, IDP)))) == "saml.encrypted_parts"


@pytest.mark.parametrize(
    ("plain", "code"),
    [
        (b"<a/></within><within>", "saml.not_xml"),
        (b"words <a/>", "saml.not_xml"),
        (b"<a/> words", "saml.not_xml"),
        (b"<?xml version='1.0'?><a/>", "saml.not_plain"),
        (b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "saml.not_plain"),
        (b"words", "saml.not_xml"),
        (b"<a/><b/>", "saml.not_xml"),
        (b"\xff\xfe", "saml.not_xml"),
        (b"<a>" + b"x" * 600_000 + b"</a>", "saml.not_xml"),
    ],
    ids=["closed", "before", "behind", "declaration", "entities", "words", "two roots", "bytes", "huge"],
)
def test_what_is_decrypted_is_read_as_strictly(plain: bytes, code: str) -> None:
    assert refused(encoded(response_with(by_hand(plain)))) == code


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"audience": "https://other.example"}, "saml.other_audience"),
        ({"recipient": "https://other.example/acs"}, "saml.other_address"),
        ({"request_id": "_other"}, "saml.other_request"),
        ({"issuer": "https://other.example"}, "saml.other_issuer"),
        ({"confirmed_until_s": -120}, "saml.expired"),
        ({"not_before_s": 300}, "saml.ahead"),
    ],
)
def test_the_decrypted_assertion_is_judged_like_others(changes: dict[str, Any], code: str) -> None:
    sealed = encrypt(signed_assertion(replace(GOOD, **changes)), CERTIFICATE)
    assert refused(encoded(response_with(sealed))) == code
