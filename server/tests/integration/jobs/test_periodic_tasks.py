"""Postern's own periodic tasks: what is noted about them, and switching them."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from postern.apps.audits.models import AuditEvent
from postern.apps.jobs.models import PeriodicTask
from postern.apps.jobs.periodic_tasks import actions, purposes
from postern.apps.jobs.periodic_tasks.actions import Runs
from postern.apps.jobs.periodic_tasks.noting import RunsNoted
from postern.apps.users.models import User
from postern.entrypoints import celery
from postern.kernel import clock

URL = "/api/v1/ops/celery/period-tasks/"
DUE = "postern.jobs.run_due"
SWEEP = "postern.apps.sessions.tasks.sweep_permissions"


@pytest.fixture
def admin(people: dict[str, User], client_of: Callable[[User | None], APIClient]) -> APIClient:
    actions.adopt(celery.app.conf.beat_schedule)
    client = client_of(people["admin"])
    client.cookies["django_language"] = "en"
    return client


def row_of(client: APIClient, task: str) -> dict[str, Any]:
    [row] = client.get(f"{URL}?task={task}").json()
    return dict(row)


def test_each_task_of_the_schedule_says_what_it_is_for() -> None:
    scheduled = {entry["task"] for entry in celery.app.conf.beat_schedule.values()}
    assert scheduled == set(purposes.PURPOSES)
    assert scheduled >= purposes.OPTIONAL


@pytest.mark.django_db
def test_task_that_is_switched_off_does_not_run_until_it_is_switched_on(
    admin: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[str] = []
    monkeypatch.setattr("postern.apps.jobs.tasks.run_due", lambda: runs.append("run"))
    monkeypatch.setattr(celery, "_runs", RunsNoted())
    task = celery.app.tasks[DUE]
    row = row_of(admin, DUE)
    for enabled in (False, True):
        assert admin.patch(f"{URL}{row['id']}/", {"enabled": enabled}, format="json").json()["enabled"] is enabled
        assert admin.patch(f"{URL}{row['id']}/", {"enabled": enabled}, format="json").status_code == 200
        task()
    assert runs == ["run"]
    shown = row_of(admin, DUE)
    assert (shown["total_run_count"], shown["last_run_at"] is not None) == (1, True)
    assert [event.new for event in AuditEvent.objects.filter(event="periodictask.updated").order_by("sequence")] == [
        {"enabled": False},
        {"enabled": True},
    ]


@pytest.mark.django_db
def test_task_that_safety_needs_stays_on_and_the_refusal_says_why(admin: APIClient) -> None:
    row = row_of(admin, SWEEP)
    answer = admin.patch(f"{URL}{row['id']}/", {"enabled": False}, format="json")
    assert answer.status_code == 400
    assert "after their permission" in answer.json()["enabled"][0]
    assert row["why_required"] in answer.json()["enabled"][0]
    # Not even by writing into the table.
    PeriodicTask.objects.update(enabled=False)
    assert not actions.is_off(SWEEP)
    assert actions.is_off(DUE)


@pytest.mark.django_db
def test_only_whether_it_is_on_can_be_changed(admin: APIClient) -> None:
    row = row_of(admin, DUE)
    admin.patch(f"{URL}{row['id']}/", {"name": "other", "task": "other", "total_run_count": 7}, format="json")
    assert row_of(admin, DUE) == row
    assert admin.delete(f"{URL}{row['id']}/").status_code == 405


@pytest.mark.django_db
def test_runs_are_written_once_a_minute_and_the_schedule_of_a_release_is_adopted(admin: APIClient) -> None:
    now = [0.0]
    noted = RunsNoted(lambda: now[0])
    for now[0] in (0.0, 20.0, 40.0):
        noted.note(DUE, clock.now())
    assert row_of(admin, DUE)["total_run_count"] == 1
    now[0] = 61.0
    noted.note(DUE, clock.now())
    assert row_of(admin, DUE)["total_run_count"] == 4
    actions.adopt({name: entry for name, entry in celery.app.conf.beat_schedule.items() if entry["task"] == DUE})
    assert [row["total_run_count"] for row in admin.get(URL).json()] == [4]


@pytest.mark.django_db
def test_outcome_is_that_of_the_last_run_and_names_the_kind_of_its_error_alone(
    admin: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(celery, "_runs", RunsNoted(lambda: now[0]))
    task = celery.app.tasks[DUE]

    def fail() -> None:
        raise LookupError("password 7f3a")

    assert row_of(admin, DUE)["last_outcome"] == ""
    monkeypatch.setattr("postern.apps.jobs.tasks.run_due", fail)
    with pytest.raises(LookupError):
        task()
    row = row_of(admin, DUE)
    assert (row["last_outcome"], row["last_outcome_display"], row["last_error"]) == ("failed", "Failed", "LookupError")
    assert "7f3a" not in str(row)
    monkeypatch.setattr("postern.apps.jobs.tasks.run_due", lambda: None)
    now[0] = 61.0
    task()
    row = row_of(admin, DUE)
    assert (row["last_outcome"], row["last_error"], row["total_run_count"]) == ("succeeded", "", 2)
    # Another worker tells of a run that began before.
    earlier = Runs(3, clock.now() - timedelta(hours=1), "OSError")
    actions.note_runs({DUE: earlier})
    assert row_of(admin, DUE) == {**row, "total_run_count": 5}


@pytest.mark.django_db
def test_next_run_follows_from_the_last_one_unless_it_is_off_or_overdue(admin: APIClient) -> None:
    def next_run(*, passed_s: float, enabled: bool = True) -> float | None:
        last = clock.now() - timedelta(seconds=passed_s)
        PeriodicTask.objects.filter(task=DUE).update(last_run_at=last, interval_s=100, enabled=enabled)
        due = PeriodicTask.objects.get(task=DUE).next_run_at
        return None if due is None else (due - last).total_seconds()

    assert PeriodicTask.objects.get(task=DUE).next_run_at is None
    assert next_run(passed_s=30) == 100
    # Runs are told once a minute: this one may have run since.
    assert next_run(passed_s=130) == 200
    assert next_run(passed_s=400) is None
    assert next_run(passed_s=30, enabled=False) is None
    assert "next_run_at" in row_of(admin, DUE)
