"""The world of `writes`, shared by the tests of a module."""

from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import override_settings

from factories import licences
from factories.users import new_user
from postern.foundation.bus.gathered import Gathered
from postern.foundation.rest import memo
from writes.world import QUICK_HASHERS, World, found_world


@pytest.fixture(scope="module")
def founded(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    """A licensed world in a transaction that is rolled back after the last test of the module.

    The transaction of each test is a savepoint in it, so founding a world, which costs a third of a second, is done
    once and not for each test. Every other test of the module sees the world, too.
    """
    around = transaction.atomic()
    # The product's durable transactions may be inside this one, as they may be inside that of a test.
    around._from_testcase = True  # type: ignore[attr-defined]  # as `django.test.TestCase` does
    with django_db_blocker.unblock():
        around.__enter__()
        # No other thread would see the world, see `gathered_work_at_once`.
        at_once = mock.patch.object(Gathered, "ask", lambda self, key: self._work(frozenset({key})))
        with at_once, override_settings(PASSWORD_HASHERS=QUICK_HASHERS):
            licences.install_licence()
            world = found_world(new_user)
    yield world
    with django_db_blocker.unblock():
        transaction.set_rollback(True)
        around.__exit__(None, None, None)
    licences.forget_issuers()
    cache.clear()
    memo.forget_all()


@pytest.fixture
def world(founded: World, db: None, settings: Any) -> World:
    """The world of the module as it was founded, whatever other tests have changed in it.

    Hashing is slow on purpose, and these tests do not depend on the hasher.
    """
    settings.PASSWORD_HASHERS = QUICK_HASHERS
    licences.trust_issuer()  # another test may have forgotten it
    return founded.afresh()
