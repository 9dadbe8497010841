"""Phrases: the words of sentences that are stored, by a stable code.

    _DELETED: Final = Phrase("jobs.asset_deleted", gettext_lazy("The asset was deleted."))
    raise HostNotTried(HostResult.REFUSED, _DELETED.say())      # stored as code and values
    said(row.reason)                                            # in the language of the request

A code is stored in rows and never gets another meaning. The words may change; so may their placeholders, because a
sentence whose values do not fit is shown in its first language.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import msgspec
from django.conf import settings
from django.utils import translation
from django.utils.functional import Promise

from postern.foundation.provided import Provided
from postern.kernel.sentences import JOINED, NOTHING, Sentence, Value

#: Fills the placeholders of a phrase in a language.
Words = Callable[[str, Mapping[str, Any]], str]

#: Most characters of a value that is stored. The longest are answers of hosts.
_MAX_VALUE: Final = 1024
#: Most characters of a sentence in one language.
MAX_TEXT: Final = 1024
#: Sentences inside sentences are stored up to this depth: a gateway's failure has three.
_MAX_DEPTH: Final = 6

_PHRASES: Final[dict[str, "Phrase"]] = {}
#: Phrases of the access plane, which has its own words: code → words. The composition root provides them.
OTHERS: Final = Provided[Mapping[str, Words]]("the phrases of the access plane")


class Phrase:
    """A code and its words, with `%(name)s` for values. Raises ValueError when the code is taken."""

    def __init__(self, code: str, words: Promise) -> None:
        if code in _PHRASES or code == JOINED:
            raise ValueError(f"two phrases have the code {code!r}")
        self.code = code
        self.words = words
        _PHRASES[code] = self

    def say(self, **values: Value) -> Sentence:
        """The sentence, in the active language."""
        shown = {name: value.text if isinstance(value, Sentence) else value for name, value in values.items()}
        return Sentence(str(self.words) % shown if shown else str(self.words), self.code, values)


def phrases() -> Iterator[Phrase]:
    """All phrases that are declared in the control plane."""
    return iter(_PHRASES.values())


def stored(sentence: Sentence) -> dict[str, Any] | None:
    """A sentence as a JSON value for a column; None when there is nothing to say."""
    if not sentence:
        return None
    built: dict[str, Any] = msgspec.to_builtins(_cut(sentence, _MAX_DEPTH))
    return built


def sentence_from(value: Any) -> Sentence:
    """What `stored` made; for anything else a sentence without words."""
    try:
        return msgspec.convert(value, Sentence)
    except (msgspec.ValidationError, RecursionError):
        return NOTHING


def said(sentence: Sentence, language: str | None = None) -> str:
    """The sentence in a language, by default the active one. An unknown code is shown in its first language."""
    language = language or translation.get_language() or settings.LANGUAGE_CODE
    with translation.override(language):
        return _said(sentence, language).strip()


def said_in_all(sentence: Sentence) -> str:
    """The sentence in every language, one after another, for searches."""
    return "\n".join(dict.fromkeys(said(sentence, code)[:MAX_TEXT] for code, _name in settings.LANGUAGES))


def why(reason: Any, message: str) -> str:
    """A stored reason in the active language; `message` is what rows of older versions have instead."""
    return (said(sentence_from(reason)) if reason else "") or message  # most rows of a list have nothing to say


def _said(sentence: Sentence, language: str) -> str:
    if not sentence.code:
        return sentence.text
    values = {
        name: _said(value, language) if isinstance(value, Sentence) else value
        for name, value in sentence.values.items()
    }
    if sentence.code == JOINED:
        separator = str(values.pop("separator", " "))
        return separator.join(str(values[key]) for key in sorted(values, key=_place))
    try:
        phrase = _PHRASES.get(sentence.code)
        if phrase is not None:
            words = str(phrase.words)
            return words % values if "%(" in words else words
        return OTHERS.value[sentence.code](language, values)
    except (KeyError, ValueError, TypeError, IndexError):  # of another version
        return sentence.text


def _place(key: str) -> int:
    return int(key) if key.isascii() and key.isdecimal() else 0


def _cut(sentence: Sentence, depth: int) -> Sentence:
    """Long values shortened, so that a row stays small whatever a host has answered."""
    if depth <= 0:
        return Sentence(sentence.text[:MAX_TEXT])
    values = {name: _cut_value(value, depth) for name, value in sentence.values.items()}
    return Sentence(sentence.text[:MAX_TEXT], sentence.code, values)


def _cut_value(value: Value, depth: int) -> Value:
    if isinstance(value, Sentence):
        return _cut(value, depth - 1)
    return value[:_MAX_VALUE] if isinstance(value, str) else value
