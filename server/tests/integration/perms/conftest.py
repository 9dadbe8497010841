"""Fixtures for concurrent writes of two administrators, and for lists of reachable assets."""

from contextlib import nullcontext

import pytest

from factories.meetings import meeting, row_locks
from factories.two_administrators import first_admin, make_person, second_admin
from postern.apps.perms.granted import reach
from postern.apps.perms.index import kept

__all__ = ["answered_by", "first_admin", "make_person", "meeting", "row_locks", "second_admin"]


@pytest.fixture(params=["index", "tables"])
def answered_by(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Lists and trees from the index and, as inside a transaction, from the tables. A test's writes are never rolled back
    before its end, so the index may be used in the transaction of the test.
    """
    if request.param == "index":
        monkeypatch.setattr(kept, "can_be_used", lambda: True)
        monkeypatch.setattr(reach, "snapshot", nullcontext)
    return str(request.param)
