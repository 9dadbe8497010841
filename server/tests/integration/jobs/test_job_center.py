"""The job center: tasks that are run again and by themselves, their versions and executions, what they show of hosts."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db.models.functions import Now
from rest_framework.test import APIClient

from factories.asset_hosts import Hosts
from factories.at_once import at_once
from factories.grants import make_asset as plain_asset
from factories.grants import make_node, make_system_user
from peers.ports import free_port
from peers.sshd import Sshd
from postern.apps.assets.models import Asset
from postern.apps.assets.tree.actions import ensure_root
from postern.apps.audits.models import AuditEvent
from postern.apps.jobs.asset_tasks.actions import chosen, start_for_assets
from postern.apps.jobs.connectivity.job import TEST_ASSETS
from postern.apps.jobs.engine import housekeeping
from postern.apps.jobs.executions import old_records
from postern.apps.jobs.job_center import due
from postern.apps.jobs.job_center.due import run_due
from postern.apps.jobs.models import Execution, HostOutcome, HostTask, Job, TaskVersion
from postern.apps.orgs.models import Organization
from postern.apps.users.models import User
from postern.apps.vault.models import SystemUserAsset
from postern.apps.vault.system_users.actions import bind
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID

TASKS, ADHOC, EXECUTIONS = "/api/v1/ops/tasks/", "/api/v1/ops/adhoc/", "/api/v1/ops/adhoc-executions/"
ENGLISH = {"Accept-Language": "en"}


def started(answer: Any) -> Job:
    assert answer.status_code in {200, 201}, answer.content
    return Job.objects.get(pk=answer.json()["task"])


def make_task(client: APIClient, **body: Any) -> dict[str, Any]:
    answer = client.post(TASKS, {"name": "task", **body}, format="json")
    assert answer.status_code == 201, answer.content
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.spec("S4-050")
@pytest.mark.django_db(transaction=True)
def test_execution_shows_each_host_and_its_task_can_be_run_again(
    run: Callable[..., Job],
    as_org_admin: APIClient,
    hosts: Hosts,
    make_asset: Callable[..., str],
    admin_of: Callable[[Sshd], str],
) -> None:
    server = hosts.start("one")
    admin = admin_of(server)
    good, gone = make_asset("good", server.port, admin_user=admin), make_asset("gone", free_port(), admin_user=admin)
    job = run("/api/v1/assets/assets/tasks/", action="test", assets=[good, gone])

    [task] = as_org_admin.get(TASKS).json()
    assert (task["name"], task["kind"]) == ("Test connectivity: 2 assets", "assets.test")
    assert task["summary"] == {"total": 1, "success": 0, "failed": 1}
    latest = task["latest_execution"]
    assert latest["id"] == str(job.pk)
    assert latest["stat"] == {"total": 2, "success": 1, "failed": 1, "pending": 0}
    assert latest["last_success"] == ["good"]
    assert set(latest["last_failure"]) == {"gone"}
    assert latest["last_failure"]["gone"][task["name"]]["msg"]
    assert (latest["is_finished"], latest["is_success"]) == (True, False)
    assert latest["timedelta"] > 0

    one = as_org_admin.get(f"{EXECUTIONS}{job.pk}/", headers=ENGLISH).json()
    assert one["summary"] == "Assets: 2, succeeded: 1, failed: 1."
    rows = as_org_admin.get(f"{EXECUTIONS}{job.pk}/hosts/?result=done").json()
    assert [(row["hostname"], row["state"]) for row in rows] == [("good", "ended")]
    assert [row["hostname"] for row in as_org_admin.get(f"{EXECUTIONS}{job.pk}/hosts/?search=gon").json()] == ["gone"]

    # The asset that failed has left; the others are tested again, which is another version of the task.
    assert as_org_admin.delete(f"/api/v1/assets/assets/{gone}/").status_code == 204
    again = run(f"{TASKS}{task['id']}/run/", expects=200)
    [version, first] = as_org_admin.get(f"{ADHOC}?task={task['id']}").json()
    assert (version["hosts"], set(first["hosts"])) == ([good], {good, gone})
    assert version["tasks"] == [{"name": "Test connectivity", "action": {"module": "assets.test", "args": ""}}]
    detail = as_org_admin.get(f"{ADHOC}{version['id']}/").json()
    assert detail["latest_execution"]["id"] == str(again.pk)
    assert [row["id"] for row in as_org_admin.get(f"{EXECUTIONS}?task={task['id']}").json()] == [
        str(again.pk),
        str(job.pk),
    ]
    assert [row["id"] for row in as_org_admin.get(f"{EXECUTIONS}?adhoc={first['id']}").json()] == [str(job.pk)]
    assert as_org_admin.get(f"{TASKS}{task['id']}/").json()["summary"] == {"total": 2, "success": 1, "failed": 1}


@pytest.mark.django_db
def test_task_of_a_node_means_the_assets_that_are_there_when_it_runs(as_org_admin: APIClient) -> None:
    node = make_node("rack")
    plain_asset("one", nodes=[node])
    task = make_task(as_org_admin, kind="assets.refresh", node=str(node.pk))
    assert task["subject"].endswith("/rack")
    first = started(as_org_admin.post(f"{TASKS}{task['id']}/run/"))
    Job.objects.filter(pk=first.pk).update(state="succeeded", open_key=None)
    plain_asset("two", nodes=[node])
    second = started(as_org_admin.get(f"{TASKS}{task['id']}/run/"))
    assert [list(HostOutcome.objects.filter(execution=job.pk).values_list("hostname", flat=True)) for job in
            (first, second)] == [["one"], ["one", "two"]]  # fmt: skip
    assert Execution.objects.filter(task=task["id"]).count() == 2
    Asset.objects.all().delete()
    node.delete()
    Job.objects.filter(pk=second.pk).update(state="succeeded", open_key=None)
    refused = as_org_admin.post(f"{TASKS}{task['id']}/run/", headers=ENGLISH)
    assert (refused.status_code, refused.json()["detail"]) == (400, "The node was deleted.")


@pytest.mark.django_db(transaction=True)
def test_works_that_would_have_the_same_name_can_begin_at_the_same_time() -> None:
    assets = [plain_asset(f"web-{number}") for number in range(12)]
    works = [chosen([first, second]) for first, second in zip(assets[::2], assets[1::2], strict=True)]
    jobs = at_once(
        *(
            partial(start_for_assets, actor=SYSTEM, org_id=DEFAULT_ORG_ID, kind=TEST_ASSETS, argument=work)
            for work in works
        )
    )
    names = set(HostTask.objects.values_list("name", flat=True))
    assert (len({job.pk for job in jobs}), len(names)) == (len(works), len(works))


@pytest.mark.django_db
def test_task_of_a_system_user_means_the_accounts_that_are_there_when_it_runs(as_org_admin: APIClient) -> None:
    user, other = make_system_user("deploy"), make_system_user("other")
    assets = [plain_asset(name) for name in ("one", "two")]
    for row in (user, other):
        bind(actor=SYSTEM, row=SystemUserAsset(systemuser=row, asset=assets[0]))
    task = make_task(as_org_admin, kind="accounts.test", system_users=[str(user.pk)])
    job = started(as_org_admin.post(f"{TASKS}{task['id']}/run/"))
    assert [(row.hostname, row.system_user_id) for row in HostOutcome.objects.filter(execution=job.pk)] == [
        ("one", user.pk)
    ]
    Job.objects.filter(pk=job.pk).update(state="succeeded", open_key=None)
    bind(actor=SYSTEM, row=SystemUserAsset(systemuser=user, asset=assets[1]))
    job = started(as_org_admin.post(f"{TASKS}{task['id']}/run/"))
    assert HostOutcome.objects.filter(execution=job.pk).count() == 2


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"crontab": "* * * *"}, "crontab"),
        ({"crontab": "0 * * * * *"}, "crontab"),
        ({"crontab": "@daily"}, "crontab"),
        ({"crontab": "0 0 31 2 *"}, "crontab"),
        ({"crontab": "61 * * * *"}, "crontab"),
        ({"crontab": "5-1 * * * *"}, "crontab"),
        ({"interval": 0}, "interval"),
        ({"interval": 8_785}, "interval"),
        ({"interval": None, "is_periodic": True}, "interval"),
        ({"interval": None, "crontab": "", "is_periodic": True}, "interval"),
        ({"kind": "nodes.check"}, "kind"),
        ({"kind": "assets.test"}, "assets"),
        ({"kind": "accounts.push"}, "system_users"),
        ({"assets": ["{asset}"]}, "kind"),
        ({"kind": "assets.test", "assets": ["{theirs}"]}, "assets"),
    ],
)
def test_wrong_task_is_refused_with_the_field_named(body: dict[str, Any], field: str, as_org_admin: APIClient) -> None:
    there = Organization.objects.create(name="Elsewhere")
    ensure_root(actor=SYSTEM, org_id=there.pk, name="Elsewhere")
    ids = {"{asset}": str(plain_asset("ours").pk), "{theirs}": str(plain_asset("theirs", org_id=there.pk).pk)}
    if "assets" in body:
        body = {**body, "assets": [ids[name] for name in body["assets"]]}
    answer = as_org_admin.post(TASKS, {"name": "task", **body}, format="json")
    assert (answer.status_code, list(answer.json())) == (400, [field]), answer.content
    assert not HostTask.objects.exists()


@pytest.mark.django_db
@pytest.mark.spec("S5-043")
def test_crontab_comes_before_the_interval_and_the_next_runs_are_shown(
    as_org_admin: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = clock.now().replace(year=2026, month=3, day=28, hour=12, minute=0, second=0, microsecond=0)
    monkeypatch.setattr(clock, "now", lambda: now)
    task = make_task(as_org_admin, crontab="30  4 * * *", interval=2, is_periodic=True)
    assert task["crontab"] == "30 4 * * *"
    assert [run[:16] for run in task["next_runs"]] == ["2026/03/29 04:30", "2026/03/30 04:30", "2026/03/31 04:30"]
    changed = as_org_admin.patch(f"{TASKS}{task['id']}/", {"crontab": None}, format="json").json()
    assert [run[:16] for run in changed["next_runs"]] == ["2026/03/28 14:00", "2026/03/28 16:00", "2026/03/28 18:00"]
    stopped = as_org_admin.patch(f"{TASKS}{task['id']}/", {"is_periodic": False}, format="json").json()
    assert (stopped["next_runs"], stopped["date_due"]) == ([], None)


@pytest.mark.django_db
def test_due_task_runs_once_and_makes_up_for_missed_runs_by_one(
    as_org_admin: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    asset = plain_asset("one")
    task = make_task(as_org_admin, kind="assets.test", assets=[str(asset.pk)], interval=2, is_periodic=True)
    assert run_due() == 0
    now = clock.now() + timedelta(hours=7)
    monkeypatch.setattr(clock, "now", lambda: now)
    assert (run_due(), run_due()) == (1, 0)
    execution = Execution.objects.get(task=task["id"])
    assert execution.job.created_by == "System"
    due = HostTask.objects.get(pk=task["id"]).date_due
    assert due is not None
    assert now < due <= now + timedelta(hours=2)
    assert AuditEvent.objects.filter(event="job.requested", resource_id=str(execution.pk)).exists()


@pytest.mark.django_db
def test_due_task_that_cannot_run_is_recorded_and_keeps_no_other_waiting(
    as_org_admin: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone, there = plain_asset("gone"), plain_asset("there")
    empty = make_task(as_org_admin, name="empty", kind="assets.test", assets=[str(gone.pk)], is_periodic=True)
    idle = make_task(as_org_admin, name="idle", is_periodic=True)
    other = make_task(as_org_admin, name="other", kind="assets.test", assets=[str(there.pk)], is_periodic=True)
    Asset.objects.filter(pk=gone.pk).delete()
    later = clock.now() + timedelta(hours=25)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert (run_due(), run_due()) == (1, 0)
    assert [str(row.task_id) for row in Execution.objects.all()] == [other["id"]]
    told = AuditEvent.objects.filter(event="hosttask.not_run")
    assert {row.resource_id for row in told} == {empty["id"], idle["id"]}


@pytest.mark.django_db
def test_due_task_that_fails_in_our_own_code_is_recorded_and_gets_its_next_run(
    as_org_admin: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    asset = plain_asset("one")
    task = make_task(as_org_admin, kind="assets.test", assets=[str(asset.pk)], interval=2, is_periodic=True)
    now = clock.now() + timedelta(hours=3)
    monkeypatch.setattr(clock, "now", lambda: now)

    def fail(**_: Any) -> None:
        raise ZeroDivisionError("as expected by this test")

    monkeypatch.setattr(due, "run_task", fail)
    assert run_due() == 0
    date_due = HostTask.objects.get(pk=task["id"]).date_due
    assert date_due is not None
    assert date_due > now
    [told] = AuditEvent.objects.filter(event="hosttask.not_run")
    assert (told.resource_id, told.new) == (task["id"], {"reason": "ZeroDivisionError"})
    assert not Execution.objects.exists()


@pytest.mark.django_db
def test_executions_outlive_their_task(as_org_admin: APIClient) -> None:
    asset = plain_asset("one")
    task = make_task(as_org_admin, kind="assets.test", assets=[str(asset.pk)])
    job = started(as_org_admin.post(f"{TASKS}{task['id']}/run/"))
    assert as_org_admin.delete(f"{TASKS}{task['id']}/").status_code == 204
    assert not TaskVersion.objects.exists()
    kept = as_org_admin.get(f"{EXECUTIONS}{job.pk}/").json()
    assert (kept["task"], kept["task_display"], kept["adhoc"]) == (None, "task", None)
    assert as_org_admin.post(f"{TASKS}{task['id']}/run/").status_code == 404


@pytest.mark.django_db
def test_people_of_another_organization_find_nothing(
    as_org_admin: APIClient, client_of: Callable[[User | None], APIClient], make_user: Callable[..., User]
) -> None:
    there = Organization.objects.create(name="Elsewhere")
    stranger = client_of(make_user("sam", org_role="Admin", org_id=there.pk))
    theirs = {"X-JMS-ORG": str(there.pk)}
    task = make_task(as_org_admin, kind="assets.test", assets=[str(plain_asset("one").pk)])
    job = started(as_org_admin.post(f"{TASKS}{task['id']}/run/"))
    version = TaskVersion.objects.get()
    for path in (
        f"{TASKS}{task['id']}/",
        f"{TASKS}{task['id']}/run/",
        f"{ADHOC}{version.pk}/",
        f"{EXECUTIONS}{job.pk}/",
        f"{EXECUTIONS}{job.pk}/hosts/",
    ):
        assert stranger.get(path, headers=theirs).status_code == 404, path
        assert stranger.get(path).status_code in {403, 404}, path
    for path in (TASKS, ADHOC, EXECUTIONS):
        assert stranger.get(path, headers=theirs).json() == []


@pytest.mark.django_db
def test_old_executions_are_forgotten_with_the_tasks_that_nobody_made(
    as_org_admin: APIClient, tmp_path: Any, settings: Any
) -> None:
    asset = plain_asset("one")
    made = make_task(as_org_admin, kind="assets.test", assets=[str(asset.pk)])
    started(as_org_admin.post(f"{TASKS}{made['id']}/run/"))
    started(as_org_admin.post(f"/api/v1/assets/assets/{asset.pk}/tasks/", {"action": "refresh"}, format="json"))
    long_ago = Now() - (housekeeping.KEPT + timedelta(days=1))  # ages are measured by the clock of the database
    Job.objects.update(state="succeeded", date_finished=long_ago)
    HostTask.objects.update(date_updated=long_ago)
    TaskVersion.objects.update(date_created=long_ago)
    housekeeping.forget_old(tmp_path)
    old_records.forget_unused()
    assert not Execution.objects.exists()
    assert not TaskVersion.objects.exists()
    assert [str(row.pk) for row in HostTask.objects.all()] == [made["id"]]
    assert as_org_admin.get(TASKS).json()[0]["latest_execution"] is None


@pytest.mark.django_db
def test_lists_show_the_first_hosts_of_a_large_execution_and_their_number(as_org_admin: APIClient) -> None:
    task: HostTask = HostTask.objects.create(org_id=DEFAULT_ORG_ID, name="large")
    job = Job.objects.create(
        org_id=DEFAULT_ORG_ID, kind="assets.test", argument={}, state="failed", total=700, done=700, failed=10
    )
    execution = Execution.objects.create(
        job=job, org_id=DEFAULT_ORG_ID, task=task, task_display="large", hosts_amount=700
    )
    HostTask.objects.update(latest=job.pk)
    HostOutcome.objects.bulk_create(
        HostOutcome(
            execution=execution,
            position=number,
            asset_id=job.pk,
            hostname=f"host-{number}",
            ip="192.0.2.1",
            state="ended",
            result="unreachable" if number < 10 else "done",
        )
        for number in range(700)
    )
    listed = as_org_admin.get(TASKS).json()[0]["latest_execution"]
    assert (len(listed["last_success"]), len(listed["last_failure"])) == (90, 10)
    one = as_org_admin.get(f"{EXECUTIONS}{job.pk}/", headers=ENGLISH).json()
    assert (len(one["last_success"]), len(one["last_failure"])) == (490, 10)
    assert one["last_failure"]["host-0"]["large"]["msg"] == "Unreachable"
    assert one["stat"] == {"total": 700, "success": 690, "failed": 10, "pending": 0}
    page = as_org_admin.get(f"{EXECUTIONS}{job.pk}/hosts/?limit=15&result=unreachable").json()
    assert (page["count"], len(page["results"])) == (10, 10)
