"""Refusing to delete what is still used, with a sentence that names the users and their number.

Ask while the lock for deletion is held (`row_locks.lock(…, deleting=True)`): a use is made under `row_locks.share`, so
it is either counted here, or waits and then finds the row gone.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Self

from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from postern.kernel.errors import PosternError

#: Names of each kind of users in the sentence.
_NAMED: Final = 3
_MAX_NAME: Final = 64


class StillUsed(PosternError):
    """Other objects refer to the object that would be deleted."""

    code = "referenced_by_others"


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """How many objects of one kind use an object, and the first names. `label` names the kind, in the plural."""

    label: Promise
    count: int
    names: tuple[str, ...] = ()

    @classmethod
    def by(cls, label: Promise, rows: "QuerySet[Any]", name: str) -> Self:
        """The use by these rows, which are shown by a column."""
        count = rows.count()
        names = rows.order_by(name, "pk").values_list(name, flat=True)[:_NAMED] if count else ()
        return cls(label=label, count=count, names=tuple(str(text)[:_MAX_NAME] for text in names))


def require_unused(name: str, uses: Iterable[Use]) -> None:
    """Raise StillUsed unless every count is 0."""
    sentences = [_sentence(use) for use in uses if use.count]
    if sentences:
        raise StillUsed(
            _("%(name)s cannot be deleted, because it is still used. %(uses)s. Remove it there first.")
            % {"name": name, "uses": "; ".join(sentences)}
        )


def _sentence(use: Use) -> str:
    names = ", ".join(use.names)
    if names and use.count > len(use.names):
        names += _(" and %(count)d more") % {"count": use.count - len(use.names)}
    return f"{use.label}: {use.count}" + (f" ({names})" if names else "")
