# ruff: noqa: E402 - the environment must be set before Django loads
"""Environment of all server tests: a temporary data folder, in-memory caches, and an API client for each role.

The database is SQLite in that folder, or PostgreSQL when DATABASE_URL is set.
"""

import gc
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

HOME = Path(tempfile.mkdtemp(prefix="postern-tests-"))
for name in [name for name in os.environ if name.startswith("POSTERN_") and name != "POSTERN_WRITE_MATRIX"]:
    del os.environ[name]  # settings of the developer's shell must not influence the tests
os.environ["POSTERN_HOME"] = str(HOME)
os.environ["DJANGO_SETTINGS_MODULE"] = "postern.foundation.django_settings"
os.environ["POSTERN_ALLOW_LOCAL_TARGETS"] = "yes"
if "PYTEST_XDIST_WORKER" not in os.environ:
    os.environ["TEST_RUN_FOLDER"] = str(HOME)  # inherited by the workers

import django

from postern.foundation import django_settings

# The web plane's own tests need no Redis. Tests of Redis behaviour start one.
django_settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
django_settings.CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
django.setup()
# Django was set up above. If the variable stayed, parallel workers would inherit it, and pytest-django would load the
# settings before this file has changed them.
del os.environ["DJANGO_SETTINGS_MODULE"]

from django.core.cache import cache
from django.db import connection
from hypothesis import HealthCheck, settings
from rest_framework.test import APIClient

from emptying import quick_emptying
from factories import licences
from factories.hearing import Hearing, hearing
from factories.users import new_user
from migrated_once import drop_copy, is_worker, migrated_once
from postern.apps.authn.lock_out import lockout
from postern.apps.authn.puzzles import puzzle as puzzles
from postern.apps.jobs.gateway_tests import api as gateway_tests
from postern.apps.orgs.roles import OrgRole
from postern.apps.preferences.models import PreferenceValue
from postern.apps.users.credentials.hashing import BoundedArgon2Hasher
from postern.apps.users.models import SystemRole, User
from postern.foundation.bus.gathered import Gathered
from postern.foundation.rest import memo
from postern.kernel import clock
from rewritten_once import rewrite_share

#: Argon2 costs time and memory on purpose. The tests hash thousands of passwords, so hashing is cheap here. Tests of
#: the cost itself use `product_hash_cost`.
PRODUCT_HASH_COST = (BoundedArgon2Hasher.time_cost, BoundedArgon2Hasher.memory_cost)
BoundedArgon2Hasher.time_cost, BoundedArgon2Hasher.memory_cost = 1, 64

#: A puzzle, which a sign-in after a failed one asks for, costs 0.7 s on purpose. Here each try costs one round of the
#: hash. Tests of the cost itself use `product_puzzle_cost`.
PRODUCT_PUZZLE_ROUNDS = puzzles.ROUNDS
puzzles.ROUNDS, puzzles.Puzzle.__init__.__defaults__ = 1, (1, puzzles.MOST)

# A loaded machine may pause an example for longer than Hypothesis allows. pytest's own limit ends a test that hangs.
settings.register_profile("postern", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("postern")


@pytest.fixture
def hear() -> Iterator[Hearing]:
    """`hear(SomethingHappened)` returns a list that receives the events of this type from now on."""
    with hearing() as listening:
        yield listening


@pytest.fixture(autouse=True)
def _ordinary_umask() -> Iterator[None]:
    """The umask of an ordinary shell. The product's programs set their own umask, and tests run them in
    this process.
    """
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart() -> None:
    """Remove the variable again before parallel workers start, because an imported part of the product may
    have set it.
    """
    os.environ.pop("DJANGO_SETTINGS_MODULE", None)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    rewrite_share(session.config)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On PostgreSQL, run only the tests whose result can depend on the database. All others have run on SQLite."""
    misplaced = [item.nodeid for item in items if is_unit_test(item) and depends_on_database(item)]
    if misplaced:
        raise pytest.UsageError(f"{misplaced} would not run on PostgreSQL: tests with a database are integration tests")
    if "DATABASE_URL" not in os.environ:
        return
    without = [item for item in items if not depends_on_database(item)]
    items[:] = [item for item in items if depends_on_database(item)]
    config.hook.pytest_deselected(items=without)


def is_unit_test(item: pytest.Item) -> bool:
    return Path(__file__).with_name("unit") in item.path.parents


def pytest_collection_finish() -> None:
    """Exclude the loaded modules and tests, which stay to the end, from garbage collection, and collect more rarely
    than after 700 new objects, which takes a twentieth of the CPU time of a test.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000)


def depends_on_database(item: pytest.Item) -> bool:
    if item.get_closest_marker("any_database") is not None:
        return False
    fixtures = getattr(item, "fixturenames", ())
    return item.get_closest_marker("django_db") is not None or not {"db", "transactional_db"}.isdisjoint(fixtures)


def pytest_unconfigure() -> None:
    """Delete the data folder and the copied database."""
    if not is_worker():
        drop_copy(HOME)
    shutil.rmtree(HOME, ignore_errors=True)


@pytest.fixture(autouse=True)
def gathered_work_at_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run gathered work immediately, because another thread cannot see the transaction of a test.

    Tests with real commits (`transactional_db`) use the thread.
    """
    if "transactional_db" not in request.fixturenames:
        monkeypatch.setattr(Gathered, "ask", lambda self, key: self._work(frozenset({key})))


@pytest.fixture(autouse=True)
def _calls_wait_for_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that waits for a job would wait in vain, because no worker runs beside most tests."""
    monkeypatch.setattr(gateway_tests, "WAIT_S", 0.0)


@pytest.fixture
def secrets_need_no_code(db: None) -> None:
    """Administrators see secrets of accounts without a code of their second factor."""
    PreferenceValue.objects.update_or_create(name="SECURITY_VIEW_AUTH_NEED_MFA", defaults={"value": False})


@pytest.fixture
def without_waits(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Failed sign-ins follow each other at once: for tests of what happens when an account is locked.

    The setting for puzzles is off.
    """
    monkeypatch.setattr(lockout, "FREE_FAILURES", 1_000)
    PreferenceValue.objects.create(name="SECURITY_LOGIN_CAPTCHA_ENABLED", value=False, date_updated=clock.now())


@pytest.fixture(autouse=True)
def _empty_cache() -> Iterator[None]:
    yield
    cache.clear()
    memo.forget_all()


@pytest.fixture(autouse=True, scope="session")
def _day_of_licences_stays() -> Iterator[None]:
    """Fix the day for licences, so that a test run may pass midnight."""
    with mock.patch.object(clock, "today", licences.today):
        yield


@pytest.fixture(autouse=True, scope="session")
def _tables_are_emptied_quickly() -> Iterator[None]:
    with quick_emptying():
        yield


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings: None, _tables_are_emptied_quickly: None
) -> Iterator[None]:
    """Share one migration between workers. This fixture runs last before the test database is created."""
    with migrated_once():
        yield


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Close remaining connections of PostgreSQL, because a closing connection of a thread would prevent dropping the
    database.
    """
    yield
    with django_db_blocker.unblock():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )


@pytest.fixture
def product_hash_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the hash cost of the product."""
    time_cost, memory_cost = PRODUCT_HASH_COST
    monkeypatch.setattr(BoundedArgon2Hasher, "time_cost", time_cost)
    monkeypatch.setattr(BoundedArgon2Hasher, "memory_cost", memory_cost)


@pytest.fixture
def product_puzzle_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the rounds of puzzles of the product."""
    monkeypatch.setattr(puzzles, "ROUNDS", PRODUCT_PUZZLE_ROUNDS)
    monkeypatch.setattr(puzzles.Puzzle.__init__, "__defaults__", (PRODUCT_PUZZLE_ROUNDS, puzzles.MOST))


@pytest.fixture
def make_user(db: None) -> Callable[..., User]:
    """Make a user: `make_user("ann", role="User", org_role="Auditor")`. The user is active and needs no new
    password.
    """
    return new_user


@pytest.fixture
def client_of() -> Callable[[User | None], APIClient]:
    """A function that returns an API client for the user (None: anonymous), without a sign-in."""

    def make(user: User | None) -> APIClient:
        client = APIClient()
        if user is not None:
            client.force_authenticate(user)
        return client

    return make


@pytest.fixture
def people(make_user: Callable[..., User]) -> dict[str, User]:
    """One user for each role in `endpoints.ROLES` except `anonymous`."""
    return {
        "user": make_user("uma"),
        "auditor": make_user("audra", org_role=OrgRole.AUDITOR),
        "org_admin": make_user("olaf", org_role=OrgRole.ADMIN),
        "system_auditor": make_user("sybil", role=SystemRole.AUDITOR),
        "admin": make_user("adam", role=SystemRole.ADMIN),
    }


@pytest.fixture
def as_anonymous(db: None, client_of: Callable[[User | None], APIClient]) -> APIClient:
    return client_of(None)


@pytest.fixture
def as_user(people: dict[str, User], client_of: Callable[[User | None], APIClient]) -> APIClient:
    return client_of(people["user"])


@pytest.fixture
def as_auditor(people: dict[str, User], client_of: Callable[[User | None], APIClient]) -> APIClient:
    return client_of(people["auditor"])


@pytest.fixture
def as_org_admin(people: dict[str, User], client_of: Callable[[User | None], APIClient]) -> APIClient:
    return client_of(people["org_admin"])


@pytest.fixture
def as_admin(people: dict[str, User], client_of: Callable[[User | None], APIClient]) -> APIClient:
    return client_of(people["admin"])


@pytest.fixture
def licensed(db: None) -> Iterator[None]:
    """Install a valid licence."""
    licences.install_licence()
    yield
    licences.forget_issuers()
