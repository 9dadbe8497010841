"""Fixtures for plans that meet other writes."""

from factories.meetings import meeting, row_locks
from factories.two_administrators import first_admin, make_person, second_admin

__all__ = ["first_admin", "make_person", "meeting", "row_locks", "second_admin"]
