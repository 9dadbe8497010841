"""The parser of filters, and its BER. `ldapsearch`-like expectations are written out as bytes of RFC 4511."""

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from postern.integrations.directory import ber
from postern.integrations.directory.filters import WrongFilter, equals, parsed, present


def _both(*parts: bytes) -> bytes:
    return ber.element(0xA0, *parts)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(uid=%(user)s)", equals("uid", "ann")),
        ("(&(objectClass=person)(uid=%(user)s))", _both(equals("objectClass", "person"), equals("uid", "ann"))),
        ("(!(uid=%(user)s))", ber.element(0xA2, equals("uid", "ann"))),
        ("(uid=*)", present("uid")),
        (r"(cn=a\2ab)", equals("cn", "a*b")),
        (r"(cn=\e6\9d\8e)", equals("cn", "李")),
        ("(cn=李)", equals("cn", "李")),
        ("(cn>=5)", ber.element(0xA5, ber.octets("cn"), ber.octets("5"))),
        ("(cn<=5)", ber.element(0xA6, ber.octets("cn"), ber.octets("5"))),
        ("(cn~=5)", ber.element(0xA8, ber.octets("cn"), ber.octets("5"))),
        ("(cn=)", equals("cn", "")),
        ("(2.5.4.3;lang-de=x)", equals("2.5.4.3;lang-de", "x")),
        (
            "(mail=a*b*%(user)s@x)",
            ber.element(
                0xA4,
                ber.octets("mail"),
                ber.element(
                    ber.SEQUENCE, ber.element(0x80, b"a"), ber.element(0x81, b"b"), ber.element(0x82, b"ann@x")
                ),
            ),
        ),
        (
            "(memberOf:1.2.840.113556.1.4.1941:=cn=g)",
            ber.element(
                0xA9,
                ber.element(0x81, b"1.2.840.113556.1.4.1941"),
                ber.element(0x82, b"memberOf"),
                ber.element(0x83, b"cn=g"),
            ),
        ),
    ],
)
def test_filters(text: str, expected: bytes) -> None:
    assert parsed(text).encoded("ann") == expected


def test_any_name_makes_a_test_of_presence() -> None:
    assert parsed("(uid=%(user)s)").encoded(None) == present("uid")
    with_start = ber.element(
        0xA4, ber.octets("uid"), ber.element(ber.SEQUENCE, ber.element(0x80, b"x-"), ber.element(0x82, b"@y"))
    )
    assert parsed("(uid=x-%(user)s@y)").encoded(None) == with_start


def test_names_are_counted() -> None:
    assert [parsed(text).names for text in ("(a=1)", "(a=%(user)s)", "(|(a=%(user)s)(b=%(user)s))")] == [0, 1, 2]


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_whatever_is_typed_stays_one_value(name: str) -> None:
    assert parsed("(uid=%(user)s)").encoded(name) == equals("uid", name)


@pytest.mark.parametrize(
    "text",
    [
        "", "uid=x", "(uid=x", "(uid=x))", "(&)", "(!)", "()", "(=x)", "(uid=(x))", "(uid)", r"(uid=\zz)", r"(uid=\2)",
        "(uid=x)(cn=y)", "(a>=x*)", "(:=x)", "(a:=%(user)s)", "(a:=x*y)", "(uid =x)", "(&(uid=x)", "(u\0=x)",
        "(" * 500, "(!" * 30 + "(a=b)" + ")" * 30, "(|" + "(a=b)" * 300 + ")", "(uid=" + "x" * 2000 + ")",
    ],
)  # fmt: skip
def test_mistakes_are_refused(text: str) -> None:
    with translation.override("en"), pytest.raises(WrongFilter, match="filter"):
        parsed(text)


@given(st.text("()&|!=*\\%(user)s:<>~ab12. ", max_size=60))
def test_parser_ends_for_any_text(text: str) -> None:
    try:
        encoded = parsed(text).encoded("ann")
    except WrongFilter:
        return
    assert sum(1 for _element in ber.elements(encoded)) == 1


@given(st.binary(max_size=80))
def test_decoder_ends_for_any_bytes(data: bytes) -> None:
    try:
        assert sum(2 for _element in ber.elements(data)) <= len(data)
    except ber.NotBer:
        return
