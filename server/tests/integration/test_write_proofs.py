"""Every write of the product is audited exactly once, reveals no secret, is atomic, and is idempotent.

The calls are in `writes/table.py`; `tests/architecture/test_writes.py` fails for a writing route without a call. Each
call is made by an administrator (or the user for whom the route is) with valid data, in a world with all objects that
it names.
"""

import logging
from collections.abc import Callable, Iterator

import pytest

from writes import proofs
from writes.case import Write
from writes.hashing import hashes_outside_transactions
from writes.table import AREAS
from writes.world import World

areas = pytest.mark.parametrize("area", list(AREAS))
#: Some tests repeat a call once for each of its SQL statements.
pytestmark = pytest.mark.timeout(600)


class CollectingHandler(logging.Handler):
    """Collects all log records of every level."""

    def __init__(self) -> None:
        super().__init__(logging.NOTSET)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture
def logged() -> Iterator[list[logging.LogRecord]]:
    handler = CollectingHandler()
    logging.getLogger().addHandler(handler)
    yield handler.records
    logging.getLogger().removeHandler(handler)


def _expect_none(area: str, faults_of: Callable[[Write], list[str]]) -> None:
    faults = [f"{write}: {fault}" for write in AREAS[area] for fault in faults_of(write)]
    assert not faults, "\n" + "\n".join(faults)


@pytest.mark.django_db
@areas
@pytest.mark.any_database
def test_write_is_audited_by_one_record_with_old_and_new_values(area: str, world: World) -> None:
    _expect_none(area, lambda write: proofs.is_told(write, world))


@pytest.mark.django_db
@areas
@pytest.mark.any_database
def test_k73_no_secret_of_a_write_appears_in_tables_log_or_answer(
    area: str, world: World, logged: list[logging.LogRecord]
) -> None:
    _expect_none(area, lambda write: proofs.keeps_secrets(write, world, logged))


@pytest.mark.django_db
@areas
@pytest.mark.stricter_on_postgresql
def test_write_that_fails_at_any_statement_changes_nothing(area: str, world: World) -> None:
    _expect_none(area, lambda write: proofs.is_atomic(write, world))


@pytest.mark.django_db
@areas
@pytest.mark.stricter_on_postgresql
def test_repeated_write_changes_and_audits_nothing(area: str, world: World) -> None:
    _expect_none(area, lambda write: proofs.is_idempotent(write, world))


@pytest.mark.django_db
@areas
@pytest.mark.any_database
def test_no_password_is_hashed_inside_a_transaction(area: str, world: World) -> None:
    _expect_none(area, lambda write: hashes_outside_transactions(write, world))
