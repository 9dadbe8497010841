"""A worker that runs the jobs of a test in this process, and SSH servers that they work on."""

import os
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from rest_framework.test import APIClient

from factories.asset_hosts import Hosts
from factories.jobs import Workshop, ended, kind
from peers.sshd import Sshd
from postern.apps.jobs.engine import kinds
from postern.apps.jobs.engine.dispatcher import Dispatcher
from postern.apps.jobs.engine.kinds import Kinds, OnLost
from postern.apps.jobs.engine.models import Job
from postern.apps.jobs.hosts.link import RUNNER, RunnerLink
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


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Hosts]:
    made = Hosts(tmp_path / "hosts")
    yield made
    made.stop()


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[RunnerLink]:
    environ = {"PATH": "/usr/bin:/bin", "POSTERN_HOME": str(tmp_path), "POSTERN_ALLOW_LOCAL_TARGETS": "yes"}
    if "PYTHONPATH" in os.environ:
        environ["PYTHONPATH"] = os.environ["PYTHONPATH"]
    link = RunnerLink([sys.executable, "-m", "postern.entrypoints", "runner"], environ)
    with RUNNER.replaced(link):
        yield link
    link.close()


@pytest.fixture
def run(as_org_admin: APIClient, runner: RunnerLink) -> Iterator[Callable[..., Job]]:
    """Starts a job through the API, and waits until it has ended."""
    worker = Dispatcher(settings.POSTERN.home, "worker", poll_s=0.05)
    worker.start()

    def start(path: str, *, expects: int = 201, **body: Any) -> Job:
        answer = as_org_admin.post(path, body, format="json", headers={"Accept-Language": "en"})
        assert answer.status_code == expects, answer.content
        return ended(Job.objects.get(pk=answer.json()["task"]))

    yield start
    worker.stop()


@pytest.fixture
def make_asset(as_org_admin: APIClient) -> Callable[..., str]:
    def make(hostname: str, port: int, **fields: Any) -> str:
        protocols = fields.pop("protocols", [f"ssh/{port}"])
        body = {"hostname": hostname, "ip": "127.0.0.1", "platform": "Linux", "protocols": protocols, **fields}
        answer = as_org_admin.post("/api/v1/assets/assets/", body, format="json")
        assert answer.status_code == 201, answer.content
        return str(answer.json()["id"])

    return make


@pytest.fixture
def admin_of(as_org_admin: APIClient) -> Callable[[Sshd], str]:
    def make(server: Sshd) -> str:
        body = {
            "name": f"admin of {server.port}",
            "username": server.login,
            "type": "admin",
            "private_key": server.client_key.read_text(),
        }
        answer = as_org_admin.post("/api/v1/assets/admin-users/", body, format="json")
        assert answer.status_code == 201, answer.content
        return str(answer.json()["id"])

    return make
