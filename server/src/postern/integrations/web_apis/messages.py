"""Messages to people over a company's application: what all services share."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from postern.kernel.sentences import Sentence

#: Bytes of a text that every service takes. WeCom and DingTalk cut or refuse longer texts (2,048).
MOST_BYTES = 2000
_MORE = "…"


@dataclass(frozen=True, slots=True)
class Sent:
    """The service's answer for each receiver. Everybody else got the message. `refused`: subject → why, finally."""

    refused: Mapping[str, Sentence] = field(default_factory=dict)


def named(text: object, subjects: Collection[str], separator: str) -> frozenset[str]:
    """The subjects among these that an answer lists, in any case: services do not keep it."""
    listed = {part.strip().lower() for part in text.split(separator)} if isinstance(text, str) else set()
    return frozenset(subject for subject in subjects if subject.lower() in listed)


def shortened(text: str, most_bytes: int) -> str:
    """The text, cut between two characters when it has more bytes."""
    content = text.encode()
    if len(content) <= most_bytes:
        return text
    return content[: max(most_bytes - len(_MORE.encode()), 0)].decode(errors="ignore").rstrip() + _MORE
