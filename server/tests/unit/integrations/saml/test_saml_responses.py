"""The strict reader of SAML responses, with the table of answers, and python3-saml as an oracle beside it."""

import base64
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from lxml import etree
from onelogin.saml2.response import OneLogin_Saml2_Response
from onelogin.saml2.settings import OneLogin_Saml2_Settings

from peers.saml_cases import CASES, EVIL, GOOD, IDP, Case
from peers.saml_stand_in import DS, SAML, SAMLP, Answer, encoded, pair, sign
from postern.integrations.saml import responses
from postern.integrations.saml.responses import Assertion, Expected
from postern.integrations.web_apis.failures import WebApiFailed

EXPECTED = Expected(GOOD.issuer, str(GOOD.audience), GOOD.acs, str(GOOD.request_id), (IDP.certificate,))


def read(answer: str, expected: Expected = EXPECTED) -> Assertion:
    return responses.read(answer, expected, datetime.now(UTC))


def refused(answer: str, expected: Expected = EXPECTED) -> str:
    with pytest.raises(WebApiFailed) as failed:
        read(answer, expected)
    assert EVIL not in failed.value.message
    return failed.value.sentence.code


def test_the_table_has_all_cases() -> None:
    assert len(CASES) == len({case.name for case in CASES}) == 29


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_k49_each_answer_is_taken_or_refused(case: Case) -> None:
    if case.code:
        assert refused(case.make()) == case.code
    else:
        assert read(case.make()).name_id.value == "s-ann"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_oracle_reads_the_same_documents(case: Case) -> None:
    """Shows that the answers are real: python3-saml takes those that are right, and is never told another name."""
    settings = OneLogin_Saml2_Settings(
        {
            "strict": True,
            "sp": {"entityId": GOOD.audience, "assertionConsumerService": {"url": GOOD.acs}},
            "idp": {
                "entityId": GOOD.issuer,
                "singleSignOnService": {"url": "https://idp.example/sso"},
                "x509cert": IDP.base64,
            },
            "security": {"rejectDeprecatedAlgorithm": True, "wantAttributeStatement": False},
        },
        sp_validation_only=False,
    )
    if case.name in {"bomb of entities", "encrypted assertion"}:
        with pytest.raises(
            Exception, match=r"amplification|private key"
        ):  # the oracle has no error of its own for these two
            OneLogin_Saml2_Response(settings, case.make())
        return
    found = OneLogin_Saml2_Response(settings, case.make())
    request = {"http_host": "postern.example", "script_name": "/acs", "https": "on", "get_data": {}, "post_data": {}}
    assert found.is_valid(request, GOOD.request_id) == case.oracle, found.get_error()
    if case.oracle:
        assert found.get_nameid() != EVIL


def test_what_is_read() -> None:
    groups = [f"group-{number}" for number in range(2_000)]
    told = replace(GOOD, attributes={"groups": groups, "displayName": ["李安 & <Ann>"]})
    found = read(encoded(told.signed(IDP, "assertion")))
    assert found.attributes == {"groups": tuple(groups), "displayName": ("李安 & <Ann>",)}
    assert (found.id, found.session) == (GOOD.assertion_id, "session-1")
    assert timedelta(minutes=5) < found.until - datetime.now(UTC) < timedelta(minutes=7)


def test_one_of_several_certificates_is_enough() -> None:
    answer = encoded(GOOD.signed(IDP, "assertion"))
    both = (pair("next").certificate, IDP.certificate)
    assert read(answer, replace(EXPECTED, certificates=both)).name_id.value == "s-ann"
    assert refused(answer, replace(EXPECTED, certificates=both[:1])) == "saml.bad_signature"


def test_an_expired_certificate_signs_nothing() -> None:
    old = pair("old", days=-1)
    answer = encoded(GOOD.signed(old, "assertion"))
    assert refused(answer, replace(EXPECTED, certificates=(old.certificate,))) == "saml.certificates_expired"
    assert refused(answer, replace(EXPECTED, certificates=(old.certificate, IDP.certificate))) == "saml.bad_signature"


def test_both_signatures_must_be_right() -> None:
    assertion = sign(GOOD.assertion(), pair("foreign"))
    assert refused(encoded(sign(GOOD.response(assertion), IDP))) == "saml.bad_signature"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"request_id": None}, "saml.other_request"),
        ({"confirmed_until_s": None}, "saml.bad_value"),
        ({"issued_s": 120}, "saml.ahead"),
        ({"name": ""}, "saml.bad_value"),
        ({"name": "a" * 256}, "saml.bad_value"),
        ({"more_conditions": '<saml:Condition xmlns:saml="urn:x"/>'}, "saml.bad_value"),
        ({"assertion_id": ""}, None),
    ],
)
def test_what_must_be_there(changes: dict[str, Any], code: str | None) -> None:
    if code is None:  # without an ID nothing can be signed, so the response is
        assert refused(encoded(replace(GOOD, **changes).signed(IDP, "response"))) == "saml.bad_value"
    else:
        assert refused(encoded(replace(GOOD, **changes).signed(IDP, "assertion"))) == code


_NEARLY: tuple[dict[str, Any], ...] = (
    {"not_before_s": 50, "issued_s": 50},
    {"not_after_s": -50, "confirmed_until_s": -50},
)


def test_a_minute_of_difference_is_taken() -> None:
    for changes in _NEARLY:
        assert read(encoded(replace(GOOD, **changes).signed(IDP, "assertion"))).name_id.value == "s-ann"


@pytest.mark.parametrize("attribute", ["ID", "Id", "id", "{http://www.w3.org/XML/1998/namespace}id"])
def test_an_id_belongs_to_one_element(attribute: str) -> None:
    root = GOOD.signed(IDP, "assertion")
    extensions = etree.Element(f"{{{SAMLP}}}Extensions")
    extensions.set(attribute, GOOD.assertion_id)
    root.insert(1, extensions)
    assert refused(encoded(root)) == "saml.wrapped"
    extensions.set(attribute, "_another")
    assert read(encoded(root)).name_id.value == "s-ann"


def test_a_signature_stands_nowhere_else() -> None:
    root = GOOD.signed(IDP, "assertion")
    extensions = etree.Element(f"{{{SAMLP}}}Extensions")
    etree.SubElement(extensions, f"{{{DS}}}Signature")
    root.insert(1, extensions)
    assert refused(encoded(root)) == "saml.wrapped"


def test_a_signature_covers_the_element_in_which_it_stands() -> None:
    """The signature of the assertion verifies in the response, too, but says nothing about the response."""
    root = GOOD.signed(IDP, "assertion")
    signature = root.find(f".//{{{DS}}}Signature")
    assert signature is not None
    root.insert(1, signature)
    assert refused(encoded(root)) == "saml.wrapped"


def test_a_signature_contains_no_objects() -> None:
    root = GOOD.signed(IDP, "assertion")
    signature = root.find(f".//{{{DS}}}Signature")
    assert signature is not None
    etree.SubElement(signature, f"{{{DS}}}Object")
    assert refused(encoded(root)) == "saml.wrapped"


def test_the_names_of_another_namespace_are_other_people() -> None:
    for attribute in ("NameQualifier", "SPNameQualifier"):
        assertion = GOOD.assertion()
        name = assertion.find(f".//{{{SAML}}}NameID")
        assert name is not None
        name.set(attribute, "https://other.example")
        assert refused(encoded(GOOD.response(sign(assertion, IDP)))) == "saml.bad_value"


def test_no_authentication_statement() -> None:
    assertion = GOOD.assertion()
    statement = assertion.find(f"{{{SAML}}}AuthnStatement")
    assert statement is not None
    assertion.remove(statement)
    assert refused(encoded(GOOD.response(sign(assertion, IDP)))) == "saml.bad_value"


@pytest.mark.parametrize(
    "make",
    [
        lambda text: text.replace("<saml:Issuer>", "<?evil?><saml:Issuer>", 1),
        lambda text: text.replace("s-ann", "<![CDATA[s-ann]]>"),
        lambda text: '<?xml version="1.0" encoding="utf-7"?>' + text.replace("s-ann", "+ADw-"),
        lambda text: text[:-20],
        lambda _: "",
        lambda _: "<a/>",
        lambda _: "<a>" * 400 + "</a>" * 400,
        lambda text: text.replace("</samlp:Status>", "</samlp:Status>" + "<a/>" * 30_000),
        lambda text: text + "\0",
    ],
    ids=["instruction", "cdata", "utf-7", "cut", "empty", "other", "deep", "wide", "zero"],
)
def test_odd_documents_are_refused(make: Callable[[str], str]) -> None:
    text = make(etree.tostring(GOOD.signed(IDP, "assertion")).decode())
    assert refused(base64.b64encode(text.encode()).decode()).startswith("saml.")


@pytest.mark.parametrize("text", ["", "é", "%%%", "A" * 2_000_000, base64.b64encode(b"\xff\xfe<\0a\0/\0>\0").decode()])
def test_no_document_at_all(text: str) -> None:
    assert refused(text) == "saml.not_xml"


def test_a_huge_document_is_refused_at_once() -> None:
    big = Answer(acs=GOOD.acs, audience=GOOD.audience, request_id=GOOD.request_id, attributes={"a": ["x" * 600_000]})
    assert refused(encoded(big.signed(IDP, "assertion"))) == "saml.not_xml"
