"""The messages of LDAP (RFC 4511), as bytes and as values."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from postern.integrations.directory import ber, filters

BASE, SUBTREE = 0, 2
SIZE_LIMIT, UNWILLING, INVALID_CREDENTIALS = 4, 53, 49

BIND_RESPONSE: Final = 0x61
SEARCH_ENTRY: Final = 0x64
SEARCH_DONE: Final = 0x65
SEARCH_REFERENCE: Final = 0x73
EXTENDED_RESPONSE: Final = 0x78
UNBIND: Final = b"\x42\x00"
ANYTHING: Final = filters.present("objectClass")

_PAGED: Final = b"1.2.840.113556.1.4.319"
_START_TLS: Final = b"1.3.6.1.4.1.1466.20037"
_RANGE: Final = re.compile(r"(?P<name>[^;]+);range=(?P<first>[0-9]{1,9})-(?P<last>[0-9]{1,9}|\*)", re.IGNORECASE)
_TIME_LIMIT_S: Final = 300


@dataclass(frozen=True, slots=True)
class Answer:
    """One message of the server."""

    number: int
    tag: int
    content: memoryview
    controls: memoryview | None


@dataclass(frozen=True, slots=True)
class Result:
    """How an operation ended; code 0: success. `text`: the server's own words."""

    code: int
    text: str


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the directory. Names of attributes are in lower case."""

    dn: str
    attributes: Mapping[str, tuple[bytes, ...]]

    def texts(self, attribute: str) -> tuple[str, ...]:
        """The values of an attribute as text. Bytes that are no UTF-8 are replaced."""
        return tuple(value.decode(errors="replace") for value in self.attributes.get(attribute.lower(), ()))

    def text(self, attribute: str) -> str:
        """The first value of an attribute; empty without one."""
        return next(iter(self.texts(attribute)), "")


@dataclass(frozen=True, slots=True)
class SearchOptions:
    size_limit: int
    controls: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class PartialValues:
    """An attribute of which a server has sent a range. `asked`: the name of the next range."""

    name: str
    key: str
    asked: str


def message(number: int, operation: bytes, controls: tuple[bytes, ...] = ()) -> bytes:
    """A message with its number."""
    return ber.element(ber.SEQUENCE, ber.integer(number), operation, ber.element(0xA0, *controls) if controls else b"")


def bind(dn: str, password: str) -> bytes:
    """A simple bind."""
    return ber.element(0x60, ber.integer(3), ber.octets(dn), ber.element(0x80, password.encode()))


def start_tls() -> bytes:
    return ber.element(0x77, ber.element(0x80, _START_TLS))


def search(base: str, scope: int, encoded_filter: bytes, attributes: tuple[str, ...], size_limit: int) -> bytes:
    """A search. Aliases are not followed."""
    return ber.element(
        0x63,
        ber.octets(base),
        ber.integer(scope, ber.ENUMERATED),
        ber.integer(0, ber.ENUMERATED),
        ber.integer(size_limit),
        ber.integer(_TIME_LIMIT_S),
        ber.boolean(value=False),
        encoded_filter,
        ber.element(ber.SEQUENCE, *(ber.octets(name) for name in attributes)),
    )


def size_limited(most: int) -> SearchOptions:
    return SearchOptions(most)


def paged(size: int, cookie: bytes) -> SearchOptions:
    """A page of a search (RFC 2696). The control is critical: a server without it says so, instead of sending half."""
    value = ber.element(ber.SEQUENCE, ber.integer(size), ber.octets(cookie))
    control = ber.element(ber.SEQUENCE, ber.octets(_PAGED), ber.boolean(value=True), ber.octets(value))
    return SearchOptions(0, (control,))


def answer_in(content: bytes) -> Answer:
    """The message with this content. Raises NotBer."""
    parts = list(ber.elements(content))
    if len(parts) not in {2, 3} or parts[0][0] != ber.INTEGER or (len(parts) == 3 and parts[2][0] != 0xA0):
        raise ber.NotBer("not a message")
    return Answer(ber.number(parts[0][1]), parts[1][0], parts[1][1], parts[2][1] if len(parts) == 3 else None)


def result_of(answer: Answer, tag: int) -> Result:
    """The result in an answer of this kind. Raises NotBer."""
    parts = list(ber.elements(answer.content))
    if answer.tag != tag or len(parts) < 3 or parts[0][0] != ber.ENUMERATED:
        raise ber.NotBer("not a result")
    return Result(ber.number(parts[0][1]), bytes(parts[2][1]).decode(errors="replace"))


def entry_of(answer: Answer) -> Entry:
    """The entry in an answer. Raises NotBer."""
    parts = list(ber.elements(answer.content))
    if len(parts) != 2:
        raise ber.NotBer("not an entry")
    attributes: dict[str, tuple[bytes, ...]] = {}
    for tag, content in ber.elements(parts[1][1]):
        pair = list(ber.elements(content))
        if tag != ber.SEQUENCE or len(pair) != 2:
            raise ber.NotBer("not an attribute")
        name = bytes(pair[0][1]).decode().lower()
        attributes[name] = tuple(bytes(value) for _tag, value in ber.elements(pair[1][1]))
    return Entry(bytes(parts[0][1]).decode(errors="replace"), attributes)


def cookie_in(controls: memoryview | None) -> bytes:
    """The cookie of the next page; empty after the last one. Raises NotBer."""
    for _tag, control in ber.elements(controls or b""):
        parts = list(ber.elements(control))
        if parts and bytes(parts[0][1]) == _PAGED:
            fields = [field for _sequence, value in ber.elements(parts[-1][1]) for field in ber.elements(value)]
            if len(fields) != 2:
                raise ber.NotBer("not a page")
            return bytes(fields[1][1])
    return b""


def next_range(entry: Entry) -> PartialValues | None:
    """The attribute of which more values must be asked for; None when the entry is whole.

    Active Directory sends at most 1,500 values of an attribute at once, as `member;range=0-1499`, and the last ones as
    `member;range=1500-*`.
    """
    for key in entry.attributes:
        found = _RANGE.fullmatch(key)
        if found is not None and found["last"] != "*":
            return PartialValues(found["name"], key, f"{found['name']};range={int(found['last']) + 1}-*")
    return None


def joined(entry: Entry, partial: PartialValues, more: Entry | None) -> Entry:
    """The entry with the next range of values, which have the plain name after the last range."""
    attributes = dict(entry.attributes)
    values = attributes.pop(partial.key)
    following = {} if more is None else more.attributes
    for key, further in following.items():
        found = _RANGE.fullmatch(key)
        if found is None or found["name"] != partial.name or not further:
            continue
        if found["last"] == "*":
            attributes[partial.name] = values + further
        else:
            attributes[key] = values + further
        return Entry(entry.dn, attributes)
    # The server has no further values, though it named none as the last.
    attributes[partial.name] = values
    return Entry(entry.dn, attributes)
