"""The search filter of the settings (RFC 4515), parsed once. Values become BER; no text is ever put together.

`%(user)s` is the login name of the person who signs in. It is a node of the parsed filter, so whatever a person types
as a name is a value and never part of the filter.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from django.utils.translation import gettext as _

from postern.integrations.directory import ber
from postern.kernel.errors import PosternError

#: Stands for the login name.
USER: Final = "%(user)s"
MAX_CHARS: Final = 1024
_MAX_DEPTH: Final = 20
_MAX_NODES: Final = 200

_AND, _OR, _NOT, _EQUAL, _SUBSTRINGS, _AT_LEAST, _AT_MOST, _PRESENT, _APPROX, _EXTENSIBLE = range(0xA0, 0xAA)
_PRESENT_TAG: Final = 0x87
_COMPARISONS: Final = {">=": _AT_LEAST, "<=": _AT_MOST, "~=": _APPROX, "=": _EQUAL}
_ATTRIBUTE: Final = re.compile(r"(?:[A-Za-z][A-Za-z0-9-]*|[0-9]+(?:\.[0-9]+)*)(?:;[A-Za-z0-9-]+)*")
_EXTENDED: Final = re.compile(
    r"(?P<attribute>[A-Za-z][A-Za-z0-9-]*(?:;[A-Za-z0-9-]+)*)?(?P<dn>:dn)?(?::(?P<rule>[A-Za-z0-9][A-Za-z0-9.-]*))?:="
)
_ESCAPE: Final = re.compile(r"\\([0-9A-Fa-f]{2})")


class WrongFilter(PosternError):
    """The text is not a filter."""

    code = "wrong_filter"


class _Name:
    """The place of the login name in a value."""


_NAME: Final = _Name()

#: Bytes, and places of the login name, between two stars.
_Segment = tuple[bytes | _Name, ...]


@dataclass(frozen=True, slots=True)
class _Many:
    tag: int
    parts: tuple["_Node", ...]


@dataclass(frozen=True, slots=True)
class _Test:
    """An attribute compared with a value: the segments between its stars. One segment: no star."""

    tag: int
    attribute: str
    segments: tuple[_Segment, ...]


@dataclass(frozen=True, slots=True)
class _Extended:
    attribute: str
    rule: str
    of_dn: bool
    value: bytes


_Node = _Many | _Test | _Extended


@dataclass(frozen=True, slots=True)
class Filter:
    """A parsed filter."""

    root: _Node
    names: int

    def encoded(self, username: str | None) -> bytes:
        """The filter in BER. None: any name, for lists; tests of the name are then tests of presence."""
        return _encoded(self.root, username.encode() if username is not None else None)


@lru_cache(maxsize=32)
def parsed(text: str) -> Filter:
    """The filter that `text` describes. Raises WrongFilter, which says where the mistake is."""
    if len(text) > MAX_CHARS:
        raise WrongFilter(_("The filter has more than %(number)d characters.") % {"number": MAX_CHARS})
    parser = _Parser(text.strip())
    root = parser.whole()
    return Filter(root, parser.names)


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._nodes = 0
        self.names = 0

    def whole(self) -> _Node:
        node = self._node(0)
        if self._at != len(self._text):
            raise self._wrong()
        return node

    def _wrong(self) -> WrongFilter:
        return WrongFilter(
            _(
                "The filter cannot be read at character %(place)d. Write it as in RFC 4515, for example "
                "(&(objectClass=person)(uid=%%(user)s))."
            )
            % {"place": self._at + 1}
        )

    def _take(self, expected: str) -> None:
        if not self._text.startswith(expected, self._at):
            raise self._wrong()
        self._at += len(expected)

    def _node(self, depth: int) -> _Node:
        self._nodes += 1
        if depth > _MAX_DEPTH or self._nodes > _MAX_NODES:
            raise WrongFilter(_("The filter is nested too deeply, or has too many parts."))
        self._take("(")
        kind = self._text[self._at : self._at + 1]
        if kind in {"&", "|"}:
            self._at += 1
            parts = []
            while self._text.startswith("(", self._at):
                parts.append(self._node(depth + 1))
            if not parts:
                raise self._wrong()
            node: _Node = _Many(_AND if kind == "&" else _OR, tuple(parts))
        elif kind == "!":
            self._at += 1
            node = _Many(_NOT, (self._node(depth + 1),))
        else:
            node = self._comparison()
        self._take(")")
        return node

    def _comparison(self) -> _Node:
        found = _ATTRIBUTE.match(self._text, self._at)
        if found is not None:
            for sign, tag in _COMPARISONS.items():
                if self._text.startswith(sign, found.end()):
                    self._at = found.end() + len(sign)
                    return self._test(tag, found.group())
        extended = _EXTENDED.match(self._text, self._at)
        if extended is None or not (extended["attribute"] or extended["rule"]):
            raise self._wrong()
        self._at = extended.end()
        segments = self._segments()
        if len(segments) != 1 or len(segments[0]) != 1 or not isinstance(segments[0][0], bytes):
            raise self._wrong()
        return _Extended(extended["attribute"] or "", extended["rule"] or "", bool(extended["dn"]), segments[0][0])

    def _test(self, tag: int, attribute: str) -> _Node:
        start = self._at
        segments = self._segments()
        if len(segments) > 1 and tag != _EQUAL:
            self._at = start
            raise self._wrong()
        return _Test(tag, attribute, segments)

    def _segments(self) -> tuple[_Segment, ...]:
        start = self._at
        while self._at < len(self._text) and self._text[self._at] != ")":
            if self._text.startswith(USER, self._at):  # its parenthesis belongs to the name
                self._at += len(USER)
            elif self._text[self._at] in "(\0":
                raise self._wrong()
            else:
                self._at += 1
        return tuple(self._segment(piece, start) for piece in self._text[start : self._at].split("*"))

    def _segment(self, text: str, start: int) -> _Segment:
        parts: list[bytes | _Name] = []
        for number, piece in enumerate(text.split(USER)):
            if number:
                parts.append(_NAME)
                self.names += 1
            if "\\" in _ESCAPE.sub("", piece):
                self._at = start
                raise self._wrong()
            if piece:
                parts.append(_unescaped(piece))
        return tuple(parts) or (b"",)


def _unescaped(text: str) -> bytes:
    built, last = b"", 0
    for found in _ESCAPE.finditer(text):
        built += text[last : found.start()].encode() + bytes([int(found[1], 16)])
        last = found.end()
    return built + text[last:].encode()


def _encoded(node: _Node, username: bytes | None) -> bytes:
    if isinstance(node, _Many):
        return ber.element(node.tag, *(_encoded(part, username) for part in node.parts))
    if isinstance(node, _Extended):
        return ber.element(
            _EXTENSIBLE,
            ber.element(0x81, node.rule.encode()) if node.rule else b"",
            ber.element(0x82, node.attribute.encode()) if node.attribute else b"",
            ber.element(0x83, node.value),
            ber.element(0x84, b"\xff") if node.of_dn else b"",
        )
    segments = _filled(node.segments, username)
    if len(segments) == 1:
        return ber.element(node.tag, ber.octets(node.attribute), ber.octets(segments[0]))
    if node.tag != _EQUAL or not any(segments):
        return ber.element(_PRESENT_TAG, node.attribute.encode())
    first, *middle, last = segments
    pieces = [ber.element(0x80, first)] if first else []
    pieces += [ber.element(0x81, piece) for piece in middle if piece]
    pieces += [ber.element(0x82, last)] if last else []
    return ber.element(_SUBSTRINGS, ber.octets(node.attribute), ber.element(ber.SEQUENCE, *pieces))


def _filled(segments: tuple[_Segment, ...], username: bytes | None) -> list[bytes]:
    """The segments with the login name. Any name: each of its places separates segments as a star does."""
    filled: list[bytes] = []
    for segment in segments:
        filled.append(b"")
        for part in segment:
            if isinstance(part, bytes):
                filled[-1] += part
            elif username is None:
                filled.append(b"")
            else:
                filled[-1] += username
    return filled


def equals(attribute: str, value: bytes | str) -> bytes:
    """An encoded test of equality."""
    return ber.element(_EQUAL, ber.octets(attribute), ber.octets(value))


def present(attribute: str) -> bytes:
    """An encoded test of presence."""
    return ber.element(_PRESENT_TAG, attribute.encode())
