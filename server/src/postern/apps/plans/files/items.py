"""Reads YAML into items that know their places.

Only what a plan needs is accepted: one document of mappings, lists and plain values. Anchors, aliases and tags are
refused, so that a small file cannot stand for a large one and nothing is ever constructed. What an item means is decided
where the shape of the file is known (`checking`).
"""

import re
from dataclasses import dataclass, field
from typing import Any, Final

import yaml
from django.utils.translation import gettext as _

from postern.apps.plans.files.errors import START, FileRefused, Place, Problem

#: Size of a file in bytes, as UTF-8.
MAX_BYTES: Final = 4 * 1024 * 1024
MAX_ITEMS: Final = 600_000
MAX_DEPTH: Final = 8

#: The parser of libyaml is thirty times faster; the other parser is part of every installation.
_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
#: Plain values that are no text in YAML 1.2 (core schema).
_NO_TEXT: Final = re.compile(
    r"|~|null|Null|NULL|true|True|TRUE|false|False|FALSE|[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"
    r"|[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?(\.inf|\.Inf|\.INF)|\.nan|\.NaN|\.NAN"
)


@dataclass(slots=True)
class Scalar:
    """A value. `is_text`: quoted, or a plain value that YAML takes for a text."""

    place: Place
    text: str
    is_text: bool


@dataclass(slots=True)
class Listed:
    """A list."""

    place: Place
    items: "list[Item]" = field(default_factory=list)


@dataclass(slots=True)
class Mapped:
    """A mapping. The file may repeat a key; the reader refuses it."""

    place: Place
    pairs: "list[tuple[Scalar, Item]]" = field(default_factory=list)


Item = Scalar | Listed | Mapped


def reads_as_text(text: str) -> bool:
    """Whether YAML takes this plain value for a text, and not for a number, a switch or nothing."""
    return _NO_TEXT.fullmatch(text) is None


def read_items(text: str) -> Item:
    """The only document of the file. Raises FileRefused."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        message = _("The file is larger than %(size)d MiB. Divide it.")
        raise FileRefused([Problem(START, message % {"size": MAX_BYTES // 1024 // 1024})])
    try:
        return _Reader().read(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(mark.line + 1, mark.column + 1) if mark else START
        message = _("This is not YAML: %(problem)s.")
        raise FileRefused([Problem(place, message % {"problem": error.problem or error.context or ""})]) from error
    except (yaml.YAMLError, UnicodeError) as error:
        raise FileRefused(
            [Problem(_unreadable(text), _("The file contains a character that YAML forbids."))]
        ) from error


def _unreadable(text: str) -> Place:
    """The place of the first character that YAML forbids."""
    for number, line in enumerate(text.split("\n"), start=1):
        for column, character in enumerate(line, start=1):
            if not (character.isprintable() or character in "\t\r\x85\xa0") or "\ud800" <= character <= "\udfff":
                return Place(number, column)
    return START


class _Reader:
    """Builds items from the events of the parser. It keeps its own stack, so that depth costs no recursion."""

    def __init__(self) -> None:
        self._root: Item | None = None
        self._open: list[Listed | Mapped] = []
        self._keys: list[Scalar | None] = []
        self._count = 0
        self._documents = 0

    def read(self, text: str) -> Item:
        for event in yaml.parse(text, Loader=_LOADER):
            mark = event.start_mark
            place = Place(mark.line + 1, mark.column + 1) if mark else START
            if isinstance(event, yaml.DocumentStartEvent):
                self._documents += 1
                if self._documents > 1:
                    _refuse(place, _("A plan is one document. Remove the line with three dashes."))
            elif isinstance(event, yaml.NodeEvent):
                self._node(event, place)
            elif isinstance(event, yaml.CollectionEndEvent):
                self._open.pop()
                self._keys.pop()
        if self._root is None:
            _refuse(START, _("The file is empty."))
        assert self._root is not None  # noqa: S101 - `_refuse` raises
        return self._root

    def _node(self, event: Any, place: Place) -> None:
        self._count += 1
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            _refuse(
                place, _("Anchors and aliases (& and *) are not allowed in a plan. Write the value out, or quote it.")
            )
        if event.tag is not None and event.tag != "!":
            _refuse(place, _("Tags (!) are not allowed in a plan. Write the value without it, or quote it."))
        if self._count > MAX_ITEMS:
            _refuse(place, _("The file holds more than %(count)d values. Divide it.") % {"count": MAX_ITEMS})
        item: Item
        if isinstance(event, yaml.ScalarEvent):
            is_text = bool(event.style) or reads_as_text(event.value)
            item = Scalar(place, event.value, is_text=is_text)
        else:
            item = Listed(place) if isinstance(event, yaml.SequenceStartEvent) else Mapped(place)
        self._put(item)
        if not isinstance(item, Scalar):
            if len(self._open) >= MAX_DEPTH:
                _refuse(place, _("The values are nested too deeply."))
            self._open.append(item)
            self._keys.append(None)

    def _put(self, item: Item) -> None:
        if not self._open:
            self._root = item
            return
        parent, key = self._open[-1], self._keys[-1]
        if isinstance(parent, Listed):
            parent.items.append(item)
        elif key is None:
            if not isinstance(item, Scalar):
                _refuse(item.place, _("A key must be a word."))
                return
            self._keys[-1] = item
        else:
            parent.pairs.append((key, item))
            self._keys[-1] = None


def _refuse(place: Place, message: str) -> None:
    raise FileRefused([Problem(place, message)])
