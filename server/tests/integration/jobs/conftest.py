"""A worker that runs the jobs of a test in this process."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from factories.jobs import Workshop, kind
from postern.apps.jobs.engine import kinds
from postern.apps.jobs.engine.dispatcher import Dispatcher
from postern.apps.jobs.engine.kinds import Kinds, OnLost
from postern.apps.users.models import User
from postern.contracts.enums import RoleBits
from postern.foundation.caller.actor import Actor, ActorKind
from postern.kernel.ids import DEFAULT_ORG_ID


@pytest.fixture
def workshop() -> Iterator[Workshop]:
    made = Workshop()
    yield made
    made.release.set()


@pytest.fixture
def test_kinds(workshop: Workshop) -> Iterator[None]:
    with kinds.KINDS.replaced(
        Kinds(
            kind("test.quick", workshop.quick),
            kind("test.hold", workshop.hold),
            kind("test.narrow", workshop.hold, at_once=2, at_once_in_org=1),
            kind("test.once", workshop.hold, on_lost=OnLost.STOP),
            kind("test.joining", workshop.hold, joins=True),
            kind("test.broken", workshop.broken),
            kind("test.short", workshop.hold, time_limit=timedelta(seconds=0.2)),
        )
    ):
        yield


@pytest.fixture
def make_worker(tmp_path: Path, test_kinds: None) -> Iterator[Callable[..., Dispatcher]]:
    workers: list[Dispatcher] = []

    def make(holder: str = "worker", **options: Any) -> Dispatcher:
        worker = Dispatcher(tmp_path, holder, poll_s=0.05, heartbeat_s=0.1)
        worker.start(**options)
        workers.append(worker)
        return worker

    yield make
    for worker in workers:
        worker.stop()


@pytest.fixture
def acting() -> Callable[[User], Actor]:
    """The user as the administrator of the default organization who acts."""

    def make(user: User) -> Actor:
        return Actor(
            kind=ActorKind.USER,
            user_id=user.pk,
            username=user.username,
            name=user.name,
            bits=RoleBits.USE | RoleBits.ADMIN,
            scope_id=DEFAULT_ORG_ID,
            epoch=user.session_epoch,
        )

    return make
