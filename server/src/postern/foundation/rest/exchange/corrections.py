"""The one obvious correction of a refused cell: the closest existing name, or the same text in the expected form.

A correction is offered only if the field accepts it. Names come from the rows that the field may refer to, so they
reveal nothing that the caller could not choose.
"""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from django.core.exceptions import ValidationError as ModelValidationError
from django.utils.encoding import force_str
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from postern.foundation.rest.naming import items_of
from postern.foundation.rest.relations import NamedField, OrgOwnedField, OrgOwnedList

#: Among more names than this, a typo cannot be distinguished from another name.
MAX_NAMES: Final = 5_000
#: Texts for which a call looks for the closest name. It limits the work for a file in which every row is wrong.
MAX_TEXTS: Final = 100
#: Edits that turn one name into another: a typo, not another word.
_MAX_EDITS: Final = 2

Correction = dict[str, Any]


class Corrections:
    """Corrections for the rows of one call. Names are read once for each field."""

    def __init__(self) -> None:
        self._names: dict[str, Sequence[str]] = {}
        self._closest: dict[tuple[str, str], str | None] = {}

    def of(
        self, serializer: serializers.BaseSerializer[Any], item: Mapping[str, Any], found: Mapping[str, Any]
    ) -> list[Correction]:
        """A correction for each refused field of the item that has an obvious correction: `field`, `value` and
        `label`.
        """
        known: Mapping[str, Any] = getattr(serializer, "fields", {})
        offered = []
        for name in found:
            if name in known and name in item and not known[name].write_only:
                corrected = self._corrected(name, known[name], item[name])
                if corrected is not None:
                    offered.append({"field": name, **corrected})
        return offered

    def _corrected(self, name: str, field: Any, value: Any) -> Correction | None:
        texts = items_of(value) if isinstance(value, str) and _is_list(field) else value
        if isinstance(texts, list):
            if not all(isinstance(text, str) for text in texts):
                return None
            changed = [text if _accepts(field, [text]) else self._text(name, field, text) for text in texts]
            if any(text is None for text in changed) or changed == texts:
                return None
            wanted: Any = [text for text in changed if text is not None]
            labels = [str(new) for old, new in zip(texts, changed, strict=True) if new != old]
        elif isinstance(texts, str):
            wanted = self._text(name, field, texts)
            labels = [str(wanted)]
        else:
            return None
        if wanted is None or wanted == value or not _accepts(field, wanted):
            return None
        return {"value": wanted, "label": self._labelled(field, wanted) or ", ".join(labels)}

    def _text(self, name: str, field: Any, text: str) -> str | None:
        """The corrected text of one item."""
        wrap: Callable[[str], Any] = (lambda value: [value]) if _is_list(field) else (lambda value: value)
        own: Callable[[str], str | None] | None = getattr(field, "corrected", None)
        plain = " ".join(unicodedata.normalize("NFKC", text).split())
        for candidate in (plain, own(plain) if own is not None else None):
            if candidate and candidate != text and _accepts(field, wrap(candidate)):
                return candidate
        key = (name, text)
        if key not in self._closest:
            if len(self._closest) >= MAX_TEXTS:
                return None
            if name not in self._names:
                self._names[name] = _names_of(field)
            self._closest[key] = closest(plain, self._names[name])
        return self._closest[key]

    def _labelled(self, field: Any, value: Any) -> str | None:
        choices = getattr(field, "choices", None) if isinstance(field, serializers.ChoiceField) else None
        return force_str(choices[value]) if choices and not isinstance(value, list) and value in choices else None


def _is_list(field: Any) -> bool:
    listed = serializers.ListField | serializers.MultipleChoiceField | serializers.ManyRelatedField
    return isinstance(field, listed)


def _accepts(field: Any, value: Any) -> bool:
    try:
        field.run_validation(value)
    except (ValidationError, ModelValidationError, TypeError, ValueError):
        return False
    return True


def _names_of(field: Any) -> Sequence[str]:
    """The texts that the field accepts; empty when there are too many to compare."""
    child = getattr(field, "child", field)
    if isinstance(child, serializers.ChoiceField) and not isinstance(field, serializers.ManyRelatedField):
        return [str(value) for value in child.choices if value != ""]
    if isinstance(field, OrgOwnedList | OrgOwnedField):
        return _short(field.texts(MAX_NAMES + 1))
    if isinstance(field, NamedField):
        rows = field.get_queryset()
        names = rows.order_by().values_list(field.slug_field, flat=True) if rows is not None else ()
        return _short(str(name) for name in names[: MAX_NAMES + 1])
    return ()


def _short(names: Iterable[str]) -> Sequence[str]:
    listed = list(names)
    return listed if len(listed) <= MAX_NAMES else ()


def closest(text: str, names: Sequence[str]) -> str | None:
    """The only name that the text can mean: equal but for case, a part of it that no other name has, or a typo of it."""
    wanted = text.casefold()
    if not wanted:
        return None
    folded = [(name.casefold(), name) for name in names]
    for matches in (
        [name for low, name in folded if low == wanted],
        [name for low, name in folded if low.endswith((f":{wanted}", f"/{wanted}"))],
    ):
        if matches:
            return matches[0] if len(matches) == 1 else None
    best, most = [], min(_MAX_EDITS, len(wanted) // 3)
    letters = Counter(wanted)
    for low, name in folded:
        if abs(len(low) - len(wanted)) > most or _unlike(letters, low) > 2 * most:
            continue
        distance = _edits(wanted, low, most)
        if distance < most:
            best, most = [name], distance
        elif distance == most:
            best.append(name)
    return best[0] if len(best) == 1 and most > 0 else None


def _unlike(letters: Counter[str], other: str) -> int:
    """How many letters only one of the texts has: a lower bound for the work that a comparison can save."""
    others = Counter(other)
    return sum(((letters - others) + (others - letters)).values())


def _edits(text: str, other: str, most: int) -> int:
    """Letters to insert, delete or replace; `most + 1` when there are more than `most`."""
    previous = list(range(len(other) + 1))
    for row, letter in enumerate(text, 1):
        current = [row]
        for column, second in enumerate(other, 1):
            current.append(
                min(previous[column] + 1, current[column - 1] + 1, previous[column - 1] + (letter != second))
            )
        if min(current) > most:
            return most + 1
        previous = current
    return previous[-1]
