"""Every write of the product: told exactly once, without secrets, whole or not at all, and the same when it is repeated.

The calls are in `writes/table.py`; a route that could write and has none there fails `tests/architecture/test_writes.py`. Each is
made by an administrator (or by whoever the route is for) with valid data, in a world in which everything exists that it names.
"""

import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from postern.apps.users.models import User
from writes import proofs
from writes.case import Write
from writes.hashing import hashes_outside_transactions
from writes.table import AREAS
from writes.world import World, found_world

areas = pytest.mark.parametrize("area", list(AREAS))
#: Each call is made once for each of its statements, among other times.
pytestmark = pytest.mark.timeout(600)


@pytest.fixture
def world(licensed: None, make_user: Callable[..., User], settings: Any) -> World:
    # Hashing passwords is slow on purpose; what is asked here does not depend on how it is done.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher", *settings.PASSWORD_HASHERS]
    return found_world(make_user)


class Kept(logging.Handler):
    """Everything that is logged, whatever its level."""

    def __init__(self) -> None:
        super().__init__(logging.NOTSET)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture
def logged() -> Iterator[list[logging.LogRecord]]:
    kept = Kept()
    logging.getLogger().addHandler(kept)
    yield kept.records
    logging.getLogger().removeHandler(kept)


def _expect_none(area: str, faults_of: Callable[[Write], list[str]]) -> None:
    faults = [f"{write}: {fault}" for write in AREAS[area] for fault in faults_of(write)]
    assert not faults, "\n" + "\n".join(faults)


@pytest.mark.django_db
@areas
@pytest.mark.any_database
def test_write_is_told_by_one_record_with_both_values(area: str, world: World) -> None:
    _expect_none(area, lambda write: proofs.is_told(write, world))


@pytest.mark.django_db
@areas
@pytest.mark.any_database
def test_k73_no_secret_of_a_write_stands_in_tables_log_or_answer(
    area: str, world: World, logged: list[logging.LogRecord]
) -> None:
    _expect_none(area, lambda write: proofs.keeps_secrets(write, world, logged))


@pytest.mark.django_db
@areas
def test_write_that_fails_anywhere_leaves_nothing(area: str, world: World) -> None:
    _expect_none(area, lambda write: proofs.is_atomic(write, world))


@pytest.mark.django_db
@areas
def test_write_that_is_repeated_changes_and_tells_nothing(area: str, world: World) -> None:
    _expect_none(area, lambda write: proofs.is_idempotent(write, world))


@pytest.mark.django_db
@areas
@pytest.mark.any_database
def test_write_hashes_no_password_while_its_transaction_is_open(area: str, world: World) -> None:
    _expect_none(area, lambda write: hashes_outside_transactions(write, world))
