"""Sentences for people that can be translated later: a stable code and the values of its placeholders.

Where a sentence is stored or sent on, the reader's language is not known yet. So `text` is only the first wording,
shown to a reader whose version does not know the code. Codes and their words are in `foundation/phrases.py` and
`proxies/core/texts.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Union

#: A value of a placeholder. A sentence inside a sentence is translated, too.
Value = Union[str, int, float, "Sentence"]

#: The code of several sentences in a row: their values are `separator` and the parts by their numbers.
JOINED: Final = "joined"


@dataclass(frozen=True, slots=True)
class Sentence:
    """`text` in its first language. Without a code it is complete: somebody else's words, or an older version's."""

    text: str = ""
    code: str = ""
    values: Mapping[str, Value] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        return bool(self.text)


NOTHING: Final = Sentence()


def sentence_of(said: str | Sentence) -> Sentence:
    """Words of any origin as a sentence."""
    return said if isinstance(said, Sentence) else Sentence(said)


def joined(separator: str, parts: Sequence[Sentence]) -> Sentence:
    """Several sentences in a row."""
    if len(parts) == 1:
        return parts[0]
    values: dict[str, Value] = {str(number): part for number, part in enumerate(parts)}
    return Sentence(separator.join(part.text for part in parts), JOINED, {"separator": separator, **values})
