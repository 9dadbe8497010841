"""The state and the log of a job over the API: who may read and cancel it, and in which language."""

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from rest_framework.test import APIClient

from factories.jobs import Numbered, Workshop, ended
from postern.apps.jobs.engine import actions, claims
from postern.apps.jobs.engine.dispatcher import Dispatcher
from postern.apps.jobs.engine.models import Job
from postern.apps.jobs.logs.files import LogWriter
from postern.apps.orgs.models import Organization
from postern.apps.orgs.roles import OrgRole
from postern.apps.users.models import Membership, User
from postern.foundation.caller.actor import SYSTEM, Actor
from postern.kernel.ids import DEFAULT_ORG_ID, new_id

Clients = Callable[[User | None], APIClient]
PARTS = ("result/", "log/", "log/file/")


def address(job: Job, part: str) -> str:
    return f"/api/v1/ops/celery/task/{job.pk}/{part}"


def accept(name: str = "test.hold", org_id: Any = DEFAULT_ORG_ID, actor: Actor = SYSTEM) -> Job:
    return actions.accept(actor=actor, org_id=org_id, kind=name, argument=Numbered(1), subject="web-1")


@pytest.mark.django_db
def test_job_belongs_to_its_organization_and_to_who_started_it(
    people: dict[str, User], client_of: Clients, make_user: Callable[..., User], test_kinds: None
) -> None:
    there = Organization.objects.create(name="Elsewhere")
    job = accept()
    own = Job.objects.create(
        org_id=there.pk, kind="test.hold", argument={}, created_by_id=people["user"].pk, created_by="Uma(uma)"
    )
    Membership.objects.create(user=people["user"], org=there, role=OrgRole.USER)
    stranger = make_user("sam", org_role=OrgRole.ADMIN, org_id=there.pk)
    for part in PARTS:
        for name, status in (("user", 404), ("auditor", 404), ("org_admin", 200), ("admin", 200)):
            assert client_of(people[name]).get(address(job, part)).status_code == status, (part, name)
        assert client_of(stranger).get(address(job, part), headers={"X-JMS-ORG": str(there.pk)}).status_code == 404
        assert client_of(people["user"]).get(address(own, part)).status_code == 200
        assert client_of(people["org_admin"]).get(address(own, part)).status_code == 404
        assert client_of(None).get(address(job, part)).status_code == 401
        assert client_of(people["admin"]).get(f"/api/v1/ops/celery/task/{new_id()}/{part}").status_code == 404
    assert client_of(people["user"]).post(address(job, "cancel/")).status_code == 404
    assert client_of(people["auditor"]).post(address(job, "cancel/")).status_code == 404
    job.refresh_from_db()
    assert job.date_cancel_requested is None


@pytest.mark.django_db
def test_who_has_left_an_organization_neither_reads_nor_stops_the_jobs_they_started_there(
    people: dict[str, User], client_of: Clients, test_kinds: None
) -> None:
    there = Organization.objects.create(name="Elsewhere")
    membership = Membership.objects.create(user=people["org_admin"], org=there, role=OrgRole.ADMIN)
    jobs = [
        Job.objects.create(org_id=there.pk, kind="test.hold", argument={}, created_by_id=people[name].pk)
        for name in ("org_admin", "admin")
    ]
    assert [client_of(people["org_admin"]).get(address(jobs[0], part)).status_code for part in PARTS] == [200] * 3
    membership.delete()
    assert [client_of(people["org_admin"]).get(address(jobs[0], part)).status_code for part in PARTS] == [404] * 3
    assert client_of(people["org_admin"]).post(address(jobs[0], "cancel/")).status_code == 404
    jobs[0].refresh_from_db()
    assert jobs[0].date_cancel_requested is None
    # The system administrator belongs to every organization.
    assert [client_of(people["admin"]).get(address(jobs[1], part)).status_code for part in PARTS] == [200] * 3


@pytest.mark.django_db
@pytest.mark.parametrize(("language", "state"), [("en", "Waiting"), ("zh-hans", "等待中")])
def test_state_is_in_the_language_of_the_reader(
    as_org_admin: APIClient, test_kinds: None, language: str, state: str
) -> None:
    body = as_org_admin.get(address(accept(), "result/"), headers={"Accept-Language": language}).json()
    assert body["state"] == "waiting"
    assert body["state_display"] == state
    assert (body["subject"], body["created_by"], body["is_open"], body["result"]) == ("web-1", "System", True, "")


@pytest.mark.django_db
def test_log_is_read_in_pieces_to_its_end(as_org_admin: APIClient, test_kinds: None) -> None:
    job = accept("test.quick")
    waiting = as_org_admin.get(address(job, "log/")).json()
    assert (waiting["end"], waiting["mark"]) == (False, "0")
    assert waiting["data"] == "正在等待工作进程…\n"
    (claimed,) = claims.claim({"test.quick": 1}, holder="worker")
    text = "行 of the log, 1234567890\n" * 2000
    with LogWriter(settings.POSTERN.home, job.pk, claimed.token) as writer:
        writer.write(text.encode())
    read, mark = "", ""
    for _ in range(100):
        piece = as_org_admin.get(address(job, "log/"), {"mark": mark}).json()
        read, mark = read + piece["data"], piece["mark"]
        if len(read) == len(text):
            break
    assert read == text
    assert not piece["end"], "the job runs on"
    Job.objects.filter(pk=job.pk).update(state="succeeded")
    assert as_org_admin.get(address(job, "log/"), {"mark": mark}).json() == {"data": "", "end": True, "mark": mark}
    file = as_org_admin.get(address(job, "log/file/"))
    assert file["Content-Type"] == "text/plain; charset=utf-8"
    assert file["Content-Disposition"] == f'attachment; filename="job-{job.pk}.log"'
    assert b"".join(file.streaming_content).decode() == text


@pytest.mark.django_db(transaction=True)
def test_cancelling_over_the_api(
    as_org_admin: APIClient, make_worker: Callable[..., Dispatcher], workshop: Workshop
) -> None:
    job = accept()
    make_worker()
    assert workshop.held.acquire(timeout=30)
    answer = as_org_admin.post(address(job, "cancel/"))
    assert answer.status_code == 202
    assert answer.json()["is_cancelling"] or not answer.json()["is_open"]
    ended(job)
    body = as_org_admin.get(address(job, "result/"), headers={"Accept-Language": "en"}).json()
    assert (body["state"], body["result"]) == ("cancelled", "Olaf(olaf) cancelled it.")
    again = as_org_admin.post(address(job, "cancel/"))
    assert (again.status_code, again.json()["code"]) == (400, "job_over")
