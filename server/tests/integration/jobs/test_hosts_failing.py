"""Jobs on hosts when something goes wrong: cancelled, out of time, the runner killed, too many hosts, other organizations."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.conf import settings
from django.db import OperationalError
from django.utils.translation import gettext_lazy as _
from rest_framework.test import APIClient

from factories.asset_hosts import Hosts
from factories.jobs import ended
from peers.sshd import Sshd
from postern.apps.assets import facade as assets
from postern.apps.jobs.connectivity.job import AssetsArgument
from postern.apps.jobs.engine import actions as engine
from postern.apps.jobs.engine import job_run, kinds
from postern.apps.jobs.engine.dispatcher import Dispatcher
from postern.apps.jobs.engine.job_run import JobRun
from postern.apps.jobs.engine.kinds import JobKind, Kinds, OnLost, Outcome
from postern.apps.jobs.engine.models import Job, JobState
from postern.apps.jobs.executions import actions as executions
from postern.apps.jobs.executions.models import HostOutcome, HostResult, HostState
from postern.apps.jobs.hosts.accounts import admin_account
from postern.apps.jobs.hosts.link import RunnerLink
from postern.apps.jobs.hosts.on_assets import AssetRun, AssetWork, Errand, HostAnswer, Place, Verdict, plain_verdict
from postern.contracts.enums import Protocol
from postern.contracts.runner import HostLimits
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.rest.rights import Right
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db(transaction=True)


class Sleeping(AssetWork):
    """Writes the process id of its shell into a file, and sleeps."""

    def errand(self, place: Place) -> Errand:
        admin_user = assets.admin_users_of([place.asset.id])[place.asset.id]
        return Errand(
            port=place.asset.protocols[Protocol.SSH],
            account=admin_account(admin_user, place.asset.id),
            script="trap '' HUP; echo $$ >> ~/started; sleep 300",
            limits=HostLimits(run_s=120),
        )

    def judge(self, answer: HostAnswer) -> Verdict:
        return plain_verdict(answer.how)


class Faulty(AssetWork):
    """Fails in our own code at the answer of one host, and at the output of another."""

    def errand(self, place: Place) -> Errand:
        admin_user = assets.admin_users_of([place.asset.id])[place.asset.id]
        account = admin_account(admin_user, place.asset.id)
        return Errand(port=place.asset.protocols[Protocol.SSH], account=account, script="echo here")

    def heard(self, row: HostOutcome, data: bytes, *, is_error: bool) -> None:
        if row.position == 1:
            raise ValueError("as expected by this test")

    def judge(self, answer: HostAnswer) -> Verdict:
        if answer.row.position == 0:
            raise ZeroDivisionError("as expected by this test")
        return plain_verdict(answer.how)


def sleeping(name: str, on_lost: OnLost) -> JobKind[AssetsArgument]:
    return working(name, Sleeping(), on_lost)


def working(name: str, work: AssetWork, on_lost: OnLost) -> JobKind[AssetsArgument]:
    def run(job: JobRun, _argument: AssetsArgument) -> Outcome:
        counts = AssetRun(job, work, actor=SYSTEM).run()
        return Outcome(code="done", succeeded=not counts.failed)

    return JobKind(
        name=name, label=_("Job"), argument=AssetsArgument, run=run, right=Right.ORG_ADMIN, on_lost=on_lost,
        time_limit=timedelta(minutes=5), outcomes={"done": _("Done")}, settle=executions.settle,
    )  # fmt: skip


KINDS = {
    kind.name: kind
    for kind in (
        sleeping("test.sleeping", OnLost.RERUN),
        sleeping("test.sleeping_once", OnLost.STOP),
        working("test.faulty", Faulty(), OnLost.STOP),
    )
}


@pytest.fixture
def worker(runner: RunnerLink) -> Iterator[Dispatcher]:
    with kinds.KINDS.replaced(Kinds(*KINDS.values())):
        made = Dispatcher(settings.POSTERN.home, "worker", poll_s=0.05)
        made.start()
        yield made
        made.stop()


@pytest.fixture
def host(hosts: Hosts) -> Sshd:
    return hosts.start("host")


@pytest.fixture
def start(
    worker: Dispatcher, host: Sshd, make_asset: Callable[..., str], admin_of: Callable[[Sshd], str]
) -> Callable[..., Job]:
    """Starts a job of this kind on some assets, and waits until it has begun on one of them."""
    admin_user = admin_of(host)

    def make(kind: str, number: int = 1) -> Job:
        ids = [UUID(make_asset(f"{kind}-{n}", host.port, admin_user=admin_user)) for n in range(number)]
        job = executions.start(
            actor=SYSTEM,
            org_id=DEFAULT_ORG_ID,
            kind=KINDS[kind],
            argument=AssetsArgument(assets=tuple(ids)),
            plan=executions.Plan(name="sleeping", subject="", steps=[]),
            hosts=[executions.Host(asset_id=one, hostname=f"web-{n}", ip="127.0.0.1") for n, one in enumerate(ids)],
        )
        if kind != "test.faulty":
            shells(host, number)
        return job

    return make


def shells(host: Sshd, number: int) -> list[int]:
    """Wait until this many scripts have begun; returns their process ids."""
    file = host.directory / "home" / "started"
    for _try in range(600):
        if file.exists() and len(pids := file.read_text().split()) >= number:
            return [int(pid) for pid in pids]
        time.sleep(0.1)
    raise AssertionError("the script did not begin")


def is_running(pid: int) -> bool:
    shown = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(shown) and not shown.startswith("Z")


def results(job: Job) -> set[tuple[str, str]]:
    return {(row.state, row.result) for row in HostOutcome.objects.filter(execution_id=job.pk)}


def test_cancelled_job_ends_its_programs_on_the_hosts(start: Callable[..., Job], host: Sshd) -> None:
    job = start("test.sleeping", 3)
    began = time.monotonic()
    engine.cancel(actor=SYSTEM, job_id=job.pk)
    assert ended(job).state == JobState.CANCELLED
    assert time.monotonic() - began < 20
    assert results(job) == {("ended", HostResult.STOPPED)}
    assert not any(map(is_running, shells(host, 3)))


def test_fault_of_ours_at_one_host_ends_neither_the_others_nor_other_jobs(
    start: Callable[..., Job], host: Sshd, caplog: pytest.LogCaptureFixture
) -> None:
    other = start("test.sleeping")
    job = ended(start("test.faulty", 4))
    found = {row.position: (row.result, row.message) for row in HostOutcome.objects.filter(execution_id=job.pk)}
    assert found == {
        0: (HostResult.FAULT, "ZeroDivisionError"),
        1: (HostResult.FAULT, "ValueError"),
        2: (HostResult.DONE, ""),
        3: (HostResult.DONE, ""),
    }
    assert "as expected by this test" in caplog.text
    assert is_running(shells(host, 1)[0])
    engine.cancel(actor=SYSTEM, job_id=other.pk)
    assert ended(other).state == JobState.CANCELLED


def test_job_goes_on_when_the_database_refuses_for_a_moment(
    start: Callable[..., Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    refusals = iter([OperationalError("as expected by this test")] * 3)
    real = JobRun.progress

    def progress(self: JobRun, *counts: int) -> None:
        if (error := next(refusals, None)) is not None:
            raise error
        real(self, *counts)

    monkeypatch.setattr(JobRun, "progress", progress)
    job = ended(start("test.faulty", 4))
    assert next(refusals, None) is None, "the database was asked"
    assert {row.state for row in HostOutcome.objects.filter(execution_id=job.pk)} == {HostState.ENDED}
    assert job.outcome == "done"


def test_job_out_of_time_ends_its_programs(
    start: Callable[..., Job], host: Sshd, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = start("test.sleeping")
    # The limit is over once the script runs: a limit of seconds could be over before, on a busy machine.
    later = SimpleNamespace(monotonic_s=lambda: clock.monotonic_s() + 600)
    monkeypatch.setattr(job_run, "clock", later)
    ended(job)
    assert (job.state, job.outcome) == (JobState.FAILED, "time_limit")
    assert results(job) == {("ended", HostResult.STOPPED)}
    assert not any(map(is_running, shells(host, 1)))


def test_killed_runner_leaves_hosts_unknown_that_had_begun(start: Callable[..., Job], runner: RunnerLink) -> None:
    job = start("test.sleeping", 2)
    runner.kill()
    assert ended(job).state == JobState.FAILED
    assert results(job) == {("ended", HostResult.UNKNOWN)}


def test_worker_that_stops_gives_back_what_can_be_repeated(
    start: Callable[..., Job], worker: Dispatcher, host: Sshd
) -> None:
    job = start("test.sleeping")
    worker.stop()
    job.refresh_from_db()
    assert job.state == JobState.WAITING
    assert not any(map(is_running, shells(host, 1)))
    again = Dispatcher(settings.POSTERN.home, "another", poll_s=0.05)
    again.start()
    try:
        assert len(shells(host, 2)) == 2
        engine.cancel(actor=SYSTEM, job_id=job.pk)
        assert ended(job).state == JobState.CANCELLED
    finally:
        again.stop()


def test_worker_that_stops_ends_what_cannot_be_repeated(start: Callable[..., Job], worker: Dispatcher) -> None:
    job = start("test.sleeping_once")
    worker.stop()
    job.refresh_from_db()
    assert job.state == JobState.INTERRUPTED
    assert [state for state, _result in results(job)] == ["ended"]


def test_job_of_a_deleted_asset_says_so(worker: Dispatcher) -> None:
    job = executions.start(
        actor=SYSTEM,
        org_id=DEFAULT_ORG_ID,
        kind=KINDS["test.sleeping"],
        argument=AssetsArgument(),
        plan=executions.Plan(name="sleeping", subject="", steps=[]),
        hosts=[executions.Host(asset_id=uuid4(), hostname="gone", ip="127.0.0.1")],
    )
    assert ended(job).state == JobState.FAILED
    assert results(job) == {("ended", HostResult.REFUSED)}


def test_too_many_and_no_hosts_are_refused_and_nothing_is_stored(
    as_org_admin: APIClient, monkeypatch: pytest.MonkeyPatch, make_asset: Callable[..., str]
) -> None:
    monkeypatch.setattr(executions, "MAX_HOSTS", 1)
    ids = [make_asset(f"web-{number}", 22) for number in range(2)]
    body: dict[str, Any] = {"action": "test", "assets": ids}
    answer = as_org_admin.post("/api/v1/assets/assets/tasks/", body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "too_many_hosts")
    node = as_org_admin.post("/api/v1/assets/nodes/", {"value": "empty"}, format="json").json()["id"]
    answer = as_org_admin.post(f"/api/v1/assets/nodes/{node}/tasks/", {"action": "test"}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "no_hosts")
    assert not Job.objects.exists()


def test_equal_requests_join_the_open_job(as_org_admin: APIClient, make_asset: Callable[..., str]) -> None:
    asset = make_asset("web-1", 22)
    answers = [
        as_org_admin.post(f"/api/v1/assets/assets/{asset}/tasks/", {"action": "test"}, format="json").json()["task"]
        for _again in range(3)
    ]
    assert len(set(answers)) == 1
    assert HostOutcome.objects.count() == 1


@pytest.fixture(autouse=True)
def no_program_stays(hosts: Hosts) -> Iterator[None]:
    """End what a test left on its hosts."""
    yield
    for file in hosts.folder.glob("*/home/started"):
        for pid in map(int, file.read_text().split()):
            try:
                os.killpg(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
