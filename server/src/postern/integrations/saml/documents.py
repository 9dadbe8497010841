"""Reads XML of strangers: UTF-8, no document type, no entities, no comments, no network, each ID once."""

import base64
import binascii
import re
from datetime import UTC, datetime
from typing import Final
from xml.sax.saxutils import quoteattr

from lxml import etree

from postern.integrations.saml import failures
from postern.integrations.saml.names import MOST_BYTES

Element = etree._Element  # noqa: SLF001 - lxml has no other name for the type of its elements

_DECLARATION: Final = re.compile(r"<\?xml\s[^>]*\?>")
_INSTANT: Final = re.compile(r"(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})?")
_ID_NAMES: Final = ("ID", "Id", "id", "{http://www.w3.org/XML/1998/namespace}id")
_MOST_ELEMENTS: Final = 20_000


def decoded(text: str) -> bytes:
    """The bytes of a base64 parameter, which may have line breaks. Raises WebApiFailed."""
    if len(text) > MOST_BYTES * 2:
        raise failures.not_xml()
    try:
        content = base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise failures.not_xml() from None
    return content


def parsed(content: bytes, *, may_have_comments: bool = False) -> Element:
    """The root of a document. Comments split texts, so only files of administrators may have them; there they are left
    out. Raises WebApiFailed.
    """
    if len(content) > MOST_BYTES:
        raise failures.not_xml()
    try:
        text = content.decode("utf-8-sig").lstrip()
    except UnicodeDecodeError:
        raise failures.not_xml() from None
    # The declaration goes, so that it cannot name another encoding than the one that was checked.
    text = _DECLARATION.sub("", text, count=1) if text.startswith("<?xml") else text
    # Alone, "<!" begins document types, entities, comments and CDATA.
    banned = ("<!DOCTYPE", "<!ENTITY", "\0") if may_have_comments else ("<!", "<?", "\0")
    if any(mark in text for mark in banned):
        raise failures.not_plain()
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        recover=False,
        remove_comments=may_have_comments,
        remove_pis=may_have_comments,
    )
    try:
        root = etree.fromstring(text.encode(), parser)
    except (etree.XMLSyntaxError, ValueError):
        raise failures.not_xml() from None
    _require_plain(root)
    return root


def parsed_within(content: bytes, holder: Element) -> Element:
    """The one element of a text that stood inside of `holder`, as a root of its own; it may use the namespaces that are
    declared there. Raises WebApiFailed.
    """
    declared = "".join(f" xmlns{f':{name}' if name else ''}={quoteattr(uri)}" for name, uri in holder.nsmap.items())
    outer = parsed(b"<within%s>%s</within>" % (declared.encode(), content))
    if len(outer) != 1 or (outer.text or "").strip() or (outer[0].tail or "").strip():
        raise failures.not_xml()
    outer[0].tail = None
    return etree.fromstring(etree.tostring(outer[0]))


def _require_plain(root: Element) -> None:
    """Bounded in number (libxml2 bounds the depth), and no ID that two elements have: a signature names its element by ID."""
    seen: set[str] = set()
    for number, element in enumerate(root.iter()):
        if not isinstance(element.tag, str) or number >= _MOST_ELEMENTS:
            raise failures.not_plain()
        for name in _ID_NAMES:
            value = element.get(name)
            if value is not None and value in seen:
                raise failures.wrapped()
            if value is not None:
                seen.add(value)


def text_of(element: Element | None) -> str:
    """The text of an element that has only text; empty otherwise."""
    if element is None or len(element):
        return ""
    return (element.text or "").strip()


def children(element: Element, tag: str) -> list[Element]:
    """The direct children with this name."""
    return [child for child in element if child.tag == tag]


def only_child(element: Element, tag: str) -> Element | None:
    """The one child with this name; None when there is none or more."""
    matching = children(element, tag)
    return matching[0] if len(matching) == 1 else None


def instant(text: str) -> datetime | None:
    """A time of the standard (`xs:dateTime`, UTC when it names no zone); None when it is not one."""
    match = _INSTANT.fullmatch(text.strip())
    if match is None:
        return None
    seconds, fraction, zone = match.groups()
    try:
        moment = datetime.fromisoformat(f"{seconds}.{(fraction or '0')[:6]:0<6}{(zone or 'Z').replace('Z', '+00:00')}")
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
