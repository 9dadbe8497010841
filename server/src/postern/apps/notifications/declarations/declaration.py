"""The form of a declaration: a type of message, its texts, and example facts for each of them.

A text is a function from facts to subject and HTML, in the active language. Every other form (mail, plain text, webhook)
is made from these two. Example facts are in the declaration, so that a new text appears in the gallery and in its test
without another line.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, Generic, TypeVar

from django.utils.functional import Promise
from django.utils.html import format_html

from postern.apps.preferences import facade as preferences
from postern.kernel.visible_text import visible_text

Text = str | Promise
Facts = TypeVar("Facts")

#: Characters of a name in a subject, which has at most 256, and of a value in a paragraph.
MOST_IN_SUBJECT: Final = 80
_IN_PARAGRAPH: Final = 400
_MORE: Final = "…"


class Audience(Enum):
    """Who gets the messages of a type, and how."""

    SUBSCRIBERS = auto()  # the chosen people, by the chosen methods, and webhooks
    PERSON = auto()  # the people concerned, by every enabled method
    MAIL = auto()  # one person, by mail only


@dataclass(frozen=True, slots=True)
class MessageType:
    """One kind of message. The subscription screen groups kinds by `category`."""

    name: str
    label: Text
    category: str
    category_label: Text
    audience: Audience


@dataclass(frozen=True, slots=True)
class Written:
    """A message in one language: a subject of one line, and HTML that is sanitised before it is stored."""

    subject: str
    html: str

    def with_list(self, lines: Mapping[str, str]) -> "Written":
        """The message with a list of labels and values at its end."""
        rows = "".join(format_html("<li>{}: {}</li>", label, text) for label, text in lines.items())
        return Written(self.subject, f"{self.html}<ul>{rows}</ul>" if rows else self.html)


@dataclass(frozen=True, slots=True)
class Notice:
    """A message about certain facts. `write` is called once for each language of its receivers."""

    message_type: MessageType
    write: Callable[[], Written]


@dataclass(frozen=True, slots=True)
class MessageText(Generic[Facts]):
    """One text of a message type. `examples` cover its variants."""

    message_type: MessageType
    write: Callable[[Facts], Written]
    examples: tuple[Facts, ...]

    def about(self, facts: Facts) -> Notice:
        """The message about these facts."""
        return Notice(self.message_type, lambda: self.write(facts))

    def example_notices(self) -> tuple[Notice, ...]:
        """A message for each example."""
        return tuple(self.about(example) for example in self.examples)


@dataclass(frozen=True, slots=True)
class Link:
    """A link in a paragraph. Its text is the address, because plain text shows only that."""

    address: str


def written(subject: str, *paragraphs: str, **values: object) -> Written:
    """Fill the values into a subject (`%(name)s`) and its paragraphs (`{name}`).

    Values come from people and hosts. They are shortened, lose line ends, and characters that a reader would not see are
    shown as their codes. In paragraphs they are escaped; a `Link` becomes a link.
    """
    named = {name: _plain(value, MOST_IN_SUBJECT) for name, value in values.items()}
    shown = {name: _in_html(value) for name, value in values.items()}
    html = "".join(format_html(f"<p>{paragraph}</p>", **shown) for paragraph in paragraphs)
    return Written(subject % named, html)


def console_link(path: str) -> Link:
    """A link to a page of the console."""
    site: str = preferences.get_str("SITE_URL").rstrip("/")
    return Link(f"{site}/ui/{path}")


def one_line(text: str, most: int = _IN_PARAGRAPH) -> str:
    """External text for a message: one visible line of at most so many characters."""
    line = " ".join(visible_text(text[: most + 1]).split())
    return line if len(line) <= most else line[: most - len(_MORE)].rstrip() + _MORE


def _plain(value: object, most: int) -> object:
    return value if isinstance(value, int) else one_line(str(value), most)


def _in_html(value: object) -> object:
    if isinstance(value, Link):
        return format_html('<a href="{}">{}</a>', value.address, value.address)
    return _plain(value, _IN_PARAGRAPH)
