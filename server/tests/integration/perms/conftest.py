"""Two administrators whose writes meet."""

from factories.meetings import meeting, row_locks
from factories.two_administrators import make_person, one, other

__all__ = ["make_person", "meeting", "one", "other", "row_locks"]
