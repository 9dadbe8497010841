"""Requests, metadata and sign-out messages, read and made also by python3-saml."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import pytest
from lxml import etree
from onelogin.saml2.idp_metadata_parser import OneLogin_Saml2_IdPMetadataParser
from onelogin.saml2.logout_request import OneLogin_Saml2_Logout_Request
from onelogin.saml2.settings import OneLogin_Saml2_Settings
from onelogin.saml2.utils import OneLogin_Saml2_Utils

from peers.saml_stand_in import (
    SAML,
    SAMLP,
    Pair,
    SamlStandIn,
    deflated,
    inflated,
    pair,
    signed_query,
)
from postern.integrations.saml import certificates, logout, metadata, redirects, requests
from postern.integrations.saml.certificates import own_key, own_pair
from postern.integrations.saml.logout import Side
from postern.integrations.saml.metadata import Own
from postern.integrations.saml.requests import Asking
from postern.integrations.saml.responses import NameId
from postern.integrations.web_apis.failures import WebApiFailed

SLO: Final = "https://idp.example/slo"
OWN_SLO: Final = "https://postern.example/logout"
ENTITY: Final = "https://postern.example/md"
IDP: Final = pair("idp")
SIDE: Final = Side("https://idp.example/entity", SLO, ENTITY, OWN_SLO, (IDP.certificate,))
KEY, CERTIFICATE = own_pair("postern.example", datetime.now(UTC))


def now() -> datetime:
    return datetime.now(UTC)


def code_of(failed: pytest.ExceptionInfo[WebApiFailed]) -> str:
    return failed.value.sentence.code


def test_the_request_for_a_sign_in() -> None:
    asking = Asking(ENTITY, "https://postern.example/acs", "_r1")
    page = requests.sign_in_address("https://idp.example/sso?a=1", asking, relay_state="s1", key=None, now=now())
    query = dict(parse_qsl(urlsplit(page).query))
    assert (query["a"], query["RelayState"], set(query)) == ("1", "s1", {"a", "SAMLRequest", "RelayState"})
    root = etree.fromstring(inflated(query["SAMLRequest"]))
    assert root.tag == f"{{{SAMLP}}}AuthnRequest"
    assert (root.get("ID"), root.get("Destination")) == ("_r1", "https://idp.example/sso?a=1")
    assert root.findtext(f"{{{SAML}}}Issuer") == ENTITY


def test_a_signed_request_is_signed_as_it_is_written() -> None:
    asking = Asking(ENTITY, "https://postern.example/acs", "_r1")
    page = requests.sign_in_address("https://idp.example/sso", asking, relay_state="s/1 +", key=own_key(KEY), now=now())
    raw = redirects.parameters_of(urlsplit(page).query)
    ours = certificates.from_text(CERTIFICATE)
    redirects.require_signed(raw, "SAMLRequest", ours, now())
    content = "&".join(f"{name}={raw[name]}" for name in ("SAMLRequest", "RelayState", "SigAlg"))
    assert OneLogin_Saml2_Utils.validate_binary_sign(
        content.encode(),
        OneLogin_Saml2_Utils.b64decode(unquote(raw["Signature"])),
        CERTIFICATE,
        algorithm=unquote(raw["SigAlg"]),
    )
    for name in ("SAMLRequest", "RelayState"):
        with pytest.raises(WebApiFailed) as failed:
            redirects.require_signed({**raw, name: raw[name] + "A"}, "SAMLRequest", ours, now())
        assert code_of(failed) == "saml.bad_signature"


def test_metadata_are_read_as_the_oracle_reads_them() -> None:
    text = SamlStandIn().metadata(IDP, pair("next"))
    found = metadata.read(text)
    theirs = OneLogin_Saml2_IdPMetadataParser.parse(text)["idp"]
    assert (found.entity_id, found.sso_url, found.slo_url) == (
        theirs["entityId"],
        theirs["singleSignOnService"]["url"],
        theirs["singleLogoutService"]["url"],
    )
    assert found.certificates == (IDP.certificate, pair("next").certificate)
    assert theirs["x509certMulti"]["signing"] == [IDP.base64, pair("next").base64]


def test_metadata_with_a_comment_and_in_a_federation() -> None:
    text = SamlStandIn().metadata()
    head, rest = text.split("\n", 1)
    assert metadata.read(f"{head}\n<!-- made on Monday -->\n{rest}").entity_id == "https://idp.example/entity"
    whole = f'<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">{rest}</md:EntitiesDescriptor>'
    assert metadata.read(whole).entity_id == "https://idp.example/entity"
    with pytest.raises(WebApiFailed) as failed:
        metadata.read(whole.replace("</md:EntitiesDescriptor>", f"{rest}</md:EntitiesDescriptor>"))
    assert code_of(failed) == "saml.several_providers"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (("HTTP-Redirect", "HTTP-POST"), "saml.no_redirect"),
        (("IDPSSODescriptor", "SPSSODescriptor"), "saml.not_metadata"),
        (('entityID="https://idp.example/entity"', ""), "saml.not_metadata"),
        (("SAML:2.0:protocol", "SAML:1.1:protocol"), "saml.not_metadata"),
        (('use="signing"', 'use="encryption"'), "saml.certificate_count"),
        (("X509Certificate>MII", "X509Certificate>AAA"), "saml.bad_certificate"),
        (("<md:EntityDescriptor", "<!DOCTYPE a><md:EntityDescriptor"), "saml.not_plain"),
        (("</md:EntityDescriptor>", ""), "saml.not_xml"),
    ],
)
def test_metadata_that_cannot_be_used(change: tuple[str, str], code: str) -> None:
    text = SamlStandIn().metadata()
    assert change[0] in text
    with pytest.raises(WebApiFailed) as failed:
        metadata.read(text.replace(*change))
    assert code_of(failed) == code


def test_our_metadata_fit_the_schema() -> None:
    own = Own(ENTITY, "https://postern.example/acs", OWN_SLO, CERTIFICATE, signs_requests=True, name_format="urn:x")
    settings = {"sp": {"entityId": ENTITY, "assertionConsumerService": {"url": own.acs}}}
    oracle = OneLogin_Saml2_Settings(settings, sp_validation_only=True)
    assert oracle.validate_metadata(metadata.own_document(own)) == []
    encrypted = metadata.own_document(replace(own, encryption_certificate=CERTIFICATE))
    assert oracle.validate_metadata(encrypted) == []
    keys = etree.fromstring(encrypted).findall(".//{*}KeyDescriptor")
    assert [key.get("use") for key in keys] == ["signing", "encryption"]
    methods = [method.get("Algorithm", "") for method in keys[1].findall("{*}EncryptionMethod")]
    assert methods[0] == "http://www.w3.org/2009/xmlenc11#aes256-gcm"
    assert not [name for name in methods if name.endswith(("cbc", "rsa-1_5"))]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (IDP.pem, ""),
        (IDP.base64, ""),
        (IDP.pem + pair("next").pem + IDP.pem, ""),
        ("", "saml.bad_certificate"),
        ("not a certificate!", "saml.bad_certificate"),
        (IDP.pem + "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----", "saml.bad_certificate"),
        (pair("weak", bits=1024).pem, "saml.weak_key"),
    ],
    ids=["pem", "bare", "several", "empty", "words", "private", "weak"],
)
def test_certificates_as_they_are_entered(text: str, code: str) -> None:
    if not code:
        assert certificates.from_text(text)[0] == IDP.certificate
        return
    with pytest.raises(WebApiFailed) as failed:
        certificates.from_text(text)
    assert code_of(failed) == code


def test_our_logout_request_is_taken_by_the_oracle() -> None:
    name = NameId("s-ann", "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent", "", ENTITY)
    page = logout.request_address(SIDE, name, "session-1", request_id="_l1", key=own_key(KEY), now=now())
    query = dict(parse_qsl(urlsplit(page).query))
    redirects.require_signed(
        redirects.parameters_of(urlsplit(page).query), "SAMLRequest", certificates.from_text(CERTIFICATE), now()
    )
    document = inflated(query["SAMLRequest"])
    assert OneLogin_Saml2_Logout_Request.get_nameid(document) == "s-ann"
    assert OneLogin_Saml2_Logout_Request.get_session_indexes(document) == ["session-1"]


def asked_by(by: Pair | None = IDP, **changes: str) -> str:
    """The query of a provider that signs a person out."""
    values = {
        "issued": now().strftime("%Y-%m-%dT%H:%M:%SZ"),
        "issuer": SIDE.issuer,
        "destination": OWN_SLO,
        "name": "s-ann",
        "root": "LogoutRequest",
        **changes,
    }
    document = f"""<samlp:{values["root"]} xmlns:samlp="{SAMLP}" xmlns:saml="{SAML}" ID="_q1" Version="2.0"
 IssueInstant="{values["issued"]}" Destination="{values["destination"]}"><saml:Issuer>{values["issuer"]}</saml:Issuer>
<saml:NameID>{values["name"]}</saml:NameID><samlp:SessionIndex>session-1</samlp:SessionIndex></samlp:{values["root"]}>"""
    return signed_query(by, SAMLRequest=deflated(document.encode()), RelayState="there & back")


def test_a_logout_request_of_the_provider() -> None:
    found = logout.asked(asked_by(), SIDE, now())
    assert (found.id, found.name, found.sessions, found.relay_state) == ("_q1", "s-ann", ("session-1",), "there & back")
    page = logout.response_address(SIDE, found, response_id="_a1", key=own_key(KEY), now=now())
    query = dict(parse_qsl(urlsplit(page).query))
    assert query["RelayState"] == "there & back"
    assert etree.fromstring(inflated(query["SAMLResponse"])).get("InResponseTo") == "_q1"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"by": None}, "saml.unsigned_message"),
        ({"by": pair("foreign")}, "saml.bad_signature"),
        ({"issuer": "https://other.example"}, "saml.other_issuer"),
        ({"destination": "https://other.example/slo"}, "saml.other_address"),
        ({"issued": "2020-01-01T00:00:00Z"}, "saml.expired"),
        ({"issued": (now() + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")}, "saml.ahead"),
        ({"issued": "yesterday"}, "saml.bad_value"),
        ({"name": ""}, "saml.bad_value"),
        ({"root": "LogoutResponse"}, "saml.not_a_logout"),
    ],
)
def test_k49_a_logout_request_that_proves_nothing(changes: dict[str, Any], code: str) -> None:
    with pytest.raises(WebApiFailed) as failed:
        logout.asked(asked_by(**changes), SIDE, now())
    assert code_of(failed) == code


def test_a_logout_request_is_signed_whole() -> None:
    query = asked_by()
    for altered in (query.replace("RelayState=there", "RelayState=where"), query + "&RelayState=x", query.lower()):
        with pytest.raises(WebApiFailed):
            logout.asked(altered, SIDE, now())
    sha1 = quote("http://www.w3.org/2000/09/xmldsig#rsa-sha1", safe="")
    raw = redirects.parameters_of(query)
    with pytest.raises(WebApiFailed) as failed:
        redirects.require_signed({**raw, "SigAlg": sha1}, "SAMLRequest", (IDP.certificate,), now())
    assert code_of(failed) == "saml.weak_algorithm"


def test_a_bomb_is_not_inflated() -> None:
    query = signed_query(IDP, SAMLRequest=deflated(b"<a>" + b"x" * 20_000_000 + b"</a>"))
    with pytest.raises(WebApiFailed) as failed:
        logout.asked(query, SIDE, now())
    assert code_of(failed) == "saml.not_xml"


def test_an_expired_certificate_signs_no_logout() -> None:
    old = pair("old", days=-1)
    with pytest.raises(WebApiFailed) as failed:
        logout.asked(asked_by(old), replace(SIDE, certificates=(old.certificate,)), now())
    assert code_of(failed) == "saml.bad_signature"
