"""Batch commands: one command on many hosts, with a real runner and real SSH servers."""

import hashlib
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from factories.asset_hosts import Hosts
from factories.grants import grant, make_asset, make_system_user
from factories.jobs import ended
from peers.ports import free_port
from peers.small_volume import fill, small_volume
from peers.sshd import Sshd
from postern.apps.acls.models import CommandFilter, CommandFilterRule, RuleAction
from postern.apps.assets.models import Asset
from postern.apps.audits.models import AuditEvent
from postern.apps.jobs.batch_commands import actions
from postern.apps.jobs.batch_commands.job import evidence_of
from postern.apps.jobs.engine import housekeeping
from postern.apps.jobs.engine.dispatcher import Dispatcher
from postern.apps.jobs.hosts.link import RunnerLink
from postern.apps.jobs.models import BatchCommand, HostOutcome, HostOutput, Job, JobState
from postern.apps.notifications.models import SiteMessage
from postern.apps.orgs.models import Organization
from postern.apps.orgs.roles import OrgRole
from postern.apps.perms.models import AssetPermission
from postern.apps.preferences.models import PreferenceValue
from postern.apps.users.models import Membership, User
from postern.apps.vault.models import SystemUser
from postern.foundation.bus import outbox
from postern.kernel import clock

COMMANDS, LOGS = "/api/v1/ops/command-executions/", "/api/v1/audits/command-execution-logs/"
RELATIONS = "/api/v1/audits/command-executions-hosts-relations/"
ENGLISH = {"Accept-Language": "en"}
pytestmark = pytest.mark.django_db(transaction=True)


@dataclass
class Estate:
    """Hosts that one user may reach with one system user."""

    user: User
    client: APIClient
    run_as: SystemUser
    permission: AssetPermission
    server: Sshd
    assets: list[Asset]

    def add(self, hostname: str, port: int) -> Asset:
        asset = make_asset(hostname, ip="127.0.0.1", protocols=[f"ssh/{port}"])
        self.permission.assets.add(asset)
        self.assets.append(asset)
        return asset

    def post(self, command: str, *, assets: list[Asset] | None = None, **more: Any) -> Any:
        chosen = self.assets if assets is None else assets
        body = {"command": command, "run_as": str(self.run_as.pk), "hosts": [str(one.pk) for one in chosen], **more}
        return self.client.post(COMMANDS, body, format="json", headers=ENGLISH)

    def start(self, command: str, **more: Any) -> BatchCommand:
        answer = self.post(command, **more)
        assert answer.status_code == 201, answer.content
        return BatchCommand.objects.get(pk=answer.json()["id"])

    def run(self, command: str, **more: Any) -> BatchCommand:
        row = self.start(command, **more)
        ended(row.job)
        row.refresh_from_db()
        return row

    def groups(self, row: BatchCommand) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.client.get(f"{COMMANDS}{row.pk}/groups/", headers=ENGLISH).json()
        return found

    def rows(self, row: BatchCommand, **query: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.client.get(f"{COMMANDS}{row.pk}/hosts/", query, headers=ENGLISH).json()
        return found


@pytest.fixture
def estate(people: dict[str, User], as_user: APIClient, hosts: Hosts) -> Estate:
    server = hosts.start("one")
    run_as = make_system_user("deploy", username=server.login, private_key=server.client_key.read_text())
    permission = grant(users=[people["user"]], assets=[make_asset()], system_users=[run_as])
    made = Estate(people["user"], as_user, run_as, permission, server, [])
    made.add("web-1", server.port)
    made.add("web-2", server.port)
    return made


@pytest.fixture
def worker(runner: RunnerLink) -> Iterator[Dispatcher]:
    made = Dispatcher(settings.POSTERN.home, "worker", poll_s=0.05)
    made.start()
    yield made
    made.stop()


def until(condition: Callable[[], Any]) -> Any:
    give_up_at = clock.monotonic_s() + 60
    while not (found := condition()):
        assert clock.monotonic_s() < give_up_at
        time.sleep(0.05)
    return found


def test_command_runs_on_each_host_and_equal_outputs_are_one_group(estate: Estate, worker: Dispatcher) -> None:
    estate.add("gone", free_port())
    row = estate.run('echo "to everybody"; echo oops >&2; cd /; pwd')
    assert (row.job.state, row.job.outcome_values) == (JobState.FAILED, {"total": 3, "succeeded": 2, "failed": 1})
    failed, good = estate.groups(row)
    assert (failed["result"], failed["hostnames"], failed["output"]) == ("unreachable", ["gone"], "")
    assert failed["message"]
    assert (good["result"], good["status"], good["hostnames"]) == ("done", 0, ["web-1", "web-2"])
    assert sorted(good["output"].splitlines()) == ["/", "oops", "to everybody"]
    assert [one["hostname"] for one in estate.rows(row, group=good["key"])] == ["web-1", "web-2"]
    [first, _second] = estate.rows(row, result="done")
    assert [one["group"] for one in estate.rows(row)] == [failed["key"], good["key"], good["key"]]
    shown = estate.client.get(f"{COMMANDS}{row.pk}/hosts/{first['id']}/").json()
    assert (shown["output"], shown["is_cut"], shown["size"]) == (good["output"], False, len(good["output"]))
    answer = estate.client.get(f"{COMMANDS}{row.pk}/", headers=ENGLISH).json()
    assert answer["is_finished"]
    assert not answer["is_success"]
    assert answer["result"] == "Hosts: 3, succeeded: 2, failed: 1."
    assert answer["run_as_display"] == "deploy"
    assert set(answer["hosts"]) == {str(asset.pk) for asset in estate.assets}


def test_hosts_that_failed_are_listed_for_another_run(estate: Estate, worker: Dispatcher) -> None:
    estate.add("gone", free_port())
    row = estate.run("echo it works")
    assert [host["hostname"] for host in estate.rows(row, is_failed="true")] == ["gone"]
    assert "gone" not in [host["hostname"] for host in estate.rows(row, is_failed="false")]


def test_outputs_that_have_ended_are_read_once_however_often_the_page_asks(estate: Estate, worker: Dispatcher) -> None:
    row = estate.run(f"echo {uuid.uuid4()}")
    first = estate.groups(row)
    with CaptureQueriesContext(connection) as queries:
        assert estate.groups(row) == first
    assert [query for query in queries if '"jobs_hostoutput"."data"' in query["sql"]] == []
    assert first[-1]["output"].strip() in row.command


def test_login_shell_of_the_account_reads_the_whole_command(estate: Estate, worker: Dispatcher) -> None:
    row = estate.run("x=1\r\nif [ $x = 1 ]\r\nthen\r\n  echo one\r\nfi\r\nexit 3\r\n", assets=estate.assets[:1])
    [group] = estate.groups(row)
    assert (group["result"], group["status"], group["output"]) == ("failed", 3, "one\n")
    assert group["message"] == "The exit status was 3."


def test_output_is_seen_while_the_command_runs_and_the_person_stops_it(estate: Estate, worker: Dispatcher) -> None:
    row = estate.start("echo begun; sleep 100; echo never", assets=estate.assets[:1])
    [group] = until(lambda: [one for one in estate.groups(row) if one["output"]])
    assert (group["state"], group["output"]) == ("started", "begun\n")
    answer = estate.client.post(f"/api/v1/ops/celery/task/{row.pk}/cancel/")
    assert answer.status_code == 202, answer.content
    job = ended(row.job)
    assert job.state == JobState.CANCELLED
    [group] = estate.groups(row)
    assert (group["result"], group["output"]) == ("stopped", "begun\n")


def test_nobody_else_sees_or_stops_a_command_but_auditors_and_administrators(
    estate: Estate,
    as_auditor: APIClient,
    as_org_admin: APIClient,
    make_user: Callable[..., User],
    client_of: Callable[[User | None], APIClient],
) -> None:
    row = estate.start("true")
    other, stranger = client_of(make_user("otto")), client_of(make_user("sven", org_role=None))
    paths = ["", "hosts/", "groups/", f"hosts/{HostOutcome.objects.filter(execution_id=row.pk)[0].pk}/"]
    for client in (other, stranger):
        assert [client.get(f"{COMMANDS}{row.pk}/{path}").status_code for path in paths] == [404] * 4
        assert client.get(COMMANDS).json() == []
        assert client.get(f"/api/v1/ops/celery/task/{row.pk}/log/").status_code == 404
        assert client.post(f"/api/v1/ops/celery/task/{row.pk}/cancel/").status_code == 404
    assert as_auditor.get(f"{COMMANDS}{row.pk}/").status_code == 404  # the list of one's own
    assert as_auditor.get(f"{COMMANDS}{row.pk}/groups/").status_code == 200
    assert as_auditor.get(f"{COMMANDS}{row.pk}/hosts/").status_code == 200
    estate.groups(row)
    # That others look is recorded once for one reading; that one looks at one's own is not.
    [viewed] = AuditEvent.objects.filter(event="commands.viewed")
    assert (viewed.user, viewed.new["query"]["batch_command"]) == ("Audra(audra)", str(row.pk))
    assert as_auditor.get(f"/api/v1/ops/celery/task/{row.pk}/log/").status_code == 200
    assert as_auditor.post(f"/api/v1/ops/celery/task/{row.pk}/cancel/").status_code == 403
    assert as_org_admin.post(f"/api/v1/ops/celery/task/{row.pk}/cancel/").status_code == 202


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"command": "  \n "}, "command"),
        ({"command": "x" * 16_385}, "command"),
        ({"hosts": []}, "hosts"),
        ({"hosts": ["no id"]}, "hosts"),
        ({"run_as": "no id"}, "run_as"),
        ({"run_as": "11111111-1111-4111-8111-111111111111"}, "run_as"),
        ({"hosts": ["11111111-1111-4111-8111-111111111111"]}, "hosts"),
    ],
)
def test_bad_requests_name_the_field_and_run_nothing(estate: Estate, change: dict[str, Any], field: str) -> None:
    body = {"command": "true", "run_as": str(estate.run_as.pk), "hosts": [str(estate.assets[0].pk)], **change}
    answer = estate.client.post(COMMANDS, body, format="json", headers=ENGLISH)
    assert answer.status_code == 400
    assert list(answer.json()) == [field], answer.json()
    assert not Job.objects.exists()


def test_system_user_and_every_host_must_be_granted_together(estate: Estate) -> None:
    other = make_system_user("other", username="root")
    typed = make_system_user("typed", username="root", login_mode="manual")
    estate.permission.system_users.add(typed)
    lonely = make_asset("lonely", ip="127.0.0.1", protocols=["ssh/22"])
    answer = estate.post("true", run_as=str(other.pk))
    assert answer.json() == {"hosts": ["You may not run commands with this system user on these hosts."]}
    answer = estate.post("true", assets=[*estate.assets, lonely])
    assert answer.json() == {"hosts": ["You may not run commands with this system user on 1 of these hosts."]}
    assert list(estate.post("true", run_as=str(typed.pk)).json()) == ["run_as"]
    assert not Job.objects.exists()


def forbid(run_as: SystemUser, content: str, action: RuleAction = RuleAction.DENY, unresolved: str = "allow") -> None:
    row = CommandFilter.objects.create(org_id=run_as.org_id, name="careful", unresolved=unresolved)
    row.system_users.add(run_as)
    CommandFilterRule.objects.create(
        org_id=run_as.org_id, filter=row, content=content, priority=50, action=action, rank=0
    )


def alerts() -> list[SiteMessage]:
    """The messages about refused batch commands that the administrator has got, after the worker has sent them."""
    outbox.drain()
    kind = "CommandExecutionAlert"
    return list(SiteMessage.objects.filter(message_type=kind, receipts__user__username="olga"))


@pytest.mark.parametrize(
    ("command", "action", "message"),
    [
        ("echo fine\nx=boot; re$x now", RuleAction.DENY, "The command filter “careful” does not allow this command."),
        (
            "sudo reboot",
            RuleAction.CONFIRM,
            "The command filter “careful” requires a confirmation. Run this command in a session.",
        ),
        (
            "curl http://127.0.0.1/x | sh",
            RuleAction.DENY,
            (
                "It is not certain what this command would run, so the command filters refuse it. "
                "A shell or an interpreter gets code that is not known."
            ),
        ),
    ],
)
def test_command_filters_judge_the_whole_command_and_refusals_are_recorded(
    estate: Estate, command: str, action: RuleAction, message: str, make_user: Callable[..., User]
) -> None:
    make_user("olga", role="Admin", language="en")
    forbid(estate.run_as, "reboot", action, unresolved="deny")
    answer = estate.post(command)
    assert (answer.status_code, answer.json()["code"], answer.json()["detail"]) == (403, "command_refused", message)
    assert not Job.objects.exists()
    record = AuditEvent.objects.get(event="batchcommand.refused")
    assert (record.user, record.new["command"], record.new["run_as"]) == ("Uma(uma)", command, "deploy")
    for _again in range(3):  # told once in an hour
        estate.post(command)
    (alert,) = alerts()
    assert alert.subject == "A batch command of Uma(uma) was refused"
    assert "as deploy on several hosts (number: 2)" in alert.message


def test_host_whose_permission_or_rules_changed_before_its_turn_is_not_touched(
    estate: Estate, runner: RunnerLink
) -> None:
    row = estate.start("touch here")
    estate.permission.assets.remove(estate.assets[0])
    worker = Dispatcher(settings.POSTERN.home, "worker", poll_s=0.05)
    worker.start()
    try:
        ended(row.job)
    finally:
        worker.stop()
    first, second = estate.rows(row)
    assert (first["result"], second["result"]) == ("refused", "done")
    assert first["message"]
    assert estate.server.log.count("Accepted publickey") == 1


def test_filter_that_came_after_the_request_counts(
    estate: Estate, runner: RunnerLink, make_user: Callable[..., User]
) -> None:
    make_user("olga", role="Admin", language="en")
    row = estate.start("touch here")
    forbid(estate.run_as, "touch")
    worker = Dispatcher(settings.POSTERN.home, "worker", poll_s=0.05)
    worker.start()
    try:
        ended(row.job)
    finally:
        worker.stop()
    assert {one["message"] for one in estate.rows(row)} == {"The command filter “careful” does not allow this command."}
    assert "Accepted publickey" not in estate.server.log
    (alert,) = alerts()
    assert "touch here, which Uma(uma) runs as deploy, is now refused" in alert.message


def test_running_command_is_stopped_where_the_permission_ends(estate: Estate, worker: Dispatcher) -> None:
    row = estate.start("echo begun; sleep 100")
    until(lambda: sum(one["size"] > 0 for one in estate.rows(row)) == 2)
    estate.permission.assets.remove(estate.assets[1])
    found = until(lambda: estate.rows(row, is_open="0"))
    assert [(one["hostname"], one["result"]) for one in found] == [("web-2", "stopped")]
    assert found[0]["message"]
    estate.user.session_epoch += 1  # all access of the user is ended
    estate.user.save(update_fields=["session_epoch"])
    assert ended(row.job).state == JobState.FAILED
    assert estate.rows(row)[0]["message"] == "The access of the user has been ended."


def test_setting_turns_batch_commands_off_for_ordinary_users(estate: Estate, as_org_admin: APIClient) -> None:
    PreferenceValue.objects.update_or_create(name="SECURITY_COMMAND_EXECUTION", defaults={"value": False})
    answer = estate.post("true")
    assert (answer.status_code, answer.json()["code"]) == (403, "batch_commands_off")
    body = {"command": "true", "run_as": str(estate.run_as.pk), "hosts": [str(estate.assets[0].pk)]}
    assert list(as_org_admin.post(COMMANDS, body, format="json").json()) == ["hosts"]  # not granted to them


def test_administrator_of_another_organization_is_an_ordinary_user_where_it_is_off(
    estate: Estate, people: dict[str, User]
) -> None:
    Membership.objects.create(
        user=people["user"], org_id=Organization.objects.create(name="elsewhere").pk, role=OrgRole.ADMIN
    )
    PreferenceValue.objects.update_or_create(name="SECURITY_COMMAND_EXECUTION", defaults={"value": False})
    answer = estate.post("true")
    assert (answer.status_code, answer.json()["code"]) == (403, "batch_commands_off")
    assert not BatchCommand.objects.exists()


def test_commands_that_have_not_ended_are_limited_for_each_person(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions, "MOST_OPEN", 3)
    rows = [estate.start("true") for _ in range(3)]
    answer = estate.post("true")
    assert (answer.status_code, answer.json()["code"]) == (429, "too_many_commands")
    assert BatchCommand.objects.count() == 3
    Job.objects.filter(pk=rows[0].pk).update(state=JobState.SUCCEEDED)
    estate.start("true")


@pytest.mark.parametrize("stays", [True, False])
def test_administrator_who_loses_the_role_before_the_turn_of_a_host_is_an_ordinary_user(
    estate: Estate, people: dict[str, User], as_org_admin: APIClient, runner: RunnerLink, stays: bool
) -> None:
    estate.permission.users.add(people["org_admin"])
    estate.client = as_org_admin
    PreferenceValue.objects.update_or_create(name="SECURITY_COMMAND_EXECUTION", defaults={"value": False})
    row = estate.start("true")
    if not stays:
        Membership.objects.filter(user=people["org_admin"]).update(role=OrgRole.USER)
    worker = Dispatcher(settings.POSTERN.home, "worker", poll_s=0.05)
    worker.start()
    try:
        ended(row.job)
    finally:
        worker.stop()
    off = "An administrator has turned batch commands off."
    assert {one["message"] for one in estate.rows(row)} == ({""} if stays else {off})


def test_command_and_what_each_host_said_are_proved_by_the_audit_log(estate: Estate, worker: Dispatcher) -> None:
    row = estate.run("hostname")
    started = AuditEvent.objects.get(event="batchcommand.requested")
    assert (started.user, started.new["command"], started.new["hosts_amount"]) == ("Uma(uma)", "hostname", 2)
    assert started.new["hosts"]["first"] == ["web-1", "web-2"]
    finished = AuditEvent.objects.get(event="batchcommand.finished")
    assert finished.new["evidence"] == row.evidence == evidence_of(row)
    assert len(row.evidence) == 64
    output = HostOutput.objects.first()
    assert output is not None
    output.digest = hashlib.sha256(b"something else").hexdigest()
    output.save(update_fields=["digest"])
    assert evidence_of(row) != row.evidence


def test_much_output_is_cut_in_the_database_and_hashed_whole(estate: Estate, worker: Dispatcher) -> None:
    row = estate.run("yes 0123456789 | head -c 3000000; echo END", assets=estate.assets[:1])
    [host] = estate.rows(row)
    assert (host["result"], host["size"]) == ("done", 3_000_004)
    shown = estate.client.get(f"{COMMANDS}{row.pk}/hosts/{host['id']}/").json()
    assert shown["is_cut"]
    assert len(shown["output"]) == 256 * 1024
    whole = (b"0123456789\n" * 300_000)[:3_000_000] + b"END\n"
    of_both = hashlib.sha256(whole).digest() + hashlib.sha256(b"").digest()
    assert HostOutput.objects.get().digest == hashlib.sha256(of_both).hexdigest()


def test_what_hosts_did_is_stored_although_the_log_does_not_fit_on_the_disk(
    estate: Estate, runner: RunnerLink, tmp_path: Path
) -> None:
    with small_volume(tmp_path / "volume", megabytes=1) as volume:
        fill(volume)
        worker = Dispatcher(volume, "worker", poll_s=0.05)
        worker.start()
        try:
            row = estate.run("echo done")
        finally:
            worker.stop()
    assert (row.job.state, row.job.outcome) == (JobState.FAILED, "log_lost")
    found = [(one["result"], one["size"]) for one in estate.rows(row)]
    assert ("done", 5) in found
    assert "unknown" not in [result for result, _size in found]


def test_output_of_a_hostile_host_is_only_text(estate: Estate, worker: Dispatcher) -> None:
    command = r"printf '\033]0;title\007\033[31mred\033[0m <b>\000\r\n10%%\r20%%\r\nlast\302\233'"
    row = estate.run(command, assets=estate.assets[:1])
    [group] = estate.groups(row)
    assert group["output"] == "red <b>\n20%\nlast"


@pytest.mark.spec("S2-134")
def test_who_has_left_the_organization_sees_none_of_the_commands_they_ran_there(estate: Estate) -> None:
    row = estate.start("echo secret")
    places = [f"{COMMANDS}{row.pk}/{part}" for part in ("", "hosts/", "groups/")]
    places += [f"/api/v1/ops/celery/task/{row.pk}/{part}/" for part in ("result", "log", "log/file")]
    assert [estate.client.get(place).status_code for place in places] == [200] * 6
    membership = Membership.objects.get(user=estate.user)
    membership.delete()
    assert [estate.client.get(place).status_code for place in places] == [404] * 6
    assert estate.client.get(COMMANDS).json() == []
    assert estate.client.post(f"/api/v1/ops/celery/task/{row.pk}/cancel/").status_code == 404
    Membership.objects.create(user=estate.user, org_id=row.org_id, role=membership.role)
    assert [one["id"] for one in estate.client.get(COMMANDS).json()] == [str(row.pk)]


def test_auditors_list_commands_and_their_hosts_in_their_organization(
    estate: Estate, worker: Dispatcher, as_auditor: APIClient, as_org_admin: APIClient, as_user: APIClient
) -> None:
    row = estate.run("uptime")
    for client in (as_auditor, as_org_admin):
        [found] = client.get(LOGS, headers=ENGLISH).json()
        assert (found["user_display"], found["run_as_display"], found["command"]) == ("Uma(uma)", "deploy", "uptime")
        assert (found["is_finished"], found["is_success"], found["hosts_amount"]) == (True, True, 2)
        assert found["hosts_display"] == ["web-1", "web-2"]
        assert found["date_start"]
        assert client.get(LOGS, {"user__username": "otto"}).json() == []
        assert client.get(LOGS, {"is_finished": "0"}).json() == []
        assert len(client.get(LOGS, {"search": "uptime uma"}).json()) == 1
        relations = client.get(RELATIONS, {"commandexecution": str(row.pk), "search": "web-2"}).json()
        assert [one["asset_display"] for one in relations] == ["web-2(127.0.0.1)"]
    assert as_user.get(LOGS).status_code == 403
    assert as_user.get(RELATIONS).status_code == 403
    csv = as_auditor.get(LOGS, {"format": "csv"})
    assert b"uptime" in b"".join(csv.streaming_content if csv.streaming else [csv.content])
    assert AuditEvent.objects.filter(event="batchcommand.exported").exists()
    assert as_org_admin.get("/api/v1/ops/adhoc-executions/").json() == []  # a list of their own


def test_commands_are_kept_as_long_as_sessions(estate: Estate) -> None:
    PreferenceValue.objects.update_or_create(name="TERMINAL_SESSION_KEEP_DURATION", defaults={"value": 150})
    row = estate.start("true")
    # ages are measured by the clock of the database
    Job.objects.filter(pk=row.pk).update(state=JobState.SUCCEEDED, date_finished=Now() - timedelta(days=149))
    assert housekeeping.forget_old(settings.POSTERN.home) == 0
    Job.objects.filter(pk=row.pk).update(date_finished=Now() - timedelta(days=151))
    assert housekeeping.forget_old(settings.POSTERN.home) > 0
    assert not BatchCommand.objects.exists()
    assert not HostOutcome.objects.exists()
    record = AuditEvent.objects.get(event="batchcommand.forgotten")
    assert (record.resource_id, record.old["user"], record.old["hosts_amount"]) == (str(row.pk), "Uma(uma)", 2)
