"""Jobs reach exactly one final state: claims, fences, leases, limits, cancellation."""

import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils import translation

from factories.jobs import Numbered, Workshop, ended, kind
from peers.small_volume import fill, small_volume
from postern.apps.audits.api.field_words import FIELD_WORDS
from postern.apps.audits.models import AuditEvent
from postern.apps.jobs.engine import actions, claims, endings, housekeeping, kinds, running
from postern.apps.jobs.engine.dispatcher import Dispatcher
from postern.apps.jobs.engine.errors import JobOver, Lost, UnknownKind
from postern.apps.jobs.engine.job_run import JobRun
from postern.apps.jobs.engine.kinds import ENGINE_OUTCOMES, KINDS, JobKind, Kinds, Outcome
from postern.apps.jobs.engine.models import Job, JobState
from postern.apps.jobs.logs.files import LogReader
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.ids import DEFAULT_ORG_ID, new_id

pytestmark = pytest.mark.django_db(transaction=True)
Workers = Callable[..., Dispatcher]


def accept(name: str, number: int = 0, org_id: Any = DEFAULT_ORG_ID) -> Job:
    return actions.accept(actor=SYSTEM, org_id=org_id, kind=name, argument=Numbered(number))


def records(event: str) -> list[dict[str, Any]]:
    return [row.new or {} for row in AuditEvent.objects.filter(event=event).order_by("sequence")]


def expire(job: Job) -> None:
    """The lease of the job is over: its worker was not heard of."""
    Job.objects.filter(pk=job.pk).update(lease_until=Now() - timedelta(seconds=1))


def claim_one(name: str, holder: str = "worker") -> Job:
    (job,) = claims.claim({name: 1}, holder=holder)
    return job


def test_accepted_jobs_run_once_and_are_recorded(make_worker: Workers, workshop: Workshop) -> None:
    jobs = [accept("test.quick", number) for number in range(20)]
    make_worker()
    for job in jobs:
        assert ended(job).state == JobState.SUCCEEDED
        assert (job.outcome, job.token, job.open_key) == ("done", 1, None)
        assert job.date_start is not None
        assert job.date_finished is not None
        assert job.date_finished >= job.date_start
    assert sorted(workshop.ran) == list(range(20))
    assert [new["number"] for new in records("job.requested")] == list(range(20))
    assert len(records("job.finished")) == 20


def test_job_of_a_transaction_that_fails_does_not_exist(make_worker: Workers, workshop: Workshop) -> None:
    def fail() -> None:
        with transaction.atomic():
            accept("test.quick")
            raise InterruptedError

    with pytest.raises(InterruptedError):
        fail()
    assert Job.objects.count() == 0
    assert records("job.requested") == []


def test_unknown_kinds_are_refused_and_ended(make_worker: Workers, test_kinds: None) -> None:
    with pytest.raises(UnknownKind):
        accept("test.nothing")
    job = accept("test.quick")
    Job.objects.filter(pk=job.pk).update(kind="of.a.newer.version")
    make_worker()
    assert (ended(job).state, job.outcome) == (JobState.FAILED, "kind_unknown")


def test_work_that_raises_fails_and_says_so(
    make_worker: Workers, test_kinds: None, tmp_path: Any, caplog: pytest.LogCaptureFixture
) -> None:
    job = accept("test.broken", 7)
    make_worker()
    assert (ended(job).state, job.outcome) == (JobState.FAILED, "fault")
    assert "number 7" in caplog.text  # the operator learns why, the person does not
    assert b"number 7" not in LogReader(tmp_path, job.pk).read(0, 10_000)


def test_equal_requests_join_an_open_job(make_worker: Workers, workshop: Workshop) -> None:
    def ask(_number: int) -> Any:
        try:
            return accept("test.joining", 1).pk
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        asked = set(pool.map(ask, range(20)))
    assert len(asked) == 1
    assert accept("test.joining", 2).pk not in asked
    assert accept("test.joining", 1, new_id()).pk not in asked
    workshop.release.set()
    make_worker()
    ended(Job.objects.get(pk=asked.pop()))
    assert Job.objects.count() == 3
    accept("test.joining", 1)  # the first one is over
    assert Job.objects.count() == 4


def test_request_does_not_join_a_job_that_ends_while_it_is_stored(
    test_kinds: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = accept("test.joining", 1)
    look, looks = actions._open_job, []

    def look_late(*args: Any, **options: Any) -> Job | None:
        looks.append(args)
        if len(looks) == 1:
            return None  # the other request was not committed yet
        Job.objects.filter(pk=first.pk).update(state=JobState.SUCCEEDED, open_key=None)
        return look(*args, **options)

    monkeypatch.setattr(actions, "_open_job", look_late)
    assert accept("test.joining", 1).pk != first.pk
    assert len(looks) == 2


def test_limits_of_a_kind_hold_over_all_workers(make_worker: Workers, workshop: Workshop) -> None:
    first, second, third = new_id(), new_id(), new_id()
    for org_id in (first, first, first, second, third):
        accept("test.narrow", org_id=org_id)
    make_worker("a")
    make_worker("b")
    for _ in range(2):
        assert workshop.held.acquire(timeout=30)
    assert not workshop.held.acquire(timeout=0.5)
    running_now = Job.objects.filter(state=JobState.RUNNING)
    # Two in the whole installation, one in each organization.
    assert len(set(running_now.values_list("org_id", flat=True))) == running_now.count() == 2
    workshop.release.set()
    for job in Job.objects.all():
        assert ended(job).state == JobState.SUCCEEDED


def test_one_person_does_not_take_all_places_of_a_kind(workshop: Workshop) -> None:
    def waiting(person: Any) -> Any:
        job = Job.objects.create(org_id=DEFAULT_ORG_ID, kind="test.personal", argument={}, created_by_id=person)
        return job.pk

    many, few = new_id(), new_id()
    of_many = {waiting(many), waiting(many), waiting(many)}
    other, *nobodys = waiting(few), waiting(None), waiting(None), waiting(None)
    with kinds.KINDS.replaced(
        Kinds(kind("test.personal", workshop.quick, at_once=9, at_once_in_org=9, at_once_of_one=2))
    ):
        claimed = {job.pk for job in claims.claim({"test.personal": 9}, holder="worker")}
        # Which two of three that were accepted in the same moment is left open.
        assert claimed - of_many == {other, *nobodys}
        [left] = of_many - claimed
        assert claims.claim({"test.personal": 9}, holder="another") == []
        Job.objects.filter(pk=(of_many & claimed).pop()).update(state=JobState.SUCCEEDED)
        assert [job.pk for job in claims.claim({"test.personal": 9}, holder="worker")] == [left]


def test_stuck_kind_holds_up_no_other(make_worker: Workers, workshop: Workshop) -> None:
    for _ in range(10):
        accept("test.hold")
    make_worker()
    for _ in range(4):
        assert workshop.held.acquire(timeout=30)
    assert ended(accept("test.quick", 5)).state == JobState.SUCCEEDED


def test_lost_worker_writes_nothing_any_more(test_kinds: None, workshop: Workshop, tmp_path: Any) -> None:
    """A worker is frozen past its lease; another one takes the job over and ends it."""
    accept("test.quick", 3)
    old = claim_one("test.quick", "frozen")
    expire(old)
    assert claims.sweep() == 1
    new = claim_one("test.quick", "successor")
    assert (new.pk, new.token, new.losses) == (old.pk, 2, 1)
    assert claims.extend({old.pk: old.token}) == {}
    assert claims.extend({new.pk: new.token}) == {new.pk: False}

    effects: list[str] = []
    writer = running.open_log(tmp_path, old)
    late = JobRun(old, timedelta(minutes=1), writer, starts_again=True)
    with pytest.raises(Lost), late.write():
        effects.append("in the middle")
    with pytest.raises(Lost):
        late.progress(1, 1)
    with endings.final(old.pk, old.token) as ending:
        assert ending is None
    outcome = Outcome(code="done", effect=lambda: effects.append("at the end"))
    running.run(old, kind("test.quick", lambda _run, _argument: outcome), late)
    assert effects == []
    assert not claims.lose(old.pk, old.token)
    new.refresh_from_db()
    assert (new.state, new.token, new.holder) == (JobState.RUNNING, 2, "successor")


def test_effect_and_final_state_are_one(test_kinds: None, tmp_path: Any) -> None:
    def effect() -> None:
        accept("test.quick", 99)
        raise ValueError

    accept("test.quick")
    job = claim_one("test.quick")
    run = JobRun(job, timedelta(minutes=1), running.open_log(tmp_path, job), starts_again=True)
    running.run(job, kind("test.quick", lambda _run, _argument: Outcome(code="done", effect=effect)), run)
    job.refresh_from_db()
    assert (job.state, job.outcome) == (JobState.FAILED, "fault")
    assert Job.objects.count() == 1


def test_what_happens_with_lost_jobs_is_up_to_their_kind(test_kinds: None) -> None:
    once = accept("test.once")
    claim_one("test.once")
    expire(once)
    assert claims.sweep() == 1
    assert (ended(once).state, once.outcome) == (JobState.INTERRUPTED, "lost")
    again = accept("test.quick")
    for times in range(1, claims.MAX_LOSSES + 2):
        assert claim_one("test.quick").token == times
        expire(again)
        assert claims.sweep() == 1
    assert (ended(again).state, again.outcome, again.outcome_values) == (JobState.FAILED, "lost_often", {"times": 4})


def test_dead_predecessor_of_the_same_folder_is_not_waited_for(make_worker: Workers, workshop: Workshop) -> None:
    mine, others = accept("test.quick", 1), accept("test.hold", 2)
    claim_one("test.quick", "this folder")
    claim_one("test.hold", "another machine")
    make_worker("this folder", predecessor_is_gone=True)
    assert ended(mine).token == 2
    others.refresh_from_db()
    assert (others.state, others.holder) == (JobState.RUNNING, "another machine")


def test_cancelled_job_ends_within_seconds(
    make_worker: Workers, workshop: Workshop, people: dict[str, Any], acting: Callable[[Any], Any]
) -> None:
    job = accept("test.hold")
    make_worker()
    assert workshop.held.acquire(timeout=30)
    actor = acting(people["org_admin"])
    actions.cancel(actor=actor, job_id=job.pk)
    with suppress(JobOver):  # impatient people
        actions.cancel(actor=actor, job_id=job.pk)
    assert (ended(job).state, job.outcome) == (JobState.CANCELLED, "cancelled")
    assert job.outcome_values == {"by": "Olaf(olaf)"}
    assert workshop.ran == []
    assert len(records("job.cancelled")) == 1
    with pytest.raises(JobOver):
        actions.cancel(actor=actor, job_id=job.pk)


def test_cancelled_waiting_job_never_starts(
    make_worker: Workers, workshop: Workshop, people: dict[str, Any], acting: Callable[[Any], Any]
) -> None:
    job = accept("test.quick")
    actions.cancel(actor=acting(people["org_admin"]), job_id=job.pk)
    make_worker()
    assert ended(accept("test.quick", 2)).state == JobState.SUCCEEDED
    assert (ended(job).state, job.token, workshop.ran) == (JobState.CANCELLED, 0, [2])


def test_cancelled_job_of_a_lost_worker_is_not_started_again(
    test_kinds: None, people: dict[str, Any], acting: Callable[[Any], Any]
) -> None:
    job = accept("test.quick")
    claim_one("test.quick")
    actions.cancel(actor=acting(people["org_admin"]), job_id=job.pk)
    expire(job)
    claims.sweep()
    assert ended(job).state == JobState.CANCELLED


def test_job_whose_log_does_not_fit_on_the_disk_ends_at_once_and_is_not_repeated(
    workshop: Workshop, tmp_path: Path
) -> None:
    def fill_the_disk(job: JobRun, argument: Numbered) -> Outcome:
        workshop.ran.append(argument.number)
        fill(volume)
        job.say("does not fit")
        job.say("neither does this")
        job.check()
        return Outcome(code="done")

    with (
        small_volume(tmp_path / "volume", megabytes=1) as volume,
        kinds.KINDS.replaced(Kinds(kind("test.filling", fill_the_disk))),
    ):
        worker = Dispatcher(volume, "worker", poll_s=0.05, heartbeat_s=0.1)
        worker.start()
        try:
            job = ended(accept("test.filling", 1))
        finally:
            worker.stop()
    assert (job.state, job.outcome, job.losses) == (JobState.FAILED, "log_lost", 0)
    assert workshop.ran == [1]


def test_unexpected_error_ends_neither_thread_of_a_worker(
    make_worker: Workers, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = {"is_anything_due", "sweep", "extend"}

    def failing_once(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def made(*args: Any, **options: Any) -> Any:
            if name in failing:
                failing.remove(name)
                raise ValueError(name)
            return call(*args, **options)

        return made

    for name in sorted(failing):
        monkeypatch.setattr(claims, name, failing_once(name, getattr(claims, name)))
    make_worker()
    job = accept("test.hold")
    assert workshop.held.acquire(timeout=60)
    give_up_at = time.monotonic() + 60
    while failing:
        assert time.monotonic() < give_up_at, failing
        time.sleep(0.02)
    actions.cancel(actor=SYSTEM, job_id=job.pk)
    assert ended(job).state == JobState.CANCELLED


def test_job_that_gets_no_thread_waits_again(
    make_worker: Workers, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, refused = threading.Thread.start, []

    def start_later(thread: threading.Thread) -> None:
        if thread.name == "job test.once" and not refused:
            refused.append(thread)
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_later)
    workshop.release.set()
    make_worker()
    job = ended(accept("test.once", 5))
    assert (len(refused), job.state, job.losses, workshop.ran) == (1, JobState.SUCCEEDED, 0, [5])


def test_time_limit_ends_a_job(make_worker: Workers, workshop: Workshop) -> None:
    job = accept("test.short")
    make_worker()
    assert (ended(job).state, job.outcome) == (JobState.FAILED, "time_limit")


def test_stopping_worker_returns_its_jobs(make_worker: Workers, workshop: Workshop) -> None:
    again, once = accept("test.hold", 1), accept("test.once", 2)
    worker = make_worker()
    for _ in range(2):
        assert workshop.held.acquire(timeout=30)
    assert worker.stop()
    again.refresh_from_db()
    assert (again.state, again.losses) == (JobState.WAITING, 0)
    assert (ended(once).state, once.outcome) == (JobState.INTERRUPTED, "lost")
    workshop.release.set()
    make_worker("another")
    assert ended(again).token == 2


def test_a_stopping_worker_waits_for_jobs_of_a_claim_under_way(
    make_worker: Workers, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job that begins while the worker stops is told to return, and the worker does not leave before it."""
    claimed, go_on = threading.Event(), threading.Event()
    claim = claims.claim

    def slow(*arguments: Any, **more: Any) -> list[Job]:
        jobs = claim(*arguments, **more)
        claimed.set()
        go_on.wait(10)
        return jobs

    monkeypatch.setattr(claims, "claim", slow)
    job = accept("test.hold")
    worker = make_worker()
    assert claimed.wait(10)
    with ThreadPoolExecutor(1) as pool:
        stopped = pool.submit(worker.stop)
        time.sleep(0.2)
        go_on.set()
        assert stopped.result()
    assert Job.objects.get(pk=job.pk).state == JobState.WAITING
    assert workshop.ran == []


def test_old_jobs_are_deleted_with_their_logs(make_worker: Workers, workshop: Workshop, tmp_path: Any) -> None:
    old, young = accept("test.quick", 1), accept("test.quick", 2)
    make_worker()
    for job in (old, young):
        ended(job)
    waiting = accept("test.hold")
    Job.objects.filter(pk=old.pk).update(date_finished=Now() - housekeeping.KEPT - timedelta(hours=1))
    assert housekeeping.forget_old(tmp_path) == 1
    assert set(Job.objects.values_list("pk", flat=True)) == {young.pk, waiting.pk}
    assert not LogReader(tmp_path, old.pk).exists()
    assert LogReader(tmp_path, young.pk).exists()


def test_two_kinds_cannot_have_one_name() -> None:
    def nothing(_run: JobRun, _argument: Numbered) -> Outcome:
        return Outcome(code="done")

    with pytest.raises(ValueError, match="same name"):
        Kinds(kind("test.twice", nothing), kind("test.twice", nothing))


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_every_kind_says_how_its_jobs_ended(language: str) -> None:
    """Each outcome of the product's kinds is a sentence with all its values, in both languages."""
    values = {
        "nodes": 3,
        "assets": 4,
        "faults": 5,
        "by": "Ann",
        "minutes": 6,
        "times": 7,
        "number": 8,
        "total": 9,
        "succeeded": 8,
        "failed": 1,
    }
    values |= {"seconds": "0.5", "why": "It is closed."}
    with translation.override(language):
        for one in KINDS.value:
            declared: JobKind[Any] = one
            for code in (*declared.outcomes, *ENGINE_OUTCOMES):
                assert "%" not in declared.sentence(code, values)
                assert declared.sentence(code, values)
            assert declared.sentence("unheard of", {}) == ""


def test_what_the_log_records_of_jobs_has_words() -> None:
    """Every value of arguments and outcomes that the operation log shows."""
    columns = {field.name for field in Job._meta.concrete_fields}
    for one in KINDS.value:
        declared: JobKind[Any] = one
        recorded = {field.name for field in msgspec.structs.fields(declared.argument)}
        for sentence in (*declared.outcomes.values(), *ENGINE_OUTCOMES.values()):
            recorded |= set(re.findall(r"%\((\w+)\)", str(sentence)))
        assert {*recorded, "outcome"} - columns - FIELD_WORDS.keys() == set(), declared.name
