"""Errors of access plans. Each problem has its place in the file."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from django.utils.translation import gettext as _

from postern.kernel.errors import PosternError

#: An answer lists at most this many problems, and says how many more there are.
MOST_SHOWN: Final = 100


class Place(NamedTuple):
    """A place in the file. Line and column count from 1."""

    line: int
    column: int


START: Final = Place(1, 1)


class Problem(NamedTuple):
    """What is wrong at a place."""

    place: Place
    message: str


class FileRefused(PosternError):
    """The file cannot be applied as it is. Nothing was changed; the response is a field error."""

    code = "invalid"

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: Sequence[Problem] = sorted(set(problems))
        super().__init__(self.lines()[0])

    def lines(self, name: str = "") -> list[str]:
        """One line for each problem, in the order of the file; with a `name`, as compilers write them."""
        shown = self.problems[:MOST_SHOWN]
        texts = [
            f"{name}:{place.line}:{place.column}: {message}"
            if name
            else _("Line %(line)d, column %(column)d: %(message)s")
            % {"line": place.line, "column": place.column, "message": message}
            for place, message in shown
        ]
        more = len(self.problems) - len(shown)
        return [*texts, _("There are %(count)d more problems.") % {"count": more}] if more else texts

    @property
    def fields(self) -> dict[str, list[str]]:
        return {"file": self.lines()}


class FileUnreadable(PosternError):
    """There is no such file, or it holds no text."""

    code = "unreadable"
